import { Fault } from '../../contract/faults.ts';
import { MIN_CNGN, PAIRS, type Pair, type Side, STABLECOIN_OF } from '../../contract/fx.ts';
import { sameAddress } from '../../contract/networks.ts';
import type { Asset, Stablecoin } from '../../money/amount.ts';
import { type PercentMillionths, percentOfRoundHalfUp, percentToWire } from '../../money/rates.ts';
import { type Call, isoTime, isoTimeOrNull, type Operations, type OperationsOf, VERSION } from '../context.ts';
import { post } from '../ledger.ts';
import { schedule } from '../machine.ts';
import { insert, insertRow, ownRow } from '../rows.ts';
import { FX_WINDOW_MS } from '../settings.ts';
import { walletAt } from '../wallets/wallets.ts';
import { baseOfText } from '../wire-values.ts';
import { lockPostings, type SliceRow, type TradeRow } from './machine.ts';
import {
  averagePriceMicro,
  averageSpreadMillionths,
  commitments,
  type Fill,
  fillOf,
  legsOf,
  match,
  type OrderRow,
  type Slice,
  sideOf,
  sliceOfOrder,
  tradingBalance,
  type Wish,
} from './order-book.ts';
import { signersOf, signsByItself } from './signing.ts';
import { baseOf, cursor, decimal, requireVault } from './terms.ts';

/** The platform's fee, deducted from what the taker gets. Source: inferred. */
const TRADE_FEE: PercentMillionths = 200_000n;

/** A matched trade request. */
interface Deal {
  readonly pair: Pair;
  readonly side: Side;
  readonly fill: Fill;
  /** Set for a trade against one order. */
  readonly targetOrder?: string;
  readonly destination?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** The request as text without its idempotency key, to reject a reused key with another request. */
  readonly input: string;
}

/** Returns the trade already made with this idempotency key. Throws VALIDATION_ERROR if the request differs. */
function earlierTrade(call: Call, key: string | undefined, input: string): TradeRow | undefined {
  if (key === undefined) return undefined;
  const row = call.store.get<TradeRow>(
    'SELECT * FROM fx_trade WHERE fintech = ? AND idempotency_key = ?',
    call.fintech.id,
    key,
  );
  if (row && row.input !== input)
    throw new Fault(
      'VALIDATION_ERROR',
      'idempotencyKey: already used for another trade; use a new key for a new trade',
    );
  return row;
}

/** Returns both legs of a deal in base units: what the taker gives, and what it gets before the fee. */
function legAmounts({ pair, side, fill }: Deal) {
  const { gives, gets } = legsOf(side, pair);
  const of = (asset: Asset) => (asset === 'CNGN' ? fill.cngnBase : fill.tokenBase);
  return { gives, givesBase: of(gives), getsBase: of(gets) };
}

/**
 * Opens a trade: moves both legs into escrow and starts the 5-minute lock. Throws UNFUNDED_TRADE if the wallet does not
 * hold enough.
 */
function openTrade(call: Call, deal: Deal): TradeRow {
  const { store, fintech } = call;
  const { gives, givesBase } = legAmounts(deal);
  const { totalBase: committed } = commitments(store, fintech.id, gives);
  if (tradingBalance(store, fintech.id, gives) - committed < givesBase)
    throw new Fault(
      'UNFUNDED_TRADE',
      `the wallet does not hold enough ${gives} that is not committed to its own orders`,
    );
  if (deal.destination !== undefined) requireDestination(call, deal.destination);
  const { row, slices } = insertTrade(call, deal);
  post(call, 'fx.locked', row.trade_id, lockPostings(call, row, slices));
  schedule(call, 'trade', row.id, 'locked', call.pace.lock);
  schedule(call, 'trade', row.id, 'lock-elapsed', FX_WINDOW_MS);
  return row;
}

