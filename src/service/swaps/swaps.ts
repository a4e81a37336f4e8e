import { amount, type Token } from '../../money/amount.ts';
import type { Database } from '../../sqlite/database.ts';
import type { Context } from '../context.ts';
import {
  averagePriceMicro,
  averageSpreadMillionths,
  type Fill,
  match,
  requiredTradingAccount,
} from '../fx/order-book.ts';
import { type Posting, post, swapping, walletAccount } from '../ledger.ts';
import { schedule } from '../machine.ts';
import { insert } from '../rows.ts';
import { SHOWN_STATE_MS } from '../settings.ts';
import { isTestAmount } from '../values.ts';
import type { DeliveryWallet } from '../wallets/wallets.ts';

/** An exchange of tokens through the order book: one leg, or two by way of cNGN. */
interface Exchanged {
  readonly amountOutBase: bigint;
  /** cNGN for one stablecoin, in millionths; for two legs, the rate of the second. */
  readonly rateMicro: bigint;
  readonly spreadMillionths: bigint;
  /** The makers' postings. */
  readonly postings: readonly Posting[];
}

interface Leg {
  readonly fill: Fill;
  readonly outBase: bigint;
  readonly postings: readonly Posting[];
}

/**
 * Returns what the book currently gives for an amount; undefined if it cannot fill it. The fintech's own orders are
 * skipped.
 */
export function exchange(
  store: Database,
  fintech: bigint,
  sell: Token,
  buy: Token,
  amountBase: bigint,
): Exchanged | undefined {
  const isDirect = sell === 'CNGN' || buy === 'CNGN';
  const first = legOf(store, fintech, sell, isDirect ? buy : 'CNGN', amountBase);
  const last = isDirect ? first : first && legOf(store, fintech, 'CNGN', buy, first.outBase);
  if (!first || !last) return undefined;
  return {
    amountOutBase: last.outBase,
    rateMicro: averagePriceMicro(last.fill),
    spreadMillionths: averageSpreadMillionths(last.fill),
    postings: isDirect ? last.postings : [...first.postings, ...last.postings],
  };
}

function legOf(store: Database, fintech: bigint, sell: Token, buy: Token, amountBase: bigint): Leg | undefined {
  const stablecoin = sell === 'CNGN' ? buy : sell;
  if (stablecoin === 'CNGN' || amountBase === 0n) return undefined;
  const found = match(store, {
    pair: `CNGN-${stablecoin}`,
    makerGives: buy,
    amount: sell === 'CNGN' ? { cngnBase: amountBase } : { tokenBase: amountBase },
    taker: fintech,
  });
  if (!('fill' in found)) return undefined;
  const of = (asset: Token, slice: { cngnBase: bigint; tokenBase: bigint }) =>
    asset === 'CNGN' ? slice.cngnBase : slice.tokenBase;
  return {
    fill: found.fill,
    outBase: of(buy, found.fill),
    postings: found.fill.slices.flatMap((slice) => [
      { account: requiredTradingAccount(store, slice.maker, sell), minor: of(sell, slice) },
      { account: requiredTradingAccount(store, slice.maker, buy), minor: -of(buy, slice) },
    ]),
  };
}

/** How a swap was started: by a request for a user, by a request for an onramp's wallet, or by an onramp itself. */
export type SwapTrigger = 'direct' | 'trigger' | 'auto';

/** A validated swap that the wallet can pay for. */
interface SwapOrder {
  readonly fintech: bigint;
  readonly user: bigint;
  readonly trigger: SwapTrigger;
  readonly onramp?: bigint;
  /** The wallet on Base that the sold tokens come from. */
  readonly wallet: bigint;
  /** The destination of the bought tokens. */
  readonly destination: Pick<DeliveryWallet, 'address' | 'network'>;
  readonly sell: Token;
  readonly buy: Token;
  readonly amountBase: bigint;
  readonly slippageMillionths: bigint;
}

/**
 * Moves the sold tokens into the swapping account and starts the swap. The database rejects more than the wallet holds.
 */
export function startSwap(context: Context, order: SwapOrder): { id: bigint; requestId: string } {
  const { store, ids, nowMs } = context;
  const requestId = order.trigger === 'direct' ? `swap-${ids.uuid()}` : `req_${ids.uuid()}`;
  const expected = exchange(store, order.fintech, order.sell, order.buy, order.amountBase);
  post(context, 'swap.taken', requestId, [
    { account: walletAccount(order.wallet, 'base', order.sell), minor: -order.amountBase },
    { account: swapping(order.sell), minor: order.amountBase },
  ]);
  const state = firstState(order);
  const id = insert(store, 'swap', {
    request_id: requestId,
    fintech: order.fintech,
    user: order.user,
    trigger_type: order.trigger,
    onramp: order.onramp,
    state,
    wallet: order.wallet,
    destination: order.destination.address,
    network: order.destination.network,
    sell_asset: order.sell,
    buy_asset: order.buy,
    amount_in_base: order.amountBase,
    expected_out_base: expected?.amountOutBase ?? 0n,
    slippage_millionths: order.slippageMillionths,
    created_at: nowMs,
    updated_at: nowMs,
  });
  if (state === 'pending') schedule(context, 'swap', id, 'accepted', SHOWN_STATE_MS);
  else schedule(context, 'swap', id, 'begun', context.pace.step);
  return { id, requestId };
}

/** Source: public (requested and queued, by endpoint), inferred (queued for auto-swaps, and which one is pending). */
function firstState({ trigger, sell, amountBase }: SwapOrder): 'pending' | 'requested' | 'queued' {
  if (trigger === 'direct') return 'requested';
  return trigger === 'auto' && isTestAmount('swapPends', amount(sell, amountBase)) ? 'pending' : 'queued';
}
