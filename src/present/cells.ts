import { amountWords, isPlainAmount } from './money.ts';
import { isPlainObject, type Plain } from './plain.ts';
import { jsonText, plainLine } from './text.ts';

/** Shown for null and missing fields. */
const NOTHING = '—';

const ISO_TIME = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(?:\.\d+)?Z$/;

/** Longer cells are truncated with an ellipsis. The longest id has 500 characters. */
const MAX_CELL_LENGTH = 1000;

/** Formats a value for a table: `₦5,000.00`, `yes`, `2026-11-21 13:14:05Z`, or an em dash if there is none. */
export function cellText(value: Plain | undefined): string {
  const text = fullText(value);
  return text.length > MAX_CELL_LENGTH ? `${text.slice(0, MAX_CELL_LENGTH - 1).toWellFormed()}…` : text;
}

function fullText(value: Plain | undefined): string {
  if (value === undefined || value === null) return NOTHING;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string') return plainLine(value.replace(ISO_TIME, '$1 $2Z'));
  if (isPlainAmount(value)) return plainLine(amountWords(value));
  if (Array.isArray(value) && !value.some((item) => Array.isArray(item) || isPlainObject(item))) {
    return value.map(fullText).join(', ') || NOTHING;
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
  va: 'VA',
  vm: 'VM',
  nat: 'NAT',
  ip: 'IP',
  cngn: 'cNGN',
  ngn: 'NGN',
  usd: 'USD',
  usdc: 'USDC',
  usdt: 'USDT',
};

/** Converts a field name to a title: `accountNumber` becomes `Account number`, `wallets.evm` becomes `Wallets EVM`. */
export function titleOf(field: string): string {
  const words = plainLine(field)
    .replace(/cNGN/g, 'Cngn')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[\s._-]+/)
    .filter((word) => word !== '');
  const titleWords = words.map((word) => {
    const lower = word.toLowerCase();
    if (Object.hasOwn(SHORT_WORDS, lower)) return SHORT_WORDS[lower] ?? word;
    return word === word.toUpperCase() ? word : lower;
  });
  const title = titleWords.join(' ');
  return title.startsWith('cNGN') ? title : title.charAt(0).toUpperCase() + title.slice(1);
}
