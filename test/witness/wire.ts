import { endpoints } from '../../src/contract/endpoints/index.ts';
import { createPathMatcher } from '../../src/contract/paths.ts';
import { isJsonObject, isWireNumber, wireNumberText } from '../../src/money/decimal.ts';
import { readWitness, type WitnessEndpoint } from './witness.ts';

/** Where a value stands in a JSON document. */
export type Path = readonly (string | number)[];

/** A text, number, flag or null in a JSON document. */
export interface Wire {
  readonly path: Path;
  readonly value: unknown;
}

/** Returns every value of a document that is no object and no list, in order. */
export function wiresIn(value: unknown, path: Path = []): Wire[] {
  if (Array.isArray(value)) return value.flatMap((each, index) => wiresIn(each, [...path, index]));
  if (!isJsonObject(value)) return [{ path, value }];
  return Object.entries(value).flatMap(([name, each]) => wiresIn(each, [...path, name]));
}

/** The text of a value, with the digits that were sent. */
export const textOf = (value: unknown): string => (isWireNumber(value) ? wireNumberText(value) : String(value));

/** Returns a copy of a document in which `change` was applied to the value at a path. */
export function changedAt(document: unknown, [first, ...rest]: Path, change: (value: unknown) => unknown): unknown {
  if (first === undefined) return change(document);
  if (Array.isArray(document))
    return document.map((each, index) => (index === first ? changedAt(each, rest, change) : each));
  const fields = document as Readonly<Record<string, unknown>>;
  return { ...fields, [first]: changedAt(fields[first], rest, change) };
}

/** Returns a copy of a document without the field at a path. */
export function withoutField(document: unknown, path: Path): unknown {
  return changedAt(document, path.slice(0, -1), (object) => {
    if (Array.isArray(object)) return object.filter((_, index) => index !== path.at(-1));
    const { [String(path.at(-1))]: _, ...rest } = object as Readonly<Record<string, unknown>>;
    return rest;
  });
}

/** The names in a path, without case, separators and places in lists; the service's own name stands for `platform`. */
export function namesIn(path: Path, service: string): string[] {
  return path
    .filter((name) => typeof name === 'string')
    .map((name) => name.replace(/[_\-\s]/g, '').toLowerCase())
    .map((name) => (name.startsWith(service) ? `platform${name.slice(service.length)}` : name));
}

/** How many names two paths have in common, counted from the last one. */
export function commonEnd(some: readonly string[], others: readonly string[]): number {
  let count = 0;
  while (count < some.length && count < others.length && some.at(-1 - count) === others.at(-1 - count)) count += 1;
  return count;
}

export const WITNESS = readWitness();
const paths = createPathMatcher(endpoints);

/** The endpoint of the specification's data files for `POST /cngnonramp`. */
export function witnessOf(endpoint: string): WitnessEndpoint {
  const [method = '', path = ''] = endpoint.split(' ');
  const id = paths.match(method, `/v1${path.replace(/:\w+/g, 'x')}`)?.endpoint.id ?? '';
  const witness = WITNESS.get(id);
  if (!witness) throw new Error(`no endpoint for ${endpoint}`);
  return witness;
}

/** Decimals that no documented figure has more of, in whichever unit. */
const DECIMALS = 12;

/** An exact decimal in units of the twelfth decimal; undefined for anything else. */
export function exactIn(text: string): bigint | undefined {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === '' || fraction.length > DECIMALS) return undefined;
  const size = BigInt(whole + fraction.padEnd(DECIMALS, '0'));
  return sign === '' ? size : -size;
}

/** The text of such a decimal, with at least so many decimals. */
export function decimalOf(exact: bigint, decimals: number): string {
  const digits = exact.toString().padStart(DECIMALS + 1, '0');
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, '').padEnd(decimals, '0');
  const whole = digits.slice(0, -DECIMALS);
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

/** How many of the units on the wire a whole Naira or token has. */
const PER_WHOLE: Readonly<Record<string, bigint>> = { kobo: 100n, base: 1_000_000n };

export const perWhole = (unit: string | undefined): bigint => PER_WHOLE[unit ?? ''] ?? 1n;
