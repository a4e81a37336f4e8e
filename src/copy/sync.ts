import { advice } from '../base/advice.ts';
import { CliError } from '../base/errors.ts';
import { getFees } from '../contract/endpoints/fees.ts';
import type { Account } from '../engine/account.ts';
import type { Queries } from '../journal/store.ts';
import { UNLESS_THERE } from '../store/table.ts';
import { payout } from '../things/bank-transfers.ts';
import { THINGS } from '../things/index.ts';
import { transfer } from '../things/token-transfers.ts';
import { readBalances, saveBalances } from './balances.ts';
import type { LocalCopy } from './database.ts';
import { readEnds } from './event-ends.ts';
import { leavesOut, readFailures } from './failures.ts';
import { type Filler, fillerForPeople } from './filler.ts';
import { fieldsOf, formNumbers, type RowRecord, recordNames, rowReader } from './forms.ts';
import { type Gap, readSetting, readState, writeKnownUntil, writeSetting } from './list-state.ts';
import { readFees } from './read-fees.ts';
import { type CopyRow, rowsOf } from './rows.ts';
import { stripChanges } from './save-changes.ts';
import { ACCOUNT_WALLETS, isThing, later, needed, ownNames, stored, VERSION } from './schema.ts';
import { syncTable, type TableSync } from './sync-table.ts';
import { type CopyTable, TABLES, tableOf } from './tables.ts';
import { noteUnlisted } from './unlisted.ts';

const DAY_MS = 86_400_000;

/** What a sync did to a table, and what it knows of it. Times are ISO 8601 in UTC. */
interface TableReport {
  readonly table: string;
  readonly rows: number;
  readonly newest: string | null;
  readonly isComplete: boolean;
  readonly gap: Gap | null;
  readonly syncedAt: string | null;
  readonly verifiedAt: string | null;
  readonly open: number;
  readonly deleted: number;
  readonly done?: TableSync;
}

interface SyncOptions {
  readonly isFull: boolean;
  readonly personalDays: number;
}

/** What a sync did; `filler` is another process that filled the local copy for as long as this one waited. */
export interface SyncReport {
  readonly tables: readonly TableReport[];
  readonly filler: Filler | undefined;
}

/** How often a sync that waits for another one looks whether it has ended. */
const LOOK_MS = 1_000;

/** Waits for the turn to fill the local copy, for as long as a request may take. Returns who has it if that is over. Rejects with CliError interrupted. */
async function turnOf({ world, globals, notices }: Account, copy: LocalCopy): Promise<AsyncDisposable | Filler> {
  const { clock, interrupted } = world;
  const untilMs = clock.now() + globals.timeoutMs;
  for (let isFirst = true; ; isFirst = false) {
    const lock = await copy.lock();
    if (lock) return lock;
    const filler = await copy.filler();
    if (filler && clock.now() >= untilMs) return filler;
    if (filler && isFirst) await notices.note(`${fillerForPeople(filler)}; waiting for it to end`);
    await clock.sleep(LOOK_MS, interrupted).catch(() => {
      throw new CliError('interrupted', 'interrupted while another sync was running; nothing was read');
    });
  }
}

/** Brings the local copy of an account up to date. Rejects with CliError and DatabaseError; the next sync goes on where it stopped. */
export async function sync(account: Account, copy: LocalCopy, options: SyncOptions): Promise<SyncReport> {
  const turn = await turnOf(account, copy);
  if (!(Symbol.asyncDispose in turn)) return { tables: await tablesOf(copy), filler: turn };
  await using _ = turn;
  return { tables: await fill(account, copy, options), filler: undefined };
}

