import { expect, test } from 'vitest';
import { ruledCommands } from '../../src/engine/rules/held.ts';
import { ACCOUNT, ADDRESS, OTHER_ADDRESS, ruledMachine, SAVED } from './support.ts';

const BANK = ['--bank-code', '000013', '--account-number', '0123456789'];
const SWAP = ['swaps', 'start', 'u-1', '--amount', '5000', '--yes'];
const ORDER = ['fx', 'orders', 'add', '--pair', 'CNGN-USDC', '--price', '1400', '--min', '1', '--max', '5000', '--yes'];
const TRADE = ['--pair', 'CNGN-USDC', '--amount', '5000', '--yes'];
const VAULT = JSON.stringify({
  mpcVaultApiKey: 'k',
  callbackClientSignerPublicKey: 'ssh-ed25519 AAAA',
  mpcClientSignerPrivateKey: 'p',
  vaultId: 'v',
  tokenWallets: { USDT: ADDRESS, USDC: ADDRESS },
  notificationEmails: ['ada@host.test'],
});

/** A command line of 5,000 for each row, to the bank account, address or user that the lists have. */
const LINES: Readonly<Record<string, readonly string[]>> = {
  'fees withdrawals start': [
    'fees',
    'withdrawals',
    'start',
    '--amount',
    '5000',
    ...BANK,
    '--account-name',
    'ADA',
    '--yes',
    '--no-tag',
  ],
  'offramp start': ['offramp', 'start', 'u-1', '--amount', '5000', ...BANK, '--yes'],
  'payout start': ['payout', 'start', '--amount', '5000', '--to', SAVED, '--yes'],
  'withdrawals start CNGN': [
    'withdrawals',
    'start',
    'u-1',
    '--amount',
    '5000',
    '--token',
    'CNGN',
    '--from',
    ADDRESS,
    '--to',
    ADDRESS,
    '--yes',
  ],
  'withdrawals start USDT': [
    'withdrawals',
    'start',
    'u-1',
    '--amount',
    '5000',
    '--token',
    'USDT',
    '--from',
    ADDRESS,
    '--to',
    ADDRESS,
    '--yes',
  ],
  'transfers start CNGN': ['transfers', 'start', '--amount', '5000', '--to', ADDRESS, '--yes'],
  'transfers start USDC': ['transfers', 'start', '--amount', '5000', '--token', 'USDC', '--to', ADDRESS, '--yes'],
  'bridge start': [
    'bridge',
    'start',
    '--from-network',
    'base',
    '--to-network',
    'bsc',
    '--amount',
    '5000',
    '--from',
    OTHER_ADDRESS,
    '--to',
    ADDRESS,
    '--yes',
  ],
  'swaps start CNGN': [...SWAP, '--sell', 'CNGN', '--buy', 'USDC'],
  'swaps start USDC': [...SWAP, '--sell', 'USDC', '--buy', 'CNGN', '--to', ADDRESS],
  'swaps wallets start CNGN': [
    'swaps',
    'wallets',
    'start',
    '--wallet',
    ADDRESS,
    '--sell',
    'CNGN',
    '--amount',
    '5000',
    '--yes',
  ],
  'swaps wallets start, no amount': ['swaps', 'wallets', 'start', '--wallet', ADDRESS, '--sell', 'CNGN', '--yes'],
  'fx trades start, gives cNGN': ['fx', 'trades', 'start', '--side', 'buy', ...TRADE],
  'fx trades start, gives USDC': ['fx', 'trades', 'start', '--side', 'sell', '--to', ADDRESS, ...TRADE],
  'fx trades start, a quote': ['fx', 'trades', 'start', '--quote', 'quote-1', '--yes'],
  'fx market-orders start, gives cNGN': ['fx', 'market-orders', 'start', '--side', 'buy', ...TRADE],
  'fx orders add, gives cNGN': [...ORDER, '--side', 'buy'],
  'fx orders add, gives USDC': [...ORDER, '--side', 'sell'],
  'fx orders add, gives USDC at 1.4': [...ORDER.map((word) => (word === '1400' ? '1.4' : word)), '--side', 'sell'],
  'fx orders update --max': ['fx', 'orders', 'update', 'order-1', '--max', '5000', '--yes'],
  'fx orders update --price': ['fx', 'orders', 'update', 'order-1', '--price', '1', '--yes'],
  'fx orders update --set-status paused': ['fx', 'orders', 'update', 'order-1', '--set-status', 'paused', '--yes'],
  'fx orders update --price --set-status paused': [
    'fx',
    'orders',
    'update',
    'order-1',
    '--price',
    '1',
    '--set-status',
    'paused',
    '--yes',
  ],
  'onramp start': ['onramp', 'start', 'u-1', '--amount', '5000', '--yes'],
  'onramp start --destination': [
    'onramp',
    'start',
    'u-1',
    '--amount',
    '5000',
    '--auto-swap',
    'USDC',
    '--destination',
    ADDRESS,
    '--yes',
  ],
  'users default-wallet set': [
    'users',
    'default-wallet',
    'set',
    'u-1',
    '--address',
    ADDRESS,
    '--network',
    'base',
    '--yes',
  ],
  'wallets external add': ['wallets', 'external', 'add', ADDRESS, '--network', 'base', '--yes'],
  'wallets external add --default': ['wallets', 'external', 'add', ADDRESS, '--network', 'base', '--default', '--yes'],
  'wallets external enable': ['wallets', 'external', 'enable', ADDRESS, '--yes'],
  'fx vault set': ['api', 'POST', '/fx/mpc/register', '-d', VAULT, '--yes'],
};

