import type { Account } from '../engine/account.ts';
import { grouped } from '../money/decimal.ts';
import type { LocalCopy } from './database.ts';
import { readSchedules } from './fee-schedules.ts';
import { thingsWithFees } from './fees.ts';
import { readSetting, writeSetting } from './list-state.ts';
import { newRows } from './new-rows.ts';
import { readOfframpParts } from './offramp-parts.ts';
import { CONTRADICTS } from './schema.ts';
import { settleFees } from './settle-fees.ts';
import { TABLES } from './tables.ts';

/** Up to when rows were read whose fees were looked into. */
const READ_UNTIL = 'fees-read-until';

/**
 * Reads what tells the fees of the rows that were read. The fees in force are read last: then they were in force when the newest row was made.
 * Rejects with CliError; what was read is saved, and the next sync goes on.
 */
export async function readFees(account: Account, copy: LocalCopy): Promise<void> {
  const at = new Date(account.time.service.nowMs() ?? account.world.clock.now()).toISOString();
  const sinceAt = (await copy.read((queries) => readSetting(queries, READ_UNTIL))) ?? '';
  await readOfframpParts(account, copy);
  await readSchedules(account, copy, sinceAt);
  await copy.write(settleFees);
  await account.notices.progress.end();
  await sayContradictions(account, copy);
  await copy.write((queries) => writeSetting(queries, READ_UNTIL, at));
}

/** How many rows are named. */
const NAMED = 3;

/** Warns of new rows of which the amounts contradict each other. */
async function sayContradictions({ notices }: Account, copy: LocalCopy): Promise<void> {
  for (const table of TABLES.filter((each) => thingsWithFees(each).length > 0)) {
    const { name } = table;
    const ids: string[] = [];
    let count = 0;
    let note = async () => {};
    for await (const { rows, noteRead } of newRows(
      copy,
      table,
      `${name}-contradict-until`,
      `deleted_at IS NULL AND ${CONTRADICTS}`,
    )) {
      ids.push(...rows.slice(0, NAMED - ids.length).map(({ id }) => id));
      count += rows.length;
      const last = rows.at(-1);
      if (last) note = () => copy.write((queries) => noteRead(queries, last));
    }
    if (count === 0) continue;
    const more = count > NAMED ? ` and ${grouped(count - NAMED)} more` : '';
    await notices.say(
      `warning: the amounts of ${name} ${ids.join(', ')}${more} contradict each other, so their fees are not known; compare them with: fiatrail find ${ids[0]}`,
    );
    // Not before it is said: who ends this in between would never hear of them.
    await note();
  }
}
