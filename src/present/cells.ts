import { UTC } from '../base/zone.ts';
import { amountWords, isPlainAmount, isPlainObject, type Plain } from './plain.ts';
import { jsonText, plainLine } from './text.ts';
import { type Times, timeText } from './times.ts';

/** Shown for null and missing fields. */
const NOTHING = '—';

/** Longer cells are truncated with an ellipsis. The longest id has 500 characters. */
const MAX_CELL_LENGTH = 1000;

const IN_UTC: Times = { zone: UTC };

/** Formats a value for a table: `₦5,000.00`, `yes`, `2026-11-21 14:14:05 +01`, or an em dash if there is none. */
export function cellText(value: Plain | undefined, times = IN_UTC, isBrief = false): string {
  const text = fullText(value, times, isBrief);
  return text.length > MAX_CELL_LENGTH ? `${text.slice(0, MAX_CELL_LENGTH - 1).toWellFormed()}…` : text;
}

function fullText(value: Plain | undefined, times: Times, isBrief: boolean): string {
  if (value === undefined || value === null) return NOTHING;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string') return plainLine(timeText(value, times, isBrief) ?? value);
  if (isPlainAmount(value)) return plainLine(amountWords(value));
  if (Array.isArray(value) && !value.some((item) => Array.isArray(item) || isPlainObject(item))) {
    return value.map((item) => fullText(item, times, isBrief)).join(', ') || NOTHING;
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
