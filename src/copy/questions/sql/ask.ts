import { advice, type Hint } from '../../../base/advice.ts';
import { CliError } from '../../../base/errors.ts';
import type { RunningProgram } from '../../../base/world.ts';
import type { Account } from '../../../engine/account.ts';
import { entryAt } from '../../../files/inspect.ts';
import { parseJson } from '../../../money/decimal.ts';
import type { Plain } from '../../../present/plain.ts';
import type { SqlValue } from '../../../sqlite/database.ts';
import { DatabaseError } from '../../../sqlite/errors.ts';
import { copyLocationOf, noCopy, openCopy } from '../../open.ts';
import { QUERY_PROCESS } from './process-word.ts';
import { positionIn, type SqlStatement } from './statement.ts';
import { COPIES, views } from './views.ts';
import { linesOf, MEMORY_BYTES, type Message, type QueryOrder, type WireRow } from './wire.ts';

/** A row, with a value for each column. */
type ResultRow = readonly Plain[];

/** What a query found. */
interface QueryResult {
  /** As SQLite names them; two may have one name, and any text may be one. */
  readonly columns: readonly string[];
  readonly first: readonly ResultRow[];
  /** The rows after the first ones. Rejects as `ask` does. */
  readonly more: AsyncIterable<readonly ResultRow[]>;
  /** Ends the process, if it has not ended. */
  end(): void;
}

const MIB = 1024 * 1024;

/** The memory for JavaScript, which has only one part of the rows at a time. */
const HEAP_MIB = 128;

/** Returns the names that are most like a text. */
type Nearest = (text: string, names: readonly string[]) => readonly string[];

/**
 * Runs a query on the copy of the account's lists, in a process of its own that is ended after the time limit of a request. Rejects with
 * CliError and DatabaseError.
 */
export async function ask(account: Account, statement: SqlStatement, nearest: Nearest): Promise<QueryResult> {
  try {
    return await askOnce(account, statement, nearest);
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.problem !== 'older') throw error;
    // The process of a query only reads; opening the local copy brings it up to date.
    await (await openCopy(account.world, account.profile)).close();
    return askOnce(account, statement, nearest);
  }
}

async function askOnce(account: Account, statement: SqlStatement, nearest: Nearest): Promise<QueryResult> {
  const { world, profile, globals } = account;
  const { server, path } = copyLocationOf(world, profile);
  if (server)
    throw new CliError(
      'usage',
      `the local copy is on a server, set by ${server.from}; fiatrail sql asks one on this machine`,
      {
        code: 'COPY_ON_SERVER',
        hint: 'ask its views there, with psql and a role that may only read them: see docs/data.md',
      },
    );
  if (!entryAt(path)) throw noCopy();
  const run: QueryRun = { isWhole: false, failure: undefined };
  async function* input() {
    try {
      yield* orderFor(account, statement, path);
    } catch (error) {
      run.failure = error;
    }
  }
  const program = world.startProgram([...world.self, QUERY_PROCESS], input(), {
    timeoutMs: globals.timeoutMs,
    // A single binary takes no flag of Node on its command line. The last of several limits counts.
    env: { NODE_OPTIONS: `${world.env['NODE_OPTIONS'] ?? ''} --max-old-space-size=${HEAP_MIB}`.trim() },
  });
  const parts = partsOf(program, { account, statement, path, nearest, run });
  // Nobody waits for the last steps of one that has said everything.
  const end = () => {
    if (!run.isWhole) program.end();
  };
  const head = await parts.next();
  const columns = head.done ? [] : head.value.columns;
  let first: readonly ResultRow[] = [];
  // What a table looks like is decided by its first rows.
  while (first.length === 0) {
    const part = await parts.next();
    if (part.done) break;
    first = part.value.rows;
  }
  return { columns, first, more: rowsOf(parts), end };
}

async function* rowsOf(parts: AsyncIterable<ResultPart>): AsyncGenerator<readonly ResultRow[]> {
  for await (const { rows } of parts) yield rows;
}

/** Yields what the process reads: the query, and the rows of the journal and the inbox if it names them. */
async function* orderFor(
  account: Account,
  { sql, tokens, isExplained, hidesPersonal = false }: SqlStatement,
  path: string,
) {
  const names = new Set(tokens.map(({ text }) => text.replace(/^'(.*)'$/s, '$1').toLowerCase()));
  const copies = Object.keys(COPIES).filter((name) => names.has(name));
  const order: QueryOrder = { path, sql, isExplained, hidesPersonal, copies };
  yield `${JSON.stringify(order)}\n`;
  for (const name of copies) {
    for await (const page of COPIES[name]?.(account) ?? []) yield `${JSON.stringify(page.map(copiedRow))}\n`;
    yield 'null\n';
  }
}

const copiedRow = (row: readonly SqlValue[]): WireRow => row.map((value) => (value === null ? null : String(value)));

/** A part of what the process printed. */
interface ResultPart {
  /** The names of the columns, in the first part; it has no rows. */
  readonly columns: readonly string[];
  readonly rows: readonly ResultRow[];
}

