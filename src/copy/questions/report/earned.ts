import type { Queries } from '../../../journal/store.ts';
import { amount } from '../../../money/amount.ts';
import { atLeast, type Figure, unknownFigure } from '../../../money/figure.ts';
import { offramp } from '../../../things/bank-transfers.ts';
import { userDeposit } from '../../../things/deposits.ts';
import { isDone, isThing, stored } from '../../schema.ts';
import { tableOf } from '../../tables.ts';
import { because } from '../reasons.ts';
import { type BalanceCheck, checkAfter, checkUntil } from './checks.ts';
import type { Span } from './movements.ts';

/** What had been earned by a moment, in kobo: from `low` to `high`. */
interface EarnedBy {
  readonly low: bigint;
  readonly high: bigint;
}

/** The work of users that earns fees when it is completed. */
const EARNING = [userDeposit, offramp];

/** Whether work of users that earns fees was completed between two moments, or may have been as its list is cut. */
async function mayHaveEarned(queries: Queries, { from, to }: Span, cut: ReadonlySet<string>): Promise<boolean> {
  for (const thing of EARNING) {
    const table = tableOf(thing);
    if (cut.has(table.name)) return true;
    const row = await queries.get<{ id: string }>(
      `SELECT id FROM ${stored(table)} WHERE ${isThing(thing)} AND ${isDone(table)} AND completed_at > ? AND completed_at <= ? LIMIT 1`,
      from,
      to,
    );
    if (row) return true;
  }
  return false;
}

/** Returns what had been earned by a moment: what a look before and one after it saw, and which work ended between them. */
async function earnedBy(
  queries: Queries,
  checks: readonly BalanceCheck[],
  at: string,
  cut: ReadonlySet<string>,
): Promise<EarnedBy> {
  const [before, after] = [checkUntil(checks, at), checkAfter(checks, at)];
  const exactly = ({ earned = 0n }: BalanceCheck): EarnedBy => ({ low: earned, high: earned });
  // After the last look, it is what that saw.
  if (before && (!after || before.earned === after.earned || before.at === at)) return exactly(before);
  if (!after) return { low: 0n, high: 0n };
  // The balances of one look are read one after the other, and clocks differ: up to the minute.
  const minute = (check: BalanceCheck) => check.at.slice(0, 16);
  if (before && !(await mayHaveEarned(queries, { from: minute(before), to: at }, cut))) return exactly(before);
  if (!(await mayHaveEarned(queries, { from: at, to: `${minute(after)}~` }, cut))) return exactly(after);
  return { low: before?.earned ?? 0n, high: after.earned ?? 0n };
}

/** Says what was earned in some periods. */
export type EarnedIn = (span: Span) => Figure;

/** Returns what was earned in some periods: what the looks at all that was earned say, or nothing if no work ended that earns anything. */
export async function earnedIn(
  queries: Queries,
  checks: readonly BalanceCheck[],
  spans: readonly Span[],
  cut: ReadonlySet<string>,
): Promise<EarnedIn> {
  const figures = new Map<string, Figure>();
  const nameOf = ({ from, to }: Span) => `${from} ${to}`;
  for (const span of spans)
    if (!figures.has(nameOf(span))) figures.set(nameOf(span), await earnedOf(queries, checks, span, cut));
  return (span) => figures.get(nameOf(span)) ?? unknownFigure('NGN', because('BETWEEN_SYNCS'));
}

async function earnedOf(
  queries: Queries,
  checks: readonly BalanceCheck[],
  span: Span,
  cut: ReadonlySet<string>,
): Promise<Figure> {
  const [first] = checks;
  if (!first) return unknownFigure('NGN', because('BEFORE_FIRST_SYNC'));
  const isStated = checks.every(({ earned }) => earned !== undefined);
  const start = await earnedBy(queries, checks, span.from, cut);
  const end = await earnedBy(queries, checks, span.to, cut);
  const [low, high] = [end.low - start.high, end.high - start.low];
  if (low === high && isStated) return amount('NGN', low);
  if (!(await mayHaveEarned(queries, span, cut))) return amount('NGN', 0n);
  if (!isStated) return unknownFigure('NGN', because('NOT_STATED'));
  const isBefore = span.from < first.at && start.low !== start.high;
  return atLeast('NGN', low, isBefore ? because('BEFORE_FIRST_SYNC', first.at) : because('BETWEEN_SYNCS'));
}
