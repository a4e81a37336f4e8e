import type { Endpoint, RequestOf, ResponseOf } from '../contract/endpoint.ts';
import type { Group, groups } from '../contract/endpoints/index.ts';
import type { Call } from './context.ts';

type ValuesOf<T> = T extends unknown ? T[keyof T] : never;
type EndpointsOf<G extends Group> = ValuesOf<(typeof groups)[G]>;
type OperationsFor<E> = {
  readonly [O in E as O extends { id: infer Id extends string } ? Id : never]: O extends Endpoint
    ? (call: Call, input: RequestOf<O>) => ResponseOf<O>
    : never;
};

/**
 * The behaviour of each endpoint: one synchronous function inside one open transaction. The input has passed the
 * request schema. Throws Fault to refuse. An endpoint without an operation does not compile.
 */
export type Operations = OperationsFor<EndpointsOf<Group>>;

/** The operations of one group of endpoints. */
export type OperationsOf<G extends Group> = OperationsFor<EndpointsOf<G>>;

/** An operation of any endpoint, as called by the router. */
export type AnyOperation = (call: Call, input: never) => unknown;
