import { changeOfTables } from './altered.ts';
import { hashOf, hashOfText, linkText, NO_HASH } from './chain.ts';
import { isDigestKey } from './digest-key.ts';
import { FACT, firstMissing, type Head, IS_LAST, linkOf } from './entries.ts';
import { allRotations, rotationFact } from './rotations.ts';
import { isSpentRight } from './spending.ts';
import type { Queries } from './store.ts';
import type { EntryRow } from './tables.ts';

/** The result of checking the journal. */
export interface VerifiedJournal {
  readonly entries: number;
  readonly operations: number;
  /** The last entry; undefined if there is none. */
  readonly head: Head | undefined;
  /** The first thing that is wrong; undefined if nothing is. */
  readonly problem: ChainProblem | undefined;
}

interface ChainProblem {
  /** The entry's number, if it exists. */
  readonly sequence: number | undefined;
  readonly operationId: string | undefined;
  readonly what: string;
}

/** Rows read at a time: so few that they are gone before the garbage collector looks. */
const BATCH = 500;

/** Heads that the journal must contain: those that this host saved, and the hash of one that was saved elsewhere. */
interface ExpectedHeads {
  readonly heads?: readonly Head[];
  readonly hash?: string | undefined;
}

/** Called with how many entries were checked or exported so far. */
export type Counted = (count: number) => Promise<void>;

interface TextRow {
  readonly sequence: bigint;
  readonly hash: string;
  /** Undefined if the server makes no texts. */
  readonly recorded?: string;
}

const PART = 'FROM entry e WHERE e.sequence > ? AND e.sequence <= ? ORDER BY e.sequence';

/** Entries with their texts, which SQLite makes five times as fast as JavaScript. */
const textsSql = () => `SELECT e.sequence, e.hash, ${linkText()} AS recorded FROM entry e
  LEFT JOIN operation o ON e.state = 'prepared' AND o.id = e.operation_id
  WHERE e.sequence > ? AND e.sequence <= ? ORDER BY e.sequence`;

/** Checks every entry against the one before it, and everything that repeats them against them. */
export async function verifyChain(
  queries: Queries,
  { heads: saved = [], hash: head }: ExpectedHeads,
  counted?: Counted,
): Promise<VerifiedJournal> {
  const hasHead =
    head === undefined || (await queries.get('SELECT 1 AS found FROM entry WHERE hash = ?', head)) !== undefined;
  const missing = await firstMissing(queries, saved);
  const walked = await walk(queries, counted);
  const problem =
    walked.problem ??
    (await wrongTables(queries)) ??
    (await wrongRepetition(queries)) ??
    (missing && problemAbout(missing.sequence, MISSING)) ??
    (hasHead ? undefined : problemAbout(undefined, NO_SUCH_HEAD));
  const all = await queries.get<{ count: bigint }>('SELECT count(*) AS count FROM operation');
  return { entries: walked.count, operations: Number(all?.count ?? 0n), head: walked.head, problem };
}

const MISSING =
  'which this machine has seen, is missing or another one: the journal was cut at its end, or an older copy was put in its place';
const NO_SUCH_HEAD = 'the journal does not contain this checkpoint: entries at its end were removed or replaced';

function problemAbout(sequence: bigint | undefined, what: string, operationId?: string | null): ChainProblem {
  const number = sequence === undefined ? undefined : Number(sequence);
  return {
    sequence: number,
    operationId: operationId ?? undefined,
    what: number === undefined ? what : `entry ${number}, ${what}`,
  };
}

/** Returns what is wrong with the chain after an entry; undefined if nothing is. Its cost grows with what was recorded since. */
export const problemSince = async (queries: Queries, start: Head): Promise<ChainProblem | undefined> =>
  (await walk(queries, undefined, start)).problem;

interface Walked {
  readonly count: number;
  readonly head: Head | undefined;
  readonly problem: ChainProblem | undefined;
}

