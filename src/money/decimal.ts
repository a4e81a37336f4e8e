/** Exact decimals as integers with a scale. No floating point on the way of money. */

/** A JSON number that keeps its source text where a double would lose digits. */
export interface RawNumber {
  readonly rawJSON: string;
}

/** A number as it travels in JSON: a plain number when that is exact, else its text. */
export type WireNumber = number | RawNumber;

const JSON_NUMBER = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/;

/** `1e3` and `0.5` to an integer of 10^-scale units; undefined when `text` is no number or has more decimals than `scale`. */
export function scaledInteger(text: string, scale: number): bigint | undefined {
  const match = JSON_NUMBER.exec(text);
  if (!match) return undefined;
  const [, sign, whole = '0', fraction = '', exponent = '0'] = match;
  const shift = scale - fraction.length + Number(exponent);
  const digits = BigInt(whole + fraction);
  const divisor = 10n ** BigInt(Math.max(0, -shift));
  if (digits % divisor !== 0n) return undefined;
  const magnitude = (digits / divisor) * 10n ** BigInt(Math.max(0, shift));
  return sign === '-' ? -magnitude : magnitude;
}

/** 500000n at scale 2 to `5000.00`: always `scale` decimals. */
export function decimalText(minor: bigint, scale: number): string {
  const sign = minor < 0n ? '-' : '';
  const digits = (minor < 0n ? -minor : minor).toString().padStart(scale + 1, '0');
  if (scale === 0) return sign + digits;
  return `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** `5000.00` to `5000`, `8.840` to `8.84`: the shortest text of the same value. */
export function trimDecimal(text: string): string {
  return text.includes('.') ? text.replace(/0+$/, '').replace(/\.$/, '') : text;
}

export function wireNumberText(value: WireNumber): string {
  return typeof value === 'number' ? String(value) : value.rawJSON;
}

/** The JSON number for a decimal text, exact: a plain number when it prints back as the same text, else raw JSON. */
export function wireNumber(decimal: string): WireNumber {
  const shortest = trimDecimal(decimal);
  const value = Number(shortest);
  return String(value) === shortest ? value : JSON.rawJSON(shortest);
}

/** True for a number as parseJson gives it. */
export function isWireNumber(value: unknown): value is WireNumber {
  return (typeof value === 'number' && Number.isFinite(value)) || JSON.isRawJSON(value);
}

// A number of more than 15 digits, or with an exponent, may not survive a double. Digits inside a text do not count, unless they
// look as if they began a value: those cost only the slower parse.
const LONG_NUMBER = /(?:^|[:,[])\s*-?\d(?:[\d.]{15}|[\d.]*[eE])/;

/** JSON.parse that loses no digit: long numbers come back as RawNumber. Throws SyntaxError. */
export function parseJson(text: string): unknown {
  return LONG_NUMBER.test(text) ? parseExactJson(text) : JSON.parse(text);
}

/** JSON.parse that keeps every number as it is written, `1.50` too: for printing an answer untouched. Throws SyntaxError. */
export function parseExactJson(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown, context) => {
    if (typeof value !== 'number' || context?.source === undefined) return value;
    return String(value) === context.source ? value : JSON.rawJSON(context.source);
  });
}
