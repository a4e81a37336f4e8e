import type * as z from 'zod/mini';
import { HIDDEN } from '../base/secret.ts';
import { isWireNumber, parseExactJson } from '../money/decimal.ts';
import { elementOf, fieldOf, shapeOf, unwrap } from './rows.ts';

/** Names of fields that hold secrets wherever they stand: who spells one of them wrong has sent a secret all the same. */
const SECRET_NAME = /bvn|secret|password|private|(api|aes)_?-?key/i;

/** A copy of a value in which every field the contract calls secret is hidden, and every other with a secret's name. */
export function redact(schema: z.ZodMiniType, value: unknown): unknown {
  const { schema: inner, meta } = unwrap(schema);
  if (meta?.secret && value !== undefined && value !== null) return HIDDEN;
  const element = elementOf(inner);
  if (element && Array.isArray(value)) return value.map((each) => redact(element, each));
  if (!shapeOf(inner) || typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => {
      const field = fieldOf(inner, name);
      return [name, field ? redact(field, each) : hideByName(name, each)];
    }),
  );
}

/** A field the contract does not know. */
function hideByName(name: string, value: unknown): unknown {
  if (SECRET_NAME.test(name)) return HIDDEN;
  if (Array.isArray(value)) return value.map((each) => hideByName(name, each));
  if (typeof value !== 'object' || value === null || isWireNumber(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([inner, each]) => [inner, hideByName(inner, each)]));
}

/** The secret texts inside a value, so that they can be struck out where somebody else repeats them. */
export function secretsIn(schema: z.ZodMiniType, value: unknown): string[] {
  const { schema: inner, meta } = unwrap(schema);
  if (meta?.secret) return typeof value === 'string' && value !== '' ? [value] : [];
  const element = elementOf(inner);
  if (element && Array.isArray(value)) return value.flatMap((each) => secretsIn(element, each));
  if (!shapeOf(inner) || typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => {
    const field = fieldOf(inner, name);
    if (field) return secretsIn(field, each);
    return SECRET_NAME.test(name) && typeof each === 'string' && each !== '' ? [each] : [];
  });
}

/** A text with every one of the secrets struck out, however they are spelled in it. */
export function strikeOut(text: string, secrets: readonly string[]): string {
  return secrets
    .flatMap(linesOf)
    .flatMap(spellingsOf)
    .reduce((so, secret) => so.replaceAll(secret, HIDDEN), text);
}

/** A secret as JSON has it, JSON within JSON, a path and a query: the longest first, since it may hold the next one. */
function spellingsOf(text: string): string[] {
  const secret = text.toWellFormed();
  const inJson = (plain: string) => JSON.stringify(plain).slice(1, -1);
  const once = inJson(secret);
  const twice = inJson(once);
  const inQuery = new URLSearchParams({ '': secret }).toString().slice(1);
  const all = [inJson(twice), twice, once, secret, encodeURIComponent(secret), inQuery, encodeURIComponent(once)];
  return [...new Set(all)];
}

/** Shorter than this, a secret may be part of any word. */
const LEAST_LENGTH = 8;

/**
 * An answer's body without the secrets that its request had: a service that repeats them must not put them on a screen or into a
 * file. Numbers stay as they are: one that has the digits of a BVN is an amount.
 */
export function bodyWithout(body: string, secrets: readonly string[]): string {
  const sought = secrets.filter((secret) => secret.length >= LEAST_LENGTH);
  if (strikeOut(body, sought) === body) return body;
  try {
    return JSON.stringify(withoutStrings(parseExactJson(body), sought));
  } catch {
    return strikeOut(body, sought);
  }
}

function withoutStrings(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return strikeOut(value, secrets);
  if (Array.isArray(value)) return value.map((each) => withoutStrings(each, secrets));
  if (typeof value !== 'object' || value === null || isWireNumber(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [strikeOut(name, secrets), withoutStrings(each, secrets)]),
  );
}

/** A key of several lines is repeated in many spellings: as JSON has it, in one line, in part. Its lines are the same in each. */
function linesOf(secret: string): string[] {
  const lines = secret.split(/\r?\n|\\n/).map((line) => line.trim());
  return lines.length === 1 ? [secret] : lines.filter((line) => line !== '' && !line.startsWith('-----'));
}