async function fill(
  account: Account,
  copy: LocalCopy,
  { isFull, personalDays }: SyncOptions,
): Promise<readonly TableReport[]> {
  const { now } = account.world.clock;
  await requireOwn(account, copy);
  const balances = await readBalances(account);
  await copy.write((queries) => saveBalances(queries, balances));
  const personalFromMs = now() - personalDays * DAY_MS;
  const forget = () => forgetPersonal(copy, new Date(personalFromMs).toISOString());
  // A reading writes old rows without what is personal, but does not overwrite what it replaces on disk.
  await forget();
  const reports: TableReport[] = [];
  for (const table of TABLES) {
    const done = await syncTable({ account, copy, isFull, personalFromMs }, table);
    reports.push({ ...(await reportOf(copy, table)), done });
  }
  await copy.write(noteWallets);
  await copy.write((queries) => addIndexes(queries, needed()));
  for (const thing of THINGS) if (leavesOut(thing)) await readFailures(account, copy, thing);
  await readEnds(account, copy);
  await readFees(account, copy);
  await copy.write(async (queries) => {
    await addIndexes(queries, later());
    await writeSetting(queries, INDEXED, String(VERSION));
  });
  await copy.write(noteUnlisted);
  // A row without a time is read with what is personal, however old it is.
  await forget();
  await copy.write(async (queries) => {
    await writeSetting(queries, 'synced-at', new Date(now()).toISOString());
    await writeKnownUntil(queries, balances.at);
  });
  return reports;
}

/** The layout whose indexes a copy has. */
const INDEXED = 'indexed';

/** Makes indexes that a copy is filled without. */
async function addIndexes(queries: Queries, indexes: readonly string[]): Promise<void> {
  if ((await readSetting(queries, INDEXED)) === String(VERSION)) return;
  for (const index of indexes) await queries.run(index);
}

/** Notes the account's own wallets as its rows name them: it may have had others before. */
async function noteWallets(queries: Queries): Promise<void> {
  for (const thing of [payout, transfer])
    await queries.run(
      `INSERT INTO ${ACCOUNT_WALLETS.name} (address) SELECT DISTINCT lower(wallet_address) FROM ${stored(tableOf(thing))}
       WHERE ${isThing(thing)} AND coalesce(wallet_address, '') <> '' ${UNLESS_THERE}`,
    );
}

/** The code of the error for a local copy of another account. */
export const COPY_OF_ANOTHER = 'COPY_OF_ANOTHER';

/** Throws CliError declined if the local copy is of another account: a copied file, or another key under the profile's name. */
async function requireOwn(account: Account, copy: LocalCopy): Promise<void> {
  const { fintechId } = (await account.call(getFees, {})).data;
  const owner = `${account.profile.mode} ${fintechId}`;
  const known = await copy.read((queries) => readSetting(queries, 'owner'));
  if (known === undefined) await copy.write((queries) => writeSetting(queries, 'owner', owner));
  else if (known !== owner)
    throw new CliError('declined', `the local copy ${copy.name} is of another account; nothing was written`, {
      code: COPY_OF_ANOTHER,
      hint: advice`remove it with: [fiatrail sync forget]; then run: [fiatrail sync]`,
    });
}

/** Says of the local copy what it has, and who fills it now. */
export const statusOf = async (copy: LocalCopy): Promise<SyncReport> => ({
  tables: await tablesOf(copy),
  filler: await copy.filler(),
});

/** Says of each table how much it has, and what proves that it is whole. */
export async function tablesOf(copy: LocalCopy): Promise<TableReport[]> {
  const reports: TableReport[] = [];
  for (const table of TABLES) reports.push(await reportOf(copy, table));
  return reports;
}

function reportOf(copy: LocalCopy, table: CopyTable): Promise<TableReport> {
  return copy.read(async (queries) => {
    const state = await readState(queries, table);
    const counts = await queries.get<{ rows: bigint; deleted: bigint; newest: string | null }>(
      `SELECT (SELECT count(*) FROM ${stored(table)}) AS rows, (SELECT max(created_at) FROM ${stored(table)}) AS newest,
         (SELECT count(*) FROM ${stored(table)} WHERE deleted_at IS NOT NULL) AS deleted`,
    );
    const open = await queries.get<{ open: bigint }>(`SELECT count(*) AS open FROM ${stored(table)} WHERE is_open = 1`);
    return {
      table: table.name,
      rows: Number(counts?.rows ?? 0n) - Number(counts?.deleted ?? 0n),
      newest: counts?.newest ?? null,
      isComplete: state.gap === null,
      gap: state.gap,
      syncedAt: state.syncedAt,
      verifiedAt: state.verifiedAt,
      open: Number(open?.open ?? 0n),
      deleted: Number(counts?.deleted ?? 0n),
    };
  });
}

