import type * as z from 'zod/mini';
import type { FaultName } from './faults.ts';
import type { Source } from './fields.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * What calling the endpoint does, which decides retry, confirmation and journal; never the HTTP verb does.
 * read: changes nothing. write: changes something that costs nothing to repeat or correct.
 * money: moves value. destructive: cannot be undone.
 */
export type Effect = 'read' | 'write' | 'money' | 'destructive';

/** One declared refusal: which fault, on what condition. */
export interface DeclaredError {
  readonly when: string;
  readonly fault: FaultName;
  readonly source: Source;
  /** What a person does next, where the fault's own remedy is too general. */
  readonly remedy?: string;
}

/** Another spelling of an endpoint's method and path that is served too; its path parameters are fields of the request. */
export interface Alias {
  readonly method: Method;
  readonly path: string;
}

/**
 * How an answer's envelope differs from the common one. Source: public.
 * lower-case: `status` is `success`. camel: `responseCode` and `responseMessage` stand beside the common keys.
 * version-beside: `version` stands beside `data`.
 */
export type EnvelopeVariant = 'lower-case' | 'camel' | 'version-beside';

/** One endpoint, once: everything else about it is derived from this record. */
export interface Endpoint<
  Q extends z.ZodMiniType = z.ZodMiniType,
  R extends z.ZodMiniType = z.ZodMiniType,
  Id extends string = string,
> {
  readonly id: Id;
  readonly method: Method;
  /** Below the base address; `:name` marks a path parameter, which is a field of the request. */
  readonly path: string;
  /** Other spellings that the sandbox serves; the client sends the path above. */
  readonly aliases?: readonly Alias[];
  readonly effect: Effect;
  /** What it does by the value of one field, where one path has several actions: the field, and its values' effects. */
  readonly effects?: { readonly field: string; readonly of: Readonly<Record<string, Effect>> };
  readonly summary: string;
  /** Where request fields travel that are no path parameters. Default: query for GET, body for the others. */
  readonly place?: 'query' | 'body';
  /** Other names under which the sandbox takes a field that is needed: older or public spellings. */
  readonly synonyms?: Readonly<Record<string, string>>;
  /** A read that leaves something behind in the sandbox: a quote that a trade may name. */
  readonly isRecorded?: true;
  /** The asynchronous work it starts, by the name of its state machine. */
  readonly starts?: string;
  /** The one object nested in `data` that a person means: printed merged with the fields around it. */
  readonly nests?: string;
  /** The list inside `data` whose rows a table shows. */
  readonly lists?: string;
  readonly envelope?: EnvelopeVariant;
  /** Built on first use: a command pays only for the schemas it needs. */
  readonly request: () => Q;
  readonly response: () => R;
  readonly errors: readonly DeclaredError[];
  readonly rateLimit: { readonly max: number; readonly windowSeconds: number };
  readonly source: Source;
  /** The sandbox's own controls live outside /v1 and are no part of the service. */
  readonly area?: 'control';
}

export type RequestOf<E extends Endpoint> = z.infer<ReturnType<E['request']>>;
export type ResponseOf<E extends Endpoint> = z.infer<ReturnType<E['response']>>;

/** Declares an endpoint; its schemas are built once, when first asked for. */
export function endpoint<Q extends z.ZodMiniType, R extends z.ZodMiniType, const Id extends string>(
  definition: Endpoint<Q, R, Id>,
): Endpoint<Q, R, Id> {
  return { ...definition, request: once(definition.request), response: once(definition.response) };
}

function once<T extends object>(build: () => T): () => T {
  let built: T | undefined;
  return () => {
    built ??= build();
    return built;
  };
}

/** The names of a path's parameters: `/balance/user/:userId` has `userId`. */
export function pathParameters(path: string): string[] {
  return path
    .split('/')
    .filter((part) => part.startsWith(':'))
    .map((part) => part.slice(1));
}

/** What one request does: the endpoint's effect, or that of the action it names. */
export function effectOf({ effect, effects }: Endpoint, input: unknown): Effect {
  const action = effects && (input as Readonly<Record<string, unknown>> | undefined)?.[effects.field];
  return (typeof action === 'string' && Object.hasOwn(effects?.of ?? {}, action) && effects?.of[action]) || effect;
}

/** Where the request's other fields travel. */
export function placeOf(endpoint: Endpoint): 'query' | 'body' {
  return endpoint.place ?? (endpoint.method === 'GET' ? 'query' : 'body');
}

/** What every endpoint can answer. Source: interface. */
export const EVERYWHERE: readonly DeclaredError[] = [
  { when: 'the API key is missing, wrong or revoked', fault: 'AUTHENTICATION_FAILED', source: 'interface' },
  { when: 'the caller is not on the allowlist', fault: 'IP_BLOCKED', source: 'interface' },
  { when: 'too many requests', fault: 'RATE_LIMIT_EXCEEDED', source: 'interface' },
  { when: 'the service failed', fault: 'INTERNAL_ERROR', source: 'interface' },
];

export const managementLimits = { rateLimit: { max: 30, windowSeconds: 60 }, source: 'interface' } as const;
