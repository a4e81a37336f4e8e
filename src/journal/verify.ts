import { CliError } from '../base/errors.ts';
import { hashOf, hashOfOne, hashOfText, type Link, linkText, NO_HASH, textOf } from './chain.ts';
import { JOURNAL_CHANGED, JOURNAL_CUT, JOURNAL_DAMAGED } from './codes.ts';
import { firstMissing, type Head } from './head.ts';
import { isSpentRight } from './spending.ts';
import type { Queries } from './store.ts';
import { fixedText } from './transitions.ts';

/** The result of checking the journal. */
export interface Verified {
  readonly transitions: number;
  readonly operations: number;
  /** The last hash of each host. */
  readonly heads: Readonly<Record<string, string>>;
  /** The first thing that is wrong; undefined if nothing is. */
  readonly problem: ChainProblem | undefined;
}

interface ChainProblem {
  /** The transition's number, if it exists. */
  readonly sequence: number | undefined;
  readonly operationId: string | undefined;
  readonly what: string;
}

interface LinkRow {
  readonly sequence: bigint;
  readonly operation_id: string;
  readonly host: string;
  readonly state: string;
  readonly at: bigint;
  readonly request_id: string | null;
  readonly verdict: string | null;
  readonly detail: string | null;
  readonly result: string | null;
  readonly hash: string;
}

/** Rows read at a time: so few that they are gone before the garbage collector looks. */
const BATCH = 500;

const LINKS = `SELECT sequence, operation_id, host, state, at, request_id, verdict, detail, result, hash FROM transition`;

interface TextRow {
  readonly sequence: bigint;
  readonly host: string;
  readonly hash: string;
  readonly said: string;
}

/** Transitions with their texts, which SQLite makes five times as fast as JavaScript. */
const textsSql = () => `SELECT t.sequence, t.host, t.hash, ${linkText()} AS said FROM transition t
  LEFT JOIN operation o ON t.state = 'prepared' AND o.id = t.operation_id
  WHERE t.sequence > ? ORDER BY t.sequence LIMIT ?`;

/** Heads that the journal must contain: those that this host kept, and the hash of one that was kept elsewhere. */
interface ExpectedHeads {
  readonly kept?: readonly Head[];
  readonly hash?: string | undefined;
}

/** Told how many entries were checked or exported so far. */
export type Counted = (count: number) => Promise<void>;

/** Returns the transitions after one, each with the text that its hash covers. */
async function linksAfter(queries: Queries, after: bigint): Promise<TextRow[]> {
  if (queries.engine === 'sqlite') return queries.all<TextRow>(textsSql(), after, BATCH);
  const rows = await queries.all<LinkRow>(`${LINKS} WHERE sequence > ? ORDER BY sequence LIMIT ?`, after, BATCH);
  const texts: TextRow[] = [];
  for (const row of rows) texts.push({ ...row, said: textOf(await linkOf(queries, row)) });
  return texts;
}

/** Checks every transition against the one before it, every operation against its last transition, and the sums against the operations. */
export async function verifyChain(
  queries: Queries,
  { kept = [], hash: head }: ExpectedHeads,
  counted?: Counted,
): Promise<Verified> {
  const heads: Record<string, string> = {};
  const hasHead =
    head === undefined || (await queries.get('SELECT 1 AS found FROM transition WHERE hash = ?', head)) !== undefined;
  let transitions = 0;
  let problem: ChainProblem | undefined;
  for (let after = 0n; ; ) {
    const rows = await linksAfter(queries, after);
    for (const row of rows) {
      const previous = heads[row.host] ?? NO_HASH;
      const isNext = row.sequence === after + 1n && hashOfText(previous, row.said) === row.hash;
      if (!isNext) problem ??= await problemAt(queries, row.sequence, previous, after);
      heads[row.host] = row.hash;
      after = row.sequence;
      transitions += 1;
    }
    await counted?.(transitions);
    if (rows.length < BATCH) break;
  }
  problem ??= (await staleOperation(queries)) ?? (await wrongSum(queries));
  const missing = await firstMissing(queries, kept);
  if (missing)
    problem ??= {
      sequence: Number(missing.sequence),
      operationId: undefined,
      what: `transition ${missing.sequence}, which this machine has seen, is missing or another one: the journal was cut at its end, or an older copy was put in its place`,
    };
  if (!hasHead)
    problem ??= {
      sequence: undefined,
      operationId: undefined,
      what: 'the journal does not contain this head: transitions at its end were removed or replaced',
    };
  const all = await queries.get<{ count: bigint }>('SELECT count(*) AS count FROM operation');
  return { transitions, operations: Number(all?.count ?? 0n), heads, problem };
}

