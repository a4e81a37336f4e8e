import { type IpRange, isWithin, parseRange } from '../../contract/cidr.ts';
import type { Database } from '../../sqlite/database.ts';

/** How long servers cache the list; a change applies everywhere after that. Source: interface. */
export const ALLOWLIST_TTL_MS = 30_000;

/** Returns the addresses as last cached by the servers: at most ALLOWLIST_TTL_MS old, or as of the last `check`. */
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

/** Returns true if an address may call. An empty list allows everyone. Source: inferred. */
export function isAllowed(addresses: readonly string[], caller: string): boolean {
  return addresses.length === 0 || matchingAddress(addresses, caller) !== undefined;
}

/** Returns the first entry that matches an address. */
export function matchingAddress(addresses: readonly string[], caller: string): string | undefined {
  const range = parseRange(caller);
  if (!range) return undefined;
  const holds = (outer: IpRange | undefined) => outer !== undefined && isWithin(range, outer);
  return addresses.find((address) => holds(parseRange(address)));
}
