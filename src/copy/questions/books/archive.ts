import type { ZippedFile } from '../../../files/zip.ts';
import type { Queries } from '../../../journal/store.ts';
import { amountText } from '../../../money/amount.ts';
import { csvRecord } from '../../../present/csv.ts';
import { ACCOUNTS } from '../../entry-kinds.ts';
import { spanOf } from '../report/periods.ts';
import { beancountText } from './beancount.ts';
import { type Book, OPENING } from './book.ts';
import { csvBookText } from './csv.ts';
import { hledgerText } from './hledger.ts';
import { columnsOf, EXPORTED, listCsv } from './lists.ts';
import { type BookPeriod, bookOf } from './read.ts';
import type { Posting } from './sets.ts';

async function* whole(text: string): AsyncGenerator<string> {
  yield text;
}

/** What the files and their columns are, as text. */
function explained(
  { title, zone }: BookPeriod,
  days: { readonly first: string; readonly last: string },
  warnings: readonly string[],
): string {
  const accounts = Object.entries(ACCOUNTS).map(([name, about]) => `  ${name}: ${about}`);
  const lists = EXPORTED.map((table) => {
    const columns = columnsOf(table).flatMap(({ title: name, about }, index, all) =>
      about === ''
        ? []
        : [`  ${[name, ...(all[index + 1]?.about === '' ? [all[index + 1]?.title] : [])].join(', ')}: ${about}`],
    );
    return [
      `${table.name}.csv`,
      `${table.about}. Rows that were created, ended or moved money in the period.`,
      ...columns,
    ].join('\n');
  });
  return [
    title,
    `${days.first} to ${days.last}, time zone ${zone.name}`,
    ...(warnings.length > 0 ? ['', 'Read this first', ...warnings.map((each) => `  ${each}`)] : []),
    '',
    'books.csv, books.journal (for hledger) and books.beancount (for Beancount) are the same books in three forms; balances.csv has what they begin and end with. Double entry: the entries of one step of a thing sum to zero in each asset. A positive amount means that the account has more, a negative one that it has less or owes more. Naira and cNGN are two assets; equity:conversion has both sides of a change of asset.',
    '',
    'Accounts',
    ...accounts,
    '',
    'Columns of books.csv',
    '  day: the day in the time zone; at: the time in UTC, empty for balances at the start and the end',
    '  account, amount, asset: the entry',
    '  thing, id, user: what it belongs to, and whose it is',
    '  step: taken (it left where it was), done (it ended well), returned (it went back), came-back (it came back later), opening, unlisted (in no list), adjustment (it came late for a closed month)',
    '  note: what else is to be said of it, such as why it was returned; unknown: why an amount is not known; bound: the other end of the time, if it is not known exactly',
    '',
    'Columns of balances.csv',
    '  account, asset: as in books.csv',
    '  opening: what it had at the start of the period; accounts of income, expenses and equity begin each period at zero',
    '  change: what its entries in books.csv add up to; closing: what it had at the end',
    'These are the balances of fiatrail report for the same period: assets:wallet and assets:vault together in each token, and assets:fees in Naira.',
    '',
    'Naira have 2 decimals, cNGN, USDC and USDT have 6. A text that a spreadsheet would run as a formula begins with an apostrophe.',
    '',
    lists.join('\n\n'),
    '',
  ].join('\n');
}

/** The balances of all accounts at the start and at the end, which the entries between them explain. */
async function* balancesCsv({ opening, closing }: Pick<Book, 'opening' | 'closing'>): AsyncGenerator<string> {
  yield csvRecord(['account', 'asset', 'opening', 'change', 'closing']);
  const nameOf = ({ account, asset }: Posting) => `${account} ${asset}`;
  const begun = new Map(opening.map((each) => [nameOf(each), each.minor]));
  for (const each of closing.filter(({ account }) => account !== OPENING)) {
    const before = begun.get(nameOf(each)) ?? 0n;
    const amounts = [before, each.minor - before, each.minor];
    yield csvRecord([each.account, each.asset, ...amounts.map((minor) => amountText({ asset: each.asset, minor }))]);
  }
}

/**
 * Returns the files of an archive for an accountant: the books in three forms, the lists, and a page that explains them. The same copy gives the
 * same texts. Rejects with DatabaseError.
 */
export async function* filesOf(
  queries: Queries,
  period: BookPeriod,
  warnings: readonly string[],
): AsyncGenerator<ZippedFile> {
  const span = spanOf(period.sinceMs, period.untilMs);
  const forms = [
    ['books.csv', csvBookText],
    ['books.journal', hledgerText],
    ['books.beancount', beancountText],
  ] as const;
  const book = await bookOf(queries, period);
  yield { name: 'README.txt', parts: whole(explained(period, book.days, warnings)) };
  yield { name: 'balances.csv', parts: balancesCsv(book) };
  for (const [name, write] of forms) yield { name, parts: write(await bookOf(queries, period)) };
  for (const table of EXPORTED) yield { name: `${table.name}.csv`, parts: listCsv(queries, table, span, period.zone) };
}
