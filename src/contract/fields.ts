import * as z from 'zod/mini';
import {
  type Asset,
  fromWire,
  isUnknownFigure,
  MAX_MINOR,
  type MoneyUnit,
  type UnknownFigure,
} from '../money/amount.ts';
import { isWireNumber, type WireNumber } from '../money/decimal.ts';
import { percentFromText, percentFromWire } from '../money/rates.ts';

/** Where a fact comes from: the interface specification, public documentation, a public client's code, or a guess. */
export type Source = 'interface' | 'public' | 'client' | 'inferred';

/**
 * The asset of an amount: always the same, the ticker in a field beside or around it, or the stablecoin of the trading pair in
 * `pair`. `byDefault` applies where nothing names the ticker. `netOf`: that of the field beside it of which it can be the rest
 * after fees. Null: the sources contradict each other.
 */
export type AssetRule =
  | Asset
  | { readonly field: string; readonly byDefault?: Asset }
  | { readonly leg: 'stablecoin' }
  | { readonly netOf: Readonly<Record<string, Asset>> }
  | null;

/**
 * What a field tells about a person or a company: who they are, how they are reached or paid, or whatever someone wrote. `text` is
 * free text: a label, a note, a purpose, a narration or a description. `key` is a key that someone chose: it may have any words in it.
 */
export type PersonalKind =
  | 'name'
  | 'account'
  | 'phone'
  | 'email'
  | 'address'
  | 'hash'
  | 'ip'
  | 'url'
  | 'host'
  | 'text'
  | 'reference'
  | 'key';

/** What the contract knows about a field besides its schema. */
export interface FieldMeta {
  /** string, number, integer, boolean, uuid, datetime, enum[a,b], array or object. */
  readonly type: string;
  readonly source: Source;
  readonly unit?: MoneyUnit | 'percent';
  /** The asset of a money field, or where it is named. Every field with a unit other than percent has one. */
  readonly asset?: AssetRule | 'USD';
  /** The rule in words, for error messages and reference pages. */
  readonly rule?: string;
  /** Never printed, journaled or traced in plain text. */
  readonly secret?: boolean;
  /** What it tells about someone; masked where that must not be seen (contract/mask.ts). For a list: what its items tell. */
  readonly personal?: PersonalKind;
  /**
   * Whether it may be in base units, so that its unit depends on what the response says (contract/reading/units.ts): every
   * documented figure has a decimal point, or base units are documented too. `with-others`: a documented figure has no point, and
   * only the other figures of the response can make it uncertain. `six-decimals`: every documented figure has all decimals, whatever
   * the others have, so one without a point is uncertain.
   */
  readonly mayBeBase?: true | 'with-others' | 'six-decimals';
  /**
   * Whether the documents contradict each other about its unit, which is then known only if the response names it, or if a decimal
   * point excludes the smallest unit.
   */
  readonly isUnitUnclear?: true;
  /** Whether its name says its asset, which then holds whatever the objects around its own say of their amounts. */
  readonly isNamedAfterAsset?: true;
  /** For a total: the field beside it that it cannot be below. */
  readonly atLeast?: string;
  /** Whether it is a bank account number of 10 digits. */
  readonly isAccountNumber?: true;
  /** For a list that may be an object of its rows: the fields of a row that are its key and its value in that form. */
  readonly byKey?: { readonly key: string; readonly value: string };
  /** Whether it is an amount of a request, whose unit and asset are the documented ones, whatever stands beside it. */
  readonly isRequested?: boolean;
  /** Whether the service may print it with asterisks instead of digits. */
  readonly isMasked?: boolean;
  /** What a text names that the service spells in several ways: a network, a bank by its code, tokens and pairs of them, or IP addresses. */
  readonly names?: 'network' | 'bank' | 'tokens' | 'ip';
  /** What the service takes if an optional field of a request is left out. */
  readonly byDefault?: string;
  /** For an object: the field that a documented older form has in the object's place. */
  readonly shorthand?: string;
}

/** The metadata of every field schema, in a zod registry. */
export const fieldMeta = z.registry<FieldMeta>();

type AnySchema = z.ZodMiniType;