/** The destination must be a wallet of the fintech or an active external one. Source: inferred. */
function requireDestination({ store, fintech }: Call, address: string): void {
  const own = walletAt(store, address);
  const isOwn = own?.fintech === fintech.id && own.user === null;
  const isRegistered = store.get(
    `SELECT 1 FROM external_wallet WHERE fintech = ? AND address = ? AND status = 'active'`,
    fintech.id,
    sameAddress(address),
  );
  if (!isOwn && !isRegistered)
    throw new Fault(
      'VALIDATION_ERROR',
      'destinationWalletAddress: expected a wallet of the account or a registered external wallet',
    );
}

function insertTrade(call: Call, deal: Deal): { row: TradeRow; slices: readonly SliceRow[] } {
  const { store, ids, nowMs, fintech } = call;
  const { getsBase } = legAmounts(deal);
  const { pair, side, fill } = deal;
  const slices = fill.slices.map((slice) => ({
    fx_order: slice.order,
    maker: slice.maker,
    price_micro: slice.priceMicro,
    cngn_base: slice.cngnBase,
    token_base: slice.tokenBase,
  }));
  const signers = signersOf({ fintech: fintech.id, pair, side, token_base: fill.tokenBase }, slices);
  const row = insertRow<TradeRow>(store, 'fx_trade', {
    trade_id: `trade_${ids.uuid()}`,
    fintech: fintech.id,
    pair,
    side,
    target_order: deal.targetOrder,
    cngn_base: fill.cngnBase,
    token_base: fill.tokenBase,
    price_micro: averagePriceMicro(fill),
    fee_millionths: TRADE_FEE,
    net_base: getsBase - percentOfRoundHalfUp(getsBase, TRADE_FEE),
    destination: deal.destination === undefined ? null : sameAddress(deal.destination),
    lock_id: `lock_${ids.uuid()}`,
    auto_signed: signers.every((signer) => signsByItself(store, signer)),
    state: 'pending',
    expires_at: nowMs + FX_WINDOW_MS,
    idempotency_key: deal.idempotencyKey,
    input: deal.input,
    created_at: nowMs,
    updated_at: nowMs,
  });
  for (const [position, slice] of slices.entries()) insert(store, 'fx_slice', { trade: row.id, position, ...slice });
  return { row, slices };
}

/** How many expired quotes each new quote deletes. */
const EXPIRED_PER_QUOTE = 4;

/** Fills an amount from the book. Throws NO_LIQUIDITY, SELF_TRADE. */
function fillFor(call: Call, pair: Pair, side: Side, wanted: Wish['amount']): Fill {
  const { gets } = legsOf(side, pair);
  const found = match(call.store, { pair, makerGives: gets, amount: wanted, taker: call.fintech.id });
  if ('fill' in found) return found.fill;
  if (found.unfilled === 'own')
    throw new Fault('SELF_TRADE', 'only your own orders could fill this amount, and self-trades are not allowed');
  throw new Fault('NO_LIQUIDITY', `the order book of ${pair} cannot fill this amount`);
}

const AMOUNT_FIELD = { USDC: 'usdcAmount', USDT: 'usdtAmount' } as const satisfies Record<Stablecoin, string>;

/** Returns the token amount under its field name for the pair. */
function tokenAmount(pair: Pair, tokenBase: bigint) {
  const stablecoin = STABLECOIN_OF[pair];
  return { [AMOUNT_FIELD[stablecoin]]: decimal(stablecoin, tokenBase) };
}

