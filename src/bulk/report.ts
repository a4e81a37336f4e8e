import { CliError } from '../base/errors.ts';
import { movementOf } from '../contract/moves.ts';
import type { Account } from '../engine/account.ts';
import type { StagedFile } from '../journal/files.ts';
import { type Amount, type Asset, amount } from '../money/amount.ts';
import type { Plain } from '../present/plain.ts';
import { LOAD_BY_START } from '../things/by-start.ts';
import { type RowCommand, rowValues } from './columns.ts';
import { isListed, listedRows } from './listed.ts';
import { type FollowedRow, ROW_STATUSES, type RowStatus } from './progress.ts';

/** A row of a file with what became of it. */
interface ReportedRow {
  readonly row: FollowedRow;
  /** What it moves, as the file says; undefined if it moves nothing. */
  readonly amount: Amount | undefined;
  /** As -o json prints it; null if it is not known. */
  readonly fee: Plain;
  readonly reason: string | null;
}

/** What the rows of one status move together. */
interface StatusSum {
  readonly status: RowStatus;
  readonly rows: number;
  readonly sum: Amount | undefined;
}

/** Reports what became of each row. Fees are read from the service's list, if it can be read. */
export async function reportedRows(
  account: Account,
  command: RowCommand,
  rows: readonly FollowedRow[],
): Promise<readonly ReportedRow[]> {
  const listed = await readListed(account, rows).catch((error: unknown) => {
    if (!(error instanceof CliError) || error.category === 'interrupted') throw error;
    return new Map<string, { readonly fee: Plain; readonly reason: string | undefined }>();
  });
  return rows.map((row) => {
    const { operation, status } = row;
    const found = listed.get(operation?.requestId ?? '');
    const ended = status === 'failed' || status === 'rejected' || status === 'unknown';
    const known = ended ? (operation?.detail ?? found?.reason ?? null) : null;
    const reason = status === 'struck' ? 'an approver struck it out' : known;
    return { row, amount: amountOf(command, row), fee: found?.fee ?? null, reason };
  });
}

async function readListed(account: Account, rows: readonly FollowedRow[]) {
  const operations = rows.flatMap(({ operation }) => (operation?.requestId ? [operation] : []));
  const thing = await LOAD_BY_START[operations[0]?.endpoint ?? '']?.();
  const found = new Map<string, { readonly fee: Plain; readonly reason: string | undefined }>();
  if (!thing || !isListed(thing)) return found;
  for await (const { requestId, fee, reason } of listedRows(account, thing, operations))
    found.set(requestId, { fee, reason });
  return found;
}

/** Returns what a row moves, as the file says; undefined if it moves nothing. */
export function amountOf(
  { columns, requestOf, endpoint }: RowCommand,
  { texts }: Pick<FollowedRow, 'texts'>,
): Amount | undefined {
  return endpoint.moves && movementOf(endpoint, requestOf(rowValues(texts, { columns })))?.amount;
}

/** Adds up rows by their status. Throws if all of them together are not the sum that the file was staged with. */
export function statusSums(file: StagedFile, reported: readonly ReportedRow[]): readonly StatusSum[] {
  const sums = ROW_STATUSES.flatMap((status): StatusSum[] => {
    const of = reported.filter(({ row }) => row.status === status);
    if (of.length === 0) return [];
    const all = addedUp(of);
    return all.size === 0
      ? [{ status, rows: of.length, sum: undefined }]
      : [...all].map(([asset, minor]) => ({ status, rows: of.length, sum: amount(asset, minor) }));
  });
  const total = addedUp(reported);
  const isTied = Object.entries(file.sums).every(([asset, minor]) => String(total.get(asset as Asset) ?? 0n) === minor);
  if (!isTied) throw new Error(`the rows of the file ${file.key} do not add up to the sum of the file`);
  return sums;
}

function addedUp(rows: readonly ReportedRow[]): ReadonlyMap<Asset, bigint> {
  const sums = new Map<Asset, bigint>();
  for (const { amount } of rows) if (amount) sums.set(amount.asset, (sums.get(amount.asset) ?? 0n) + amount.minor);
  return sums;
}
