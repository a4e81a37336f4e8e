import { isJsonObject, isWireNumber, parseExactJson } from '../../src/money/decimal.ts';
import type { DocumentedAnswer } from './answers.ts';
import { figuresIn, isBookFigure } from './oracle.ts';
import { another, type Repeated, respelled } from './repeats.ts';
import {
  changedAt,
  decimalOf,
  exactIn,
  type Path,
  perWhole,
  textOf,
  wiresIn,
  withoutField,
  witnessOf,
} from './wire.ts';

/** What a varied answer must do. */
type Must =
  /** Says what the documented one says. */
  | 'same'
  /** May be refused; what is shown of it is right or marked. */
  | 'no wrong amount'
  /** Contradicts its request, or itself. */
  | 'contradiction'
  /** Is a success, whatever it says. */
  | 'success'
  /** Says that what was asked for did not succeed. */
  | 'failed'
  /** Is refused as documented; without a code of the service, a request that moves money has an unknown outcome. */
  | 'refused'
  | 'refused without a code';

export interface Variation {
  readonly kind: string;
  readonly answer: DocumentedAnswer;
  readonly must: Must;
  /** The object that states another currency, unit or token than the documented one. */
  readonly contradictedAt?: Path;
}

type Json = Readonly<Record<string, unknown>>;

/** Rewrites every object, innermost first, and every other value. */
function rewritten(
  value: unknown,
  object: (fields: Json) => Json,
  leaf: (value: unknown, name: string) => unknown,
  name = '',
): unknown {
  if (Array.isArray(value)) return value.map((each) => rewritten(each, object, leaf, name));
  if (!isJsonObject(value)) return leaf(value, name);
  return object(
    Object.fromEntries(Object.entries(value).map(([key, each]) => [key, rewritten(each, object, leaf, key)])),
  );
}

const same = (value: unknown) => value;
const renamed = (rename: (name: string) => string) => (fields: Json) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [rename(name), value]));
const snake = (name: string) => name.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const pascal = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);
const withFields = (fields: Json): Json => ({ ...fields, xTrace: { span: 7 }, xLabels: ['a'], xNothing: null });

/** Data without its only object around the fields, unless one of them is there already. A list stays a list. */
function flat(data: Json): Json {
  const inside = Object.entries(data).filter(([, value]) => isJsonObject(value)) as [string, Json][];
  const [only, ...others] = inside;
  if (!only || others.length > 0) return data;
  const { [only[0]]: _, ...rest } = data;
  if (Object.keys(rest).some((name) => name !== 'status' && Object.hasOwn(only[1], name))) return data;
  return { ...rest, ...only[1] };
}

/** The same answer in another form. The data of a list endpoint stays a list. */
const FORMS: Readonly<Record<string, (envelope: Json, data: Json) => unknown>> = {
  'as documented': (envelope) => envelope,
  'snake_case data': (envelope, data) => ({ ...envelope, data: rewritten(data, renamed(snake), same) }),
  'PascalCase everywhere': (envelope) => rewritten(envelope, renamed(pascal), same),
  'numbers as text': (envelope, data) => ({
    ...envelope,
    data: rewritten(
      data,
      (fields) => fields,
      (value) => (isWireNumber(value) ? textOf(value) : value),
    ),
  }),
  'states in capitals': (envelope, data) => ({
    ...envelope,
    data: rewritten(
      data,
      (fields) => fields,
      (value, name) => (name === 'status' && typeof value === 'string' ? value.toUpperCase() : value),
    ),
  }),
  'unknown fields in every object': (envelope) => rewritten(envelope, withFields, same),
  'data in data': (envelope, data) => ({ ...envelope, data: { data } }),
  'data in result': (envelope, data) => ({ ...envelope, data: { result: data } }),
  'data in an object': (envelope, data) => ({ ...envelope, data: { object: data } }),
  'data flat': (envelope, data) => ({ ...envelope, data: flat(data) }),
  'no data, but its fields': (envelope, data) => {
    const { data: _, status: _status, message: _message, ...codes } = envelope;
    return { ...codes, ...data };
  },
  'data without a code': (_, data) => ({ data }),
  'a number as code': (_, data) => ({ response_code: 0, message: 'ok', data }),
  'an HTTP status as code': (_, data) => ({ code: 200, message: 'ok', data }),
  'the code in status': (_, data) => ({ status: '00', message: 'ok', data }),
  'the other spelling of the code': (_, data) => ({ responseCode: '00', responseMessage: 'ok', data }),
  'only the word success': (_, data) => ({ success: true, data }),
};

const written = (answer: DocumentedAnswer, body: unknown): DocumentedAnswer => ({
  ...answer,
  body: JSON.stringify(body),
});

function formsOf(answer: DocumentedAnswer, envelope: Json): Variation[] {
  const { data } = envelope;
  if (!isJsonObject(data) || envelope['message'] === undefined) return [];
  return Object.entries(FORMS).map(([form, write]) => ({
    kind: `form: ${form}`,
    answer: written(answer, write(envelope, data)),
    must: 'same',
  }));
}

