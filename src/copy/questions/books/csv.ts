import { nodeCrypto } from '../../../crypto/digest.ts';
import { amountText } from '../../../money/amount.ts';
import { csvRecord } from '../../../present/csv.ts';
import type { Book } from './book.ts';
import type { BookSet, Posting } from './sets.ts';

const HEADER = 'day,at,account,amount,asset,thing,id,user,step,note,unknown,bound\n';

/** The records of a set, one for each posting, with the account’s name as the copy has it. */
export function recordsOf(
  { at, bound, thing, id, step, userId, note, postings, unknown }: BookSet,
  day: string,
): string {
  const of = [thing, id, userId ?? '', step, note ?? '', unknown.join(' '), bound ?? ''];
  const rows = postings.length === 0 && unknown.length > 0 ? [['', '', '']] : postings.map(cellsOf);
  return rows.map((cells) => csvRecord([day, at, ...cells, ...of])).join('');
}

const cellsOf = ({ account, asset, minor }: Posting) => [account, amountText({ asset, minor }), asset];

/** The records of what is stated of accounts at the start or the end: they have a day, and no time. */
const statedAt = (day: string, step: string, postings: readonly Posting[]): string =>
  postings.map((each) => csvRecord([day, '', ...cellsOf(each), '', '', '', step, '', '', ''])).join('');

/** Writes one record for each posting, between those of the balances at the start and at the end. */
export async function* csvBookText(book: Book): AsyncGenerator<string> {
  const [opening, closing] = statedIn(book);
  yield HEADER + opening;
  for await (const set of book.sets) yield recordsOf(set, book.dayOf(set.at));
  yield closing;
}

/** The records of the balances at the start and at the end. */
export const statedIn = ({ opening, closing, days }: Pick<Book, 'opening' | 'closing' | 'days'>) =>
  [statedAt(days.first, 'opening balance', opening), statedAt(days.last, 'closing balance', closing)] as const;

/** Digests of books as CSV: SHA-256 in hexadecimal. */
export interface BookDigests {
  /** Of the records of all entries. */
  readonly entries: string;
  /** Of those that state balances. */
  readonly balances: string;
}

/** Takes the records of books, and returns their digests. */
export function digesting() {
  const { createHash } = nodeCrypto();
  const [entries, balances] = [createHash('sha256'), createHash('sha256')];
  return {
    add: (records: string) => void entries.update(records),
    state: (records: string) => void balances.update(records),
    digests: (): BookDigests => ({ entries: entries.copy().digest('hex'), balances: balances.copy().digest('hex') }),
  };
}

/** A record that states a balance: it has a day, and no time. */
const STATED = /^\d{4}-\d\d-\d\d,,/;

/** The digests of books that were written as CSV, from their lines; undefined if they are none. */
export function digestsOfLines(lines: Iterable<string>): BookDigests | undefined {
  const found = digesting();
  let isFirst = true;
  for (const line of lines) {
    const record = `${line}\n`;
    if (isFirst && record !== HEADER) return undefined;
    const take = STATED.test(line) ? found.state : found.add;
    if (!isFirst) take(record);
    isFirst = false;
  }
  return isFirst ? undefined : found.digests();
}
