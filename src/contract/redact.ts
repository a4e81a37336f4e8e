import type * as z from 'zod/mini';
import { isWireNumber } from '../money/decimal.ts';
import { HIDDEN } from '../secret.ts';
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

/** A text with every one of the secrets struck out. */
export function strikeOut(text: string, secrets: readonly string[]): string {
  return secrets.flatMap(linesOf).reduce((so, secret) => so.replaceAll(secret, HIDDEN), text);
}

/** Shorter than this, a key may be part of any word. */
const LEAST_KEY = 8;

/** An answer's text without the key that its request had: a service that repeats it must not put it on a screen or into a file. */
export function withoutKey(body: string, key: string): string {
  if (key.length < LEAST_KEY) return body;
  return [key, JSON.stringify(key).slice(1, -1)].reduce((text, spelling) => text.replaceAll(spelling, HIDDEN), body);
}

/** A key of several lines is repeated in many spellings: as JSON has it, in one line, in part. Its lines are the same in each. */
function linesOf(secret: string): string[] {
  const lines = secret.split(/\r?\n|\\n/).map((line) => line.trim());
  return lines.length === 1 ? [secret] : lines.filter((line) => line !== '' && !line.startsWith('-----'));
}
