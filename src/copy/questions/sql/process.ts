import type { World } from '../../../base/world.ts';
import { DatabaseError } from '../../../sqlite/errors.ts';
import { type CompiledQuery, openForQueries, type QueryDatabase } from '../../../sqlite/query.ts';
import { FILE_ID, VERSION } from '../../schema.ts';
import { closedName, type SqlStatement, statementOf } from './statement.ts';
import { openNames, readAccess, tellsAboutSomeone, views } from './views.ts';
import { linesOf, MEMORY_BYTES, type Message, type QueryOrder, rowLine, type WireRow } from './wire.ts';

/** How much is printed at once, in characters. */
const PART_LENGTH = 64 * 1024;

/**
 * Runs the query of an order on standard input in a process of its own, which the command that started it ends when its time is over, and
 * which ends by itself with that command, or when it takes too much memory. Prints lines of JSON: the names of the columns, each row, and how
 * it ended. Returns the exit code.
 */
export async function runQueryProcess(world: World): Promise<number> {
  world.limitProcess(MEMORY_BYTES);
  const lines = eachLine(world.inputParts());
  const order = JSON.parse(await nextLine(lines)) as QueryOrder;
  const say = (message: Message) => world.stdout.write(`${JSON.stringify(message)}\n`);
  try {
    const database = await openForQueries(order.path, { version: VERSION, applicationId: FILE_ID });
    for (const name of order.copies) await addCopy(database, name, lines);
    const statement = { ...statementOf(order.sql, order.isExplained), hidesPersonal: order.hidesPersonal };
    await addBooks(database, statement);
    await answer(database, statement, world, say);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    await say({ problem: error.problem });
  }
  return 0;
}

async function* eachLine(input: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  for await (const lines of linesOf(input)) yield* lines;
}

/** Throws if there is none: then the command could not read what it copies. */
async function nextLine(lines: AsyncGenerator<string>): Promise<string> {
  const next = await lines.next();
  if (next.done) throw new Error('the order is not whole');
  return next.value;
}

/** Adds a view whose rows are copied. */
async function addCopy(database: QueryDatabase, name: string, lines: AsyncGenerator<string>): Promise<void> {
  const columns = views().find((view) => view.name === name)?.columns ?? [];
  async function* pages() {
    for (;;) {
      const page = JSON.parse(await nextLine(lines)) as readonly WireRow[] | null;
      if (page === null) return;
      yield page;
    }
  }
  await database.addTable(
    name,
    columns.map((column) => `${column.name} ${column.type.toUpperCase()}`),
    pages(),
  );
}

/** Adds the views of the books that a query names. */
async function addBooks(database: QueryDatabase, { sql }: SqlStatement): Promise<void> {
  if (!/book_entries/i.test(sql)) return;
  const { bookViewInFile, booksIn } = await import('../../book-entries.ts');
  for (const name of booksIn(sql)) database.addView(bookViewInFile(name));
}

const CANNOT_HIDE = 'this version of Node cannot leave out personal data; use the latest Node 24';

async function answer(
  database: QueryDatabase,
  statement: SqlStatement,
  { stdout }: World,
  say: (message: Message) => Promise<void>,
): Promise<void> {
  const closed = closedName(statement, database.readableNames(), openNames());
  if (closed) return say({ closed: statement.sql.slice(closed.at, closed.end), at: closed.at });
  if (statement.hidesPersonal && !database.canHide) return say({ mistake: CANNOT_HIDE, at: null });
  database.seal(readAccess(), statement.hidesPersonal ? tellsAboutSomeone() : undefined);
  try {
    const compiled = compile(database, statement);
    await say({ columns: compiled.columns });
    let part = '';
    for (const row of compiled.rows()) {
      part += rowLine(row);
      if (part.length < PART_LENGTH) continue;
      await stdout.write(part);
      part = '';
    }
    await stdout.write(part);
    await say({ isEnd: true });
  } catch (error) {
    if (!(error instanceof RangeError) && (error as { code?: unknown }).code !== 'ERR_SQLITE_ERROR') throw error;
    const { message } = error as Error;
    await say({ mistake: message, at: positionOf(message, statement, database) ?? null });
  }
}

/** Compiles a query, or what shows how it would be run: a step in each row, and how deep it is below another one. */
function compile(database: QueryDatabase, { sql, isExplained }: SqlStatement): CompiledQuery {
  const compiled = database.compile(sql);
  if (!isExplained) return compiled;
  const plan = database.compile(`EXPLAIN QUERY PLAN ${sql}`);
  const depths = new Map<unknown, number>();
  return {
    columns: ['depth', 'step'],
    *rows() {
      for (const [id, parent, , detail] of plan.rows()) {
        const depth = (depths.get(parent) ?? -1) + 1;
        depths.set(id, depth);
        yield [depth, String(detail).replaceAll(STORED, '')];
      }
    },
  };
}

/** A plan has the tables behind the views, and the indexes of these. */
const STORED = /(?<=\b|_)stored_/g;

/** A long query may have a word very often, and each is tried. */
const MOST_TRIED = 100;

const NAMED =
  /^(?:no such (?:column|table|function)|ambiguous column name|wrong number of arguments to function|misuse of (?:aggregate|window function)):? "?(.+?)"?(?:\(\))?(?: - should this be .*)?$/s;

/** Returns where the mistake of a message is, as SQLite does not tell Node. */
function positionOf(message: string, { sql, tokens }: SqlStatement, database: QueryDatabase): number | undefined {
  if (message === 'incomplete input') return sql.length;
  const isRaw = (text: string) => tokens.filter(({ at, end }) => sql.slice(at, end) === text).slice(0, MOST_TRIED);
  const near = /^near "(.*)": syntax error$/s.exec(message)?.[1];
  // The text up to the mistake has it too, and up to an earlier place with the same word it has not.
  if (near !== undefined) return isRaw(near).find(({ end }) => mistakeIn(database, sql.slice(0, end)) === message)?.at;
  const token = /^unrecognized token: "(.*)"$/s.exec(message)?.[1];
  if (token !== undefined) return tokens.find(({ at }) => sql.startsWith(token, at))?.at;
  const name = NAMED.exec(message)?.[1]?.split('.').at(-1)?.toLowerCase();
  return tokens.find(({ kind, text }) => kind === 'word' && text.toLowerCase() === name)?.at;
}

function mistakeIn(database: QueryDatabase, sql: string): string | undefined {
  try {
    database.compile(sql);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
