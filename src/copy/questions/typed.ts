import { CliError } from '../../base/errors.ts';
import { type Amount, AmountError, type Asset, DECIMALS, parseAmount } from '../../money/amount.ts';
import { isWireNumber, wireNumberText } from '../../money/decimal.ts';
import { valueAt } from '../../present/content.ts';
import { amountWords, isPlainAmount, type Plain, type PlainObject } from '../../present/plain.ts';
import { spanText } from '../../present/times.ts';
import { goesOn, meaningIn, waitOf } from '../../things/states.ts';
import type { Thing } from '../../things/thing.ts';
import { folded } from '../save-rows.ts';

/** What was typed, and how it may be meant. */
export interface Typed {
  readonly text: string;
  /** The spellings under which an id, a hash, an address or a number may be stored, the usual one first. */
  readonly keys: readonly string[];
  /** The sums that it may be: without a unit, one of each asset. */
  readonly sums: readonly Amount[];
  /** The folded words of a name. */
  readonly words: readonly string[];
  /** It is a phone number, which no id is. */
  readonly isPhone: boolean;
}

/** What was given on the command line. */
interface Given {
  readonly text: string;
  /** Eleven digits are a phone number, and no BVN. */
  readonly isPhone: boolean;
}

const ELEVEN_DIGITS = /^\d{11}$/;
const ADDRESS_OR_HASH = /^0x[\da-f]{8,}$/i;
const HEXADECIMAL_ID = /^[\da-f]{8,}(?:-[\da-f]+)*$/i;
const LONGEST = 500;
const MOST_WORDS = 6;

const digitsIn = (text: string) => (/^\+?[\d \-()]+$/.test(text) ? text.replace(/\D/g, '') : undefined);

/** Whether a text has the form of a BVN, which a phone number has too. */
export const mayBeBvn = (text: string): boolean => ELEVEN_DIGITS.test(digitsIn(text.trim()) ?? '');

/** Says how a text may be meant. Throws CliError usage for eleven digits that may be a BVN. */
export function typedAs({ text: given, isPhone }: Given): Typed {
  const text = withoutUrl(given.trim().replace(/\s+/g, ' '));
  if (text === '' || text.length > LONGEST)
    throw new CliError('usage', text === '' ? 'nothing to look for' : 'the text is too long to look for', {
      hint: 'give an id, a hash, an address, a number, a sum or a name',
    });
  const digits = digitsIn(text);
  // The digits are not repeated: they may be a BVN.
  if (mayBeBvn(text) && !isPhone)
    throw new CliError('usage', 'eleven digits may be a phone number or a BVN', {
      code: 'MAY_BE_BVN',
      hint: 'for a phone number, add --phone; a BVN must not be in a command line: fiatrail find --bvn-stdin < bvn.txt',
    });
  const isCode = ADDRESS_OR_HASH.test(text) || HEXADECIMAL_ID.test(text);
  const cases = /^\S*\d\S*$/.test(text) ? [text.toLowerCase(), text.toUpperCase()] : [];
  const spellings = [...(isCode ? [text.toLowerCase()] : []), text, ...(digits ? [digits] : []), ...cases];
  const isName = /\p{L}/u.test(text) && !isCode && text.length <= 100;
  const sums = isPhone ? [] : sumsIn(text);
  return {
    text,
    isPhone,
    keys: [...new Set(spellings)],
    sums,
    words: isName && sums.length === 0 ? folded(text).split(' ').slice(0, MOST_WORDS) : [],
  };
}

/** The last part of a link to an explorer of transactions or addresses. */
const withoutUrl = (text: string): string =>
  /^https?:\/\/\S+$/i.test(text) ? (text.split(/[?#]/)[0]?.split('/').filter(Boolean).at(-1) ?? text) : text;

function sumsIn(text: string): Amount[] {
  return (Object.keys(DECIMALS) as Asset[]).flatMap((asset) => {
    try {
      const sum = parseAmount(text, asset);
      return sum.minor > 0n ? [sum] : [];
    } catch (error) {
      if (error instanceof AmountError) return [];
      throw error;
    }
  });
}

/** The first of some fields that has a text or an amount, as people read it. */
export function textIn(row: PlainObject, fields: readonly string[]): string | undefined {
  for (const field of fields) {
    const value = valueAt(row as Plain, field.split('.'));
    if (isPlainAmount(value)) return amountWords(value);
    if (isWireNumber(value)) return wireNumberText(value);
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}

/** The first of some fields that has an amount; null if none has. */
export function amountIn(row: PlainObject, fields: readonly string[]): Plain {
  const values = fields.map((field) => valueAt(row as Plain, field.split('.')));
  return values.find((value) => value !== undefined && value !== null) ?? null;
}

/** What is known of where something stands. Times are in milliseconds since the epoch. */
interface StatusAt {
  readonly thing: Thing;
  readonly id: string;
  readonly status: string | undefined;
  /** Since when it has this status; NaN if nothing says it. */
  readonly sinceMs: number;
  readonly nowMs: number;
  readonly reason: string | undefined;
}

/** Says what a status means and what to do about it; undefined for things, which have none. */
export function meaningOf({ thing, id, status, sinceMs, nowMs, reason }: StatusAt): string | undefined {
  const isOpen = goesOn(thing, status);
  if (isOpen === undefined || status === undefined) return undefined;
  if (isOpen) {
    const { waits, todo = 'nothing to do' } = waitOf(thing, [status]);
    const span = spanText(nowMs - sinceMs);
    const since = span === undefined ? '' : ` (for ${span})`;
    const follow = thing.read ? `; \`fiatrail ${thing.shows} ${id} --wait\` follows it` : '';
    return `${waits}${since}; ${todo.replace('ID', id)}${follow}`;
  }
  const meaning = meaningIn(thing.states ?? {}, status);
  if (meaning && 'ends' in meaning && meaning.ends === 'good') return 'has completed';
  const because = meaning && 'because' in meaning ? meaning.because : undefined;
  const why = reason ?? because ?? thing.usualReason ?? 'the service gives no reason';
  return [`${status === 'failed' ? 'has failed' : `has failed (${status})`}: ${why}`]
    .concat(thing.afterFailure ?? [])
    .join('; ');
}
