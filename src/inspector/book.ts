import { PAIRS, type Pair, STABLECOIN_OF } from '../contract/fx.ts';
import { joinedLevels, levelKey, sideTitles, spreadWords } from '../engine/depth.ts';
import { ASSET_LABEL, amountForPeople, amount as amountOf } from '../money/amount.ts';
import type { Level } from '../present/result.ts';
import type { Look } from './look.ts';

/** An order as a page of the order book gets it, in millionths of cNGN. */
export interface BookOrder {
  readonly id: string;
  readonly pair: Pair;
  /** Whether its maker sells the stablecoin, and not cNGN. */
  readonly isSelling: boolean;
  readonly priceMinor: bigint;
  /** The price with the order's spread, which a trade gets; undefined if it is not known. */
  readonly takerMinor: bigint | undefined;
  readonly minMinor: bigint | undefined;
  readonly maxMinor: bigint | undefined;
  readonly status: string;
  readonly isOwn: boolean;
  readonly changedAt: string | null;
}

interface ShownLevel {
  readonly price: string;
  /** Null if a spread is not known. */
  readonly withSpread: string | null;
  readonly amount: string;
  /** What there is at this price or a better one, in words and in thousandths of the deeper side. */
  readonly depth: string;
  readonly share: number;
  readonly isOwn: boolean;
}

interface ShownSide {
  readonly title: string;
  readonly orders: number;
  readonly best: string | null;
  readonly total: string;
  /** The best price first. */
  readonly levels: readonly ShownLevel[];
  /** How many levels with worse prices are not shown. */
  readonly more: number;
}

interface ShownPair {
  readonly pair: Pair;
  readonly unit: string;
  readonly spread: string;
  readonly buying: ShownSide;
  readonly selling: ShownSide;
  readonly own: readonly OwnOrder[];
}

interface OwnOrder {
  readonly id: string;
  readonly side: string;
  readonly price: string;
  readonly min: string | null;
  readonly max: string | null;
  readonly status: string;
  readonly look: Look;
  readonly at: string | null;
  /** Where more is said of it. */
  readonly list?: string;
}

/** The order books of all pairs. */
export interface ShownBook {
  /** Whether the orders of others are in it. */
  readonly isWhole: boolean;
  readonly asOf: string | null;
  readonly pairs: readonly ShownPair[];
}

const MOST_LEVELS = 50;
const MOST_OWN = 100;

const cngn = (minor: bigint) => amountForPeople(amountOf('CNGN', minor));

/** In a table, whose heads say that all figures are in cNGN. */
const figure = (minor: bigint) => cngn(minor).replace(` ${ASSET_LABEL.CNGN}`, '');

const levelOf = ({ priceMinor, takerMinor, maxMinor = 0n }: BookOrder): Level => ({
  price: amountOf('CNGN', priceMinor),
  takerPrice: takerMinor === undefined ? undefined : amountOf('CNGN', takerMinor),
  amount: amountOf('CNGN', maxMinor),
});

interface BookInput extends Omit<ShownBook, 'pairs'> {
  readonly orders: readonly BookOrder[];
  /** The list that has the account's own orders. */
  readonly list?: string;
}

/** Puts orders into the books of their pairs: those that are active face each other, and the account's own are listed. */
export function booksOf({ orders, list, isWhole, asOf }: BookInput): ShownBook {
  return { isWhole, asOf, pairs: PAIRS.map((pair) => pairOf(pair, list, ofPair(orders, pair))) };
}

const ofPair = (orders: readonly BookOrder[], pair: Pair) => orders.filter((order) => order.pair === pair);

function pairOf(pair: Pair, list: string | undefined, orders: readonly BookOrder[]): ShownPair {
  const active = orders.filter(({ status }) => status === 'active');
  const [sells, buys] = [active.filter(({ isSelling }) => isSelling), active.filter(({ isSelling }) => !isSelling)];
  const [asks, bids] = [joinedLevels(sells.map(levelOf), true), joinedLevels(buys.map(levelOf), false)];
  const titles = sideTitles(pair);
  const sums = [asks, bids].map(sumOf);
  const deepest = sums.reduce((most, sum) => (sum > most ? sum : most), 1n);
  return {
    pair,
    unit: `cNGN per ${STABLECOIN_OF[pair]}`,
    spread: spreadWords(asks[0], bids[0]),
    selling: sideOf({ title: titles.selling, orders: sells, levels: asks, deepest }),
    buying: sideOf({ title: titles.buying, orders: buys, levels: bids, deepest }),
    own: orders
      .filter(({ isOwn }) => isOwn)
      .slice(0, MOST_OWN)
      .map((order) => ownOf(order, pair, list)),
  };
}

const sumOf = (levels: readonly Level[]) => levels.reduce((sum, { amount }) => sum + amount.minor, 0n);

interface SideInput {
  readonly title: string;
  readonly orders: readonly BookOrder[];
  readonly levels: readonly Level[];
  readonly deepest: bigint;
}

function sideOf({ title, orders, levels, deepest }: SideInput): ShownSide {
  const own = new Set(orders.filter(({ isOwn }) => isOwn).map((order) => levelKey(levelOf(order))));
  let sum = 0n;
  const shown = levels.slice(0, MOST_LEVELS).map((level): ShownLevel => {
    sum += level.amount.minor;
    return {
      price: figure(level.price.minor),
      withSpread: level.takerPrice ? figure(level.takerPrice.minor) : null,
      amount: figure(level.amount.minor),
      depth: figure(sum),
      share: Number((sum * 1_000n) / deepest),
      isOwn: own.has(levelKey(level)),
    };
  });
  const [best] = levels;
  return {
    ...{ title, orders: orders.length, best: best ? cngn(best.price.minor) : null, total: cngn(sumOf(levels)) },
    ...{ levels: shown, more: levels.length - shown.length },
  };
}

function ownOf(order: BookOrder, pair: Pair, list: string | undefined): OwnOrder {
  const { id, isSelling, priceMinor, minMinor, maxMinor, status, changedAt } = order;
  return {
    ...{ id, status, look: status === 'active' ? 'open' : 'none', at: changedAt },
    side: isSelling ? `sells ${STABLECOIN_OF[pair]}` : `buys ${STABLECOIN_OF[pair]}`,
    price: cngn(priceMinor),
    min: minMinor === undefined ? null : cngn(minMinor),
    max: maxMinor === undefined ? null : cngn(maxMinor),
    ...(list !== undefined && { list }),
  };
}
