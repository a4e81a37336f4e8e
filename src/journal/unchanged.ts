import type { SqlValue } from '../sqlite/database.ts';
import { CLEARED, type Form, fixedText, hashOf, hashOfOne, type Link, NO_HASH } from './chain.ts';
import { changed, subjects } from './entries.ts';
import type { Queries } from './store.ts';

/** An entry as its row says. */
export interface EntryRow {
  readonly sequence: bigint;
  readonly operation_id: string | null;
  readonly subject: string | null;
  readonly host: string;
  readonly state: string;
  readonly at: bigint;
  readonly request_id: string | null;
  readonly verdict: string | null;
  readonly detail: string | null;
  readonly result: string | null;
  readonly busy_until: bigint | null;
  readonly value: string | null;
  readonly hash: string;
}

/** Returns an entry as the chain covers it. `row` is that of its operation, if it is the first of one. */
export function linkOf(entry: EntryRow, row: Row | undefined, form: Form): Link {
  const { operation_id: operationId, request_id: requestId, busy_until: busyUntil, ...rest } = entry;
  const operation = entry.state === 'prepared' ? fixedText(row ?? {}, form) : null;
  return { ...rest, operationId, requestId, busyUntil, operation };
}

/** Whether the text of an entry was changed on purpose when the chains were joined: its operation lost its input digest. */
export const isCleared = (entry: Pick<EntryRow, 'state'>, row: Row | undefined, form: Form): boolean =>
  form === 'earlier' && entry.state === 'prepared' && row?.['input_digest'] === CLEARED;

type Row = Readonly<Record<string, SqlValue>>;

/** A row of an operation. */
type OperationRow = object & { readonly id: string };

/** Operations whose entries are read together. */
const BATCH = 200;
/** More hashes than these are made faster by node:crypto, although it must be loaded. */
const FEW = 10;

interface Chained extends EntryRow {
  readonly operation_id: string;
  readonly joint: bigint;
  readonly previous: string | null;
}

const JOINT = `(SELECT min(sequence) FROM entry WHERE subject = '${subjects.joint}')`;
const BEFORE = `CASE WHEN e.sequence >= ${JOINT} THEN (SELECT hash FROM entry WHERE sequence = e.sequence - 1)
  ELSE (SELECT hash FROM entry WHERE host = e.host AND sequence < e.sequence ORDER BY sequence DESC LIMIT 1) END`;

/** Throws CliError usage if a row of an operation says anything else than its entries, or one of these is not what it was. */
export async function requireUnchanged(queries: Queries, rows: readonly OperationRow[]): Promise<void> {
  const hash = rows.length > FEW ? hashOf : hashOfOne;
  for (let start = 0; start < rows.length; start += BATCH) {
    const some = rows.slice(start, start + BATCH);
    const entries = await queries.all<Chained>(
      `SELECT e.*, ${JOINT} AS joint, ${BEFORE} AS previous FROM entry e
       WHERE e.operation_id IN (${some.map(() => '?').join(', ')}) ORDER BY e.sequence`,
      ...some.map(({ id }) => id),
    );
    const of = Map.groupBy(entries, (entry) => entry.operation_id);
    for (const row of some)
      if (!saysWhat(row as OperationRow & Row, of.get(row.id) ?? [], hash)) throw changed(`operation ${row.id}`);
  }
}

function saysWhat(row: OperationRow & Row, entries: readonly Chained[], hash: typeof hashOf): boolean {
  const last = entries.at(-1);
  if (!last || entries[0]?.state !== 'prepared') return false;
  for (const { joint, previous, ...entry } of entries) {
    const form = entry.sequence < joint ? 'earlier' : 'joined';
    if (isCleared(entry, row, form)) continue;
    if (hash(previous ?? NO_HASH, linkOf(entry, row, form), form) !== entry.hash) return false;
  }
  const latest = (name: 'request_id' | 'result' | 'busy_until') =>
    entries.findLast((entry) => entry[name] !== null)?.[name] ?? null;
  const busyUntil = latest('busy_until');
  return (
    row['state'] === last.state &&
    row['verdict'] === last.verdict &&
    row['detail'] === last.detail &&
    row['updated_at'] === last.at &&
    row['request_id'] === latest('request_id') &&
    row['result'] === latest('result') &&
    // An earlier version kept the time of its processes in the row alone.
    (busyUntil === null || row['busy_until'] === busyUntil)
  );
}
