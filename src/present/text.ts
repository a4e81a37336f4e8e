import { amountForPeople } from '../money/amount.ts';
import { amountOf, isPlainAmount, isPlainObject, type Plain } from './plain.ts';

/** What stands for null and for a field that is not there. */
export const NOTHING = '—';

// Escape sequences in their 7-bit and 8-bit forms: CSI, strings (OSC, DCS and their like), others. Source: ECMA-48.
// util.stripVTControlCharacters takes quadratic time on unended strings, which a hostile name may have.
const SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90-\x9f]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-~]/g;

/** Text of the service on one line, without escape sequences, control and direction characters: it cannot steer a terminal. */
export function plainLine(text: string): string {
  return text
    .toWellFormed()
    .replace(SEQUENCES, '')
    .replace(/[\s\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[\p{Cc}\p{Cf}]/gu, '');
}

/** Text of several lines made safe for a terminal; what it says stays, only control characters go. */
export function plainLines(text: string): string {
  return text
    .toWellFormed()
    .replace(SEQUENCES, '')
    .replace(/(?![\n\t])[\p{Cc}\p{Cf}]/gu, '');
}

/**
 * JSON text. Characters that JSON leaves bare and a terminal may obey (C1 controls, changes of direction) are escaped,
 * which no reader of JSON can tell from the bare character.
 */
export function jsonText(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, null, indent);
  return text.replace(/[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

const ISO_TIME = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(?:\.\d+)?Z$/;

/** A table is for reading: what is longer ends in an ellipsis. The longest id has 500 characters. */
const LONGEST_CELL = 1000;

/** A value in a table: `₦5,000.00`, `yes`, `2026-11-21 13:14:05Z`, an em dash for nothing. */
export function cellText(value: Plain | undefined): string {
  const text = wholeText(value);
  return text.length > LONGEST_CELL ? `${text.slice(0, LONGEST_CELL - 1).toWellFormed()}…` : text;
}

function wholeText(value: Plain | undefined): string {
  if (value === undefined || value === null) return NOTHING;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string') return plainLine(value.replace(ISO_TIME, '$1 $2Z'));
  const money = isPlainAmount(value) ? amountOf(value) : undefined;
  if (money) return amountForPeople(money);
  if (Array.isArray(value) && !value.some((item) => Array.isArray(item) || isPlainObject(item))) {
    return value.map(wholeText).join(', ') || NOTHING;
  }
  return plainLine(jsonText(value));
}

const SHORT_WORDS: Readonly<Record<string, string>> = {
  id: 'ID',
  ids: 'IDs',
  bvn: 'BVN',
  url: 'URL',
  api: 'API',
  aes: 'AES',
  evm: 'EVM',
  mpc: 'MPC',
  fx: 'FX',
  ip: 'IP',
  cngn: 'cNGN',
  ngn: 'NGN',
  usdc: 'USDC',
  usdt: 'USDT',
};

/** A field's name as a title: `accountNumber` is `Account number`, `wallets.evm` is `Wallets EVM`. */
export function titleOf(field: string): string {
  const words = plainLine(field)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[\s._-]+/)
    .filter((word) => word !== '');
  const spoken = words.map((word) => {
    const lower = word.toLowerCase();
    if (Object.hasOwn(SHORT_WORDS, lower)) return SHORT_WORDS[lower] ?? word;
    return word === word.toUpperCase() ? word : lower;
  });
  const title = spoken.join(' ');
  return title.startsWith('cNGN') ? title : title.charAt(0).toUpperCase() + title.slice(1);
}
