// Written by `npm run lists`.
import type { EndpointGroup } from '../contract/endpoints/index.ts';
import type { OperationsOf } from './context.ts';

/** Loads the operations of one group of endpoints. A group without operations does not compile. */
export const loadOperations: { readonly [G in EndpointGroup]: () => Promise<OperationsOf<G>> } = {
  allowlist: async () => (await import('./account/allowlist-operations.ts')).allowlistOperations,
  balances: async () => (await import('./wallets/operation.ts')).walletsOperations,
  banks: async () => (await import('./banks/operation.ts')).banksOperations,
  bridge: async () => (await import('./bridge/operation.ts')).bridgeOperations,
  'default-wallets': async () => (await import('./wallets/external-wallets.ts')).externalWalletsOperations,
  'external-wallets': async () => (await import('./wallets/external-wallets.ts')).externalWalletsOperations,
  'fee-withdrawals': async () => (await import('./fees/withdrawals.ts')).feeWithdrawalsOperations,
  fees: async () => (await import('./fees/operation.ts')).feesOperations,
  'fx-auto-signing': async () => (await import('./fx/vault.ts')).fxVaultOperations,
  'fx-book': async () => (await import('./fx/book.ts')).fxBookOperations,
  'fx-orders': async () => (await import('./fx/order-operations.ts')).fxOrdersOperations,
  'fx-quotes': async () => (await import('./fx/trade-operations.ts')).fxTradesOperations,
  'fx-trades': async () => (await import('./fx/trade-operations.ts')).fxTradesOperations,
  'fx-vault': async () => (await import('./fx/vault.ts')).fxVaultOperations,
  history: async () => (await import('./history/operation.ts')).historyOperations,
  management: async () => (await import('./account/operation.ts')).managementOperations,
  offramp: async () => (await import('./offramp/operation.ts')).offrampOperations,
  onramp: async () => (await import('./onramp/operation.ts')).onrampOperations,
  payouts: async () => (await import('./payout/operation.ts')).payoutsOperations,
  recovery: async () => (await import('./users/recovery.ts')).recoveryOperations,
  swaps: async () => (await import('./swaps/operation.ts')).swapsOperations,
  transfers: async () => (await import('./transfers/operation.ts')).transfersOperations,
  'user-list': async () => (await import('./users/operation.ts')).usersOperations,
  'user-settings': async () => (await import('./users/settings.ts')).userSettingsOperations,
  users: async () => (await import('./users/operation.ts')).usersOperations,
  'virtual-accounts': async () => (await import('./deposits/operation.ts')).virtualAccountsOperations,
  'wallet-migration': async () => (await import('./wallets/operation.ts')).walletsOperations,
  wallets: async () => (await import('./wallets/operation.ts')).walletsOperations,
  withdrawals: async () => (await import('./transfers/withdrawal-operations.ts')).withdrawalsOperations,
};