function field<S extends AnySchema>(schema: S, meta: FieldMeta): S {
  fieldMeta.add(schema as never, meta as never);
  return schema;
}

/** What a field may say of itself besides its type and source. */
type More = Omit<FieldMeta, 'type' | 'source'>;

const printableText = z.regex(/^[\x20-\x7e\u00a0-\uffff]+$/);

/** Non-empty text of at most 500 characters, without control characters. Ids are opaque text. */
export function text(source: Source, more: More = {}) {
  return field(z.string().check(z.minLength(1), z.maxLength(500), printableText), { type: 'string', source, ...more });
}

/** Any text from the service; not validated further. */
export function anyText(source: Source, more: More = {}) {
  return field(z.string(), { type: 'string', source, ...more });
}

/** Text that must match `pattern`; `rule` describes the pattern. */
export function patterned(source: Source, pattern: RegExp, rule: string, more: More = {}) {
  return field(z.string().check(z.regex(pattern)), { type: 'string', source, rule, ...more });
}

export function uuid(source: Source, more: More = {}) {
  return field(z.string().check(z.regex(/^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/)), {
    type: 'uuid',
    source,
    rule: 'a UUID',
    ...more,
  });
}

/** A request id: a UUID in the specification, but sent as opaque text because the service also issues other ids. */
export function opaqueId(source: Source, more: More = {}) {
  return field(z.string().check(z.minLength(1), z.maxLength(500), printableText), { type: 'uuid', source, ...more });
}

/** A UUID in the specification, but read as opaque text because the service also sends other ids. */
export function opaqueUuid(source: Source) {
  return field(z.string().check(z.minLength(1)), { type: 'uuid', source });
}

/** ISO 8601, UTC. */
export function timestamp(source: Source) {
  return field(z.string(), { type: 'datetime', source });
}

/** A time in a request: an ISO 8601 date (midnight UTC), or a date and time with a time zone. */
export function moment(source: Source, more: More = {}) {
  const isMoment = (text: string) =>
    /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/.test(text) &&
    !Number.isNaN(Date.parse(text)) &&
    isDay(text.slice(0, 10));
  const schema = z.string().check(z.refine(isMoment));
  return field(schema, {
    type: 'datetime',
    source,
    rule: 'ISO 8601, such as 2026-08-01 or 2026-08-01T09:30:00Z',
    ...more,
  });
}

/** Rejects 30 February, which Date reads as a day in March. */
function isDay(day: string): boolean {
  return new Date(day).toISOString().startsWith(day);
}

export function flag(source: Source, more: More = {}) {
  return field(z.boolean(), { type: 'boolean', source, ...more });
}

export function oneOf<const V extends readonly string[]>(source: Source, values: V, more: More = {}) {
  return field(z.enum(values), { type: `enum[${values.join(',')}]`, source, ...more });
}

/** One of the values, case-insensitive. */
export function anyCase<const V extends readonly string[]>(source: Source, values: V) {
  const schema = z.string().check(z.refine((value) => values.includes(value.toLowerCase())));
  return field(schema, {
    type: `enum[${values.join(',')}]`,
    source,
    rule: `one of ${values.join(', ')} (case-insensitive)`,
  });
}

/** Returns the values of an `enum[a,b]` type. */
export function valuesOf({ type }: Pick<FieldMeta, 'type'>): string[] | undefined {
  return /^enum\[(.*)\]$/.exec(type)?.[1]?.split(',');
}

/** A state that may get new values: known ones are listed, others are accepted as they are. */
export function stateOf(source: Source, values: readonly string[]) {
  return field(z.string(), { type: `enum[${values.join(',')}]`, source });
}

export function integer(
  source: Source,
  range: { min?: number; max?: number; type?: 'integer' | 'number' } & More = {},
) {
  const { min = 0, max = Number.MAX_SAFE_INTEGER, type = 'integer', ...more } = range;
  return field(z.number().check(z.int(), z.minimum(min), z.maximum(max)), { type, source, ...more });
}

const wireNumberSchema = () => z.custom<WireNumber>(isWireNumber);