/** What each rule says: it allows the request, stops it, asks for a code or a signature, or does not concern it (—). */
const TABLE = `
| 5,000 with | NGN 1000 | CNGN 1000 | USDC 1000 | USDT 1000 | confirm-above NGN 1000 | sign-above NGN 1000 | allow-account | allow-address | allow-user |
|---|---|---|---|---|---|---|---|---|---|
| fees withdrawals start | stops | stops | — | — | a code | a signature | allows | stops | stops |
| offramp start | stops | stops | — | — | a code | a signature | allows | stops | stops |
| payout start | stops | stops | — | — | a code | a signature | allows | stops | stops |
| withdrawals start CNGN | stops | stops | — | — | a code | a signature | stops | allows | stops |
| withdrawals start USDT | — | — | — | stops | — | — | stops | allows | stops |
| transfers start CNGN | stops | stops | — | — | a code | a signature | stops | allows | stops |
| transfers start USDC | — | — | stops | — | — | — | stops | allows | stops |
| bridge start | stops | stops | — | — | a code | a signature | stops | allows | stops |
| swaps start CNGN | stops | stops | — | — | a code | a signature | stops | stops | allows |
| swaps start USDC | — | — | stops | — | — | — | stops | allows | stops |
| swaps wallets start CNGN | stops | stops | — | — | a code | a signature | stops | stops | stops |
| swaps wallets start, no amount | stops | stops | — | — | a code | a signature | stops | stops | stops |
| fx trades start, gives cNGN | stops | stops | — | — | a code | a signature | — | — | — |
| fx trades start, gives USDC | stops | stops | stops | — | a code | a signature | stops | allows | stops |
| fx trades start, a quote | stops | stops | stops | stops | a code | a signature | — | — | — |
| fx market-orders start, gives cNGN | stops | stops | — | — | a code | a signature | — | — | — |
| fx orders add, gives cNGN | stops | stops | — | — | a code | a signature | — | — | — |
| fx orders add, gives USDC | stops | stops | allows | — | a code | a signature | — | — | — |
| fx orders add, gives USDC at 1.4 | stops | stops | stops | — | a code | a signature | — | — | — |
| fx orders update --max | stops | stops | stops | stops | a code | a signature | — | — | — |
| fx orders update --price | stops | stops | stops | stops | a code | a signature | — | — | — |
| fx orders update --set-status paused | — | — | — | — | — | — | — | — | — |
| fx orders update --price --set-status paused | stops | stops | stops | stops | a code | a signature | — | — | — |
| onramp start | — | — | — | — | — | — | stops | stops | allows |
| onramp start --destination | — | — | — | — | — | — | stops | stops | stops |
| users default-wallet set | — | — | — | — | — | — | stops | allows | stops |
| wallets external add | — | — | — | — | — | — | — | — | — |
| wallets external add --default | — | — | — | — | — | — | stops | allows | stops |
| wallets external enable | — | — | — | — | — | — | stops | allows | stops |
| fx vault set | — | — | — | — | — | — | stops | allows | stops |
`;

const AMOUNTS = ['NGN', 'CNGN', 'USDC', 'USDT'].map((asset) => `${asset} 1000`);
const LISTS = { 'allow-account': ACCOUNT, 'allow-address': ADDRESS, 'allow-user': 'u-1' };
const WORDS: Readonly<Record<string, string>> = { holds: 'allows', 'does not hold': 'stops', 'not concerned': '—' };

/** A live profile whose payments above ₦1,000 need a signature. */
async function signedMachine() {
  const machine = await ruledMachine([], 'live');
  const answers = [{ kind: 'confirm', asks: 'when another operator must sign', says: true }] as const;
  const set = ['profiles', 'sign-above', 'set', 'NGN 1000'];
  expect(await machine.run(set, { isTerminal: true, answers })).toMatchObject({ code: 0 });
  return async (argv: readonly string[]) => {
    const { code, stderr } = await machine.run([...argv, '-q', '-o', 'json']);
    const isRefused = code === 9 && JSON.parse(stderr).error.code === 'SIGNATURE_REQUIRED';
    return isRefused ? 'a signature' : '—';
  };
}

test('what rules say of every command that moves money or redirects it', async () => {
  const amounts = [...AMOUNTS.flatMap((each) => ['--max-per-call', each]), '--confirm-above', 'NGN 1000'];
  const limited = await ruledMachine(amounts, 'live');
  const signature = await signedMachine();
  const lists = await Promise.all(Object.entries(LISTS).map(([flag, entry]) => ruledMachine([`--${flag}`, entry])));
  const rows: string[] = [];
  for (const [name, argv] of Object.entries(LINES)) {
    const verdicts = (await limited.tests(argv)).rules.map(({ rule, result }) =>
      rule === 'confirm-above' && result === 'does not hold' ? 'a code' : WORDS[result],
    );
    const destinations = [];
    for (const { tests } of lists) destinations.push(...(await tests(argv)).rules.map(({ result }) => WORDS[result]));
    rows.push(`| ${[name, ...verdicts, await signature(argv), ...destinations].join(' | ')} |`);
  }
  expect(rows.join('\n')).toBe(TABLE.trim().split('\n').slice(2).join('\n'));
});

test('the table has a row for every command', () => {
  const rows = Object.keys(LINES).map((name) => name.split(/,| [A-Z]| --/)[0] ?? name);
  expect([...new Set(rows)].sort()).toEqual(ruledCommands().map(({ command }) => command));
});
