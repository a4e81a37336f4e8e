import { type Book, openingPostings, partsOfAccount, plainWords, postingText, USERS } from './book.ts';
import { type PricedPosting, priced } from './prices.ts';
import type { BookSet, Posting } from './sets.ts';

/** Each part of a name begins with a capital or a digit. Ids that differ in capitals alone stay different names. */
const nameOf = (account: string): string =>
  partsOfAccount(account)
    .map((part, index) => {
      if (/^[0-9]/.test(part)) return part;
      return index === 2 && account.startsWith(USERS)
        ? `U-${part}`
        : `${part.slice(0, 1).toUpperCase()}${part.slice(1)}`;
    })
    .join(':');

const line = (posting: PricedPosting): string => `  ${nameOf(posting.account)}  ${postingText(posting)}\n`;

/** An account has this at the start of a day, to the smallest unit. */
const assertion = (day: string, { account, ...of }: Posting): string => {
  const [value = '', asset = ''] = postingText({ account, ...of }).split(' ');
  return `${day} balance ${nameOf(account)}  ${value} ~ 0 ${asset}\n`;
};

function transaction(book: Book, { at, bound, thing, id, step, userId, note, postings, unknown }: BookSet): string {
  const texts: readonly (readonly [name: string, value: string | null])[] = [
    ['id', id],
    ['step', step],
    ['at', at],
    ['bound', bound],
    ['user', userId],
    ['note', note],
    ['unknown', unknown.length > 0 ? unknown.join(' ') : null],
  ];
  const meta = texts.flatMap(([name, value]) => (value ? [`  ${name}: "${quoted(value)}"\n`] : []));
  return `\n${book.dayOf(at)} * "${plainWords(`${thing} ${step}`)}"\n${[...meta, ...priced(postings).map(line)].join('')}`;
}

/** A text within quotation marks, on one line. */
const quoted = (text: string): string => text.replaceAll(/[\p{C}"\\]+/gu, ' ').slice(0, 200);

/** Writes books as Beancount 2 and 3 read them. Source: the language syntax of Beancount. */
export async function* beancountText(book: Book): AsyncGenerator<string> {
  const { days, opening, closing, sets, title } = book;
  yield `option "title" "${plainWords(title)}, ${days.first} to ${days.last}"\n\n`;
  const open = new Set<string>();
  const opened = (postings: readonly Posting[]) =>
    postings
      .map(({ account }) => nameOf(account))
      .filter((name) => !open.has(name) && open.add(name))
      .map((name) => `${days.before} open ${name}\n`)
      .join('');
  const start = openingPostings(opening);
  yield `${opened(start)}\n${days.before} * "opening balances"\n${start.map(line).join('')}\n`;
  yield opening.map((each) => assertion(days.first, each)).join('');
  for await (const set of sets) {
    if (set.postings.length > 0) yield `${opened(priced(set.postings))}${transaction(book, set)}`;
  }
  yield `\n${opened(closing)}${closing.map((each) => assertion(days.after, each)).join('')}`;
}
