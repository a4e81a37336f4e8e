import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import { type Amount, type Asset, countedWith, DECIMALS, MAX_MINOR, TOKENS } from '../../money/amount.ts';
import { isWireNumber, scaledInteger, wireNumberText } from '../../money/decimal.ts';
import { valueAt } from '../../present/content.ts';
import { amountWords, isPlainAmount, type Plain, type PlainObject } from '../../present/plain.ts';
import { spanText } from '../../present/times.ts';
import { LISTS } from '../../things/index.ts';
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
  /** The same figures in what is worth as much: Naira for cNGN, and cNGN for Naira. */
  readonly equalSums: readonly Amount[];
  /** The beginnings of an id, a hash or a reference that it may be. */
  readonly starts: readonly IdStart[];
  /** The folded words of a name. */
  readonly words: readonly string[];
  /** It is a phone number, which no id is. */
  readonly isPhone: boolean;
}

/** How an id begins and, if it was shortened in its middle, how it ends. */
export interface IdStart {
  readonly start: string;
  readonly end: string;
}

/** An id that nothing else is meant by. */
export const asId = (id: string): Typed => ({
  text: id,
  keys: [id],
  sums: [],
  equalSums: [],
  starts: [],
  words: [],
  isPhone: false,
});

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
      hint: advice`for a phone number, add --phone; a BVN must not be in a command line: [fiatrail find --bvn-stdin] < bvn.txt`,
    });
  const isCode = ADDRESS_OR_HASH.test(text) || HEXADECIMAL_ID.test(text);
  const cases = /^\S*\d\S*$/.test(text) ? [text.toLowerCase(), text.toUpperCase()] : [];
  const whole = HEXADECIMAL_ID.test(text) ? withLeftOut(text.toLowerCase()) : [];
  const spellings = [...(isCode ? [text.toLowerCase()] : []), text, ...(digits ? [digits] : []), ...cases, ...whole];
  const isName = /\p{L}/u.test(text) && !isCode && text.length <= 100;
  const { sums, equalSums } = isPhone ? { sums: [], equalSums: [] } : sumsIn(text);
  return {
    text,
    isPhone,
    keys: [...new Set(spellings)],
    sums,
    equalSums,
    starts: isPhone ? [] : startsIn(text),
    words: isName && sums.length === 0 ? folded(text).split(' ').slice(0, MOST_WORDS) : [],
  };
}

/** The last part of a link to an explorer of transactions or addresses. */
const withoutUrl = (text: string): string =>
  /^https?:\/\/\S+$/i.test(text) ? (text.split(/[?#]/)[0]?.split('/').filter(Boolean).at(-1) ?? text) : text;

/** What ids begin with that people leave out, and hashes. */
const LEFT_OUT: readonly string[] = [...new Set(['0x', ...LISTS.flatMap(({ idStarts = [] }) => idStarts)])];

const withLeftOut = (text: string): readonly string[] => LEFT_OUT.map((start) => start + text);

/** The start of an id, whole or shortened: `01a219`, `01a219ea3a03…`, `0x5e1f…91af`. */
const ID_START = /^([\w./-]{4,200}?)(?:(?:…|\.\.\.)([\w./-]{0,200}))?$/;
/** Fewer characters say too little. */
const SHORTEST_START = 6;

function startsIn(text: string): IdStart[] {
  const [, start = '', end = ''] = ID_START.exec(text) ?? [];
  const isId = /\d/.test(start) || /^[\da-f]+$/i.test(start);
  if (!isId || start.length + end.length < SHORTEST_START) return [];
  const written = [(each: string) => each, lower, upper].map((write) => ({ start: write(start), end: write(end) }));
  const whole = withLeftOut(lower(start)).map((each) => ({ start: each, end: lower(end) }));
  return [...new Map([...written, ...whole].map((each) => [each.start, each])).values()];
}

const lower = (text: string) => text.toLowerCase();
const upper = (text: string) => text.toUpperCase();

const NAIRA: readonly Asset[] = ['NGN'];
const DOLLARS: readonly Asset[] = ['USDC', 'USDT'];

/** What people write for an asset, before or after a figure. */
const UNITS: Readonly<Record<string, readonly Asset[]>> = {
  '': Object.keys(DECIMALS) as Asset[],
  ...Object.fromEntries(['₦', 'n', '=n=', '#', 'ngn', 'naira'].map((unit) => [unit, NAIRA])),
  ...Object.fromEntries(['$', 'us$', 'usd', 'dollar', 'dollars'].map((unit) => [unit, DOLLARS])),
  ...Object.fromEntries(TOKENS.map((token) => [token.toLowerCase(), [token]])),
};

/** Units in which figures are whole: the smallest ones. */
const SMALLEST: Readonly<Record<string, readonly Asset[]>> = { kobo: NAIRA, base: TOKENS };

/** `5.1k` is 5,100, and `1.5m` is 1,500,000. */
const MULTIPLES: Readonly<Record<string, string>> = { k: 'e3', m: 'e6' };

/** A sign, a unit, a figure in groups of thousands or none, a multiple, a unit, and what a bank statement adds. */
const SUM =
  /^[+-]?\s?([^\d\s.,+-]*)\s?[+-]?((?:0|[1-9]\d*|[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d{0,2}(?: \d{3})+)(?:\.\d+)?)\s?([km](?![a-z]))?\s?([a-z$₦]*?)(?: ?[cd]r)?$/i;

/** The sums that a text may be, in whatever way people write them. A sign says only which way the money went. */
function sumsIn(text: string): Pick<Typed, 'sums' | 'equalSums'> {
  const [, before = '', figure = '', multiple = '', after = ''] = SUM.exec(text) ?? [];
  const unit = lower(before || after);
  const isClear = figure !== '' && (before === '' || after === '');
  const assets = isClear ? (ownIn(SMALLEST, unit) ?? ownIn(UNITS, unit)) : undefined;
  if (!assets) return { sums: [], equalSums: [] };
  const isSmallest = ownIn(SMALLEST, unit) !== undefined;
  const number = figure.replace(/[, ]/g, '') + (MULTIPLES[lower(multiple)] ?? '');
  const sumOf = (asset: Asset, exponent: number) => {
    const minor = scaledInteger(number, exponent);
    return minor !== undefined && minor > 0n && minor <= MAX_MINOR[asset] ? [{ asset, minor }] : [];
  };
  const sums = assets.flatMap((asset) => sumOf(asset, isSmallest ? 0 : DECIMALS[asset]));
  const equal = [...new Set(assets.flatMap(countedWith))].filter((asset) => !assets.includes(asset));
  const [own = 'NGN'] = assets;
  const equalSums = equal.flatMap((asset) =>
    sumOf(asset, isSmallest ? DECIMALS[asset] - DECIMALS[own] : DECIMALS[asset]),
  );
  return { sums, equalSums };
}

const ownIn = <T>(record: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined;

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
    .concat(thing.sentBackUnless?.includes(status) ? [] : (thing.afterFailure ?? []))
    .join('; ');
}
