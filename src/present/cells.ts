import { plainLine } from './text.ts';

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
