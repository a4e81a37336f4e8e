import type { RequestOf, ResponseOf } from '../contract/endpoint.ts';
import type { groups } from '../contract/endpoints/index.ts';
import type { Call } from './context.ts';

type ValuesOf<T> = T extends unknown ? T[keyof T] : never;
type ServiceEndpoint = ValuesOf<(typeof groups)[keyof typeof groups]>;

/**
 * The behaviour of each endpoint: one synchronous function inside one open transaction. The input has passed the
 * request schema. Throws Fault to refuse. An endpoint without an operation does not compile.
 */
export type Operations = {
  readonly [E in ServiceEndpoint as E['id']]: (call: Call, input: RequestOf<E>) => ResponseOf<E>;
};

/** An operation of any endpoint, as called by the router. */
export type AnyOperation = (call: Call, input: never) => unknown;
