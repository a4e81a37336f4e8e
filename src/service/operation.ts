import type { RequestOf, ResponseOf } from '../contract/endpoint.ts';
import type { groups } from '../contract/endpoints/index.ts';
import type { Call } from './context.ts';

type ValuesOf<T> = T extends unknown ? T[keyof T] : never;
type ServiceEndpoint = ValuesOf<(typeof groups)[keyof typeof groups]>;

/**
 * What each endpoint does: one synchronous function inside one open transaction. The input has passed the request
 * schema. Throws Fault for every refusal. An endpoint without its operation does not compile.
 */
export type Operations = {
  readonly [E in ServiceEndpoint as E['id']]: (call: Call, input: RequestOf<E>) => ResponseOf<E>;
};

/** An operation of any endpoint, as the router calls it. */
export type AnyOperation = (call: Call, input: never) => unknown;