const withoutCodes = (envelope: Json): Json =>
  Object.fromEntries(Object.entries(envelope).filter(([name]) => !/^(response_?code|code|status)$/i.test(name)));

/** The same refusal in another form, with a code of the service and without one. */
const CODED: Readonly<Record<string, (envelope: Json) => unknown>> = {
  'PascalCase everywhere': (envelope) => rewritten(envelope, renamed(pascal), same),
  'unknown fields in every object': (envelope) => rewritten(envelope, withFields, same),
};
const UNCODED: Readonly<Record<string, (envelope: Json, http: number) => unknown>> = {
  'the HTTP status as code': (envelope, http) => ({ code: http, ...withoutCodes(envelope) }),
  'the HTTP status as text in status': (envelope, http) => ({ status: String(http), ...withoutCodes(envelope) }),
  'a word of failure and no code': (envelope) => ({ status: 'error', ...withoutCodes(envelope) }),
  'success false and no code': (envelope) => ({ success: false, ...withoutCodes(envelope) }),
};

/** Returns every variation of a documented refusal. */
export function refusalsOf(answer: DocumentedAnswer): Variation[] {
  const envelope = parseExactJson(answer.body);
  if (!isJsonObject(envelope)) return [];
  const forms = (must: Must, all: typeof UNCODED): Variation[] =>
    Object.entries(all).map(([form, write]) => ({
      kind: `refusal: ${form}`,
      answer: written(answer, write(envelope, answer.http)),
      must,
    }));
  return [...forms('refused', CODED), ...forms('refused without a code', UNCODED)];
}

const times = (text: string, factor: bigint) => decimalOf((exactIn(text) ?? 0n) * factor, 0);
const divided = (text: string, parts: bigint, decimals: number) => decimalOf((exactIn(text) ?? 0n) / parts, decimals);

/** One amount written otherwise: the text that stands there instead; undefined if it is written like this already. */
const FIGURES: Readonly<Record<string, (text: string, unit: string) => string | undefined>> = {
  'a point and zeros': (text, unit) =>
    text.includes('.') ? undefined : `${text}.${unit === 'base' ? '000000' : '00'}`,
  'whole tokens or Naira for the smallest unit': (text, unit) =>
    unit === 'base' || unit === 'kobo' ? divided(text, perWhole(unit), unit === 'base' ? 6 : 2) : undefined,
  'a round amount of whole tokens': (_, unit) =>
    unit === 'base' ? '7.000000' : unit === 'kobo' ? '625.00' : undefined,
  'kobo for Naira': (text, unit) => (unit === 'naira' ? times(text, perWhole('kobo')) : undefined),
  'base units for decimals': (text, unit) =>
    unit === 'token' || unit === 'decimal-string' ? times(text, perWhole('base')) : undefined,
  'more decimals than the asset has': (text) => (text.includes('.') ? `${text}000001` : `${text}.0000001`),
  'thousands separators': (text) => {
    const [whole = '', ...rest] = text.split('.');
    return [`${whole.padStart(4, '1').replace(/\B(?=(\d{3})+$)/g, ',')}`, ...rest].join('.');
  },
  'a sign of currency': (text) => `₦${text}`,
};

/** The last values of a unit, a currency and a token that contradict the documented ones. */
const BESIDE: Readonly<Record<string, (unit: string) => Json | undefined>> = {
  'currency USD beside it': (unit) => (unit === 'naira' || unit === 'kobo' ? { currency: 'USD' } : undefined),
  'ticker USDC beside it': (unit) => (unit === 'naira' || unit === 'kobo' ? { ticker: 'USDC' } : undefined),
  'unit kobo beside it': (unit) => (unit === 'naira' ? { unit: 'kobo' } : undefined),
  'unit naira beside it': (unit) => (unit === 'kobo' ? { unit: 'naira' } : undefined),
  'unit base beside it': (unit) => (unit === 'token' || unit === 'decimal-string' ? { unit: 'base' } : undefined),
  'unit token beside it': (unit) => (unit === 'base' ? { unit: 'token' } : undefined),
};

function figureVariations(answer: DocumentedAnswer, body: unknown): Variation[] {
  return figuresIn(answer.endpoint, body).flatMap(({ path, value, row }) => {
    const { unit = '' } = row;
    const text = textOf(value);
    if (!/[1-9]/.test(text) || exactIn(text) === undefined) return [];
    const otherType = changedAt(body, path, () => (isWireNumber(value) ? text : JSON.rawJSON(text)));
    const asText = Object.entries(FIGURES).flatMap(([how, write]) => {
      const other = write(text, unit);
      if (other === undefined) return [];
      const isNumber = isWireNumber(value) && /^\d+(\.\d+)?$/.test(other);
      const changed = changedAt(body, path, () => (isNumber ? JSON.rawJSON(other) : other));
      return [{ kind: `figure: ${how}`, answer: written(answer, changed), must: 'no wrong amount' as const }];
    });
    const beside = Object.entries(BESIDE).flatMap(([what, write]) => {
      const more = write(unit);
      const at = path.slice(0, -1);
      // Order book figures without a point may be in base units.
      if (!more || (isBookFigure(answer.endpoint, row) && !text.includes('.'))) return [];
      const changed = changedAt(body, at, (object) => ({ ...(object as Json), ...more }));
      return [
        {
          kind: `figure: ${what}`,
          answer: written(answer, changed),
          must: 'no wrong amount' as const,
          contradictedAt: at,
        },
      ];
    });
    return [
      {
        kind: 'figure: text for a number, a number for text',
        answer: written(answer, otherType),
        must: 'same' as const,
      },
      ...asText,
      ...beside,
    ];
  });
}

