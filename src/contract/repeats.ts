import type { Contradiction } from '../base/errors.ts';
import { amountForPeople, isUnknownFigure, STATED_DECIMALS, type StatedAsset } from '../money/amount.ts';
import { isJsonObject } from '../money/decimal.ts';
import { type ComparedMeta, millionthsIn, repeatsValue, textOf } from './compare.ts';
import { type Endpoint, FAILS } from './endpoint.ts';
import type { FieldMeta } from './fields.ts';
import type { Fields } from './reading/values.ts';
import { elementOf, fieldOf, unwrap } from './rows.ts';

/** A field that the contract does not have: a term that the request only refers to. */
const UNKNOWN_FIELD: ComparedMeta = { type: 'string' };

/** Returns the fields of the response that repeat each field of the request, as pairs. */
export const repetitionsOf = ({ repeats = {} }: Pick<Endpoint, 'repeats'>): readonly (readonly [string, string])[] =>
  Object.entries(repeats).flatMap(([field, paths]) =>
    (typeof paths === 'string' ? [paths] : paths).map((path) => [field, path] as const),
  );

/**
 * Returns what a response in the contract's form says in place of what was asked; undefined if it contradicts nothing. `known` is the request with the terms that
 * it only refers to.
 */
export function contradictionIn(endpoint: Endpoint, known: Fields, data: unknown): Contradiction | undefined {
  const asked = new Map<string, string>();
  const answered: string[] = [];
  for (const [field, path] of repetitionsOf(endpoint)) {
    const ofAsked = metaAt(endpoint.request(), field) ?? UNKNOWN_FIELD;
    const ofAnswered = metaAt(endpoint.response(), path) ?? UNKNOWN_FIELD;
    const wanted = isNamedOtherwise(endpoint, field, known) ? [] : wantedAt(known, field, ofAsked);
    const found = valuesAt(data, path);
    if (wanted.length === 0 || found.length === 0) continue;
    if (wanted.some((one) => found.some((other) => repeatsValue(one, other, ofAsked, ofAnswered)))) continue;
    // Of a term, the response's field says in which unit it is.
    const ofWanted = ofAsked.unit === undefined ? ofAnswered : ofAsked;
    asked.set(field, `${field} ${wanted.map((each) => shown(each, ofWanted, known)).join(' or ')}`);
    answered.push(`${path} ${found.map((each) => shown(each, ofAnswered, aroundIn(data, path))).join(' and ')}`);
  }
  return answered.length === 0 ? undefined : { asked: [...asked.values()].join(', '), answered: answered.join(', ') };
}

/** Whether another name of the request has the same value, such as the address of a wallet in place of an id: then it is no id. */
function isNamedOtherwise({ synonyms = {}, repeats = {} }: Endpoint, field: string, known: Fields): boolean {
  return Object.entries(synonyms).some(
    ([other, name]) => name === field && Object.hasOwn(repeats, other) && known[other] === known[field],
  );
}

function wantedAt(known: Fields, field: string, { byDefault }: ComparedMeta): readonly unknown[] {
  const given = valuesAt(known, field);
  return given.length === 0 && byDefault !== undefined ? [byDefault] : given;
}

/** Returns the values of a field, of every item where there is a list; none if it is missing or empty. */
export function valuesAt(value: unknown, path: string): readonly unknown[] {
  let found: readonly unknown[] = [value];
  for (const name of path.split('.'))
    found = found.flatMap((each) => (isJsonObject(each) && Object.hasOwn(each, name) ? listed(each[name]) : []));
  return found.filter((each) => (each ?? '') !== '');
}

const listed = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

/** Returns the metadata of a field by its dotted name; undefined if the contract does not have it. */
export function metaAt(schema: Parameters<typeof unwrap>[0], path: string): FieldMeta | undefined {
  let at: Parameters<typeof unwrap>[0] | undefined = schema;
  for (const name of path.split('.')) {
    const { schema: inner } = unwrap(at);
    at = fieldOf(elementOf(inner) ?? inner, name);
    if (!at) return undefined;
  }
  return unwrap(at).meta;
}

/** The fields around a field: those beside it win. */
function aroundIn(data: unknown, path: string): Fields {
  const names = path.split('.').slice(0, -1);
  const around = names.map((_, index) => valuesAt(data, names.slice(0, index + 1).join('.'))[0]);
  return Object.assign({}, ...[data, ...around].filter(isJsonObject)) as Fields;
}

/** The maximum length of a value in a message, in characters. */
const MAX_SHOWN = 200;

/** A value for people: an amount with its asset, if that is known. */
function shown(value: unknown, meta: ComparedMeta, around: Fields): string {
  if (isUnknownFigure(value)) return `${clean(value.value)} (in an unknown unit)`;
  if (typeof value === 'boolean') return String(value);
  const text = textOf(value) ?? JSON.stringify(value);
  return amountShown(text, meta, around) ?? clean(text);
}

const clean = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]+/gu, '').slice(0, MAX_SHOWN);

function amountShown(text: string, { unit, asset: rule }: ComparedMeta, around: Fields): string | undefined {
  if (unit === undefined || unit === 'percent' || rule === undefined || rule === null) return undefined;
  const asset = typeof rule === 'string' ? rule : 'field' in rule ? (around[rule.field] ?? rule.byDefault) : undefined;
  const millionths = millionthsIn(text, unit);
  if (!isStated(asset) || millionths === undefined) return undefined;
  const divisor = 10n ** BigInt(6 - STATED_DECIMALS[asset]);
  return millionths % divisor === 0n ? amountForPeople({ asset, minor: millionths / divisor }) : undefined;
}

const isStated = (asset: unknown): asset is StatedAsset =>
  typeof asset === 'string' && Object.hasOwn(STATED_DECIMALS, asset);

/**
 * Returns what a response says of itself that means that the work failed, such as `payout.status is failed`; undefined if it says nothing of the kind. The rows
 * of a list say nothing about the request.
 */
export function failureIn({ fails, lists, nests, area }: Endpoint, data: unknown): string | undefined {
  const rows = fails ?? (lists === undefined && area === undefined ? FAILS : {});
  for (const [field, values] of Object.entries(rows))
    for (const path of nests === undefined ? [field] : [`${nests}.${field}`, field]) {
      const found = valuesAt(data, path).find((each) => values.some((value) => isSame(value, each)));
      if (found !== undefined) return `${field} is ${String(found)}`;
    }
  return undefined;
}

const isSame = (one: string | boolean, other: unknown): boolean =>
  typeof one === 'string' && typeof other === 'string' ? one === other.toLowerCase() : one === other;