/** A JSON number that is not money. */
export function number(source: Source, more: More = {}) {
  return field(wireNumberSchema(), { type: 'number', source, ...more });
}

/** A percentage in a response. */
export function percent(source: Source) {
  return field(wireNumberSchema(), { type: 'number', unit: 'percent', source });
}

/** Least amount of a field, in the smallest unit; by default, it must be greater than 0. */
interface Least {
  readonly minMinor?: bigint;
}

/** Whether an amount is in range and no finer than the asset's smallest unit. A field whose asset is named elsewhere takes 6 decimals. */
function isPayable(value: WireNumber | string, unit: MoneyUnit, asset: AssetRule, minMinor: bigint): boolean {
  const finest = typeof asset === 'string' ? asset : 'CNGN';
  const minor = fromWire(value, unit, finest)?.minor;
  return minor !== undefined && minor >= minMinor && minor <= MAX_MINOR[finest];
}

/** Money in a request, as a JSON number: at most MAX_MINOR. */
export function pay(source: Source, unit: MoneyUnit, asset: AssetRule, more: More & Least = {}) {
  const { minMinor = 1n, ...rule } = more;
  const schema = wireNumberSchema().check(z.refine((value) => isPayable(value, unit, asset, minMinor)));
  return field(schema, { type: 'number', unit, asset, source, rule: 'greater than 0', isRequested: true, ...rule });
}

/** Money in a request, as a decimal string of plain digits: at most MAX_MINOR. */
export function payText(source: Source, asset: AssetRule, more: More & Least = {}) {
  const { minMinor = 1n, ...rule } = more;
  const fits = (value: string) =>
    /^\d+(\.\d+)?$/.test(value) && isPayable(value.replace(/^0+(?=\d)/, ''), 'decimal-string', asset, minMinor);
  return field(z.string().check(z.refine(fits)), {
    type: 'string',
    unit: 'decimal-string',
    asset,
    source,
    rule: 'greater than 0, at most 6 decimals',
    isRequested: true,
    ...rule,
  });
}

/** A percentage in a request, from `min` to `max`, at most 6 decimals. */
export function percentFrom(source: Source, min: string, max: string, more: More = {}) {
  const schema = wireNumberSchema().check(z.refine((value) => isPercentWithin(percentFromWire(value), min, max)));
  return field(schema, { type: 'number', unit: 'percent', source, rule: `${min} to ${max} percent`, ...more });
}

/** A multi-line OpenSSH private key. Line breaks may also be escaped as `\n`. */
export function privateKey(source: Source) {
  const rule = 'an OpenSSH private key, including the BEGIN and END lines';
  const isKey = (text: string) =>
    /^-----BEGIN [A-Z ]+-----[\s\S]+-----END [A-Z ]+-----\s*$/.test(text) && text.length <= 20_000;
  return field(z.string().check(z.refine(isKey)), { type: 'string', source, rule, secret: true });
}

/** A percentage in a request as a decimal string, from `min` to `max`. */
export function percentText(source: Source, min: string, max: string, more: More = {}) {
  const fits = (value: string) => isPercentWithin(percentFromText(value), min, max);
  const schema = z.string().check(z.refine(fits));
  return field(schema, { type: 'string', unit: 'percent', source, rule: `${min} to ${max} percent`, ...more });
}

function isPercentWithin(percent: bigint | undefined, min: string, max: string): boolean {
  const bound = (text: string) => percentFromText(text) ?? 0n;
  return percent !== undefined && percent >= bound(min) && percent <= bound(max);
}

/** Money in a response, as a JSON number. */
export function money(source: Source, unit: MoneyUnit, asset: AssetRule, more: More = {}) {
  const schema = z.custom<WireNumber | UnknownFigure>((value) => isWireNumber(value) || isUnknownFigure(value));
  return field(schema, { type: 'number', unit, asset, source, ...more });
}

/** Money in a response, as a string. */
export function moneyText(source: Source, unit: MoneyUnit, asset: AssetRule | 'USD', more: More = {}) {
  const schema = z.custom<string | UnknownFigure>((value) => typeof value === 'string' || isUnknownFigure(value));
  return field(schema, { type: 'string', unit, asset, source, ...more });
}