/** Follows the chain from its first entry, or from the one after `start`. */
async function walk(queries: Queries, counted?: Counted, start?: Head): Promise<Walked> {
  let [head, count]: [Head | undefined, number] = [start, 0];
  let problem: ChainProblem | undefined;
  for (;;) {
    const after: bigint = head?.sequence ?? 0n;
    const until = after + BigInt(BATCH);
    const isFile = queries.engine === 'sqlite';
    const rows = await queries.all<TextRow>(isFile ? textsSql() : `SELECT e.sequence, e.hash ${PART}`, after, until);
    const others = isFile ? [] : await linksIn(queries, after, until);
    for (const [index, row] of rows.entries()) {
      const previous: string = head?.hash ?? NO_HASH;
      const isNext: boolean = row.sequence === (head?.sequence ?? 0n) + 1n;
      const hash = row.recorded === undefined ? others[index]?.(previous) : hashOfText(previous, row.recorded);
      if (!isNext || hash !== row.hash) problem ??= await problemAt(queries, row.sequence, head);
      head = { sequence: row.sequence, hash: row.hash };
      count += 1;
    }
    await counted?.(count);
    if (rows.length > 0) continue;
    const next = await queries.get<{ sequence: bigint | null }>(
      'SELECT min(sequence) AS sequence FROM entry WHERE sequence > ?',
      head?.sequence ?? 0n,
    );
    if (!next || next.sequence === null) return { count, head, problem };
    problem ??= problemAbout(next.sequence, `follows entry ${head?.sequence ?? 0n}: what was between them is missing`);
    head = { sequence: next.sequence - 1n, hash: NO_HASH };
  }
}

const NOWHERE = { sequence: undefined, operationId: undefined } as const;

/** Returns functions that hash entries, with what they say read together. */
async function linksIn(queries: Queries, after: bigint, until: bigint) {
  const entries = await queries.all<EntryRow>(`SELECT e.* ${PART}`, after, until);
  const first = await queries.all<{ id: string }>(
    `SELECT * FROM operation WHERE id IN (SELECT e.operation_id FROM entry e
       WHERE e.sequence > ? AND e.sequence <= ? AND e.state = 'prepared')`,
    after,
    until,
  );
  const rows = new Map(first.map((row) => [row.id, row]));
  return entries.map((entry) => {
    const row = rows.get(entry.operation_id ?? '') as Readonly<Record<string, string>> | undefined;
    return (previous: string) => hashOf(previous, linkOf(entry, row));
  });
}

/** Checks an entry without the help of SQLite's JSON. */
async function problemAt(
  queries: Queries,
  sequence: bigint,
  head: Head | undefined,
): Promise<ChainProblem | undefined> {
  const entry = await queries.get<EntryRow>('SELECT * FROM entry WHERE sequence = ?', sequence);
  if (!entry) return undefined;
  const after = head?.sequence ?? 0n;
  if (sequence !== after + 1n)
    return problemAbout(sequence, `follows entry ${after}: what was between them is missing`, entry.operation_id);
  const row = await queries.get('SELECT * FROM operation WHERE id = ?', entry.operation_id);
  if (hashOf(head?.hash ?? NO_HASH, linkOf(entry, row)) === entry.hash) return undefined;
  return problemAbout(sequence, 'was changed, or is out of order', entry.operation_id);
}

async function wrongTables(queries: Queries): Promise<ChainProblem | undefined> {
  const what = await changeOfTables(queries);
  return what === undefined ? undefined : { ...NOWHERE, what };
}

