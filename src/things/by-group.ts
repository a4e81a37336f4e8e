// Written by `npm run lists`.

/** Loads the records of the things that the endpoints of a group start. */
export const LOAD_BY_GROUP: Readonly<Record<string, () => Promise<object>>> = {
  bridge: () => import('./bridge-transfer.ts'),
  'fee-withdrawals': () => import('./fee-withdrawal.ts'),
  'fx-orders': () => import('./market.ts'),
  'fx-trades': () => import('./market.ts'),
  offramp: () => import('./bank-transfers.ts'),
  onramp: () => import('./onramp.ts'),
  payouts: () => import('./bank-transfers.ts'),
  swaps: () => import('./swap.ts'),
  transfers: () => import('./token-transfers.ts'),
  users: () => import('./users.ts'),
  withdrawals: () => import('./token-transfers.ts'),
};
