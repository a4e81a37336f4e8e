import type * as z from 'zod/mini';
import { problemsOf } from '../contract/check.ts';
import type { FieldMeta } from '../contract/fields.ts';
import { type Asset, MAX_MINOR } from '../money/amount.ts';
import { decimalText, wireNumber } from '../money/decimal.ts';
import { toWireText } from '../money/units.ts';

/** Limits of an amount or a percentage, as JSON Schema keywords. */
interface Limits {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly pattern?: string;
}

const NO_LIMITS: Limits = {};

/** Plain digits, greater than 0. */
const POSITIVE = '^(?:0*[1-9]\\d*(?:\\.\\d+)?|0+\\.0*[1-9]\\d*)$';

/**
 * Returns the minimum of an amount in a request, or the range of a percentage. The contract has them as checks rather than
 * as data, so they are found by trying values. Fields of responses have no limits.
 */
export function limitsOf(schema: z.ZodMiniType, meta: FieldMeta): Limits {
  if (meta.unit === 'percent') return meta.type === 'number' ? limitsOfPercentage(schema) : NO_LIMITS;
  return limitsOfAmount(schema, meta);
}

function limitsOfAmount(schema: z.ZodMiniType, { unit, asset, type }: FieldMeta): Limits {
  // US dollars have a pattern of their own.
  if (unit === undefined || unit === 'percent' || asset === undefined || asset === 'USD') return NO_LIMITS;
  // A field that names its asset elsewhere has a token's decimals.
  const known: Asset = typeof asset === 'string' ? asset : 'CNGN';
  const textOf = (minor: bigint) => toWireText({ asset: known, minor }, unit);
  const accepts = (minor: bigint) =>
    problemsOf(schema, type === 'string' ? textOf(minor) : wireNumber(textOf(minor))).length === 0;
  if (accepts(-1n)) return NO_LIMITS;
  const leastMinor = least(accepts, MAX_MINOR[known]);
  if (type === 'string') return { pattern: patternFrom(textOf(leastMinor)) };
  return leastMinor === 1n ? { exclusiveMinimum: 0 } : { minimum: Number(textOf(leastMinor)) };
}

const SCALE = 6;
const FIFTY = 50n * 10n ** BigInt(SCALE);

/** Assumes that 50 percent is within the range, which has at most 6 decimals. */
function limitsOfPercentage(schema: z.ZodMiniType): Limits {
  const accepts = (scaled: bigint) => problemsOf(schema, wireNumber(decimalText(scaled, SCALE))).length === 0;
  if (accepts(-1n)) return NO_LIMITS;
  const minimum = least(accepts, FIFTY);
  const maximum = 2n * FIFTY - least((scaled) => accepts(2n * FIFTY - scaled), FIFTY);
  return { minimum: Number(decimalText(minimum, SCALE)), maximum: Number(decimalText(maximum, SCALE)) };
}

/** Returns the smallest accepted value, given that all from there to `most` are accepted. */
function least(accepts: (value: bigint) => boolean, most: bigint): bigint {
  let [from, to] = [0n, most];
  while (from < to) {
    const middle = (from + to) / 2n;
    if (accepts(middle)) to = middle;
    else from = middle + 1n;
  }
  return from;
}

/** Returns a pattern for decimal text. Only a minimum of 1, 10, 100 and so on can be part of it. */
function patternFrom(minimum: string): string {
  const zeros = /^1(0*)\.0+$/.exec(minimum)?.[1];
  return zeros === undefined ? POSITIVE : `^0*[1-9]\\d{${zeros.length},}(?:\\.\\d+)?$`;
}
