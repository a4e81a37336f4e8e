import * as z from 'zod/mini';
import type { Endpoint } from '../contract/endpoint.ts';
import type { Shape } from '../contract/reading/values.ts';
import { DECIMALS } from '../money/amount.ts';

/** A response of the service as a command prints it, with what differs from the record of the endpoint. */
export interface PrintedResponse {
  readonly response: Endpoint;
  /** The list that is printed as rows, if the endpoint names none. */
  readonly lists?: string;
  /** Prints the first row of the list instead of the list, or null. */
  readonly isRow?: true;
  /** Fields that the command adds. */
  readonly more?: () => Shape;
}

/** Fields of an endpoint that are printed with the start of some work, such as those of the account to pay. */
export interface AlsoPrinted {
  readonly endpoint: Endpoint;
  readonly fields: readonly string[];
}

/** Work that a command starts: the fields of both endpoints, each null until its value is known. */
export interface PrintedWork {
  readonly start: Endpoint;
  readonly status: Endpoint;
  readonly also?: AlsoPrinted;
}

/**
 * What a command prints with -o json. A function makes the schema of a document of the command's own, which only
 * `fiatrail schema` asks for. `either`: which of the two depends on its arguments.
 */
export type Prints =
  | PrintedResponse
  | PrintedWork
  | (() => z.ZodMiniType)
  | { readonly either: readonly [Prints, Prints] };

/** The form of an amount in JSON, see `PlainAmount`. */
export function amountSchema(
  asset: z.ZodMiniType = z.enum(Object.keys(DECIMALS)),
  value: z.ZodMiniType = z.string().check(z.regex(/^-?\d+(\.\d+)?$/)),
) {
  return z.object({ value, asset });
}

/** The form of how far a figure, or a count, is known in JSON. */
export function knownSchema() {
  return z.object({
    is: z.enum(['at least', 'at most', 'no']),
    why: z.string(),
    since: z.nullable(z.iso.datetime()),
    rows: z.optional(z.int()),
  });
}

/** The form of a figure of a report in JSON: an amount, which says how far it is known if it is not known exactly. */
export function figureSchema() {
  return z.object({
    value: z.nullable(z.string().check(z.regex(/^-?\d+(\.\d+)?$/))),
    asset: z.nullable(z.enum(Object.keys(DECIMALS))),
    known: z.optional(knownSchema()),
  });
}

/** The form of a list's position in JSON. */
export function paginationSchema() {
  const count = z.nullable(z.int());
  return z.object({
    total: count,
    limit: count,
    offset: count,
    hasMore: z.nullable(z.boolean()),
    after: z.nullable(z.string()),
  });
}
