/** Exact decimals as scaled integers, so that money never passes through floating point. */

/** A JSON number that keeps its source text because a double would lose digits. */
export interface RawNumber {
  readonly rawJSON: string;
}

/** A number in JSON: a plain number if that is exact, otherwise its source text. */
export type WireNumber = number | RawNumber;

const JSON_NUMBER = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/;

/** Converts a JSON number text to an integer of 10^-scale units; undefined if it is not a number or has more than `scale` decimals. */
export function scaledInteger(text: string, scale: number): bigint | undefined {
  const plain = plainInteger(text, scale);
  if (plain !== undefined) return BigInt(plain);
  const match = JSON_NUMBER.exec(text);
  if (!match) return undefined;
  const [, sign, whole = '0', fraction = '', exponent = '0'] = match;
  const shift = scale - fraction.length + Number(exponent);
  const digits = BigInt(shift > 0 ? whole + fraction + '0'.repeat(shift) : whole + fraction);
  // Most amounts have no finer digit; dividing takes longer than all the rest.
  const divisor = shift < 0 ? 10n ** BigInt(-shift) : undefined;
  if (divisor !== undefined && digits % divisor !== 0n) return undefined;
  const magnitude = divisor === undefined ? digits : digits / divisor;
  return sign === '-' ? -magnitude : magnitude;
}

const [DOT, ZERO, NINE] = [0x2e, 0x30, 0x39];

/** Digits that a double holds exactly. */
const EXACT_DIGITS = 15;

/**
 * Does what `scaledInteger` does for nearly every amount, such as `5000.5`, without a pattern: undefined for any other text. Files and lists
 * have hundreds of thousands of amounts.
 */
function plainInteger(text: string, scale: number): number | undefined {
  const { length } = text;
  if (length === 0 || length + scale > EXACT_DIGITS) return undefined;
  if (text.charCodeAt(0) === ZERO && length > 1 && text.charCodeAt(1) !== DOT) return undefined;
  let [value, decimals] = [0, -1];
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code >= ZERO && code <= NINE) {
      value = value * 10 + (code - ZERO);
      if (decimals >= 0) decimals += 1;
    } else if (code === DOT && decimals < 0 && at > 0) decimals = 0;
    else return undefined;
  }
  if (decimals === 0 || decimals > scale) return undefined;
  for (let given = Math.max(decimals, 0); given < scale; given++) value *= 10;
  return value;
}

/** Formats a scaled integer with exactly `scale` decimals: 500000n at scale 2 is `5000.00`. */
export function decimalText(minor: bigint, scale: number): string {
  const sign = minor < 0n ? '-' : '';
  const digits = (minor < 0n ? -minor : minor).toString().padStart(scale + 1, '0');
  if (scale === 0) return sign + digits;
  return `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** `1,234,567`: a whole number as people read it. */
export function grouped(whole: number | bigint | string): string {
  return String(whole).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

/** Removes trailing zeros after the decimal point: `5000.00` becomes `5000`, `8.840` becomes `8.84`. */
export function trimDecimal(text: string): string {
  if (!text.includes('.')) return text;
  let end = text.length;
  while (text.charCodeAt(end - 1) === ZERO) end -= 1;
  return text.slice(0, text.charCodeAt(end - 1) === DOT ? end - 1 : end);
}

export function wireNumberText(value: WireNumber): string {
  return typeof value === 'number' ? String(value) : value.rawJSON;
}

/** Converts a decimal text to an exact JSON number: a plain number if it round-trips, otherwise raw JSON. */
export function wireNumber(decimal: string): WireNumber {
  const shortest = trimDecimal(decimal);
  const value = Number(shortest);
  return String(value) === shortest ? value : JSON.rawJSON(shortest);
}

/** Whether a value is a number as parseJson returns it. */
export function isWireNumber(value: unknown): value is WireNumber {
  return (typeof value === 'number' && Number.isFinite(value)) || JSON.isRawJSON(value);
}

/** Whether a value is a JSON object as parseJson returns it: no list, and no number that keeps its text. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isWireNumber(value);
}

// A number with more than 15 digits or an exponent may lose digits as a double. The pattern can also match inside a string,
// which only costs the slower parse.
const LONG_NUMBER = /(?:^|[:,[])\s*-?\d(?:[\d.]{15}|[\d.]*[eE])/;

/** Parses JSON without losing digits: long numbers become RawNumber. A byte order mark before it is ignored. Throws SyntaxError. */
export function parseJson(marked: string): unknown {
  const text = withoutMark(marked);
  return hasLongNumber(text) ? parseExactJson(text) : JSON.parse(text);
}

const withoutMark = (text: string): string => (text.startsWith('\ufeff') ? text.slice(1) : text);

/** A number with a zero at its end after the point, such as `7.0`. */
const ZERO_ENDED = /(?:^|[:,[])\s*-?\d+\.\d*0(?![\d.])/;

/** Parses the JSON of a response like `parseJson`, and keeps the point of a number that would lose it: `7.0`. Throws SyntaxError. */
export const parseAnswer = (text: string): unknown =>
  ZERO_ENDED.test(text) ? parseExactJson(withoutMark(text)) : parseJson(text);

/** Whether a JSON text may have a number of which `JSON.parse` loses digits. */
export const hasLongNumber = (text: string): boolean => LONG_NUMBER.test(text);

/** Parses JSON and keeps the text of every number, such as `1.50`, so that a response prints unchanged. Throws SyntaxError. */
export function parseExactJson(text: string): unknown {
  const plain: unknown = JSON.parse(text);
  // What is written back as it was read has lost nothing, and to look at each value takes three times as long.
  if (JSON.stringify(plain) === text) return plain;
  return JSON.parse(text, (_key, value: unknown, context) => {
    if (typeof value !== 'number' || context?.source === undefined) return value;
    return String(value) === context.source ? value : JSON.rawJSON(context.source);
  });
}
