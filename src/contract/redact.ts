import type * as z from 'zod/mini';
import { editDistance } from '../base/edit-distance.ts';
import { HIDDEN } from '../base/secret.ts';
import { isJsonObject, isWireNumber, parseExactJson, type WireNumber, wireNumberText } from '../money/decimal.ts';
import { excessIn } from '../money/json-text.ts';
import { elementOf, fieldOf, shapeOf, unwrap } from './rows.ts';

/** Field names that suggest a secret. */
const SECRET_NAME = /bvn|secret|password|private|(api|aes)_?-?key/i;
/** What they are made of, in plain letters: a misspelled field is redacted too. */
const SECRET_WORDS = ['bvn', 'secret', 'password', 'privatekey', 'apikey', 'aeskey'];
/** Shorter words have many neighbours. */
const LONG_WORD = 6;

/**
 * Returns a copy without secrets: no field that the contract marks as one, no field that it does not know and whose name suggests one or
 * whose value may be a BVN, and no other value that repeats one of these.
 */
export function redact(schema: z.ZodMiniType, value: unknown): unknown {
  const hidden = redactFields(schema, value);
  const secrets = secretsIn(schema, value);
  return secrets.length === 0 ? hidden : createRedactor(secrets).value(hidden);
}

function isSecretName(name: string): boolean {
  if (SECRET_NAME.test(name)) return true;
  const plain = name.replace(/[^a-z]/gi, '').toLowerCase();
  return SECRET_WORDS.some((word) => editDistance(plain, word) <= (word.length < LONG_WORD ? 1 : 2));
}

/** Eleven digits that stand alone may be a BVN, wherever nobody knows what they are. */
const MAY_BE_BVN = /(?<![\w.-])\d{11}(?![\w-]|\.\d)/g;

function redactFields(schema: z.ZodMiniType, value: unknown): unknown {
  const { schema: inner, meta } = unwrap(schema);
  if (meta?.secret && value !== undefined && value !== null) return HIDDEN;
  const element = elementOf(inner);
  if (element && Array.isArray(value)) return value.map((each) => redactFields(element, each));
  if (!shapeOf(inner) || typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => {
      const field = fieldOf(inner, name);
      return [name, field ? redactFields(field, each) : hideUnknown(name, each)];
    }),
  );
}

/** Redacts a field the contract does not know. */
function hideUnknown(name: string, value: unknown): unknown {
  if (isSecretName(name)) return HIDDEN;
  if (typeof value === 'string') return value.replace(MAY_BE_BVN, HIDDEN);
  if (isWireNumber(value)) return BVN.test(wireNumberText(value)) ? HIDDEN : value;
  if (Array.isArray(value)) return value.map((each) => hideUnknown('', each));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([inner, each]) => [inner, hideUnknown(inner, each)]));
}

/** Redacts what nobody knows the form of: the body or the query of an unknown endpoint, or of an unknown event. */
export const redactUnknown = (value: unknown): unknown => hideUnknown('', value);

/** Redacts a text that may be anything. */
export const redactUnknownText = (text: string): string => text.replace(MAY_BE_BVN, HIDDEN);

/** Returns the secrets in a value, so that they can be redacted wherever the service echoes them. */
export function secretsIn(schema: z.ZodMiniType, value: unknown): string[] {
  const { schema: inner, meta } = unwrap(schema);
  if (meta?.secret) return textsIn(value);
  const element = elementOf(inner);
  if (element && Array.isArray(value)) return value.flatMap((each) => secretsIn(element, each));
  if (!shapeOf(inner) || typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => {
    const field = fieldOf(inner, name);
    return field ? secretsIn(field, each) : secretsByName(name, each);
  });
}

/** Returns the secrets in a field the contract does not know. */
function secretsByName(name: string, value: unknown): string[] {
  if (isSecretName(name)) return textsIn(value);
  if (typeof value === 'string') return value.match(MAY_BE_BVN) ?? [];
  if (isWireNumber(value)) return BVN.test(wireNumberText(value)) ? [wireNumberText(value)] : [];
  if (Array.isArray(value)) return value.flatMap((each) => secretsByName('', each));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([inner, each]) => secretsByName(inner, each));
}

