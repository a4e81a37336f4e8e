import type { Database } from '../sqlite/database.ts';
import type { Ids } from '../world.ts';
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
}

export interface Fintech {
  readonly id: bigint;
  readonly fintechId: string;
  readonly name: string;
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

/** A transaction hash of no chain: random, of the right shape. */
export function newTxHash(context: Context): string {
  return `0x${hex(context.ids.bytes(32))}`;
}
