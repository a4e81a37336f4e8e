import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import { ownerOf } from '../../copy/acceptances.ts';
import { closesOf, type MonthClose } from '../../copy/closes.ts';
import { isAcceptable } from '../../copy/questions/books/acceptable.ts';
import { beancountText } from '../../copy/questions/books/beancount.ts';
import type { BookWriter } from '../../copy/questions/books/book.ts';
import { lackingIn, lateIn } from '../../copy/questions/books/closed.ts';
import { csvBookText } from '../../copy/questions/books/csv.ts';
import { hledgerText } from '../../copy/questions/books/hledger.ts';
import { bookOf, type ReadBook, type Untied } from '../../copy/questions/books/read.ts';
import { END_BETWEEN } from '../../copy/questions/books/sets.ts';
import { contradictionText, REREAD } from '../../copy/questions/books/why-open.ts';
import type { Queries } from '../../journal/store.ts';
import { amount, amountForPeople, printable } from '../../money/amount.ts';
import { requireUnmasked } from '../../present/result.ts';
import { command } from '../../terminal/command.ts';
import { oneOf, option } from '../../terminal/parse/parameters.ts';
import { periodOptions } from '../../terminal/parse/period.ts';
import { changedError, lackingError } from './closed-month.ts';
import { periodArgument, periodIn, withCopyFor } from './period.ts';

const WRITERS: Readonly<Record<'hledger' | 'beancount' | 'csv', BookWriter>> = {
  hledger: hledgerText,
  beancount: beancountText,
  csv: csvBookText,
};

/** How many of what is not known a message names. */
const NAMED = 3;

const unbalancedError = ({ unbalanced, off, contradicted: [contradicted] }: Untied): CliError | undefined => {
  const [first] = off;
  if (contradicted)
    return new CliError('declined', `the books do not balance: ${contradictionText(contradicted)}`, {
      code: 'BOOKS_UNBALANCED',
      hint: REREAD,
    });
  if (!first && unbalanced.length === 0) return undefined;
  const what = first
    ? `${first.account} has ${amountForPeople(amount(first.asset, first.minor))}, and its entries add up to ${amountForPeople(amount(first.asset, first.expected))}`
    : `the entries of ${unbalanced[0]?.thing} ${printable(unbalanced[0]?.id ?? '')} do not sum to zero`;
  return new CliError('declined', `the books do not balance: ${what}`, {
    code: 'BOOKS_UNBALANCED',
    hint: advice`read the account again: [fiatrail sync --full]`,
  });
};

/** The error of books of which something is not known that nobody accepted when the period was closed. */
function incompleteError({ unknown, across }: Untied, accepted: readonly string[]): CliError | undefined {
  const lacks = [...unknown, ...across.map((each) => ({ ...each, unknown: [END_BETWEEN] }))].filter((each) =>
    each.unknown.some((code) => !accepted.includes(code)),
  );
  if (lacks.length === 0) return undefined;
  const named = lacks
    .slice(0, NAMED)
    .map(({ thing, id, unknown: why }) => `${thing} ${printable(id)} (${why.join(', ')})`);
  const more = lacks.length > NAMED ? ` and ${lacks.length - NAMED} more` : '';
  const codes = [...new Set(lacks.flatMap((each) => each.unknown))].filter((code) => !accepted.includes(code));
  return new CliError('declined', `the books are not complete: not everything is known of ${named.join(', ')}${more}`, {
    code: 'BOOKS_INCOMPLETE',
    hint: codes.every(isAcceptable)
      ? advice`no sync finds it out; say so when you close the month: [fiatrail report close <month> ${codes.flatMap((code) => ['--accept', code])} --reason "…"]`
      : advice`a sync may find it out: [fiatrail sync]; the codes are explained in docs/errors.md`,
  });
}

/** The error of books of a closed month whose rows have changed since; undefined if none have. Rejects with DatabaseError. */
async function changedSince(
  queries: Queries,
  book: ReadBook,
  close: MonthClose | undefined,
): Promise<CliError | undefined> {
  if (!close || close.digest === book.counted().entries) return undefined;
  const lacking = await lackingIn(queries, close);
  if (lacking.length > 0) return lackingError(lacking);
  return changedError(close.month, await lateIn(queries, close));
}

/** The error of books that are not proved, or are no longer those of a close. Call it when all sets were read. Rejects with DatabaseError. */
export async function errorOf(
  queries: Queries,
  book: ReadBook,
  closes: readonly MonthClose[],
): Promise<CliError | undefined> {
  const close = closes.find(({ since, until }) => since === book.since && until === book.until);
  const untied = book.untied();
  return (
    unbalancedError(untied) ??
    (await changedSince(queries, book, close)) ??
    incompleteError(untied, close?.accepted.map(({ code }) => code) ?? [])
  );
}

export const booksCommand = command({
  words: ['report', 'books'],
  summary: 'Write the books of a period for an accounting program',
  details:
    'Writes double-entry books from the copy of the account (fiatrail sync): opening balances, each movement with its ids, and closing balances that the accounting program checks to the smallest unit. What was received for another asset carries its cost. What users hold is what the lists show: without tokens that are in no list, and with those that went to wallets outside the service; fiatrail report owed reads the actual balances. The same copy gives the same bytes. Exits with 9 if an amount is not known or a difference is not accepted; the books then say where.',
  examples: [
    'fiatrail report books last month > books.journal',
    'fiatrail report books last month --format beancount > books.beancount',
    'fiatrail report books last month --format csv > books.csv',
  ],
  endpoints: [],
  isLocal: true,
  parameters: {
    period: periodArgument,
    format: option(
      '--format <program>',
      'hledger, beancount or csv (default hledger)',
      oneOf('hledger', 'beancount', 'csv'),
    ),
    ...periodOptions,
  },
  run: async (account, terminal, { period: name, format = 'hledger', since, until }) => {
    requireUnmasked(account.globals.present, 'the books contain');
    account.world.steadyMemory();
    const writeText = (write: (part: string) => Promise<void>) =>
      withCopyFor(account, terminal, name, { since, until }, (copy) =>
        copy.read(async (queries) => {
          const period = await periodIn(account, terminal, queries, name, { since, until });
          const { zone } = terminal.globals;
          const { all: closes } = await closesOf(account, await ownerOf(queries));
          const title = `Books of ${account.profile.name}, ${zone.name}`;
          const book = await bookOf(queries, { ...period, title, zone, closes });
          for await (const part of WRITERS[format](book)) await write(part);
          const error = await errorOf(queries, book, closes);
          if (error) throw error;
        }),
      );
    return { result: { data: null, always: 'text', writeText } };
  },
});