/** A nested object. Unknown fields are kept. */
export function group<S extends z.core.$ZodLooseShape>(source: Source, shape: S, more: More = {}) {
  return field(z.looseObject(shape), { type: 'object', source, ...more });
}

/** A list; requests may require `min` to `max` items. */
export function list<S extends AnySchema>(
  source: Source,
  element: S,
  range: { min?: number; max?: number } & More = {},
) {
  const { min = 0, max = Number.MAX_SAFE_INTEGER, ...more } = range;
  return field(z.array(element).check(z.minLength(min), z.maxLength(max)), { type: 'array', source, ...more });
}

/** A string in a list, described by the list's metadata. */
export function entry(pattern?: RegExp) {
  return pattern ? z.string().check(z.regex(pattern)) : z.string();
}

/** An optional field of a request. */
export function optional<S extends AnySchema>(schema: S) {
  return z.optional(schema);
}

/** A field of a response that the interface does not promise: it may be missing or null. */
export function maybe<S extends AnySchema>(schema: S) {
  return z.optional(z.nullable(schema));
}

/** The number of a bank account in a response. */
export const accountDigits = (source: Source) => anyText(source, { isAccountNumber: true, personal: 'account' });

/** Text in a response that may be missing or null. */
export const maybeText = (source: Source, more: More = {}) => maybe(anyText(source, more));

/** A field of a response that is always present but may be null. */
export function orNull<S extends AnySchema>(schema: S) {
  return z.nullable(schema);
}

/** A request for which the service rejects unknown fields. */
export function only<S extends z.core.$ZodLooseShape>(shape: S) {
  return z.strictObject(shape);
}

/** A request for which the service ignores unknown fields. */
export function fields<S extends z.core.$ZodLooseShape>(shape: S) {
  return z.looseObject(shape);
}

/** A request like `fields`, with a check of several of them together. */
export function checkedFields<S extends z.core.$ZodLooseShape>(
  check: z.core.$ZodCheck<Record<string, unknown>>,
  shape: S,
) {
  return z.looseObject(shape).check(check);
}

/** Checks that a request has one of two fields, and not the other. */
export function exactlyOne(one: string, other: string) {
  return z.check<Record<string, unknown>>((payload) => {
    const { [one]: first, [other]: second } = payload.value;
    if ((first === undefined) !== (second === undefined)) return;
    const expected = first === undefined ? `${one} or ${other}` : `${one} or ${other}, not both`;
    payload.issues.push({ code: 'custom', input: first, path: [one], params: { expected } });
  });
}

/** What the service sends: the `data` of a response or an event. Unknown fields are kept. */
export function payload<S extends z.core.$ZodLooseShape>(shape: S) {
  return z.looseObject(shape);
}

// Fields shared by several groups.

export const bvn = (source: Source) => patterned(source, /^[0-9]{11}$/, 'exactly 11 digits', { secret: true });
export const accountNumber = (source: Source) =>
  patterned(source, /^[0-9]{10}$/, 'exactly 10 digits', { personal: 'account' });
export const bankCode = (source: Source) =>
  patterned(source, /^[0-9]{3,6}$/, 'a NIBSS bank code of 3 to 6 digits; list them with: fiatrail banks', {
    names: 'bank',
  });

export const kobo = () => money('public', 'kobo', 'NGN');

/** The date range filter that every list accepts. */
export const range = (source: Source) => ({
  startDate: optional(moment(source)),
  endDate: optional(moment(source)),
});

/** What a list of the newer kind says of its pages. */
export const pagination = () =>
  group('interface', {
    total: integer('interface'),
    limit: integer('interface'),
    offset: integer('interface'),
    hasMore: flag('interface'),
  });

/** The page that a list by offset is asked for. */
export const page = () => ({
  limit: optional(integer('interface', { min: 1, max: 100, rule: '1 to 100; default 20' })),
  offset: optional(integer('interface', { rule: '0 or more' })),
});

export const pageAnswer = (source: Source) => ({
  total: maybe(integer(source)),
  limit: maybe(integer(source)),
  offset: maybe(integer(source)),
  hasMore: maybe(flag(source)),
});
