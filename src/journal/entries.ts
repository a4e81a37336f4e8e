import { advice } from '../base/advice.ts';
import { CliError } from '../base/errors.ts';
import { readPrivateFile, replaceFileUnflushed } from '../files/private-file.ts';
import type { SqlValue } from '../sqlite/database.ts';
import { insertion } from '../store/table.ts';
import { fixedText, hashOf, hashOfOne, type Link, NO_HASH } from './chain.ts';
import type { Queries, Row } from './store.ts';
import { ENTRY, type EntryRow } from './tables.ts';

/** The last transition of a journal when it was looked at. */
export interface Head {
  readonly sequence: bigint;
  readonly hash: string;
}

/** The file that remembers the head. It is beside the journal, and not in it, so that it survives when the journal is cut or replaced. */
export const headFile = (path: string) => `${path}.head`;

/** Returns the heads that were saved in files; none before the first. Throws CliError usage for a link or another user's file. */
export function savedHeads(files: readonly string[]): Head[] {
  return files.flatMap((file) => {
    // A power failure may leave the file empty or half written, because it is not flushed. The journal itself is.
    const [, sequence, hash] = /^(\d{1,18}) ([\w-]{43})\n$/.exec(readPrivateFile(file) ?? '') ?? [];
    return sequence === undefined || hash === undefined ? [] : [{ sequence: BigInt(sequence), hash }];
  });
}

/** Returns the last transition of any host. */
export function lastHead(queries: Queries): Promise<Head | undefined> {
  return queries.get<Head>('SELECT sequence, hash FROM entry ORDER BY sequence DESC LIMIT 1');
}

/** Returns the first of some heads that the journal does not have. Its cost does not grow with the journal. */
export async function firstMissing(queries: Queries, heads: readonly Head[]): Promise<Head | undefined> {
  for (const head of heads) {
    const sql = 'SELECT 1 AS found FROM entry WHERE sequence = ? AND hash = ?';
    if ((await queries.get(sql, head.sequence, head.hash)) === undefined) return head;
  }
  return undefined;
}

/** Replaces the saved head. Throws the system's error. */
export function writeHead(file: string, head: Head | undefined, processId: number): void {
  const text = head ? `${head.sequence} ${head.hash}\n` : '';
  replaceFileUnflushed(file, text, `head-${processId}-${head?.sequence ?? 0n}`);
}

/** The code of an error that says that a transition is not what it was. */
export const JOURNAL_CHANGED = 'JOURNAL_CHANGED';

/** How entries are written: in which transaction, and by which host. */
export interface Recording {
  readonly queries: Queries;
  readonly host: string;
  /** The end of the chain, once this transaction has read it: nobody else writes until it ends. */
  end?: Head;
  /** The last entry of this transaction. */
  head?: Head;
}

/** Runs work in a transaction that may write entries, and saves the head. */
export type Append = <T>(work: (recording: Recording) => Promise<T>, waitMs?: number) => Promise<T>;

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

/** Appends entries to the chain. Their texts are storable (`storableIn`). Call it in a transaction. */
export async function appendEntries(recording: Recording, entries: readonly NewEntry[]): Promise<void> {
  const { queries, host } = recording;
  let end = await endOfChain(recording);
  const rows: EntryRow[] = [];
  for (const { at, busyUntil, ...entry } of entries) {
    const link: Link = {
      operationId: null,
      requestId: null,
      verdict: null,
      detail: null,
      result: null,
      subject: null,
      value: null,
      operation: null,
      ...entry,
      host,
      sequence: end.sequence + 1n,
      at: BigInt(at),
      busyUntil: busyUntil === undefined || busyUntil === null ? null : BigInt(busyUntil),
    };
    end = { sequence: link.sequence, hash: hashOfOne(end.hash, link) };
    rows.push(entryOf(link, end.hash));
  }
  recording.end = end;
  recording.head = end;
  await queries.run(...insertion(ENTRY, rows));
}

/** Reads the end of the chain, unless this transaction knows it. */
export async function endOfChain(recording: Recording): Promise<Head> {
  recording.end ??= (await lastHead(recording.queries)) ?? { sequence: 0n, hash: NO_HASH };
  return recording.end;
}

/**
 * What a fact of the journal is about: the account of a name, the newest operation that was given an idempotency key, a text that all hosts
 * share, how far a rotation is, what an operation is a part of, what happened to a plan, a file of many rows, and the key of the digests, with
 * which a journal begins. The last entry about a subject says what holds; all about a plan do.
 */
