import { CliError } from '../base/errors.ts';
import type { SqlValue } from '../sqlite/database.ts';
import { hashOfOne, type Link, NO_HASH } from './chain.ts';
import { JOURNAL_CHANGED } from './codes.ts';
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

/**
 * What a fact of the journal is about: the account of a name, a text that all hosts share, how far a rotation is, what an operation is a part of, the key of the digests, and
 * the joint of the chains (joint.ts). The last entry about a subject says what holds.
 */
export const subjects = {
  account: (name: string) => `account ${name}`,
  shared: (name: string) => `shared ${name}`,
  rotation: (operationId: string) => `rotation ${operationId}`,
  sweep: (operationId: string) => `sweep ${operationId}`,
  digestKey: 'digest key',
  joint: 'joint',
} as const;

/** The state of an entry that is a fact. */
export const FACT = 'fact';

/** Appends what holds of subjects from now on; null if nothing does. Call it in a transaction. */
export async function appendFacts(
  recording: Recording,
  facts: readonly { readonly subject: string; readonly value: string | null }[],
): Promise<void> {
  if (facts.length === 0) return;
  const { queries } = recording;
  const storable = storableIn(queries);
  const at = queries.now();
  await appendEntries(
    recording,
    facts.map(({ subject, value }) => ({ state: FACT, at, subject: storable(subject), value: storable(value) })),
  );
}

/** Returns what holds of a subject; null if nothing does any more, undefined if nothing ever did. */
export async function factAbout(queries: Queries, subject: string): Promise<string | null | undefined> {
  const sql = 'SELECT value FROM entry WHERE subject = ? ORDER BY sequence DESC LIMIT 1';
  return (await queries.get<{ value: string | null }>(sql, subject))?.value;
}

/** Reads a value as JSON. Throws CliError usage, about `what`, if it is none. */
export function jsonOf(value: string | null, what: string): unknown {
  try {
    return JSON.parse(value ?? 'null');
  } catch {
    throw changed(what);
  }
}

/** The error for something in the journal that its entries do not say. */
export function changed(what: string): CliError {
  return new CliError(
    'usage',
    `the journal of money operations was changed by something else: ${what} is not what its entries say; nothing was sent`,
    {
      code: JOURNAL_CHANGED,
      hint: 'see what is wrong with: fiatrail ops verify',
    },
  );
}
