import { expect, test } from 'vitest';
import { ruledCommands } from '../../src/engine/rules/by-command.ts';
import { ACCOUNT, ADDRESS, OTHER_ADDRESS, ruledMachine, SAVED } from './support.ts';

const BANK = ['--bank-code', '000013', '--account-number', '0123456789'];
const SWAP = ['swaps', 'create', 'u-1', '--amount', '5000', '--yes'];
const ORDER = [
  'fx',
  'orders',
  'create',
  '--pair',
  'CNGN-USDC',
  '--price',
  '1400',
  '--min',
  '1',
  '--max',
  '5000',
  '--yes',
];
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
  'fees withdraw': ['fees', 'withdraw', '--amount', '5000', ...BANK, '--account-name', 'ADA', '--yes', '--no-tag'],
  'offramp create': ['offramp', 'create', 'u-1', '--amount', '5000', ...BANK, '--yes'],
  'payout create': ['payout', 'create', '--amount', '5000', '--to', SAVED, '--yes'],
  'withdrawals create CNGN': [
    'withdrawals',
    'create',
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
  'withdrawals create USDT': [
    'withdrawals',
    'create',
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
  'transfers create CNGN': ['transfers', 'create', '--amount', '5000', '--to', ADDRESS, '--yes'],
  'transfers create USDC': ['transfers', 'create', '--amount', '5000', '--token', 'USDC', '--to', ADDRESS, '--yes'],
  'bridge create': [
    'bridge',
    'create',
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
  'swaps create CNGN': [...SWAP, '--sell', 'CNGN', '--buy', 'USDC'],
  'swaps create USDC': [...SWAP, '--sell', 'USDC', '--buy', 'CNGN', '--to', ADDRESS],
  'swaps create --wallet CNGN': ['swaps', 'create', '--wallet', ADDRESS, '--sell', 'CNGN', '--amount', '5000', '--yes'],
  'swaps create --wallet, no amount': ['swaps', 'create', '--wallet', ADDRESS, '--sell', 'CNGN', '--yes'],
  'fx trade, gives cNGN': ['fx', 'trade', '--side', 'buy', ...TRADE],
  'fx trade, gives USDC': ['fx', 'trade', '--side', 'sell', '--to', ADDRESS, ...TRADE],
  'fx trade, a quote': ['fx', 'trade', '--quote', 'quote-1', '--yes'],
  'fx trade --market, gives cNGN': ['fx', 'trade', '--market', '--side', 'buy', ...TRADE],
  'fx orders create, gives cNGN': [...ORDER, '--side', 'buy'],
  'fx orders create, gives USDC': [...ORDER, '--side', 'sell'],
  'fx orders create, gives USDC at 1.4': [...ORDER.map((word) => (word === '1400' ? '1.4' : word)), '--side', 'sell'],
  'fx orders update --max': ['fx', 'orders', 'update', 'order-1', '--max', '5000', '--yes'],
  'fx orders update --price': ['fx', 'orders', 'update', 'order-1', '--price', '1', '--yes'],
  'fx orders update, of pause': ['fx', 'orders', 'pause', 'order-1', '--yes'],
  'onramp create': ['onramp', 'create', 'u-1', '--amount', '5000', '--yes'],
  'onramp create --destination': [
    'onramp',
    'create',
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
  'fx vault register': ['api', 'POST', '/fx/mpc/register', '-d', VAULT, '--yes'],
};

/** What each rule says: it allows the request, stops it, asks for a code or an approval, or does not concern it (—). */
const TABLE = `
| 5,000 with | NGN 1000 | CNGN 1000 | USDC 1000 | USDT 1000 | confirm-above NGN 1000 | approval-threshold NGN 1000 | allow-account | allow-address | allow-user |
|---|---|---|---|---|---|---|---|---|---|
| fees withdraw | stops | stops | — | — | a code | approval | allows | stops | stops |
| offramp create | stops | stops | — | — | a code | approval | allows | stops | stops |
| payout create | stops | stops | — | — | a code | approval | allows | stops | stops |
| withdrawals create CNGN | stops | stops | — | — | a code | approval | stops | allows | stops |
| withdrawals create USDT | — | — | — | stops | — | — | stops | allows | stops |
| transfers create CNGN | stops | stops | — | — | a code | approval | stops | allows | stops |
| transfers create USDC | — | — | stops | — | — | — | stops | allows | stops |
| bridge create | stops | stops | — | — | a code | approval | stops | allows | stops |
| swaps create CNGN | stops | stops | — | — | a code | approval | stops | stops | allows |
| swaps create USDC | — | — | stops | — | — | — | stops | allows | stops |
| swaps create --wallet CNGN | stops | stops | — | — | a code | approval | stops | stops | stops |
| swaps create --wallet, no amount | stops | stops | — | — | a code | approval | stops | stops | stops |
| fx trade, gives cNGN | stops | stops | — | — | a code | approval | — | — | — |
| fx trade, gives USDC | stops | stops | stops | — | a code | approval | stops | allows | stops |
| fx trade, a quote | stops | stops | stops | stops | a code | approval | — | — | — |
| fx trade --market, gives cNGN | stops | stops | — | — | a code | approval | — | — | — |
| fx orders create, gives cNGN | stops | stops | — | — | a code | approval | — | — | — |
| fx orders create, gives USDC | stops | stops | allows | — | a code | approval | — | — | — |
| fx orders create, gives USDC at 1.4 | stops | stops | stops | — | a code | approval | — | — | — |
| fx orders update --max | stops | stops | stops | stops | a code | approval | — | — | — |
| fx orders update --price | stops | stops | stops | stops | a code | approval | — | — | — |
| fx orders update, of pause | — | — | — | — | — | — | — | — | — |
| onramp create | — | — | — | — | — | — | stops | stops | allows |
| onramp create --destination | — | — | — | — | — | — | stops | stops | stops |
| users default-wallet set | — | — | — | — | — | — | stops | allows | stops |
| wallets external add | — | — | — | — | — | — | — | — | — |
| wallets external add --default | — | — | — | — | — | — | stops | allows | stops |
| wallets external enable | — | — | — | — | — | — | stops | allows | stops |
| fx vault register | — | — | — | — | — | — | stops | allows | stops |
`;

const AMOUNTS = ['NGN', 'CNGN', 'USDC', 'USDT'].map((asset) => `${asset} 1000`);
const LISTS = { 'allow-account': ACCOUNT, 'allow-address': ADDRESS, 'allow-user': 'u-1' };
const WORDS: Readonly<Record<string, string>> = { allows: 'allows', blocks: 'stops', 'not applicable': '—' };

/** A live profile whose payments above ₦1,000 need approval. */
async function signedMachine() {
  const machine = await ruledMachine([], 'live');
  const answers = [{ kind: 'confirm', asks: 'when a second person must approve', says: true }] as const;
  const set = ['profiles', 'approval-threshold', 'set', 'NGN 1000'];
  expect(await machine.run(set, { isTerminal: true, answers })).toMatchObject({ code: 0 });
  return async (argv: readonly string[]) => {
    const { code, stderr } = await machine.run([...argv, '-q', '-o', 'json']);
    const isRefused = code === 9 && JSON.parse(stderr).error.code === 'APPROVAL_REQUIRED';
    return isRefused ? 'approval' : '—';
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
      rule === 'confirm-above' && result === 'blocks' ? 'a code' : WORDS[result],
    );
    const destinations = [];
    for (const { tests } of lists) destinations.push(...(await tests(argv)).rules.map(({ result }) => WORDS[result]));
    rows.push(`| ${[name, ...verdicts, await signature(argv), ...destinations].join(' | ')} |`);
  }
  expect(rows.join('\n')).toBe(TABLE.trim().split('\n').slice(2).join('\n'));
});

test('the table has a row for every command', () => {
  const rows = Object.keys(LINES).map((name) => name.split(/,| [A-Z]| --/)[0] ?? name);
  expect([...new Set(rows)].sort()).toEqual([...new Set(ruledCommands().map(({ command }) => command))].sort());
});
