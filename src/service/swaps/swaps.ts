import { amount, type Token } from '../../money/amount.ts';
import type { Context } from '../context.ts';
import { exchange } from '../fx/exchange.ts';
import { post, swapping, walletAccount } from '../ledger.ts';
import { schedule } from '../machine.ts';
import { SHOWN_STATE_MS } from '../pace.ts';
import { isTestAmount } from '../values.ts';
import type { Delivery } from '../wallets/wallets.ts';

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
  readonly destination: Pick<Delivery, 'address' | 'network'>;
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
  const id = store.insert(
    `INSERT INTO swap (request_id, fintech, user, trigger_type, onramp, state, wallet, destination, network, sell_asset, buy_asset, amount_in_base,
       expected_out_base, slippage_millionths, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    requestId,
    order.fintech,
    order.user,
    order.trigger,
    order.onramp ?? null,
    state,
    order.wallet,
    order.destination.address,
    order.destination.network,
    order.sell,
    order.buy,
    order.amountBase,
    expected?.amountOutBase ?? 0n,
    order.slippageMillionths,
    nowMs,
    nowMs,
  );
  if (state === 'pending') schedule(context, 'swap', id, 'accepted', SHOWN_STATE_MS);
  else schedule(context, 'swap', id, 'begun', context.pace.step);
  return { id, requestId };
}

/** Source: public (requested and queued, by endpoint), inferred (queued for auto-swaps, and which one is pending). */
function firstState({ trigger, sell, amountBase }: SwapOrder): 'pending' | 'requested' | 'queued' {
  if (trigger === 'direct') return 'requested';
  return trigger === 'auto' && isTestAmount('swapPends', amount(sell, amountBase)) ? 'pending' : 'queued';
}
