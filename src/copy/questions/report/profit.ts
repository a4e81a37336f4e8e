import type { Queries } from '../../../journal/store.ts';
import { type Amount, type Asset, amount } from '../../../money/amount.ts';
import { type Figure, sumOfFigures, unknownFigure } from '../../../money/figure.ts';
import { because } from '../reasons.ts';
import type { Span } from './movements.ts';
import { BALANCE } from './statement.ts';

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

/** Stablecoins that were bought together, and the cNGN that they cost; undefined if nothing says it. */
interface Lot {
  /** The trade or the look at balances that brought them. */
  readonly at: string;
  readonly id: string;
  minor: bigint;
  cost: bigint | undefined;
}

interface EntryRow {
  readonly at: string;
  readonly id: string;
  readonly thing: string;
  readonly step: string;
  readonly account: string;
  readonly asset: Asset;
  readonly minor: bigint | null;
  readonly known: string | null;
}

/** Completed trades, and what balances say of the vault and no list does, in the order of time. What was there first was there before. */
const ENTRIES = `SELECT at, id, thing, step, account, asset, amount_minor AS minor, known FROM book_entries
  WHERE at <= ? AND (thing = 'trade' AND step = 'done' AND account IN ('assets:transit:trade', 'assets:wallet', 'assets:vault')
    OR thing = '${BALANCE}' AND account = 'assets:vault')
  ORDER BY CASE WHEN step = 'opening' THEN '' ELSE at END, at, id, account`;

/** Takes tokens from the lots, the oldest first, and returns the parts that were taken. What was never there has no lot. */
function taken(lots: Lot[], minor: bigint): readonly Lot[] {
  const parts: Lot[] = [];
  for (let left = minor; left > 0n; ) {
    const [lot] = lots;
    if (!lot) return [...parts, { at: '', id: '', minor: left, cost: undefined }];
    const part = lot.minor < left ? lot.minor : left;
    // What is left of a lot has what is left of its cost, so that no part of it is lost.
    const own: bigint | undefined = lot.cost === undefined ? undefined : (lot.cost * part) / lot.minor;
    parts.push({ at: lot.at, id: lot.id, minor: part, cost: own });
    if (lot.cost !== undefined && own !== undefined) lot.cost -= own;
    lot.minor -= part;
    left -= part;
    if (lot.minor === 0n) lots.shift();
  }
  return parts;
}

/** What was given or got in a trade; null for an amount that is not known. */
interface Leg {
  readonly asset: Asset;
  readonly minor: bigint | null;
  readonly known: string | null;
}

interface Legs {
  readonly at: string;
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
  const { at, id } = given;
  return { at, id, given, got: { asset: first.asset, minor, known: lacking?.known ?? null } };
}

function saleOf({ at, id, given, got }: Legs, parts: readonly Lot[]): SaleProfit {
  const sold = amount(given.asset, -(given.minor ?? 0n));
  const proceeds =
    got.minor === null
      ? unknownFigure('CNGN', { why: got.known ?? 'NOT_STATED', since: null })
      : amount('CNGN', got.minor);
  const costOf = (cost: bigint | undefined, sign: bigint) =>
    cost === undefined ? unknownFigure('CNGN', because('BOUGHT_BEFORE')) : amount('CNGN', cost * sign);
  const sum = parts.reduce<bigint | undefined>(
    (all, { cost }) => (all === undefined || cost === undefined ? undefined : all + cost),
    0n,
  );
  const profit = sumOfFigures('CNGN', [proceeds, costOf(sum, -1n)]);
  const rows: ProfitRow[] = [
    { at, id, part: 'proceeds', sale: id, tokens: sold, amount: proceeds },
    ...parts.map(
      (lot): ProfitRow => ({
        at: lot.at || at,
        id: lot.id || id,
        part: 'cost',
        sale: id,
        tokens: amount(given.asset, lot.minor),
        amount: costOf(lot.cost, -1n),
      }),
    ),
  ];
  return { at, id, sold, proceeds, cost: costOf(sum, 1n), profit, rows };
}

/** Returns the sales of a period, the oldest first, each with its profit, and their sum. */
export async function profitIn(
  queries: Queries,
  { from, to }: Span,
): Promise<{ readonly sales: readonly SaleProfit[]; readonly profit: Figure; readonly unknown: number }> {
  const rows = await queries.all<EntryRow>(ENTRIES, to);
  const lots = new Map<Asset, Lot[]>();
  const lotsOf = (asset: Asset) => {
    const own = lots.get(asset) ?? [];
    lots.set(asset, own);
    return own;
  };
  const sales: SaleProfit[] = [];
  for (const entries of Map.groupBy(rows, ({ thing, id, asset }) =>
    thing === BALANCE ? `${thing} ${id} ${asset}` : id,
  ).values()) {
    const [first] = entries;
    const legs = legsOf(entries);
    if (first?.thing === BALANCE) {
      const minor = first.minor ?? 0n;
      // What came or went without a trade has no price.
      if (minor > 0n) lotsOf(first.asset).push({ at: first.at, id: first.id, minor, cost: undefined });
      else taken(lotsOf(first.asset), -minor);
    } else if (legs?.given.asset === 'CNGN') {
      if (legs.got.minor !== null && legs.got.minor > 0n)
        lotsOf(legs.got.asset).push({
          at: legs.at,
          id: legs.id,
          minor: legs.got.minor,
          cost: legs.given.minor === null ? undefined : -legs.given.minor,
        });
    } else if (legs) {
      const sale = saleOf(legs, taken(lotsOf(legs.given.asset), -(legs.given.minor ?? 0n)));
      if (sale.at > from) sales.push(sale);
    }
  }
  const profit = sumOfFigures(
    'CNGN',
    sales.map((sale) => sale.profit),
  );
  return { sales, profit, unknown: sales.filter((sale) => sale.profit.minor === null).length };
}