/** Says what is lost with the local copy, because the service does not show it again. */
export function lostWith(copy: LocalCopy): Promise<string> {
  return copy.read(async (queries) => {
    let gone = 0n;
    for (const table of TABLES)
      gone += (await queries.get<{ n: bigint }>(`SELECT count(deleted_at) AS n FROM ${stored(table)}`))?.n ?? 0n;
    const balances = await queries.get<{ n: bigint; first: string | null }>(
      'SELECT count(*) AS n, min(at) AS first FROM stored_balances',
    );
    const fees = await queries.get<{ first: string | null }>(
      'SELECT min(first_seen_at) AS first FROM stored_fee_schedules',
    );
    const day = (at: string) => at.slice(0, 10);
    return [
      ...(balances?.first ? [`${balances.n} balances since ${day(balances.first)}`] : []),
      ...(fees?.first ? [`the fees seen in force since ${day(fees.first)}`] : []),
      `${gone} rows that the service no longer shows`,
    ].join(', ');
  });
}

/** How many rows are changed in one transaction. */
const BATCH = 500;

/** Things that exist are personal for as long as the service lists them; everything else from the time that it was made. */
const isOld = ({ readBy }: CopyTable) =>
  readBy === 'count' || readBy === 'whole'
    ? 'deleted_at < ?'
    : '(created_at < ? OR (created_at IS NULL AND first_seen_at < ?))';

/** Removes what is personal from rows of before a time, also from the files. Returns how many rows had it. */
async function forgetPersonal(copy: LocalCopy, beforeAt: string): Promise<number> {
  let count = 0;
  for (const table of TABLES) {
    const rowOf = rowReader(table);
    const toRow = rowsOf(table, () => false);
    const sql = `SELECT ${recordNames(table).join(', ')} FROM ${stored(table)} WHERE is_personal = 1 AND ${isOld(table)} LIMIT ${BATCH}`;
    for (let found = BATCH; found === BATCH; count += found)
      found = await copy.write(async (queries) => {
        const times = new Array(sql.split('?').length - 1).fill(beforeAt);
        const rows = await queries.all<RowRecord>(sql, ...times);
        for (const row of rows) await strip(queries, table, String(row['id']), toRow(fieldsOf(rowOf(row))));
        return rows.length;
      });
  }
  count += await copy.write((queries) => stripChanges(queries, beforeAt));
  if (count === 0) return 0;
  await copy.write(dropUnusedNames);
  await copy.erase();
  return count;
}

async function strip(queries: Queries, table: CopyTable, id: string, row: CopyRow) {
  const names = ownNames(table);
  const forms = await formNumbers(queries, [row.form]);
  await queries.run(
    `UPDATE ${stored(table)} SET ${names.map((name) => `${name} = ?`).join(', ')}, form = ?, rest = ?, digest = ?, is_personal = 0 WHERE id = ?`,
    ...row.values,
    forms.get(row.form) ?? null,
    row.rest,
    row.digest,
    id,
  );
}

/** Removes the names that no row has any more. */
async function dropUnusedNames(queries: Queries): Promise<void> {
  const used = TABLES.flatMap((table) =>
    table.columns.flatMap(({ isName, name }) =>
      isName ? [`SELECT ${name} FROM ${stored(table)} WHERE ${name} IS NOT NULL`] : [],
    ),
  );
  await queries.run(`DELETE FROM person_name WHERE name NOT IN (${used.join(' UNION ')})`);
}