interface Question {
  readonly account: Account;
  readonly statement: SqlStatement;
  readonly path: string;
  readonly nearest: Nearest;
  readonly run: QueryRun;
}

/** How far a query is. */
interface QueryRun {
  /** Whether the process has said everything. */
  isWhole: boolean;
  /** Why the journal or the inbox could not be read. */
  failure: unknown;
}

/** A part that is longer than this has rows that are long themselves. */
const LONG_PART = 1024 * 1024;

/**
 * Yields the columns and then rows as the process prints them. Throws if it does not come to its end, or if this process has come to the same
 * limit of memory, as when --query needs all rows at once.
 */
async function* partsOf(program: RunningProgram, asked: Question): AsyncGenerator<ResultPart> {
  const { run } = asked;
  const { world } = asked.account;
  try {
    for await (const lines of linesOf(program.output)) {
      // Otherwise V8 lets the rows that were printed pile up.
      if (lines.some(({ length }) => length > LONG_PART)) world.steadyMemory();
      if (world.usedMemoryBytes() > MEMORY_BYTES) throw tooLarge();
      const rows: ResultRow[] = [];
      for (const line of lines) {
        const parsed = parseJson(line) as ResultRow | Message;
        if (Array.isArray(parsed)) rows.push(parsed);
        else {
          const message = parsed as Message;
          if ('columns' in message) yield { columns: message.columns, rows: [] };
          else if ('isEnd' in message) run.isWhole = true;
          else throw errorOf(message, asked);
        }
      }
      if (rows.length > 0) yield { columns: [], rows };
    }
    if (!run.isWhole) throw await endOf(program, asked);
  } finally {
    if (!run.isWhole) program.end();
  }
}

const VIEWS_HINT = advice`list the views and their columns with: [fiatrail sql --views]`;

/** Says why a process ended before its query did. */
async function endOf({ ended }: RunningProgram, { account: { world, globals }, run }: Question): Promise<unknown> {
  const end = await ended;
  if (run.failure !== undefined) return run.failure;
  if (world.interrupted.aborted) return new CliError('interrupted', 'interrupted');
  if (end.kind === 'late')
    return new CliError('declined', `the query took longer than ${globals.timeoutMs / 1000} s, and was ended`, {
      code: 'QUERY_TIMEOUT',
      hint: 'give it more time with --timeout 10m, or have it read less; --explain shows what it reads',
    });
  if (end.kind === 'ended' && end.code === null) return tooLarge();
  return new CliError('internal', 'the process of the query ended without an answer');
}

const tooLarge = () =>
  new CliError('declined', `the query took more than ${MEMORY_BYTES / MIB} MiB of memory, and was ended`, {
    code: 'QUERY_TOO_LARGE',
    hint: 'have it keep or sort fewer rows, or shorter values',
  });

/** Says in one sentence what is wrong with a query, and where. */
function errorOf(message: Exclude<Message, { columns: unknown } | { isEnd: unknown }>, asked: Question): Error {
  const { statement, path } = asked;
  if ('problem' in message) return new DatabaseError(message.problem, path, undefined);
  const { at } = message;
  const position = at === null ? '' : `, at ${positionIn(statement.sql, at)}`;
  const wrong = (text: string, hint: Hint = VIEWS_HINT) =>
    new CliError('usage', `${text}${position}`, { code: 'QUERY_INVALID', hint });
  if ('closed' in message) return wrong(`a query cannot read ${message.closed}`);
  const { mistake } = message;
  const [, kind, named = ''] = /^no such (column|table): "?(.+?)"?(?: - should .*)?$/s.exec(mistake) ?? [];
  const name = named.split('.').at(-1) ?? '';
  if (kind === 'column') return wrong(`there is no column ${named}`, hintFor(name, columnsAround(statement), asked));
  if (kind === 'table')
    return wrong(
      `there is no view ${named}`,
      hintFor(
        name,
        views().map((view) => view.name),
        asked,
      ),
    );
  const near = /^near "(.*)": syntax error$/s.exec(mistake)?.[1];
  if (near !== undefined) return wrong(`the query has a syntax error near "${near}"`, SYNTAX_HINT);
  if (mistake === 'incomplete input') return wrong('the query ends too early', SYNTAX_HINT);
  return wrong(`the query is wrong: ${mistake}`, SYNTAX_HINT);
}

const SYNTAX_HINT = 'the language is SQLite’s: https://sqlite.org/lang_select.html';

function hintFor(name: string, names: readonly string[], { nearest }: Question): Hint {
  const near = nearest(name, names);
  return near.length > 0 ? advice`did you mean ${near.join(' or ')}? ${VIEWS_HINT}` : VIEWS_HINT;
}

/** The columns of the views that a query names; of all, if it names none. */
function columnsAround({ tokens }: SqlStatement): readonly string[] {
  const words = new Set(tokens.map(({ text }) => text.toLowerCase()));
  const named = views().filter(({ name }) => words.has(name));
  return [...new Set((named.length > 0 ? named : views()).flatMap(({ columns }) => columns.map(({ name }) => name)))];
}
