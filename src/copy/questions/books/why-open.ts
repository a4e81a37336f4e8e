import type { Operation } from '../../../journal/operations.ts';
import type { Queries } from '../../../journal/store.ts';
import { type Amount, amount, amountForPeople, printable } from '../../../money/amount.ts';
import type { Acceptance } from '../../acceptances.ts';
import type { MonthClose } from '../../closes.ts';
import { reachOf } from '../in-copy.ts';
import { accountIn } from '../report/balance.ts';
import { lastCheckAt } from '../report/checks.ts';
import { spanOf } from '../report/periods.ts';
import type { Untied } from './read.ts';
import { balancesBy } from './sets.ts';

/** Something because of which a month stays open, and what to do about it. */
interface WhyOpen {
  readonly what: string;
  readonly hint: string;
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
  readonly book: Untied;
  readonly closes: readonly MonthClose[];
  /** The operations of the month with an unknown outcome. */
  readonly unknown: readonly Pick<Operation, 'operationId'>[];
  readonly accepted: readonly Acceptance[];
  /** How far the service’s clock is ahead of this machine’s, by which the lists were read. */
  readonly aheadMs: number;
}

const iso = (ms: number) => new Date(ms).toISOString();

const plural = (count: number, one: string, more = `${one}s`) => `${count} ${count === 1 ? one : more}`;

/** Whether a month follows the ones that are closed. */
function byOrder({ month, sinceMs, isOver }: OfMonth, closes: readonly MonthClose[]): readonly WhyOpen[] {
  const last = closes.at(-1);
  if (!isOver) return [{ what: 'it is not over', hint: 'close it when it is' }];
  if (closes.some((close) => close.month === month))
    return [{ what: 'it is closed', hint: `to change it: fiatrail report reopen ${month} --reason "…"` }];
  if (last && last.until !== iso(sinceMs))
    return [{ what: `the last closed month is ${last.month}`, hint: 'close the months in turn, or reopen that one' }];
  return [];
}

/** Whether the copy has the whole month. */
async function byCopy(queries: Queries, { untilMs }: OfMonth, aheadMs: number): Promise<readonly WhyOpen[]> {
  const { syncedAt, partial } = await reachOf(queries);
  const looked = await lastCheckAt(queries);
  const end = iso(untilMs);
  const sync = 'run: fiatrail sync';
  if (syncedAt === null || Date.parse(syncedAt) + aheadMs < untilMs || looked === undefined || looked < end)
    return [{ what: 'the copy ends before the month does', hint: sync }];
  return partial.length > 0 ? [{ what: `the copy of ${partial.join(', ')} has gaps`, hint: `${sync} --full` }] : [];
}

/**
 * Returns everything because of which a month cannot be closed; empty if it can. Rejects with DatabaseError.
 */
export async function whyOpen(
  queries: Queries,
  { month, book, closes, unknown, accepted, aheadMs }: ToClose,
): Promise<readonly WhyOpen[]> {
  const why = [...byOrder(month, closes), ...(await byCopy(queries, month, aheadMs))];
  const { differences } = await accountIn(queries, spanOf(month.sinceMs, month.untilMs), [], async () => accepted);
  for (const { asset, minor, accepted: done } of differences.filter((each) => each.minor !== each.accepted))
    why.push({
      what: `${amountForPeople(amount(asset, minor - done))} is in no list`,
      hint: `fiatrail report accept ${asset} ${month.month} --reason "…"`,
    });
  const [first] = unknown;
  if (first)
    why.push({
      what: `${plural(unknown.length, 'operation has', 'operations have')} an unknown outcome, such as ${first.operationId}`,
      hint: `fiatrail ops reconcile ${first.operationId}`,
    });
  const lacks = book.unknown.filter(({ step }) => step !== 'opening');
  const [lack] = lacks;
  if (lack)
    why.push({
      what: `${plural(lacks.length, 'amount is', 'amounts are')} not known, such as that of ${lack.thing} ${printable(lack.id)} (${lack.unknown.join(', ')})`,
      hint: 'run: fiatrail sync',
    });
  const [off] = book.off;
  if (off || book.unbalanced.length > 0)
    why.push({ what: 'its entries do not balance', hint: 'run: fiatrail sync --full' });
  return why;
}

/** What the first balances that were read in a month imply, and no row explains: the account’s own, by asset. Rejects with DatabaseError. */
export async function impliedIn(queries: Queries, { sinceMs, untilMs }: OfMonth): Promise<readonly Amount[]> {
  const own = (await balancesBy(queries, spanOf(sinceMs, untilMs), "step = 'opening'")).filter(({ account }) =>
    /^assets:(?:wallet|vault|fees)$/.test(account),
  );
  const sums = new Map<Amount['asset'], bigint>();
  for (const { asset, minor } of own) sums.set(asset, (sums.get(asset) ?? 0n) + minor);
  return [...sums].flatMap(([asset, minor]) => (minor === 0n ? [] : [amount(asset, minor)]));
}