const quote: Operations['fx.quote'] = (call, { pair, side, cngnAmount, tokenAmount: tokens }) => {
  const { store, nowMs, ids, fintech } = call;
  const wanted =
    tokens === undefined
      ? { cngnBase: baseOf(cngnAmount ?? '') }
      : { tokenBase: baseOfText(tokens, STABLECOIN_OF[pair]) };
  const fill = fillFor(call, pair, side, wanted);
  if (fill.cngnBase < MIN_CNGN.minor)
    throw new Fault('VALIDATION_ERROR', 'tokenAmount: expected an amount worth at least 1000 cNGN');
  const quoteId = `quote_${ids.uuid()}`;
  const expiresAt = nowMs + FX_WINDOW_MS;
  store.run(
    'DELETE FROM fx_quote WHERE id IN (SELECT id FROM fx_quote ORDER BY id LIMIT ?) AND expires_at <= ?',
    EXPIRED_PER_QUOTE,
    nowMs,
  );
  insert(store, 'fx_quote', {
    quote_id: quoteId,
    fintech: fintech.id,
    pair,
    side,
    cngn_base: fill.cngnBase,
    token_base: fill.tokenBase,
    price_micro: averagePriceMicro(fill),
    slices: slicesText(fill.slices),
    expires_at: expiresAt,
    created_at: nowMs,
  });
  return {
    quote: {
      quoteId,
      pair,
      side,
      cngnAmount: decimal('CNGN', fill.cngnBase),
      ...tokenAmount(pair, fill.tokenBase),
      price: decimal('CNGN', averagePriceMicro(fill)),
      spread: percentToWire(averageSpreadMillionths(fill)),
      matchedOrders: fill.slices.map((slice) => ({
        orderId: slice.orderId,
        price: decimal('CNGN', slice.priceMicro),
        cngnAmount: decimal('CNGN', slice.cngnBase),
        ...tokenAmount(pair, slice.tokenBase),
        spread: percentToWire(slice.spreadMillionths),
      })),
      expiresAt: isoTime(expiresAt),
    },
    version: VERSION,
  };
};

interface QuoteRow {
  readonly id: bigint;
  readonly pair: Pair;
  readonly side: Side;
  readonly slices: string;
  readonly expires_at: bigint;
}

interface Matched {
  readonly pair: Pair;
  readonly side: Side;
  readonly fill: Fill;
  readonly targetOrder?: string;
}