/** Finds something that does not repeat what the entries say. */
async function wrongRepetition(queries: Queries): Promise<ChainProblem | undefined> {
  const wrong = async (isRight: Promise<boolean>, what: string): Promise<ChainProblem | undefined> =>
    (await isRight) ? undefined : { ...NOWHERE, what: `${what} what the entries say` };
  const operation = await wrongOperation(queries);
  return (
    (operation === undefined
      ? undefined
      : {
          ...NOWHERE,
          operationId: operation,
          what: `operation ${operation} does not say what its entries say`,
        }) ??
    (await wrong(areNamesRight(queries), 'the keys of the accounts are not')) ??
    (await wrong(areKeysRight(queries), 'the idempotency keys of the operations are not')) ??
    (await wrong(areRotationsRight(queries), 'a key rotation does not say')) ??
    (await wrong(isKeyRight(queries), 'the key of the digests is not')) ??
    (await wrong(isSpentRight(queries), 'the sums for the limits of rules are not')) ??
    (await wrong(isTallyRight(queries), 'the number of operations is not'))
  );
}

const latest = (column: string) =>
  `(SELECT ${column} FROM entry WHERE operation_id = o.id AND ${column} IS NOT NULL ORDER BY sequence DESC LIMIT 1)`;

/** Returns the id of an operation whose row differs from its entries. */
async function wrongOperation(queries: Queries): Promise<string | undefined> {
  const row = await queries.get<{ id: string }>(
    `SELECT o.id AS id FROM operation o LEFT JOIN entry e
       ON e.sequence = (SELECT max(sequence) FROM entry WHERE operation_id = o.id)
     WHERE e.state IS DISTINCT FROM o.state OR e.verdict IS DISTINCT FROM o.verdict OR e.detail IS DISTINCT FROM o.detail
       OR e.at IS DISTINCT FROM o.updated_at OR o.request_id IS DISTINCT FROM ${latest('request_id')}
       OR o.result IS DISTINCT FROM ${latest('result')} OR e.state = '${FACT}'
       OR o.busy_until IS DISTINCT FROM coalesce(${latest('busy_until')}, 0) LIMIT 1`,
  );
  return row?.id;
}

/** Whether two queries find the same rows. */
async function areEqual(queries: Queries, rows: string, recorded: string): Promise<boolean> {
  const differs = `SELECT 1 AS found FROM (${rows} EXCEPT ${recorded}) AS more UNION ALL SELECT 1 AS found FROM (${recorded} EXCEPT ${rows}) AS less`;
  return (await queries.get(differs)) === undefined;
}

const areNamesRight = (queries: Queries): Promise<boolean> =>
  areEqual(
    queries,
    'SELECT name, account FROM account_name',
    `SELECT substr(subject, 9) AS name, value AS account FROM entry e
     WHERE subject LIKE 'account %' AND value IS NOT NULL AND ${IS_LAST}`,
  );

/** Whether each idempotency key of an operation is in an entry, and no other is. */
export const areKeysRight = (queries: Queries): Promise<boolean> =>
  areEqual(
    queries,
    `SELECT 'idempotency key ' || account || ' ' || once_key AS subject, id FROM operation WHERE once_key IS NOT NULL`,
    `SELECT subject, value AS id FROM entry WHERE subject LIKE 'idempotency key %'`,
  );

async function areRotationsRight(queries: Queries): Promise<boolean> {
  const rows = (await allRotations(queries)).map(rotationFact);
  const facts = await queries.all<{ subject: string; value: string | null }>(
    `SELECT subject, value FROM entry e WHERE subject LIKE 'rotation %' AND ${IS_LAST}`,
  );
  const recorded = new Map(facts.map(({ subject, value }) => [subject, value]));
  return recorded.size === rows.length && rows.every(({ subject, value }) => recorded.get(subject) === value);
}

async function isKeyRight(queries: Queries): Promise<boolean> {
  const row = await queries.get<{ value: string }>(`SELECT value FROM setting WHERE name = 'digest-key'`);
  return isDigestKey(queries, row?.value ?? '');
}

async function isTallyRight(queries: Queries): Promise<boolean> {
  const sql = `SELECT 1 AS found FROM tally WHERE name <> 'operations' OR count <> (SELECT count(*) FROM operation)`;
  const row = await queries.get<{ rows: bigint }>('SELECT count(*) AS rows FROM tally');
  return row?.rows === 1n && (await queries.get(sql)) === undefined;
}
