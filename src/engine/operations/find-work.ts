import type { Work } from './work.ts';

const changeBy = async (endpointId: string) =>
  (await import('./changes.ts')).changes.find(({ starts }) => starts.some(({ id }) => id === endpointId));

/** Loads the work that an endpoint starts, by the endpoint's id. */
const LOADERS: Readonly<Record<string, (endpointId: string) => Promise<Work | undefined>>> = {
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
  'fx.update-limit-order': changeBy,
  'fx.delete-limit-order': changeBy,
  'users.remove-default-wallet': changeBy,
  'wallets.remove-external': changeBy,
  'banks.delete': changeBy,
  'management.ip-allowlist': changeBy,
  'sandbox.reset': changeBy,
  'sandbox.restore': changeBy,
  'management.regenerate-api-key': changeBy,
};

/** Returns the work that an endpoint starts, or the change that it makes; undefined for one that is not journaled. */
export async function workStartedBy(endpointId: string): Promise<Work | undefined> {
  return LOADERS[endpointId]?.(endpointId);
}

/** Loads every kind of work that has events. */
export async function worksWithEvents(): Promise<readonly Work[]> {
  const all = await Promise.all(Object.keys(LOADERS).map(workStartedBy));
  return [...new Set(all)].flatMap((work) => (work?.events ? [work] : []));
}
