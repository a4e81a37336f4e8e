import { type IpRange, isWithin, parseRange } from '../contract/cidr.ts';
import type { Database } from '../sqlite/database.ts';

/** Each server reads the list once in so long; a change is in force everywhere after it. Source: interface. */
export const ALLOWLIST_TTL_MS = 30_000;

export interface AllowedRow {
  readonly id: bigint;
  readonly address: string;
  readonly description: string | null;
}

/** The list as its owner last left it, oldest entry first. */
export function currentAllowlist(store: Database, fintech: bigint): AllowedRow[] {
  return store.all<AllowedRow>(
    'SELECT id, address, description FROM allowed_address WHERE fintech = ? AND removed_at IS NULL ORDER BY id',
    fintech,
  );
}

/** The addresses as the servers last read them: no later than so long ago, or when `check` last made them read. */
export function allowlistInForce(store: Database, fintech: bigint, nowMs: number): string[] {
  return store
    .all<{ address: string }>(
      `WITH read (at) AS (SELECT MAX(allowlist_read_at, ?1) FROM fintech WHERE id = ?2)
       SELECT address FROM allowed_address, read
       WHERE fintech = ?2 AND added_at <= read.at AND (removed_at IS NULL OR removed_at > read.at)`,
      nowMs - ALLOWLIST_TTL_MS,
      fintech,
    )
    .map(({ address }) => address);
}

/** Whether an address may call. An empty list lets everybody in. Source: inferred. */
export function isAllowed(addresses: readonly string[], caller: string): boolean {
  return addresses.length === 0 || matchingAddress(addresses, caller) !== undefined;
}

/** The entry that lets an address in. */
export function matchingAddress(addresses: readonly string[], caller: string): string | undefined {
  const range = parseRange(caller);
  if (!range) return undefined;
  const holds = (outer: IpRange | undefined) => outer !== undefined && isWithin(range, outer);
  return addresses.find((address) => holds(parseRange(address)));
}