function repeatVariations(answer: DocumentedAnswer, body: unknown, repeated: readonly Repeated[]): Variation[] {
  return repeated.flatMap((each) => {
    const put = (value: unknown) =>
      written(
        answer,
        changedAt(body, each.path, () => value),
      );
    return [
      { kind: `another request: ${each.kind}`, answer: put(another(each)), must: 'contradiction' as const },
      ...respelled(each).map((value) => ({
        kind: `respelled: ${each.kind}`,
        answer: put(value),
        must: 'success' as const,
      })),
    ];
  });
}

/** What is shown as one thing, although it may stand in a list of one. */
const ONE: readonly string[] = ['banks.get', 'virtual-accounts.get-fintech'];

/** States of the work itself, and of the payment to a bank that is a part of it. */
const STATE = /^data\.((trade|order|payout|payoutDetails)\.)?status$/;

function stateVariations(answer: DocumentedAnswer, body: unknown): Variation[] {
  // A state that was asked for is compared with what was asked.
  const isAsked = Object.values(witnessOf(answer.endpoint).request ?? {}).some((rows) =>
    rows.some(({ name, required }) => name === 'status' && required),
  );
  const states = isAsked ? [] : wiresIn(body).filter(({ path }) => STATE.test(path.join('.')));
  const failing = ({ path }: { readonly path: Path }) =>
    ['failed', 'FAILED'].map((state) => changedAt(body, path, () => state));
  const isOne = (path: Path) => ONE.includes(witnessOf(answer.endpoint).id) || !isInList(path);
  const unverified = wiresIn(body).flatMap(({ path }) =>
    path.at(-1) === 'isValidated' && isOne(path) ? [false, 'false'].map((no) => changedAt(body, path, () => no)) : [],
  );
  // What is in an object may stand without it.
  const flattened = states.filter(({ path }) => path.length > 2).flatMap(failing);
  const withoutObject = flattened.map((each) => changedAt(each, ['data'], (data) => flat(data as Json)));
  const listed = wiresIn(body).flatMap(({ path }) => {
    const isState = path.at(-1) === 'status' && !isOne(path);
    const isVerified = path.at(-1) === 'isValidated' && !isOne(path);
    return isState || isVerified ? [changedAt(body, path, () => (isState ? 'failed' : false))] : [];
  });
  const variations = (kind: string, bodies: readonly unknown[], must: Must = 'failed'): Variation[] =>
    bodies.map((each) => ({ kind: `state: ${kind}`, answer: written(answer, each), must }));
  return [
    ...variations('failed inside', states.flatMap(failing)),
    ...variations('failed inside, flat', withoutObject),
    ...variations('not verified', unverified),
    ...variations('failed in a list', listed, 'success'),
  ];
}

const isInList = (path: Path) => path.some((each) => typeof each === 'number');

function missingFields(answer: DocumentedAnswer, body: unknown): Variation[] {
  return wiresIn(body)
    .filter(({ path }) => path[0] === 'data')
    .map(({ path }) => ({
      kind: 'missing: one field',
      answer: written(answer, withoutField(body, path)),
      must: 'no wrong amount',
    }));
}

/** A quote whose price is not that of its amounts. */
function priceVariations(answer: DocumentedAnswer, body: unknown): Variation[] {
  if (witnessOf(answer.endpoint).id !== 'fx.quote') return [];
  return wiresIn(body).flatMap(({ path, value }) => {
    if (path.length !== 3 || !/^(price|usdcAmount|usdtAmount)$/.test(String(path.at(-1)))) return [];
    const doubled = changedAt(body, path, () => decimalOf((exactIn(textOf(value)) ?? 0n) * 2n, 2));
    return [
      {
        kind: 'another request: a price that is not that of the amounts',
        answer: written(answer, doubled),
        must: 'contradiction' as const,
      },
    ];
  });
}

/** Returns every variation of a documented success. `repeated` are its values that repeat the request. */
export function variationsOf(answer: DocumentedAnswer, repeated: readonly Repeated[]): Variation[] {
  const body = parseExactJson(answer.body) as Json;
  return [
    ...formsOf(answer, body),
    ...figureVariations(answer, body),
    ...repeatVariations(answer, body, repeated),
    ...stateVariations(answer, body),
    ...missingFields(answer, body),
    ...priceVariations(answer, body),
  ];
}
