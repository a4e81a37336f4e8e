import { advice, type Hint } from '../../../base/advice.ts';
import type { Zone } from '../../../base/zone.ts';
import type { Operation } from '../../../journal/operations.ts';
import type { Queries } from '../../../journal/store.ts';
import { type Amount, amount, amountForPeople, printable } from '../../../money/amount.ts';
import type { Acceptance } from '../../acceptances.ts';
import { SEEN_ACCOUNTS } from '../../balance-checks.ts';
import { bookOn } from '../../book-entries.ts';
import type { MonthClose } from '../../closes.ts';
import { readKnownUntil } from '../../list-state.ts';
import { BOOK_ENTRIES_BY_SET } from '../../schema.ts';
import type { ContradictedBalance } from '../../unlisted.ts';
import { reachOf } from '../in-copy.ts';
import { ageingIn } from '../report/ageing.ts';
import { accountIn } from '../report/balance.ts';
import { firstCheckAt, lastCheckAt } from '../report/checks.ts';
import { monthName, spanOf } from '../report/periods.ts';
import { isAcceptable } from './acceptable.ts';
import { type Book, USERS } from './book.ts';
import type { Untied } from './read.ts';
import { END_BETWEEN, type Posting, type SetName } from './sets.ts';

/** Something because of which a month stays open, and what to do about it. */
export interface WhyOpen {
  readonly what: string;
  readonly hint: Hint;
}

interface OfMonth {
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly month: string;
  readonly isOver: boolean;
}

/** What is known of a month that is to be closed. */
interface ToClose {
  readonly month: OfMonth;
  readonly zone: Zone;
  readonly book: Untied;
  readonly closes: readonly MonthClose[];
  /** The operations until its end with an unknown outcome. */
  readonly unknown: readonly Pick<Operation, 'operationId'>[];
  readonly accepted: readonly Acceptance[];
}

const iso = (ms: number) => new Date(ms).toISOString();

const plural = (count: number, one: string, more = `${one}s`) => `${count} ${count === 1 ? one : more}`;

const named = ({ thing, id }: SetName) => `${thing} ${printable(id)}`;

/** Whether a month follows the ones that are closed. */
function byOrder({ month, sinceMs, isOver }: OfMonth, closes: readonly MonthClose[], zone: Zone): readonly WhyOpen[] {
  const [first, last] = [closes[0], closes.at(-1)];
  if (!isOver) return [{ what: 'it is not over', hint: 'close it when it is' }];
  if (!first || !last) return [];
  if (last.zone !== zone.name)
    return [
      {
        what: `${last.month} was closed in the time zone ${last.zone}`,
        hint: advice`close it with: [fiatrail report close ${month} --tz ${last.zone}]`,
      },
    ];
  if (closes.some((close) => close.month === month))
    return [{ what: 'it is closed', hint: advice`to change it: [fiatrail report reopen ${last.month} --reason "…"]` }];
  if (last.until === iso(sinceMs)) return [];
  if (iso(sinceMs) < first.since)
    return [{ what: `${first.month}, which follows it, is closed`, hint: 'an earlier month stays as it is' }];
  const next = monthName(Date.parse(last.until), zone);
  return [
    { what: `the last closed month is ${last.month}`, hint: advice`begin with: [fiatrail report close ${next}]` },
  ];
}

/** Whether the copy has the whole month. */
async function byCopy(queries: Queries, { untilMs }: OfMonth, zone: Zone): Promise<readonly WhyOpen[]> {
  const end = iso(untilMs);
  const readUntil = await readKnownUntil(queries);
  if (readUntil === undefined || readUntil < end)
    return [{ what: 'the copy ends before the month does', hint: advice`run: [fiatrail sync]` }];
  const first = await firstCheckAt(queries);
  if (first && first >= end) {
    const month = monthName(Date.parse(first), zone);
    return [
      {
        what: 'no balance of it was read: the first sync was after it',
        hint: advice`the first month to close is ${month}: [fiatrail report close ${month}]`,
      },
    ];
  }
  const { partial } = await reachOf(queries);
  return partial.length > 0
    ? [{ what: `the copy of ${partial.join(', ')} has gaps`, hint: advice`run: [fiatrail sync --full]` }]
    : [];
}

