import { amountForPeople } from '../money/amount.ts';
import { amountOf, isPlainAmount, isPlainObject, type Plain } from './plain.ts';
import { jsonText, plainLine } from './text.ts';

/** What stands for null and for a field that is not there. */
const NOTHING = '—';

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

/** A field's name as a title: `accountNumber` is `Account number`, `wallets.evm` is `Wallets EVM`. */
export function titleOf(field: string): string {
  const words = plainLine(field)
    .replace(/cNGN/g, 'Cngn')
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
