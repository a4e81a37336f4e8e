import type { Ids } from '../base/world.ts';
import type { Endpoint, RequestOf, ResponseOf } from '../contract/endpoint.ts';
import type { EndpointGroup, groups } from '../contract/endpoints/index.ts';
import type { Database } from '../sqlite/database.ts';
import type { PACES, Settings } from './settings.ts';

/** The input of an operation or a transition: one open transaction, and time as a value. */
export interface Context {
  readonly store: Database;
  /** Sandbox time, milliseconds since the epoch. */
  readonly nowMs: number;
  readonly ids: Ids;
  readonly pace: Readonly<Record<keyof (typeof PACES)['quick'], number>>;
  readonly settings: Settings;
  /** Whether webhooks may go to this machine itself, and not only to public addresses. */
  readonly allowsLoopback: boolean;
  /** Gets each step of a state machine, for whoever shows what happened. */
  readonly onStep?: ((step: Step) => void) | undefined;
}

/** One subject's step from a state to another. */
export interface Step {
  readonly machine: string;
  readonly subject: bigint;
  readonly from: string;
  readonly to: string;
  readonly on: string;
  readonly atMs: number;
}

/** A call by an authenticated fintech. */
export interface Call extends Context {
  readonly fintech: {
    readonly id: bigint;
    readonly fintechId: string;
    readonly name: string;
    /** The X25519 key that responses are encrypted with; undefined until the fintech stores one. */
    readonly publicKey: string | undefined;
  };
  /** The key and the address that the call came with. */
  readonly caller: { readonly apiKey: string; readonly address: string };
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

type ValuesOf<T> = T extends unknown ? T[keyof T] : never;
type EndpointsOf<G extends EndpointGroup> = ValuesOf<(typeof groups)[G]>;
type OperationsFor<E> = {
  readonly [O in E as O extends { id: infer Id extends string } ? Id : never]: O extends Endpoint
    ? (call: Call, input: RequestOf<O>) => ResponseOf<O>
    : never;
};

/**
 * The behaviour of each endpoint: one synchronous function inside one open transaction. The input has passed the
 * request schema. Throws Fault to refuse. An endpoint without an operation does not compile.
 */
export type Operations = OperationsFor<EndpointsOf<EndpointGroup>>;

/** The operations of one group of endpoints. */
export type OperationsOf<G extends EndpointGroup> = OperationsFor<EndpointsOf<G>>;

/** What answers with a `version` field say. Source: public samples. */
export const VERSION = '1.0.0';

/** Returns a new sandbox key: `sandbox_` and 21 hexadecimal digits. Source: public. */
export function newSandboxKey(ids: Context['ids']): string {
  return `sandbox_${hex(ids.bytes(11)).slice(0, 21)}`;
}