/** Returns everything because of which a month cannot be closed, but for what is not known; empty if it can. Rejects with DatabaseError. */
export async function whyOpen(
  queries: Queries,
  { month, zone, book, closes, unknown, accepted }: ToClose,
): Promise<readonly WhyOpen[]> {
  const why = [...byOrder(month, closes, zone), ...(await byCopy(queries, month, zone))];
  const { differences } = await accountIn(queries, spanOf(month.sinceMs, month.untilMs), [], async () => accepted);
  for (const { asset, minor, known, accepted: done } of differences.filter((each) => each.minor !== each.accepted))
    why.push({
      what: `${known === null ? '' : 'about '}${amountForPeople(amount(asset, minor - done))} is in no list`,
      hint: advice`[fiatrail report accept ${asset} ${month.month} --reason "…"]`,
    });
  const [first] = unknown;
  if (first)
    why.push({
      what: `${plural(unknown.length, 'operation has', 'operations have')} an unknown outcome, such as ${first.operationId}`,
      hint: advice`[fiatrail ops reconcile ${first.operationId}]`,
    });
  if (book.off.length > 0 || book.unbalanced.length > 0)
    why.push({ what: 'its entries do not balance', hint: advice`run: [fiatrail sync --full]` });
  for (const each of book.contradicted) why.push({ what: contradictionText(each), hint: REREAD });
  return why;
}

/** What helps where rows of the copy were changed by hand. */
export const REREAD: Hint = advice`rows were changed on this machine: run: [fiatrail sync --full]; if that does not help: [fiatrail sync forget], then [fiatrail sync]`;

/** What says that the entries of an account do not come to the balance that was read. */
export const contradictionText = ({ account, asset, minor, expected }: ContradictedBalance): string =>
  `${account} had ${amountForPeople(amount(asset, minor))} when its balance was read, and its entries come to ${amountForPeople(amount(asset, expected))}`;

/** The code for work that is open for longer than such work usually is. */
const OPEN_OVERDUE: string = 'OPEN_OVERDUE';

/** A code for why something is not known, and the sets of which it is. */
export interface Lack {
  readonly code: string;
  readonly sets: readonly SetName[];
  /** What the balances that were read say of all of them together, beside what is known: to accept the code is to accept this. */
  readonly amounts: readonly Amount[];
  /** The accounts whose balances lack amounts for it: what they have is only what is known. */
  readonly accounts: readonly string[];
}

/**
 * Returns what is not known of a month, by code: amounts, whether something was in it, and what its balances at the start lack if no close
 * states these. Rejects with DatabaseError.
 */
export async function lacksOf(
  queries: Queries,
  { book, closes, month, closing }: Pick<ToClose, 'book' | 'closes' | 'month'> & Pick<Book, 'closing'>,
): Promise<readonly Lack[]> {
  const before =
    closes.length > 0
      ? []
      : await queries.all<SetName & { readonly known: string }>(
          `SELECT DISTINCT thing, id, step, known FROM ${BOOK_ENTRIES_BY_SET} WHERE at < ? AND amount_minor IS NULL
             AND (account LIKE 'assets:%' OR account LIKE 'liabilities:%') AND account NOT IN ('${SEEN_ACCOUNTS.join("', '")}')`,
          iso(month.sinceMs),
        );
  const all = [
    ...(await overdueIn(queries, month, closing)),
    ...before.map(({ known, ...set }) => ({ code: known, set })),
    ...book.unknown.flatMap(({ unknown, ...set }) => unknown.map((code) => ({ code, set }))),
    ...book.across.map((set) => ({ code: END_BETWEEN, set })),
  ];
  const [noted, lacking] = [await notedIn(queries, month), await accountsLacking(queries, month, closes)];
  return [...Map.groupBy(all, ({ code }) => code)].map(([code, own]) => ({
    code,
    sets: own.map(({ set }) => set),
    amounts: noted.filter((each) => each.code === code).map(({ asset, minor }) => amount(asset, minor)),
    accounts: lacking.filter((each) => each.code === code).map(({ account }) => account),
  }));
}

/** The accounts with entries until the end of a month of which the amount is not known, all users as one: from the last close on. */
const accountsLacking = (queries: Queries, { untilMs }: Pick<OfMonth, 'untilMs'>, closes: readonly MonthClose[]) =>
  queries.all<{ readonly code: string; readonly account: string }>(
    `SELECT DISTINCT known AS code, CASE WHEN account LIKE '${USERS}%' THEN '${USERS.slice(0, -1)}' ELSE account END AS account
     FROM ${BOOK_ENTRIES_BY_SET} WHERE at >= ? AND at < ? AND amount_minor IS NULL ORDER BY 1, 2`,
    closes.at(-1)?.until ?? '',
    iso(untilMs),
  );

