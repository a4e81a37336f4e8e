import type { Work } from './work.ts';

/** Loads the work that an endpoint starts, by the endpoint's id. */
const LOADERS: Readonly<Record<string, () => Promise<Work>>> = {
  'users.onboard': async () => (await import('./users.ts')).onboarding,
  'transactions.onramp': async () => (await import('./onramps.ts')).onramp,
  'transactions.offramp': async () => (await import('./payouts.ts')).offramp,
  'transactions.fintech-offramp': async () => (await import('./payouts.ts')).payout,
  'transactions.withdraw-asset': async () => (await import('./transfers.ts')).withdrawal,
  'transactions.fintech-transfer': async () => (await import('./transfers.ts')).transfer,
  'swaps.create': async () => (await import('./swaps.ts')).swap,
  'swaps.trigger': async () => (await import('./swaps.ts')).swap,
  'bridge.initiate': async () => (await import('./bridge.ts')).bridge,
  'fees.withdraw': async () => (await import('./fees.ts')).feeWithdrawal,
  'fx.trade': async () => (await import('./fx.ts')).fxTrade,
  'fx.market-order': async () => (await import('./fx.ts')).fxTrade,
  'fx.create-order': async () => (await import('./fx.ts')).fxOrder,
  'fx.create-limit-order': async () => (await import('./fx.ts')).fxOrder,
  'fx.update-limit-order': async () => (await import('./changes.ts')).orderUpdate,
  'fx.delete-limit-order': async () => (await import('./changes.ts')).orderRemoval,
  'users.remove-default-wallet': async () => (await import('./changes.ts')).defaultWalletRemoval,
  'wallets.remove-external': async () => (await import('./changes.ts')).externalWalletRemoval,
  'banks.delete': async () => (await import('./changes.ts')).bankAccountRemoval,
  'management.ip-allowlist': async () => (await import('./changes.ts')).allowlistRemoval,
  'sandbox.reset': async () => (await import('./changes.ts')).sandboxReplacement,
  'sandbox.restore': async () => (await import('./changes.ts')).sandboxReplacement,
  'management.regenerate-api-key': async () => (await import('./changes.ts')).keyRotation,
};

/** Returns the work that an endpoint starts, or the change that it makes; undefined for one that is not journaled. */
export async function workStartedBy(endpointId: string): Promise<Work | undefined> {
  return LOADERS[endpointId]?.();
}

/** Loads every kind of work that has events. */
export async function worksWithEvents(): Promise<readonly Work[]> {
  const all = await Promise.all(Object.values(LOADERS).map((load) => load()));
  return [...new Set(all)].filter(({ events }) => events !== undefined);
}
