import type { NumberedRow, StagedFile } from '../journal/files.ts';
import type { Operation } from '../journal/operations.ts';
import type { OperationState } from '../journal/states.ts';
import { grouped } from '../money/decimal.ts';

/**
 * How far a row is, as its operation says. `waiting`: it was not sent. `rejected`: the service did not accept it, and nothing was done; it is sent again by the
 * next run. `unknown`: it was sent, and its outcome is not known. `accepted`: the service works on it. `failed`: it ended, and is never sent again. `struck`: an
 * approver of the file's plan struck it out, and it is never sent.
 */
export type RowStatus = 'waiting' | 'rejected' | 'unknown' | 'accepted' | 'done' | 'failed' | 'struck';

export const ROW_STATUSES: readonly RowStatus[] = [
  'waiting',
  'rejected',
  'unknown',
  'accepted',
  'done',
  'failed',
  'struck',
];

/** A row with its newest operation. */
export interface FollowedRow extends NumberedRow {
  readonly status: RowStatus;
  readonly operation: Operation | undefined;
}

/** What comes between the key of a file and the reference of a row. The key of a file has none of it, so that no two files share the key of a row. */
export const KEY_END = '/';

/** The idempotency key of a row. */
export const keyOf = (file: { readonly key: string }, { reference }: Pick<NumberedRow, 'reference'>): string =>
  [file.key, reference].join(KEY_END);

const STATUS_OF: Readonly<Record<Exclude<OperationState, 'prepared' | 'resolved'>, RowStatus>> = {
  sent: 'unknown',
  unknown: 'unknown',
  accepted: 'accepted',
  settled: 'done',
  failed: 'failed',
  rejected: 'rejected',
};

function statusOf(operation: Operation | undefined, isBusy: (operation: Operation) => boolean): RowStatus {
  if (!operation) return 'waiting';
  const { state, verdict } = operation;
  if (state === 'prepared') return isBusy(operation) ? 'unknown' : 'waiting';
  if (state === 'resolved') return verdict === 'not-done' ? 'waiting' : 'done';
  return STATUS_OF[state];
}

/** Returns rows with the newest of some operations, which are newest first. */
export function withOperations(
  file: Pick<StagedFile, 'key' | 'plan'>,
  rows: readonly NumberedRow[],
  operations: readonly Operation[],
  isBusy: (operation: Operation) => boolean,
): readonly FollowedRow[] {
  const newest = new Map<string, Operation>();
  for (const operation of operations) {
    const { idempotencyKey } = operation;
    if (idempotencyKey !== null && !newest.has(idempotencyKey)) newest.set(idempotencyKey, operation);
  }
  const struck = new Set(file.plan?.struck?.references);
  return rows.map((row) => {
    const operation = newest.get(keyOf(file, row));
    return { ...row, operation, status: struck.has(row.reference) ? 'struck' : statusOf(operation, isBusy) };
  });
}

/** Counts rows by their status. */
export function countsOf(rows: readonly Pick<FollowedRow, 'status'>[]): Readonly<Record<RowStatus, number>> {
  const counts = Object.fromEntries(ROW_STATUSES.map((status) => [status, 0])) as Record<RowStatus, number>;
  for (const { status } of rows) counts[status] += 1;
  return counts;
}

export const rowsText = (count: number): string => (count === 1 ? '1 row' : `${grouped(count)} rows`);

/** What a log says of a row that is not as it should be. */
export const rowNote = ({ reference, line }: Pick<NumberedRow, 'reference' | 'line'>, text: string): string =>
  `${reference} (line ${line}): ${text}`;

/** Bad rows that a log names one by one. */
const MOST_NOTES = 10;

/** Returns what a log says of the rows that failed, that were rejected or whose outcome is unknown, besides those that it has named already. */
export function badRowNotes(rows: readonly FollowedRow[], noted: ReadonlySet<string>): readonly string[] {
  const bad = rows.flatMap(({ status, operation, ...row }) => {
    if (noted.has(row.reference)) return [];
    const why = operation?.detail ? `: ${operation.detail}` : '';
    if (status === 'failed' || status === 'rejected') return [rowNote(row, `${status}${why}`)];
    if (status !== 'unknown') return [];
    const says = 'the outcome is unknown';
    return [rowNote(row, operation?.detail?.startsWith(says) ? operation.detail : `${says}${why}`)];
  });
  if (bad.length <= MOST_NOTES) return bad;
  return [...bad.slice(0, MOST_NOTES), `and ${rowsText(bad.length - MOST_NOTES)} more; see them with: bulk report`];
}
