import type { Ids } from '../base/world.ts';
import type { Database } from '../sqlite/database.ts';
import type { Pace } from './pace.ts';
import type { Settings } from './settings.ts';

/** What an operation or a transition works with: one open transaction, and time as a value. */
export interface Context {
  readonly store: Database;
  /** Sandbox time, milliseconds since the epoch. */
  readonly nowMs: number;
  readonly ids: Ids;
  readonly pace: Pace;
  readonly settings: Settings;
}

/** A call by a fintech that the guard let in. */
export interface Call extends Context {
  readonly fintech: Fintech;
  readonly caller: Caller;
}

/** Who calls, once let in: the key it has, and the address it comes from. */
export interface Caller {
  readonly apiKey: string;
  readonly address: string;
}

export interface Fintech {
  readonly id: bigint;
  readonly fintechId: string;
  readonly name: string;
  /** The X25519 key that its answers are sealed to; undefined until it stores one. */
  readonly publicKey: string | undefined;
}

/** A time column as the wire has it: ISO 8601, UTC. */
export function isoTime(timeMs: bigint | number): string {
  return new Date(Number(timeMs)).toISOString();
}

export function isoTimeOrNull(timeMs: bigint | null): string | null {
  return timeMs === null ? null : isoTime(timeMs);
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

/** Bytes from chance that begin with the time, so that an index over them grows at its end. */
export function orderedBytes({ ids, nowMs }: Context, length: number): Uint8Array {
  const bytes = ids.bytes(length);
  for (let at = 0, rest = nowMs; at < TIME_BYTES; at++, rest = Math.floor(rest / 256))
    bytes[TIME_BYTES - 1 - at] = rest % 256;
  return bytes;
}

const TIME_BYTES = 6;

/** A transaction hash of no chain: random, of the right shape. */
export function newTxHash(context: Context): string {
  return `0x${hex(context.ids.bytes(32))}`;
}
