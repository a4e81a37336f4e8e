import { CliError } from '../../base/errors.ts';
import { getFees } from '../../contract/endpoints/fees.ts';
import type { Account } from '../account.ts';
import { readBalances, saveBalances } from './balances.ts';
import type { Mirror } from './database.ts';
import { readDepositFees } from './deposit-fees.ts';
import { type Gap, readSetting, readState, writeSetting } from './list-state.ts';
import { forgetPersonal } from './personal.ts';
import { stored } from './schema.ts';
import { syncTable, type TableSync } from './sync-table.ts';
import { type MirrorTable, TABLES } from './tables.ts';

const DAY_MS = 86_400_000;

/** What a sync did to a table, and what it knows of it. Times are ISO 8601 in UTC. */
export interface TableReport {
  readonly table: string;
  readonly rows: number;
  readonly newest: string | null;
  readonly isWhole: boolean;
  readonly gap: Gap | null;
  readonly syncedAt: string | null;
  readonly secondLookAt: string | null;
  readonly open: number;
  readonly gone: number;
  readonly done?: TableSync;
}

interface SyncOptions {
  readonly isFull: boolean;
  readonly personalDays: number;
}

/** Brings the mirror of an account up to date. Rejects with CliError and DatabaseError; the next sync goes on where it stopped. */
export async function sync(
  account: Account,
  mirror: Mirror,
  { isFull, personalDays }: SyncOptions,
): Promise<TableReport[]> {
  await using lock = await mirror.lock();
  if (!lock)
    throw new CliError('declined', `another program is filling the mirror ${mirror.name}`, {
      code: 'MIRROR_BUSY',
      hint: 'wait for it to end; see: fiatrail sync status',
    });
  const { now } = account.world.clock;
  account.world.steadyMemory();
  await requireOwn(account, mirror);
  const balances = await readBalances(account);
  await mirror.write((queries) => saveBalances(queries, balances));
  const personalFromMs = now() - personalDays * DAY_MS;
  const reports: TableReport[] = [];
  for (const table of TABLES) {
    const done = await syncTable({ account, mirror, isFull, personalFromMs }, table);
    reports.push({ ...(await reportOf(mirror, table)), done });
  }
  await readDepositFees(account, mirror);
  await account.progress.end();
  await forgetPersonal(mirror, new Date(personalFromMs).toISOString());
  await mirror.write((queries) => writeSetting(queries, 'synced-at', new Date(now()).toISOString()));
  return reports;
}

/** The code of the error for a mirror of another account. */
export const MIRROR_OF_ANOTHER = 'MIRROR_OF_ANOTHER';

/** Throws CliError declined if the mirror is of another account: a copied file, or another key under the profile's name. */
async function requireOwn(account: Account, mirror: Mirror): Promise<void> {
  const { fintechId } = (await account.call(getFees, {})).data;
  const owner = `${account.profile.mode} ${fintechId}`;
  const known = await mirror.read((queries) => readSetting(queries, 'owner'));
  if (known === undefined) await mirror.write((queries) => writeSetting(queries, 'owner', owner));
  else if (known !== owner)
    throw new CliError('declined', `the mirror ${mirror.name} is of another account; nothing was written`, {
      code: MIRROR_OF_ANOTHER,
      hint: 'remove it with: fiatrail sync forget; then run: fiatrail sync',
    });
}

/** Says of each table how much it has, and what proves that it is whole. */
export async function statusOf(mirror: Mirror): Promise<TableReport[]> {
  const reports: TableReport[] = [];
  for (const table of TABLES) reports.push(await reportOf(mirror, table));
  return reports;
}

function reportOf(mirror: Mirror, table: MirrorTable): Promise<TableReport> {
  return mirror.read(async (queries) => {
    const state = await readState(queries, table);
    const counts = await queries.get<{ rows: bigint; gone: bigint; newest: string | null }>(
      `SELECT count(*) AS rows, count(gone_at) AS gone, max(created_at) AS newest FROM ${stored(table)}`,
    );
    const open = await queries.get<{ open: bigint }>(`SELECT count(*) AS open FROM ${stored(table)} WHERE is_open = 1`);
    return {
      table: table.name,
      rows: Number(counts?.rows ?? 0n) - Number(counts?.gone ?? 0n),
      newest: counts?.newest ?? null,
      ...{ isWhole: state.gap === null, gap: state.gap },
      ...{ syncedAt: state.syncedAt, secondLookAt: state.secondLookAt },
      ...{ open: Number(open?.open ?? 0n), gone: Number(counts?.gone ?? 0n) },
    };
  });
}

/** Says what is lost with the mirror, because the service does not show it again. */
export function lostWith(mirror: Mirror): Promise<string> {
  return mirror.read(async (queries) => {
    let gone = 0n;
    for (const table of TABLES)
      gone += (await queries.get<{ n: bigint }>(`SELECT count(gone_at) AS n FROM ${stored(table)}`))?.n ?? 0n;
    const balances = await queries.get<{ n: bigint; first: string | null }>(
      'SELECT count(*) AS n, min(at) AS first FROM stored_balances',
    );
    const rows = `${gone} rows that the service no longer shows`;
    return balances?.first ? `${balances.n} balances since ${balances.first.slice(0, 10)}, ${rows}` : rows;
  });
}
