import type { Queries } from '../../../journal/store.ts';
import { type Amount, type Asset, amount } from '../../../money/amount.ts';
import { type Figure, type NotKnown, negated, sumOfFigures, unknownFigure } from '../../../money/figure.ts';
import { trade } from '../../../things/market.ts';
import { BALANCE, bookOn } from '../../book-entries.ts';
import { tableOf } from '../../tables.ts';
import { because } from '../reasons.ts';
import { cutListsIn } from './cut-lists.ts';
import { costsOf, type Flow } from './lots.ts';
import type { Lacking, Span } from './movements.ts';

/** What a sale brought, or a part of what it cost: cNGN of one trade, with the sign that it has in the profit. */
interface ProfitRow {
  readonly at: string;
  readonly id: string;
  readonly part: 'proceeds' | 'cost';
  /** The id of the sale. */
  readonly sale: string;
  /** The stablecoins that it sold, or those of them that this trade, or look at the balances, had brought. */
  readonly tokens: Figure;
  readonly amount: Figure;
}

/** A sale of stablecoins. Its cost is what they were bought for, first in, first out; a cNGN is worth a Naira. */
interface SaleProfit {
  readonly at: string;
  readonly id: string;
  readonly sold: Amount;
  /** What arrived of it, in cNGN. */
  readonly proceeds: Figure;
  readonly cost: Figure;
  readonly profit: Figure;
  readonly rows: readonly ProfitRow[];
}

interface EntryRow {
  readonly at: string;
  /** The other end of the time in which it was, if it is not known exactly. */
  readonly bound: string | null;
  readonly id: string;
  readonly thing: string;
  readonly step: string;
  readonly account: string;
  readonly asset: Asset;
  readonly minor: bigint | null;
  readonly known: string | null;
}

/** The accounts between which a trade moves, and those that hold what it moves. */
const IN_TRADES = ['assets:transit:trade', 'assets:wallet', 'assets:vault'];

/** Completed trades, and what balances say of the vault and no list does, in the order of time. What was there first may be seen after the period. */
const entriesSql = (
  engine: Queries['engine'],
) => `SELECT at, bound, id, thing, step, account, asset, amount_minor AS minor, known FROM ${bookOn(engine, IN_TRADES)}
  WHERE (at <= ? OR bound <= ? OR step = 'opening') AND (thing = 'trade' AND step = 'done'
    OR thing = '${BALANCE}' AND account = 'assets:vault')
  ORDER BY at, id, account`;

/** What was given or got in a trade; null for an amount that is not known. */
interface Leg {
  readonly asset: Asset;
  readonly minor: bigint | null;
  readonly known: string | null;
}

interface Legs {
  readonly at: string;
  readonly bound: string | null;
  readonly id: string;
  readonly given: Leg;
  readonly got: Leg;
}

/** What a completed trade gave, and what it got after its fee. */
function legsOf(entries: readonly EntryRow[]): Legs | undefined {
  const given = entries.find(({ account }) => account === 'assets:transit:trade');
  const got = entries.filter(({ account }) => account !== 'assets:transit:trade');
  const [first] = got;
  if (!given || !first) return undefined;
  const lacking = got.find(({ minor }) => minor === null);
  const minor = lacking ? null : got.reduce((sum, each) => sum + (each.minor ?? 0n), 0n);
  const { at, bound, id } = given;
  return { at, bound, id, given, got: { asset: first.asset, minor, known: lacking?.known ?? null } };
}

/** Stablecoins that came to the vault or left it, by a trade or not. */
interface VaultFlow extends Flow {
  /** The trade, or the look at the balances. */
  readonly at: string;
  readonly id: string;
  readonly asset: Asset;
  readonly legs: Legs | undefined;
}

