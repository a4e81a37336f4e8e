import type { Ids } from '../base/world.ts';
import type { Database } from '../sqlite/database.ts';
import type { Pace } from './pace.ts';
import type { Settings } from './settings.ts';

/** The input of an operation or a transition: one open transaction, and time as a value. */
export interface Context {
  readonly store: Database;
  /** Sandbox time, milliseconds since the epoch. */
  readonly nowMs: number;
  readonly ids: Ids;
  readonly pace: Pace;
  readonly settings: Settings;
  /** Whether webhooks may go to this machine itself, and not only to public addresses. */
  readonly allowsLoopback: boolean;
}

/** A call by an authenticated fintech. */
export interface Call extends Context {
  readonly fintech: Fintech;
  readonly caller: Caller;
}

/** The key and the address that a call came with. */
interface Caller {
  readonly apiKey: string;
  readonly address: string;
}

export interface Fintech {
  readonly id: bigint;
  readonly fintechId: string;
  readonly name: string;
  /** The X25519 key that responses are sealed to; undefined until the fintech stores one. */
  readonly publicKey: string | undefined;
}

/** Formats a time column for the wire: ISO 8601, UTC. */
export function isoTime(timeMs: bigint | number): string {
  return new Date(Number(timeMs)).toISOString();
}

export function isoTimeOrNull(timeMs: bigint | null): string | null {
  return timeMs === null ? null : isoTime(timeMs);
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

/** Returns random bytes that start with the time, so that new keys land at the end of an index. */
export function orderedBytes({ ids, nowMs }: Context, length: number): Uint8Array {
  const bytes = ids.bytes(length);
  for (let at = 0, rest = nowMs; at < TIME_BYTES; at++, rest = Math.floor(rest / 256))
    bytes[TIME_BYTES - 1 - at] = rest % 256;
  return bytes;
}

const TIME_BYTES = 6;

/** Returns a random transaction hash of the right shape; it exists on no chain. */
export function newTxHash(context: Context): string {
  return `0x${hex(context.ids.bytes(32))}`;
}
