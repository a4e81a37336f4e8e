import type { Database } from '../sqlite/database.ts';

/** The public id of a user; empty for a row that has none. */
export function userIdOf(store: Database, user: bigint | null): string {
  return store.get<{ user_id: string }>('SELECT user_id FROM user WHERE id = ?', user)?.user_id ?? '';
}

/** The address of a wallet. */
export function walletAddressOf(store: Database, wallet: bigint): string {
  return store.get<{ address: string }>('SELECT address FROM wallet WHERE id = ?', wallet)?.address ?? '';
}
