import { directory } from '../contract/directory.ts';
import type { Thing } from './thing.ts';

/** Where the things are that the endpoints of a group start. */
const FILES: Readonly<Record<string, () => Promise<object>>> = {
  users: () => import('./users.ts'),
  onramp: () => import('./onramp.ts'),
  offramp: () => import('./bank-transfers.ts'),
  payouts: () => import('./bank-transfers.ts'),
  withdrawals: () => import('./token-transfers.ts'),
  transfers: () => import('./token-transfers.ts'),
  swaps: () => import('./swap.ts'),
  bridge: () => import('./bridge-transfer.ts'),
  'fee-withdrawals': () => import('./fee-withdrawal.ts'),
  'fx-trades': () => import('./market.ts'),
  'fx-orders': () => import('./market.ts'),
};

/** Loads the kind of thing that an endpoint starts, and no other; undefined for any other change. */
export async function loadThingStartedBy(endpointId: string): Promise<Thing | undefined> {
  const group = directory.find(({ id }) => id === endpointId)?.group ?? '';
  const all = Object.values((await FILES[group]?.()) ?? {}) as readonly Partial<Thing>[];
  return all.find((each): each is Thing => each.starts?.some(({ id }) => id === endpointId) ?? false);
}
