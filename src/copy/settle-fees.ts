import { nodeCrypto } from '../crypto/digest.ts';
import type { Queries } from '../journal/store.ts';
import { feesOf, type RowFees, thingsWithFees } from './fees.ts';
import { noteChanged, readSetting, writeSetting } from './list-state.ts';
import { FEE_SCHEDULES, IS_NEW, isThing, stored } from './schema.ts';
import { type CopyTable, TABLES } from './tables.ts';

/** Which fees in force the rows were settled by. */
const SETTLED_BY = 'fees-settled-by';

/**
 * Writes into each row what was taken from it: into those that are new or have changed, and into every one as soon as other fees were seen in
 * force. So a question reads it, and does not work it out again for each row.
 */
export async function settleFees(queries: Queries): Promise<void> {
  const schedules = await queries.all<Readonly<Record<string, unknown>>>(
    `SELECT taker, direction, from_minor, below_minor, percent_millionths, cap_minor, enabled, since, payable_until <= seen_at AS is_over
     FROM ${FEE_SCHEDULES.name} ORDER BY taker, direction, from_minor, since`,
  );
  const digest = nodeCrypto().hash(
    'sha256',
    schedules.map((row) => Object.values(row).join(' ')).join('\n'),
    'base64url',
  );
  const isSame = (await readSetting(queries, SETTLED_BY)) === digest;
  for (const table of TABLES) {
    if (!table.hasFees) continue;
    // The statement is so long that a sync with nothing new would wait for its compilation most of all.
    const [rows, where] = [stored(table), isSame ? ` WHERE ${IS_NEW}` : ''];
    if (await queries.get(`SELECT 1 AS one FROM ${rows}${where} LIMIT 1`))
      await queries.run(`UPDATE ${rows} SET ${assignments(table)}${where}`);
  }
  if (isSame) return;
  await writeSetting(queries, SETTLED_BY, digest);
  await noteChanged(queries, '');
}

/** The fees of a row by its kind; those of a kind that nobody knows are not known. */
function assignments(table: CopyTable): string {
  const set = (name: string, ofFree: string, otherwise: string, of: (fees: RowFees) => string) => {
    const branches = thingsWithFees(table).flatMap((thing) => {
      const fees = feesOf(thing);
      return [`WHEN ${isThing(thing)} AND ${fees.isFree} THEN ${ofFree}`, `WHEN ${isThing(thing)} THEN ${of(fees)}`];
    });
    return `${name} = CASE ${branches.join(' ')} ELSE ${otherwise} END`;
  };
  return [
    set('own_fee_minor', '0', 'NULL', ({ own }) => own),
    set('platform_fee_minor', '0', 'NULL', ({ platform }) => platform),
    set('fee_known', 'NULL', "'FEE_NOT_STATED'", ({ known }) => known),
    set('fee_rule', "'row'", 'NULL', ({ rule }) => rule),
  ].join(', ');
}