/** What changed the balances of a month and is taken for amounts that are not known, by their code. */
const notedIn = (queries: Queries, { sinceMs, untilMs }: Pick<OfMonth, 'sinceMs' | 'untilMs'>) =>
  queries.all<Amount & { readonly code: string }>(
    `SELECT known AS code, asset, CAST(sum(amount_minor) AS BIGINT) AS minor FROM ${bookOn(queries.engine, SEEN_ACCOUNTS)}
     WHERE at >= ? AND at < ? AND step = 'unknown' GROUP BY known, asset ORDER BY known, asset`,
    iso(sinceMs),
    iso(untilMs),
  );

/** Open work that began until the end of a month. A bridge transfer that nobody paid moves nothing, however long it is open. */
async function overdueIn(queries: Queries, { untilMs }: Pick<OfMonth, 'untilMs'>, closing: Book['closing']) {
  const looked = await lastCheckAt(queries);
  if (!looked) return [];
  const isBridged = closing.some(({ account, minor }) => account === 'assets:transit:bridge' && minor !== 0n);
  const all = await ageingIn(queries, Date.parse(looked), iso(untilMs));
  const open = all.filter(({ kind }) => isBridged || kind !== BRIDGES);
  return open.flatMap(({ kind, oldestId, overdue }) =>
    Array.from({ length: overdue ?? 0 }, () => ({
      code: OPEN_OVERDUE,
      set: { thing: kind, id: oldestId, step: 'taken' },
    })),
  );
}

const BRIDGES = 'bridge transfers';

/** What a code says of sets, of which the first one is an example. */
function lackText(code: string, sets: readonly SetName[], first: SetName): string {
  if (code === END_BETWEEN)
    return `nothing says whether ${plural(sets.length, 'change was', 'changes were')} in it or not (${code}), such as ${named(first)}`;
  if (code === OPEN_OVERDUE)
    return `${plural(sets.length, 'row is', 'rows are')} open for longer than usual (${code}), such as ${printable(first.id)} of the ${first.thing}`;
  return `${plural(sets.length, 'amount is', 'amounts are')} not known (${code}), such as that of ${named(first)}`;
}

/** What is not known and was not accepted, or cannot be accepted. Without a hint, what helps is to accept it, or not to. */
export function whyLacking(
  lacks: readonly Lack[],
  accepted: readonly string[],
): readonly (Pick<WhyOpen, 'what'> & Partial<WhyOpen>)[] {
  const why: (Pick<WhyOpen, 'what'> & Partial<WhyOpen>)[] = accepted
    .filter((code) => !lacks.some((lack) => lack.code === code && isAcceptable(code)))
    .map((code) => ({ what: `nothing can be accepted as ${printable(code)}` }));
  for (const { code, sets } of lacks) {
    const [first] = sets;
    if (!first || (accepted.includes(code) && isAcceptable(code))) continue;
    const what = lackText(code, sets, first);
    why.push(isAcceptable(code) ? { what } : { what, hint: advice`run: [fiatrail sync]` });
  }
  return why;
}

/**
 * What the account itself had at the start of a month, by asset, if nobody read it: the first balances were read during the month, and what it
 * had before follows from its rows. Empty if it was read, or a close states it. Rejects with DatabaseError.
 */
export async function impliedIn(
  queries: Queries,
  { sinceMs }: Pick<OfMonth, 'sinceMs'>,
  { opening, closes }: { readonly opening: readonly Posting[]; readonly closes: readonly MonthClose[] },
): Promise<readonly Amount[]> {
  const first = await firstCheckAt(queries);
  if (closes.length > 0 || !first || first < iso(sinceMs)) return [];
  const sums = new Map<Amount['asset'], bigint>();
  for (const { account, asset, minor } of opening)
    if (SEEN_ACCOUNTS.some((name) => name === account)) sums.set(asset, (sums.get(asset) ?? 0n) + minor);
  return [...sums].flatMap(([asset, minor]) => (minor === 0n ? [] : [amount(asset, minor)]));
}
