import { sha256Hex } from '../../../crypto/digest.ts';
import { amountText } from '../../../money/amount.ts';
import type { PricedPosting } from './prices.ts';
import type { BookSet, Posting } from './sets.ts';

/** The books of a period, as a foreign program gets them. */
export interface Book {
  /** The profile, and the period as people name it. */
  readonly title: string;
  /** The first and the last day of the period, and the days before and after it: `2026-11-01`. */
  readonly days: { readonly before: string; readonly first: string; readonly last: string; readonly after: string };
  /** What each account had at the start; of assets and liabilities only, since all others begin a period at zero. */
  readonly opening: readonly Posting[];
  /** What each account has at the end, in the database's own sum and not in that of the sets. */
  readonly closing: readonly Posting[];
  readonly sets: AsyncIterable<BookSet>;
  /** The day of a moment in the zone of the books. */
  dayOf(at: string): string;
}

/** Writes books in the form of a program, in parts. */
export type BookWriter = (book: Book) => AsyncGenerator<string>;

/** The account that has the other side of what was there at the start. */
export const OPENING = 'equity:opening';

/** Whether an account keeps its balance from one period to the next. */
export const isCarried = (account: string): boolean => /^(?:assets|liabilities):/.test(account);

/** The opening balances, and their other side: they sum to zero in each asset. */
export function openingPostings(opening: readonly Posting[]): readonly Posting[] {
  const assets = [...new Set(opening.map(({ asset }) => asset))];
  const total = (asset: Posting['asset']) =>
    opening.reduce((sum, each) => (each.asset === asset ? sum + each.minor : sum), 0n);
  return [...opening, ...assets.map((asset) => ({ account: OPENING, asset, minor: -total(asset) }))];
}

/**
 * An id as part of the name of an account. What other programs do not take in a name, or what could be mistaken for another id,
 * is a digest instead.
 */
const nameOfId = (id: string): string =>
  /^[A-Za-z0-9-]{1,80}$/.test(id) && !DIGEST.test(id) ? id : `x${sha256Hex(id).slice(0, 32)}`;

const DIGEST = /^x[0-9a-f]{32}$/;

/** What is owed to a user: the id stands after it. */
export const USERS = 'liabilities:users:';

/** The parts of an account's name. */
export const partsOfAccount = (account: string): readonly string[] =>
  account.startsWith(USERS) ? ['liabilities', 'users', nameOfId(account.slice(USERS.length))] : account.split(':');

/** A text of somebody else’s on one line, without what begins a comment, a tag, a payee or a quotation. */
export const plainWords = (text: string): string =>
  text
    .replaceAll(/[\p{C}\p{Z};|"\\,:]+/gu, ' ')
    .trim()
    .slice(0, 200);

/** An amount with all decimals of its asset, and what all of it cost: `1.500000 USDC @@ 2400.000000 CNGN`. */
export function postingText({ asset, minor, cost }: PricedPosting): string {
  const own = `${amountText({ asset, minor })} ${asset}`;
  return cost ? `${own} @@ ${amountText(cost)} ${cost.asset}` : own;
}
