import type { SqlValue } from '../sqlite/database.ts';
import { hashOfOne, type Link, NO_HASH } from './chain.ts';
import { type Head, lastHead } from './head.ts';
import type { Queries } from './store.ts';

/** How entries are written: in which transaction, and by which host. */
export interface Recording {
  readonly queries: Queries;
  readonly host: string;
  /** The end of the chain, once this transaction has read it: nobody else writes until it ends. */
  end?: Head;
  /** The last entry of this transaction. */
  head?: Head;
}

/** What an entry says. What is left out is null. */
type NewEntry = Partial<Omit<Link, 'at' | 'busyUntil' | 'sequence' | 'host'>> & {
  readonly state: string;
  readonly at: number;
  readonly busyUntil?: number | null;
};

/** Returns a function that turns text into what the database keeps of it: whole characters, and for PostgreSQL no NUL. */
export const storableIn =
  ({ engine }: Queries) =>
  <T extends SqlValue>(value: T) => {
    if (typeof value !== 'string') return value;
    const text = value.toWellFormed();
    return engine === 'postgres' ? text.replaceAll('\0', '\u{FFFD}') : text;
  };

const COLUMNS =
  'sequence, operation_id, host, state, at, request_id, verdict, detail, result, busy_until, subject, value, hash';
const ROW = `(${COLUMNS.split(', ')
  .map(() => '?')
  .join(', ')})`;

/** Appends entries to the chain. Their texts are storable (`storableIn`). Call it in a transaction. */
export async function appendEntries(recording: Recording, entries: readonly NewEntry[]): Promise<void> {
  const { queries, host } = recording;
  let end = await endOfChain(recording);
  const values: SqlValue[] = [];
  for (const { at, busyUntil, ...entry } of entries) {
    const link: Link = {
      ...{ operationId: null, requestId: null, verdict: null, detail: null, result: null, subject: null, value: null },
      ...{ operation: null, ...entry, host, sequence: end.sequence + 1n, at: BigInt(at) },
      busyUntil: busyUntil === undefined || busyUntil === null ? null : BigInt(busyUntil),
    };
    end = { sequence: link.sequence, hash: hashOfOne(end.hash, link) };
    values.push(link.sequence, link.operationId, host, link.state, link.at, link.requestId, link.verdict, link.detail);
    values.push(link.result, link.busyUntil, link.subject, link.value, end.hash);
  }
  recording.end = end;
  recording.head = end;
  await queries.run(`INSERT INTO entry (${COLUMNS}) VALUES ${entries.map(() => ROW).join(', ')}`, ...values);
}

/** Reads the end of the chain, unless this transaction knows it. */
export async function endOfChain(recording: Recording): Promise<Head> {
  recording.end ??= (await lastHead(recording.queries)) ?? { sequence: 0n, hash: NO_HASH };
  return recording.end;
}