/** Returns the texts in a secret value, which may have the wrong type: a number, a list or an object. */
function textsIn(value: unknown): string[] {
  if (isWireNumber(value)) return [wireNumberText(value)];
  if (typeof value === 'string') return value === '' ? [] : [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** A command has few secrets. A program that sends many would slow down with each. */
const MAX_REMEMBERED = 20;

/** Adds secrets to those of earlier requests, and forgets the oldest when there are many. */
export function remember(known: Set<string>, secrets: readonly string[]): void {
  for (const secret of secrets) {
    known.delete(secret);
    known.add(secret);
  }
  for (const oldest of known) {
    if (known.size <= MAX_REMEMBERED) return;
    known.delete(oldest);
  }
}

/** What redacts the same secrets in several texts: finding all forms of a secret takes longer than looking for them. */
interface Redactor {
  /** Redacts the secrets in a text, in every encoding we know. */
  text(text: string): string;
  /**
   * Redacts the secrets of requests in a response body, so that a service that echoes them does not put them on a screen or into
   * a file. A BVN is hidden as a number too, however that is written.
   */
  body(body: string): string;
  /** Redacts the secrets in a value, as in a body. */
  value(value: unknown): unknown;
}

export function createRedactor(secrets: readonly string[]): Redactor {
  const isLong = ({ length }: string) => length >= MIN_LENGTH;
  const long = secrets.filter(isLong);
  const longForms = formsOf(long);
  const forms = [...longForms, ...formsOf(secrets.filter((secret) => !isLong(secret)))];
  return {
    text: (text) => withoutForms(text, forms),
    body: (body) => bodyWithout(body, long, longForms),
    value: (value) => redactStrings(value, long, longForms),
  };
}

export const redactText = (text: string, secrets: readonly string[]): string => createRedactor(secrets).text(text);

export const redactBody = (body: string, secrets: readonly string[]): string => createRedactor(secrets).body(body);

const formsOf = (secrets: readonly string[]): string[] => secrets.flatMap(linesOf).flatMap(encodingsOf);

const withoutForms = (text: string, forms: readonly string[]): string =>
  forms.reduce((redacted, form) => redacted.replaceAll(form, HIDDEN), text);

/** The secret as it appears in JSON, nested JSON, a path, a query and base64. Longest first, because one may contain another. */
export function encodingsOf(text: string): string[] {
  const secret = text.toWellFormed();
  const inJson = (plain: string) => JSON.stringify(plain).slice(1, -1);
  const once = inJson(secret);
  const twice = inJson(once);
  const inQuery = new URLSearchParams({ '': secret }).toString().slice(1);
  const all = [inJson(twice), twice, once, secret, encodeURIComponent(secret), inQuery, encodeURIComponent(once)];
  all.push(...base64Of(secret));
  // A service that reads a BVN as a number repeats it without its leading zeros.
  if (BVN.test(secret)) all.push(String(Number(secret)).padStart(MIN_LENGTH, '0'));
  return [...new Set(all)];
}

/** Bits of a byte and of a base64 character. */
const [BYTE, CHARACTER] = [8, 6];

/**
 * The secret in base64 and base64url: alone, and as the part of a longer text that it alone decides, which depends on where its bytes are in
 * their groups of three.
 */
function base64Of(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const parts = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    const bits = BYTE * (before + bytes.length);
    return text.slice(Math.ceil((BYTE * before) / CHARACTER), Math.floor(bits / CHARACTER));
  });
  const alone = bytes.toString('base64');
  const all = [alone, alone.replace(/=+$/, ''), ...parts].filter((text) => text.length >= MIN_LENGTH);
  return [...all, ...all.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))];
}

/** Shorter secrets could be part of ordinary words. */
const MIN_LENGTH = 8;

function bodyWithout(body: string, secrets: readonly string[], forms: readonly string[]): string {
  const redacted = withoutForms(body, forms);
  const mayBeNumber = secrets.some((secret) => BVN.test(secret));
  if ((redacted === body && !mayBeNumber) || excessIn(body) !== undefined) return redacted;
  try {
    const value = parseExactJson(body);
    const clean = redactStrings(value, secrets, forms);
    return redacted === body && JSON.stringify(clean) === JSON.stringify(value) ? body : JSON.stringify(clean);
  } catch {
    return redacted;
  }
}

function redactStrings(value: unknown, secrets: readonly string[], forms: readonly string[]): unknown {
  if (typeof value === 'string') return withoutForms(value, forms);
  if (Array.isArray(value)) return value.map((each) => redactStrings(each, secrets, forms));
  if (isWireNumber(value)) return isBvnIn(value, secrets) ? HIDDEN : value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [withoutForms(name, forms), redactStrings(each, secrets, forms)]),
  );
}

const BVN = /^\d{11}$/;

/** Whether a number in a response is a BVN of the request. An amount of exactly as many kobo is hidden too. */
function isBvnIn(value: WireNumber, secrets: readonly string[]): boolean {
  const number = Math.abs(Number(wireNumberText(value)));
  return secrets.some((secret) => BVN.test(secret) && Number(secret) === number);
}

/** Splits a multi-line key into its lines, which stay intact when it is echoed as JSON, on one line or in part. */
function linesOf(secret: string): string[] {
  const lines = secret.split(/\r?\n|\\n/).map((line) => line.trim());
  return lines.length === 1 ? [secret] : lines.filter((line) => line !== '' && !line.startsWith('-----'));
}