/** Returns what a trade, or a change of a balance, did to the vault; undefined if it is of no asset there. */
function flowOf(entries: readonly EntryRow[]): VaultFlow | undefined {
  const [first] = entries;
  if (!first) return undefined;
  const [earliest = '', latest = ''] = [first.at, first.bound ?? first.at].toSorted();
  if (first.thing === BALANCE) {
    // What was there first was there before.
    const time = first.step === 'opening' ? { earliest: '', latest: '' } : { earliest, latest };
    const minor = first.minor ?? 0n;
    const isIn = minor > 0n;
    // What came without a trade has no price.
    return {
      ...time,
      at: first.at,
      id: first.id,
      asset: first.asset,
      isIn,
      minor: isIn ? minor : -minor,
      cost: because('BOUGHT_BEFORE'),
      legs: undefined,
    };
  }
  const legs = legsOf(entries);
  if (!legs) return undefined;
  const { given, got } = legs;
  const paid = given.minor === null ? null : -given.minor;
  const { at, id } = legs;
  if (given.asset !== 'CNGN')
    return { earliest, latest, at, id, asset: given.asset, isIn: false, minor: paid, cost: 0n, legs };
  return {
    earliest,
    latest,
    at,
    id,
    asset: got.asset,
    isIn: true,
    minor: got.minor,
    cost: paid ?? because('NOT_STATED'),
    legs,
  };
}

/** A part of what a sale cost, and what had brought it. */
interface CostPart {
  readonly flow?: VaultFlow | undefined;
  readonly minor: bigint | null;
  readonly cost: bigint | NotKnown;
}

function saleOf({ at, id, given, got }: Legs, cost: bigint | NotKnown, parts: readonly CostPart[]): SaleProfit {
  const sold = amount(given.asset, -(given.minor ?? 0n));
  const proceeds =
    got.minor === null
      ? unknownFigure('CNGN', { why: got.known ?? 'NOT_STATED', since: null })
      : amount('CNGN', got.minor);
  const paid = costFigure(cost);
  const brings = { at, id, part: 'proceeds', sale: id, tokens: sold, amount: proceeds } as const;
  const costs = parts.map(
    ({ flow, minor, cost: own }): ProfitRow => ({
      at: flow?.at ?? at,
      id: flow?.id ?? id,
      part: 'cost',
      sale: id,
      tokens: minor === null ? unknownFigure(given.asset, because('NOT_STATED')) : amount(given.asset, minor),
      amount: negated(costFigure(own)),
    }),
  );
  const profit = sumOfFigures('CNGN', [proceeds, negated(paid)]);
  return { at, id, sold, proceeds, cost: paid, profit, rows: [brings, ...costs] };
}

const costFigure = (cost: bigint | NotKnown): Figure =>
  typeof cost === 'bigint' ? amount('CNGN', cost) : unknownFigure('CNGN', cost);

/** Why the profit of a period is not known although that of each sale may be; undefined if it is. */
function lackingIn(flows: readonly VaultFlow[], { from, to }: Span, cut: Lacking | undefined): NotKnown | undefined {
  if (cut) return because(cut.why, cut.since);
  const isUnsure = ({ earliest, latest, legs, isIn }: VaultFlow) =>
    legs !== undefined && !isIn && [from, to].some((at) => earliest <= at && at < latest);
  return flows.some(isUnsure) ? because('END_BETWEEN') : undefined;
}

/** Returns the sales of a period, the oldest first, each with its profit, and their sum. */
export async function profitIn(
  queries: Queries,
  { from, to }: Span,
): Promise<{ readonly sales: readonly SaleProfit[]; readonly profit: Figure; readonly unknown: number }> {
  const rows = await queries.all<EntryRow>(entriesSql(queries.engine), to, to);
  const cut = (await cutListsIn(queries, to)).tables.get(tableOf(trade).name);
  const things = Map.groupBy(rows, ({ thing, id, asset }) => (thing === BALANCE ? `${thing} ${id} ${asset}` : id));
  const flows = [...things.values()].flatMap((entries) => flowOf(entries) ?? []);
  const sales = [...Map.groupBy(flows, ({ asset }) => asset).values()].flatMap((own) =>
    [...costsOf(own)].flatMap(([{ legs, minor }, { cost, parts }]) => {
      if (!legs || legs.at <= from || legs.at > to) return [];
      // Without all trades before it, nothing says which stablecoins were sold.
      if (cut?.why === 'LIST_INCOMPLETE') return [saleOf(legs, because(cut.why), [{ minor, cost: because(cut.why) }])];
      return [saleOf(legs, cost, parts)];
    }),
  );
  const lacking = lackingIn(flows, { from, to }, cut);
  const sorted = sales.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  return {
    sales: sorted,
    profit: lacking
      ? unknownFigure('CNGN', lacking)
      : sumOfFigures(
          'CNGN',
          sorted.map((sale) => sale.profit),
        ),
    unknown: sorted.filter((sale) => sale.profit.minor === null).length,
  };
}