/** Checks a transition without the help of SQLite's JSON. */
async function problemAt(
  queries: Queries,
  sequence: bigint,
  previous: string,
  after: bigint,
): Promise<ChainProblem | undefined> {
  const row = await queries.get<LinkRow>(`${LINKS} WHERE sequence = ?`, sequence);
  return row && problemOf(queries, row, previous, after);
}

async function problemOf(
  queries: Queries,
  row: LinkRow,
  previous: string,
  after: bigint,
): Promise<ChainProblem | undefined> {
  const at = { sequence: Number(row.sequence), operationId: row.operation_id };
  if (row.sequence !== after + 1n)
    return { ...at, what: `transition ${after + 1n} is missing before transition ${row.sequence}` };
  if (hashOf(previous, await linkOf(queries, row)) !== row.hash)
    return { ...at, what: `transition ${row.sequence} was changed, or is out of order` };
  return undefined;
}

async function linkOf(queries: Queries, row: LinkRow): Promise<Link> {
  const { operation_id: operationId, request_id: requestId, ...rest } = row;
  const operation = row.state === 'prepared' ? await fixedPartOf(queries, operationId) : null;
  return { ...rest, operationId, requestId, operation };
}

async function fixedPartOf(queries: Queries, id: string): Promise<string> {
  return fixedText((await queries.get('SELECT * FROM operation WHERE id = ?', id)) ?? {});
}

/** Finds an operation that does not repeat its last transition. */
async function staleOperation(queries: Queries): Promise<ChainProblem | undefined> {
  const found = await queries.get<{ id: string }>(
    `SELECT operation.id AS id FROM operation LEFT JOIN transition ON transition.sequence =
       (SELECT max(sequence) FROM transition WHERE operation_id = operation.id)
     WHERE transition.state IS DISTINCT FROM operation.state OR transition.verdict IS DISTINCT FROM operation.verdict LIMIT 1`,
  );
  return (
    found && { sequence: undefined, operationId: found.id, what: `operation ${found.id} is not in its last state` }
  );
}

async function wrongSum(queries: Queries): Promise<ChainProblem | undefined> {
  if (await isSpentRight(queries)) return undefined;
  const what = 'the sums for the limits of rules are not those of the operations';
  return { sequence: undefined, operationId: undefined, what };
}

/**
 * Throws CliError usage if a host's last transition does not continue the one before it, or if the journal lacks a head that
 * was kept. The cost does not grow with the journal.
 */
export async function requireLastLink(queries: Queries, host: string, kept: readonly Head[]): Promise<void> {
  const [last, before] = await queries.all<LinkRow>(`${LINKS} WHERE host = ? ORDER BY sequence DESC LIMIT 2`, host);
  if (last && hashOfOne(before?.hash ?? NO_HASH, await linkOf(queries, last)) !== last.hash)
    throw new CliError('usage', 'the journal of money operations was changed by something else; nothing was sent', {
      // What is in doubt is saved from a file alone.
      code: queries.engine === 'sqlite' ? JOURNAL_CHANGED : JOURNAL_DAMAGED,
      hint: 'see what is wrong with: fiatrail ops verify',
    });
  if (await firstMissing(queries, kept))
    throw new CliError(
      'usage',
      'the journal of money operations lacks entries that it had: it was cut, deleted or restored from an older copy; nothing was sent',
      {
        code: JOURNAL_CUT,
        hint: 'put the newer file back; or compare with the service’s lists, then go on with this one: fiatrail ops verify --accept',
      },
    );
}
