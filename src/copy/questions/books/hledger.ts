import { DECIMALS } from '../../../money/amount.ts';
import { type Book, openingPostings, partsOfAccount, plainWords, postingText } from './book.ts';
import { CONVERSION, type PricedPosting, priced } from './prices.ts';
import type { BookSet, Posting } from './sets.ts';

const nameOf = (account: string): string => partsOfAccount(account).join(':');

const line = (posting: PricedPosting): string => `    ${nameOf(posting.account)}  ${postingText(posting)}\n`;

/** A posting of nothing, at which the account must have a balance. */
const assertion = ({ account, asset, minor }: Posting): string =>
  `    ${nameOf(account)}  ${postingText({ account, asset, minor: 0n })} = ${postingText({ account, asset, minor })}\n`;

function transaction(book: Book, { at, bound, thing, id, step, userId, note, postings, unknown }: BookSet): string {
  const tags: readonly (readonly [name: string, value: string | null | undefined])[] = [
    ['id', id],
    ['step', step],
    ['at', at.replaceAll(':', '.')],
    ['bound', bound?.replaceAll(':', '.')],
    ['user', userId],
    ['note', note],
  ];
  const tagged = tags.flatMap(([name, value]) => (value ? [`    ; ${name}:${plainWords(value)}\n`] : []));
  const lacks = unknown.map((code) => `    ; not known: ${plainWords(code)}\n`);
  return `\n${book.dayOf(at)} ${plainWords(`${thing} ${step}`)}\n${[...tagged, ...lacks, ...priced(postings).map(line)].join('')}`;
}

/** Writes books as hledger reads them, also in its strict mode: all accounts are declared. Source: the manual of hledger (journal format). */
export async function* hledgerText(book: Book): AsyncGenerator<string> {
  const { days, opening, closing, sets, title } = book;
  yield `; ${plainWords(title)}\n; ${days.first} to ${days.last}\n\n`;
  for (const [asset, decimals] of Object.entries(DECIMALS)) yield `commodity 1000.${'0'.repeat(decimals)} ${asset}\n`;
  const start = openingPostings(opening);
  yield `\n${days.first} opening balances\n${start.map(line).join('')}`;
  for await (const set of sets) if (set.postings.length > 0) yield transaction(book, set);
  yield `\n${days.last} closing balances\n${closing.map(assertion).join('')}\n`;
  // All that sets have is in the closing balances, but for the two sides of what has no price.
  const accounts = new Set([...start, ...closing].map(({ account }) => nameOf(account)).concat(CONVERSION));
  yield [...accounts]
    .sort()
    .map((name) => `account ${name}\n`)
    .join('');
}