export const subjects = {
  account: (name: string) => `account ${name}`,
  idempotencyKey: (account: string, key: string) => `idempotency key ${account} ${key}`,
  shared: (name: string) => `shared ${name}`,
  rotation: (operationId: string) => `rotation ${operationId}`,
  sweep: (operationId: string) => `sweep ${operationId}`,
  plan: (id: string) => `plan ${id}`,
  file: (account: string, key: string) => `file ${account} ${key}`,
  digestKey: 'digest key',
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

/** What holds of a subject. */
interface Fact {
  readonly sequence: bigint;
  readonly subject: string;
  readonly value: string | null;
}

interface FactRow extends EntryRow, Fact {
  readonly subject: string;
  readonly previous: string | null;
}

/** The hash of the entry before the entry `e`. */
const PREVIOUS = '(SELECT hash FROM entry WHERE sequence = e.sequence - 1)';

/** The condition of the entry `e` that it is the last one about its subject. */
export const IS_LAST = 'e.sequence = (SELECT max(sequence) FROM entry WHERE subject = e.subject)';

/**
 * Returns the facts that a condition of the entry `e` selects: the last fact of each subject, or all about plans. Throws CliError usage if one
 * does not continue the entry before it.
 */
export async function factsWhere(queries: Queries, where: string, ...values: SqlValue[]): Promise<Fact[]> {
  const rows = await queries.all<FactRow>(`SELECT e.*, ${PREVIOUS} AS previous FROM entry e WHERE ${where}`, ...values);
  return rows.map(({ previous, ...entry }) => {
    if (hashOfOne(previous ?? NO_HASH, linkOf(entry, undefined)) !== entry.hash)
      throw changed(`entry ${entry.sequence}`);
    return { sequence: entry.sequence, subject: entry.subject, value: entry.value };
  });
}

/** Returns what holds of a subject; null if nothing does any more, undefined if nothing ever did. Throws CliError usage. */
export async function factAbout(queries: Queries, subject: string): Promise<string | null | undefined> {
  const sequence = '(SELECT max(sequence) FROM entry WHERE subject = ?)';
  return (await factsWhere(queries, `e.sequence = ${sequence}`, subject))[0]?.value;
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
      hint: advice`see what is wrong with: [fiatrail ops journal verify]`,
    },
  );
}

/** Returns an entry as the chain covers it. `row` is that of its operation, if it is the first of one. */
export function linkOf(entry: EntryRow, row: Row | undefined): Link {
  const { operation_id: operationId, request_id: requestId, busy_until: busyUntil, ...rest } = entry;
  const operation = entry.state === 'prepared' ? fixedText(row ?? {}) : null;
  return { ...rest, operationId, requestId, busyUntil, operation };
}

/** Returns the row of an entry. */
function entryOf({ operationId, requestId, busyUntil, operation: _, ...link }: Link, hash: string): EntryRow {
  return { ...link, operation_id: operationId, request_id: requestId, busy_until: busyUntil, hash };
}

/** A row of an operation. */
type CheckedRow = object & { readonly id: string };

/** Operations whose entries are read together. */
const BATCH = 200;

/** More hashes than these are made faster by node:crypto, although it must be loaded. */
const FEW = 10;

interface Chained extends EntryRow {
  readonly operation_id: string;
  readonly previous: string | null;
}

/** Throws CliError usage if a row of an operation says anything else than its entries, or one of these is not what it was. */
export async function requireUnchanged(queries: Queries, rows: readonly CheckedRow[]): Promise<void> {
  const hash = rows.length > FEW ? hashOf : hashOfOne;
  for (let start = 0; start < rows.length; start += BATCH) {
    const some = rows.slice(start, start + BATCH);
    const entries = await queries.all<Chained>(
      `SELECT e.*, ${PREVIOUS} AS previous FROM entry e
       WHERE e.operation_id IN (${some.map(() => '?').join(', ')}) ORDER BY e.sequence`,
      ...some.map(({ id }) => id),
    );
    const of = Map.groupBy(entries, (entry) => entry.operation_id);
    for (const row of some)
      if (!saysWhat(row as CheckedRow & Row, of.get(row.id) ?? [], hash)) throw changed(`operation ${row.id}`);
  }
}

function saysWhat(row: CheckedRow & Row, entries: readonly Chained[], hash: typeof hashOf): boolean {
  const last = entries.at(-1);
  if (!last || entries[0]?.state !== 'prepared') return false;
  for (const { previous, ...entry } of entries)
    if (hash(previous ?? NO_HASH, linkOf(entry, row)) !== entry.hash) return false;
  const latest = (name: 'request_id' | 'result' | 'busy_until') =>
    entries.findLast((entry) => entry[name] !== null)?.[name] ?? null;
  return (
    row['state'] === last.state &&
    row['verdict'] === last.verdict &&
    row['detail'] === last.detail &&
    row['updated_at'] === last.at &&
    row['request_id'] === latest('request_id') &&
    row['result'] === latest('result') &&
    row['busy_until'] === (latest('busy_until') ?? 0n)
  );
}
