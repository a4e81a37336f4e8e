// Written by `npm run lists`.
import type { Thing } from './thing.ts';

/** Loads the record of the thing that an endpoint starts, and no other, by the id of the endpoint. */
export const LOAD_BY_START: Readonly<Record<string, () => Promise<Thing>>> = {
  'bridge.initiate': async () => (await import('./bridge-transfer.ts')).bridgeTransfer,
  'fees.withdraw': async () => (await import('./fee-withdrawal.ts')).feeWithdrawal,
  'fx.create-limit-order': async () => (await import('./market.ts')).order,
  'fx.create-order': async () => (await import('./market.ts')).order,
  'fx.market-order': async () => (await import('./market.ts')).trade,
  'fx.trade': async () => (await import('./market.ts')).trade,
  'swaps.create': async () => (await import('./swap.ts')).swap,
  'swaps.trigger': async () => (await import('./swap.ts')).swap,
  'transactions.fintech-offramp': async () => (await import('./bank-transfers.ts')).payout,
  'transactions.fintech-transfer': async () => (await import('./token-transfers.ts')).transfer,
  'transactions.offramp': async () => (await import('./bank-transfers.ts')).offramp,
  'transactions.onramp': async () => (await import('./onramp.ts')).onramp,
  'transactions.withdraw-asset': async () => (await import('./token-transfers.ts')).withdrawal,
  'users.onboard': async () => (await import('./users.ts')).onboarding,
};