function slicesText(slices: readonly Slice[]): string {
  return JSON.stringify(slices, (_key, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
}

const BIGINT_FIELDS = ['order', 'maker', 'priceMicro', 'spreadMillionths', 'cngnBase', 'tokenBase'] as const;

function readSlices(text: string): Slice[] {
  return JSON.parse(text, (key, value: unknown) =>
    BIGINT_FIELDS.some((field) => field === key) ? BigInt(value as string) : value,
  ) as Slice[];
}

/** Mode 1: the quoted price, as long as its orders are active and backed. A quote can be used once. */
function byQuote(call: Call, quoteId: string): Matched {
  const row = ownRow<QuoteRow>(
    call,
    ['fx_quote', 'quote_id', quoteId],
    'the quote does not exist or has been used',
    'INVALID_QUOTE',
  );
  if (call.nowMs >= Number(row.expires_at)) throw new Fault('INVALID_QUOTE', 'the quote is older than 5 minutes');
  const fill = fillOf(readSlices(row.slices));
  requireBacked(call, row, fill);
  call.store.run('DELETE FROM fx_quote WHERE id = ?', row.id);
  return { pair: row.pair, side: row.side, fill };
}

/** Throws NO_LIQUIDITY if an order of the quote is gone or a maker's wallet no longer covers its part. */
function requireBacked(call: Call, { pair, side }: QuoteRow, fill: Fill): void {
  const { gets } = legsOf(side, pair);
  const needed = new Map<bigint, bigint>();
  for (const slice of fill.slices) {
    const isActive = call.store.get(`SELECT 1 FROM fx_order WHERE id = ? AND state = 'active'`, slice.order);
    if (!isActive) throw new Fault('NO_LIQUIDITY', 'an order behind the quote is no longer on the book');
    const part = gets === 'CNGN' ? slice.cngnBase : slice.tokenBase;
    needed.set(slice.maker, (needed.get(slice.maker) ?? 0n) + part);
  }
  for (const [maker, base] of needed)
    if (tradingBalance(call.store, maker, gets) < base)
      throw new Fault('NO_LIQUIDITY', 'a maker behind the quote no longer has enough tokens');
}

/** Mode 3: one order, at its exact price. */
function byOrder(call: Call, orderId: string, cngnAmount: string | undefined): Matched {
  if (cngnAmount === undefined) throw new Fault('VALIDATION_ERROR', 'cngnAmount: expected a value with orderId');
  const order = call.store.get<OrderRow>(`SELECT * FROM fx_order WHERE order_id = ? AND state = 'active'`, orderId);
  if (!order) throw new Fault('NOT_FOUND', 'no active order has this id');
  if (order.fintech === call.fintech.id)
    throw new Fault('SELF_TRADE', 'the order is your own; trade against another order');
  const cngnBase = baseOf(cngnAmount);
  if (cngnBase < order.min_base || cngnBase > order.max_base) {
    throw new Fault(
      'VALIDATION_ERROR',
      `cngnAmount: expected ${decimal('CNGN', order.min_base)} to ${decimal('CNGN', order.max_base)} cNGN, the limits of the order`,
    );
  }
  const slice = sliceOfOrder(call.store, order, cngnBase);
  if (!slice) throw new Fault('NO_LIQUIDITY', 'the wallet behind the order does not hold enough tokens');
  return { pair: order.pair, side: takerSideOf(order), fill: fillOf([slice]), targetOrder: orderId };
}

/** Returns the taker's side of an order: the taker gives what the maker gets. */
function takerSideOf({ gives, pair }: OrderRow): Side {
  return sideOf(gives === 'CNGN' ? STABLECOIN_OF[pair] : 'CNGN');
}

type TradeInput = Parameters<Operations['fx.trade']>[1];

/** Matches a request in one of the three modes; exactly one must be complete. */
function matched(call: Call, { quoteId, orderId, pair, side, cngnAmount }: TradeInput): Matched {
  if (quoteId !== undefined && orderId !== undefined)
    throw new Fault('VALIDATION_ERROR', 'expected quoteId or orderId, not both');
  if (quoteId !== undefined) return byQuote(call, quoteId);
  if (orderId !== undefined) return byOrder(call, orderId, cngnAmount);
  if (pair === undefined || side === undefined || cngnAmount === undefined)
    throw new Fault(
      'VALIDATION_ERROR',
      'expected quoteId, or orderId with cngnAmount, or pair with side and cngnAmount',
    );
  const cngnBase = baseOf(cngnAmount);
  if (cngnBase < MIN_CNGN.minor) throw new Fault('VALIDATION_ERROR', 'cngnAmount: expected at least 1000');
  return { pair, side, fill: fillFor(call, pair, side, { cngnBase }) };
}

/** The fields that identify a trade. Other fields of a request are ignored and not stored. */
const TRADE_FIELDS = ['pair', 'side', 'cngnAmount', 'quoteId', 'orderId', 'destinationWalletAddress'] as const;

type TradeField = (typeof TRADE_FIELDS)[number];

/** Serializes a request without its idempotency key, to compare a repeat with. */
function inputText(endpoint: string, request: Readonly<Partial<Record<TradeField, string | undefined>>>): string {
  return JSON.stringify([endpoint, ...TRADE_FIELDS.map((name) => request[name] ?? null)]);
}

function tradeCore(row: TradeRow) {
  return {
    tradeId: row.trade_id,
    pair: row.pair,
    side: row.side,
    cngnAmount: decimal('CNGN', row.cngn_base),
    ...tokenAmount(row.pair, row.token_base),
  };
}

const trade: Operations['fx.trade'] = (call, request) => {
  const { destinationWalletAddress: destination, idempotencyKey } = request;
  const input = inputText('fx.trade', request);
  requireVault(call);
  const row =
    earlierTrade(call, idempotencyKey, input) ??
    openTrade(call, { ...matched(call, request), destination, idempotencyKey, input });
  return {
    trade: {
      ...tradeCore(row),
      ...(row.target_order === null ? {} : { orderId: row.target_order }),
      price: decimal('CNGN', row.price_micro),
      platformFeePercentage: percentToWire(row.fee_millionths),
      status: 'pending',
      lockId: row.lock_id,
      expiresAt: isoTime(row.expires_at),
      createdAt: isoTime(row.created_at),
    },
    version: VERSION,
  };
};

/** `CNGN` alone lets the book choose the stablecoin: whichever gives the taker more or costs less. Source: inferred. */
function bestOfPairs(call: Call, side: Side, cngnBase: bigint): Matched {
  const found = PAIRS.flatMap((pair) => {
    try {
      return [{ pair, side, fill: fillFor(call, pair, side, { cngnBase }) }];
    } catch (error) {
      if (error instanceof Fault) return [];
      throw error;
    }
  });
  const isBetter = (a: Matched, b: Matched) =>
    legsOf(side, a.pair).gets === 'CNGN' ? a.fill.tokenBase < b.fill.tokenBase : a.fill.tokenBase > b.fill.tokenBase;
  const [first, ...others] = found;
  if (!first) return { pair: PAIRS[0], side, fill: fillFor(call, PAIRS[0], side, { cngnBase }) };
  return others.reduce<Matched>((best, each) => (isBetter(each, best) ? each : best), first);
}

const marketOrder: Operations['fx.market-order'] = (call, request) => {
  const { pair, side, cngnAmount, destinationWalletAddress: destination, idempotencyKey } = request;
  const input = inputText('fx.market-order', request);
  requireVault(call);
  const cngnBase = baseOf(cngnAmount);
  const take = (): Matched =>
    pair === 'CNGN' ? bestOfPairs(call, side, cngnBase) : { pair, side, fill: fillFor(call, pair, side, { cngnBase }) };
  const row =
    earlierTrade(call, idempotencyKey, input) ?? openTrade(call, { ...take(), destination, idempotencyKey, input });
  return {
    trade: {
      ...tradeCore(row),
      averagePrice: decimal('CNGN', row.price_micro),
      status: 'pending',
      expiresAt: isoTime(row.expires_at),
      createdAt: isoTime(row.created_at),
    },
    version: VERSION,
    note: 'the trade is locked in escrow and settles according to the auto-signing settings',
  };
};

function listed(row: TradeRow) {
  return {
    ...tradeCore(row),
    price: decimal('CNGN', row.price_micro),
    fintechNetAmount: decimal(legsOf(row.side, row.pair).gets, row.net_base),
    status: row.state,
    createdAt: isoTime(row.created_at),
  };
}

const tradeStatus: Operations['fx.trade-status'] = (call, { tradeId }) => {
  const row = ownRow<TradeRow>(call, ['fx_trade', 'trade_id', tradeId], 'this fintech has no trade with this id');
  return {
    trade: {
      ...listed(row),
      lockId: row.lock_id,
      priceLockExpiresAt: isoTime(row.expires_at),
      errorMessage: row.error_message,
      failedAt: isoTimeOrNull(row.failed_at),
    },
    version: VERSION,
  };
};

const listTrades: Operations['fx.list-trades'] = (call, { pair, side, status, limit = 50, startAfter }) => {
  const before = startAfter === undefined ? null : cursor(call, 'fx_trade', 'trade_id', startAfter);
  const rows = call.store.all<TradeRow>(
    `SELECT * FROM fx_trade WHERE fintech = ?1 AND (?2 IS NULL OR pair = ?2) AND (?3 IS NULL OR side = ?3) AND (?4 IS NULL OR state = ?4)
       AND (?5 IS NULL OR id < ?5) ORDER BY id DESC LIMIT ?6`,
    call.fintech.id,
    pair ?? null,
    side?.toLowerCase() ?? null,
    status?.toLowerCase() ?? null,
    before,
    limit,
  );
  return { trades: rows.map(listed), count: rows.length, version: VERSION };
};

export const fxTradesOperations = {
  'fx.trade': trade,
  'fx.market-order': marketOrder,
  'fx.trade-status': tradeStatus,
  'fx.list-trades': listTrades,
  'fx.quote': quote,
} satisfies OperationsOf<'fx-quotes' | 'fx-trades'>;
