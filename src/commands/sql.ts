import * as z from 'zod/mini';
import { resolveProfile } from '../account/profile.ts';
import { advice } from '../base/advice.ts';
import { CliError } from '../base/errors.ts';
import { ask } from '../copy/questions/sql/ask.ts';
import { MAX_SQL_LENGTH, statementOf } from '../copy/questions/sql/statement.ts';
import { views } from '../copy/questions/sql/views.ts';
import type { Account } from '../engine/account.ts';
import { isWireNumber } from '../money/decimal.ts';
import type { Plain } from '../present/plain.ts';
import { present } from '../present/present.ts';
import type { Result } from '../present/result.ts';
import { command } from '../terminal/command.ts';
import { missingError } from '../terminal/parse/missing.ts';
import { nearest } from '../terminal/parse/nearest.ts';
import { option, optionalArgument, switchOn, word } from '../terminal/parse/parameters.ts';
import { asCliError } from '../terminal/show/failures.ts';

/** Gives each column a name of its own: JSON has no two fields of one name, and sorts those that are numbers. */
function fieldNames(columns: readonly string[]): string[] {
  const taken = new Set<string>();
  return columns.map((name, index) => {
    const start = name === '' || /^\d+$/.test(name) ? `column_${index + 1}` : name;
    let free = start;
    for (let count = 2; taken.has(free); count++) free = `${start}_${count}`;
    taken.add(free);
    return free;
  });
}

/** How a query is run, besides what it says. */
interface Asked {
  readonly isExplained: boolean;
  readonly hidesPersonal: boolean;
}

/** Runs a query. The time of its process runs from here on. */
async function answerTo(account: Account, sql: string, how: Asked): Promise<Result> {
  const { columns, first, more, end } = await ask(
    account,
    { ...statementOf(sql, how.isExplained), hidesPersonal: how.hidesPersonal },
    nearest,
  );
  const names = fieldNames(columns);
  const asObject = (row: readonly Plain[]) =>
    Object.fromEntries(names.map((name, index) => [name, row[index] ?? null]));
  const isFigure = (index: number) =>
    first.some((row) => isWireNumber(row[index])) &&
    first.every((row) => row[index] === null || isWireNumber(row[index]));
  async function* later() {
    for await (const rows of more) yield rows.map(asObject);
  }
  return {
    data: { rows: first.map(asObject) },
    lists: 'rows',
    isForeign: 'texts',
    // A query that finds nothing still has its columns.
    schema: z.object({ rows: z.array(z.object(Object.fromEntries(names.map((name) => [name, z.unknown()])))) }),
    columns: names.map((name, index) => ({
      field: name,
      title: name,
      hasDots: true as const,
      ...(isFigure(index) ? { align: 'right' as const } : {}),
    })),
    more: later(),
    close: end,
  };
}

function listOfViews(): Result {
  const columns = views().flatMap(({ name: view, columns: own }) =>
    own.map(({ name, type, about }) => ({ view, column: name, type, about })),
  );
  return {
    data: { columns },
    lists: 'columns',
    columns: [
      { field: 'view', title: 'View' },
      { field: 'column', title: 'Column' },
      { field: 'type', title: 'Type' },
      { field: 'about', title: 'About' },
    ],
  };
}

/** Reads the text of a query from a file or standard input. */
async function readQuery({ world }: Account, path: string): Promise<string> {
  // In UTF-8, a character takes up to 3 bytes for each unit of its length.
  const maxBytes = 3 * MAX_SQL_LENGTH;
  return path === '-' ? world.stdin.readAll(maxBytes) : world.readFile(path, maxBytes);
}

/** Asks for queries until there is none. A mistake is said, and the next one asked for. */
async function converse(account: Account, hidesPersonal: boolean): Promise<void> {
  const { world, globals } = account;
  await account.notices.note('type a query on one line; Enter alone ends');
  for (;;) {
    const sql = await nextQuery(account);
    if (sql.trim() === '') return;
    let result: Result | undefined;
    try {
      result = await answerTo(account, sql, { isExplained: false, hidesPersonal });
      await present(result, globals.present, world.stdout);
    } catch (error) {
      const { category, message, hint } = asCliError(error, world);
      if (category === 'interrupted') throw error;
      await account.notices.say(`error: ${message}${hint === undefined ? '' : `; ${hint}`}`);
    } finally {
      result?.close?.();
    }
  }
}

/** Asks for a query. Ctrl-D at the prompt means that there is none. */
async function nextQuery({ world }: Account): Promise<string> {
  const { text } = await world.prompter();
  try {
    return await text('sql>', () => true);
  } catch (error) {
    if (world.interrupted.aborted || !(error instanceof CliError) || error.category !== 'interrupted') throw error;
    return '';
  }
}

const sqlCommand = command({
  words: ['sql'],
  summary: 'Query the copied lists with SQL',
  details:
    'Queries the copy that fiatrail sync makes, the journal’s operations and the inbox’s events. docs/data.md describes every view and column. Amounts are integers in the smallest unit, with the asset in the next column; times are ISO 8601 in UTC. Queries are read-only, and stop after --timeout or if they need too much memory. On a terminal, without a query, it prompts for queries until you leave.',
  examples: [
    'fiatrail sql "select status, count(*) from payouts group by status"',
    'fiatrail sql --views',
    'fiatrail sql -f month.sql -o csv > month.csv',
    'fiatrail sql - < month.sql',
    `fiatrail sql --explain "select * from deposits where user_id = 'USER_ID'"`,
  ],
  endpoints: [],
  prints: {
    either: [
      () => z.object({ rows: z.array(z.looseObject({})) }),
      () =>
        z.object({
          columns: z.array(
            z.object({ view: z.string(), column: z.string(), type: z.enum(['text', 'integer']), about: z.string() }),
          ),
        }),
    ],
  },
  isLocal: true,
  parameters: {
    query: optionalArgument('query', 'SELECT statement; - reads it from standard input', word),
    file: option('-f, --file <file>', 'read the query from a file; - for standard input', word),
    explain: switchOn('--explain', 'print the query plan without running the query'),
    views: switchOn('--views', 'list the views and their columns'),
    withoutPersonalData: switchOn(
      '--without-personal-data',
      'columns with names, numbers and addresses are empty, also in what is computed of them',
    ),
  },
  run: async (account, terminal, { query, file, explain, views: isListed, withoutPersonalData: hidesPersonal }) => {
    const how = { isExplained: explain, hidesPersonal };
    if ([query, file, isListed || undefined].filter((each) => each !== undefined).length > 1)
      throw new CliError('usage', 'give a query, --file or --views', {
        hint: advice`for example: [fiatrail sql "select * from payouts"]`,
      });
    if (isListed) return { result: listOfViews() };
    // A local command runs without a profile too; this one would answer for another account.
    resolveProfile(terminal.globals.profile, account.world);
    const path = query === '-' ? query : file;
    if (path !== undefined) return { result: await answerTo(account, await readQuery(account, path), how) };
    if (query !== undefined) return { result: await answerTo(account, query, how) };
    if (!account.notices.isInteractive)
      throw missingError(['<query>'], {
        expected: 'a SQL query',
        hint: advice`for example: [fiatrail sql "select count(*) from users"]`,
      });
    await converse(account, hidesPersonal);
    return {};
  },
});

export const commands = [sqlCommand];
