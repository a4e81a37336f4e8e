import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { resolveProfile } from '../../src/account/profile.ts';
import type { Exchange } from '../../src/base/world.ts';
import { CATALOGUE } from '../../src/commands/catalogue.ts';
import { consentsOf } from '../../src/contract/endpoint.ts';
import { updateBankAccount } from '../../src/contract/endpoints/banks.ts';
import { endpoints } from '../../src/contract/endpoints/index.ts';
import { shapeOf } from '../../src/contract/rows.ts';
import { openAccount } from '../../src/engine/opening/open-account.ts';
import { main } from '../../src/main.ts';
import { ASKING } from '../../src/terminal/help/help.ts';
import { temporaryFolder } from '../support/built.ts';
import { refusal, success } from '../support/exchange.ts';
import { journalRows } from '../support/journal.ts';
import { ACCOUNT, type Answer, fakeWorld, type WorldOptions } from '../support/world.ts';

const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';
const OTHER = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';

/** An address as a terminal shows it. */
const inFours = (address: string) => `0x${(address.slice(2).match(/.{4}/g) ?? []).join(' ')}`;

/** What the service says before a change. */
const READS: Readonly<Record<string, object>> = {
  '/listbankaccounts': {
    accounts: [
      { accountId: 'a-1', accountName: 'EBUKA LAWAL', accountNumber: '0690000031', isDefault: true },
      { accountId: 'a-2', accountName: 'JOY BELLO', accountNumber: '3000293003', isDefault: false },
    ],
    total: 2,
  },
  '/getbankaccounts': {
    accounts: [{ accountId: 'a-2', accountName: 'JOY BELLO', accountNumber: '3000293003', bankName: 'ZENITH BANK' }],
  },
  '/getbankscode': { banks: [{ bankCode: '000013', bankName: 'GTBank' }] },
  '/getfees': {
    fintechId: 'f-1',
    hasConfiguration: true,
    feeConfiguration: { onrampFee: { percentageFee: 0.5, capFee: 50_000, enabled: true } },
  },
  '/fx/auto-signing/status': { autoSigning: { enabled: false, usdThreshold: '500.00' } },
  '/fx/settings': { vaultId: 'v-1', tokenWallets: { USDC: OTHER, USDT: OTHER } },
  '/getfintechwallet': {
    fintechId: 'f-1',
    smartWallet: { address: OTHER },
    externalWallets: [{ address: ADDRESS, status: 'inactive', label: 'vault', type: 'cold' }],
  },
  '/getuserdetails': {
    userId: 'u-1',
    isActive: true,
    personalDetails: { firstName: 'ADA', lastName: 'OBI' },
    virtualAccounts: [],
  },
  '/getuserdefaultwallet': {
    userId: 'u-1',
    defaultWallet: { address: OTHER, blockchain: 'base', type: 'external', status: 'active' },
  },
  '/getwebhook': { webhookUrl: 'https://old.example.com/', enabled: true, hasSecret: false, events: ['all'] },
  '/getplatformpublickey': { publicKey: 'ab'.repeat(32) },
};

/** What it says to a change. */
const CHANGES: Readonly<Record<string, object>> = {
  '/addbankaccount': { accountId: 'a-3', verifiedAccountName: 'ADA OBI', isValidated: true },
  '/setuserdefaultwallet': { defaultWallet: { type: 'external', status: 'active' } },
  '/managefees': { fintechId: 'f-1', operation: 'updated' },
};

interface Case {
  /** The endpoint. */
  readonly id: string;
  readonly argv: readonly string[];
  readonly path: string;
  /** What a person sees, with the old value and the new one. */
  readonly shown: string;
  readonly stdin?: string;
}

const FEES = ['fees', 'set', '--onramp-percent', '50%', '--onramp-cap', '500', '--onramp', 'on'];

const keys = temporaryFolder(afterAll);
writeFileSync(join(keys, 'signer.pub'), 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5 signer');
writeFileSync(join(keys, 'client'), '-----BEGIN OPENSSH PRIVATE KEY-----\nx\n-----END OPENSSH PRIVATE KEY-----\n');

const CASES: readonly Case[] = [
  {
    id: 'fx.register-mpc',
    argv: [
      'fx',
      'vault',
      'register',
      '--vault-id',
      'v-2',
      '--usdc',
      ADDRESS,
      '--usdt',
      ADDRESS,
      '--email',
      'ops@example.com',
      '--public-key-file',
      join(keys, 'signer.pub'),
      '--private-key-file',
      join(keys, 'client'),
      '--api-key-stdin',
    ],
    path: 'POST /fx/mpc/register',
    shown: 'vault  v-1 → v-2',
    stdin: 'vault-key-nobody-may-see',
  },
  {
    id: 'banks.update',
    argv: ['bank-accounts', 'update', 'a-2', '--default'],
    path: 'PUT /updatebankaccount',
    shown: 'default  EBUKA LAWAL 0690000031 → JOY BELLO 3000293003',
  },
  {
    id: 'banks.add',
    argv: ['bank-accounts', 'add', '--account-number', '0123456789', '--bank-code', '000013', '--default'],
    path: 'POST /addbankaccount',
    shown: 'default  EBUKA LAWAL 0690000031 → 0123456789',
  },
  {
    id: 'fees.manage',
    argv: FEES,
    path: 'PUT /managefees',
    shown: 'onramp fee  0.5%, at most ₦500.00 → 50%, at most ₦500.00',
  },
  {
    id: 'fx.auto-signing-enable',
    argv: ['fx', 'auto-signing', 'enable'],
    path: 'POST /fx/auto-signing/enable',
    shown: 'auto-signing  off → on',
  },
  {
    id: 'fx.auto-signing-threshold',
    argv: ['fx', 'auto-signing', 'set', '10000'],
    path: 'POST /fx/auto-signing/threshold',
    shown: 'threshold  $500.00 → $10000',
  },
  {
    id: 'wallets.add-external',
    argv: ['wallets', 'external', 'add', ADDRESS, '--network', 'base', '--default'],
    path: 'POST /addexternalwallet',
    shown: `default wallet  ${inFours(OTHER)} → ${inFours(ADDRESS)}`,
  },
  {
    id: 'wallets.set-external-status',
    argv: ['wallets', 'external', 'enable', ADDRESS],
    path: 'PUT /updateexternalwalletstatus',
    shown: 'status  inactive → active',
  },
  {
    id: 'management.update-onramp-asset',
    argv: ['users', 'onramp-asset', 'set', 'u-1', '--asset', 'USDC', '--slippage', '0.5%'],
    path: 'POST /updateonrampasset',
    shown: 'onramp asset  not known → USDC, slippage up to 0.5%',
  },
  {
    id: 'users.set-status',
    argv: ['users', 'activate', 'u-1'],
    path: 'POST /manageuserstatus',
    shown: 'status  active → active',
  },
  {
    id: 'users.set-status',
    argv: ['users', 'deactivate', 'u-1', '--reason', 'lost phone'],
    path: 'POST /manageuserstatus',
    shown: 'status  active → inactive',
  },
  {
    id: 'users.set-default-wallet',
    argv: ['users', 'default-wallet', 'set', 'u-1', '--address', ADDRESS, '--network', 'base'],
    path: 'POST /setuserdefaultwallet',
    shown: `destination  ${inFours(OTHER)} on base → ${inFours(ADDRESS)} on base`,
  },
  {
    id: 'wallets.migrate-users',
    argv: ['users', 'migrate-wallets', 'u-1', '--force'],
    path: 'POST /migrateuserwallets',
    shown: 'tokens at the old addresses stay there',
  },
  {
    id: 'management.toggle-webhook',
    argv: ['webhooks', 'disable'],
    path: 'POST /togglewebhookstatus',
    shown: 'delivery  on → off',
  },
  {
    id: 'management.set-webhook',
    argv: ['webhooks', 'set', 'https://hooks.example.com/'],
    path: 'POST /setwebhook',
    shown: 'now  https://old.example.com/ (all)',
  },
  {
    id: 'management.ip-allowlist',
    argv: ['ip', 'add', '0.0.0.0/0'],
    path: 'POST /manageipallowlist add',
    shown: 'allows  every IPv4 address',
  },
  {
    id: 'management.ip-allowlist',
    argv: ['ip', 'add', '203.0.0.0/16'],
    path: 'POST /manageipallowlist add',
    shown: 'allows  65,536 addresses',
  },
  {
    id: 'management.ip-allowlist',
    argv: ['ip', 'add', '2001:db8::/56', '--lock-me-out'],
    path: 'POST /manageipallowlist add',
    shown: 'allows  256 IPv6 networks',
  },
];

const ALLOWLIST: Readonly<Record<string, object>> = {
  check: { action: 'check', yourIp: '203.0.*.*', isAllowed: true, matchedRule: '203.0.*.*', totalConfiguredIps: 1 },
  list: { action: 'list', ipAddresses: [{ index: 0, ip: '203.0.*.*' }], totalIps: 1 },
};

/** Runs a command against a service that takes every change; returns what was sent to change something. */
async function run(argv: readonly string[], options: WorldOptions = {}) {
  const sent: string[] = [];
  const network: Exchange = async ({ method, url, body }) => {
    const path = new URL(url).pathname.replace('/v1', '');
    const { action = '' } = JSON.parse(body || '{}') as { action?: string };
    // The webhook's own address is looked at before it is set.
    if (!url.startsWith(ACCOUNT.FIATRAIL_BASE_URL)) return refusal(404, '02', 'nothing here');
    const read = READS[path] ?? ALLOWLIST[action];
    if (read) return success(read);
    sent.push(`${method} ${path}${action === '' ? '' : ` ${action}`}`);
    return success(CHANGES[path] ?? {});
  };
  const world = fakeWorld({ network, env: ACCOUNT, ...options });
  const code = await main([...argv], world);
  return { code, sent, stderr: world.stderr.text(), journal: journalRows(world.stateDir) };
}

const says = (answer: boolean): Answer => ({ kind: 'confirm', asks: 'Continue?', says: answer });

/** The lines of a confirmation, with two spaces between label and value. */
const aligned = (stderr: string) => stderr.replaceAll(/ {2,}/g, '  ');

test('every endpoint that needs consent has a command here', () => {
  const marked = endpoints.filter(({ consents }) => consents).map(({ id }) => id);
  expect([...new Set(CASES.map(({ id }) => id))].sort()).toEqual(marked.sort());
});

describe.each(CASES)('$argv', ({ argv, path, shown, stdin = '' }) => {
  const terminal = { isTerminal: true, stdin };
  const asked =
    argv[0] === 'webhooks' && argv[1] === 'set'
      ? [{ kind: 'select', asks: 'Signing secret:', says: 'none' } as const]
      : [];

  test('shows the old value and the new one, and sends nothing after no', async () => {
    const { code, sent, stderr } = await run(argv, { ...terminal, answers: [...asked, says(false)] });
    expect({ code, sent }, stderr).toEqual({ code: 9, sent: [] });
    expect(aligned(stderr)).toContain(shown);
    expect(aligned(stderr)).toContain('profile  environment (LIVE)');
  });

  test('is sent once after yes, and not journaled', async () => {
    const { code, sent, stderr, journal } = await run(argv, { ...terminal, answers: [...asked, says(true)] });
    expect({ code, sent }, stderr).toEqual({ code: 0, sent: [path] });
    expect(journal).toEqual([]);
  });

  test('needs --yes without a terminal', async () => {
    const { code, sent, stderr } = await run(argv, { stdin });
    expect({ code, sent }).toEqual({ code: 2, sent: [] });
    expect(stderr).toContain('cannot ask for confirmation without a terminal');
    expect(stderr).toContain('nothing was sent');
    expect(stderr).toContain('add --yes');
  });

  test('is sent with --yes', async () => {
    const { code, sent, stderr } = await run([...argv, '--yes'], { stdin });
    expect({ code, sent }, stderr).toEqual({ code: 0, sent: [path] });
  });

  test('is described in a dry run without a question', async () => {
    expect(await run([...argv, '--dry-run'], terminal)).toMatchObject({ code: 0, sent: [] });
  });
});

describe('nothing is asked', () => {
  test.each([
    ['a new label', ['bank-accounts', 'update', 'a-2', '--label', 'fees']],
    ['a wallet that is switched off', ['wallets', 'external', 'disable', ADDRESS]],
    ['auto-signing that is switched off', ['fx', 'auto-signing', 'disable']],
    ['a threshold of 0', ['fx', 'auto-signing', 'set', '0']],
    ['webhooks that are switched on', ['webhooks', 'enable']],
    ['missing wallets', ['users', 'migrate-wallets', 'u-1']],
    ['a range of one network', ['ip', 'add', '203.0.113.0/24']],
    ['an IPv6 range of one network', ['ip', 'add', '2001:db8::/64', '--lock-me-out']],
  ])('about %s', async (_what, argv) => {
    const { code, sent, stderr } = await run(argv, { isTerminal: true });
    expect({ code, sent: sent.length }, stderr).toEqual({ code: 0, sent: 1 });
  });
});

test('a value that cannot be read is not known, and is asked about all the same', async () => {
  const network: Exchange = async ({ url }) =>
    url.endsWith('/listbankaccounts') ? refusal(500, '05', 'down') : success({});
  const argv = ['bank-accounts', 'update', 'a-2', '--default'];
  const { code, stderr } = await run(argv, { network, isTerminal: true, answers: [says(true)] });
  expect({ code, stderr: aligned(stderr) }).toEqual({
    code: 0,
    stderr: expect.stringContaining('default  not known → a-2'),
  });
});

describe('api', () => {
  const argv = ['api', 'PUT', '/managefees', '-d', '{"onrampFee":{"percentageFee":50,"capFee":50000,"enabled":true}}'];

  test('asks for what its own command asks for', async () => {
    expect(await run(argv)).toMatchObject({ code: 2, sent: [] });
    expect(await run(argv, { isTerminal: true, answers: [says(false)] })).toMatchObject({ code: 9, sent: [] });
    expect(await run([...argv, '--yes'])).toMatchObject({ code: 0, sent: ['PUT /managefees'], journal: [] });
  });

  test('does not ask for a note', async () => {
    const note = ['api', 'PUT', '/managefees', '-d', '{"metadata":{"notes":"free in August"}}'];
    expect(await run(note)).toMatchObject({ code: 0, sent: ['PUT /managefees'] });
  });

  test.each([
    ['POST', '/fx/auto-signing/enable', '{}'],
    ['POST', '/manageipallowlist', '{"action":"add","ipAddress":"0.0.0.0/0"}'],
    ['POST', '/manageipallowlist', '{"action":"add","ipAddress":"everyone"}'],
    ['PUT', '/updatebankaccount', '{"accountId":"a-2","isDefault":"true"}'],
  ])('%s %s asks about %s', async (method, path, data) => {
    expect(await run(['api', method, path, '-d', data])).toMatchObject({ code: 2, sent: [] });
  });
});

test('the first entry of an allowlist needs consent too', async () => {
  const network: Exchange = async ({ body }) => {
    const { action } = JSON.parse(body || '{}') as { action?: string };
    if (action === 'list') return success({ action, ipAddresses: [], totalIps: 0 });
    if (action === 'check') return success({ ...ALLOWLIST['check'], totalConfiguredIps: 0 });
    throw new Error('nothing else may be sent');
  };
  const { code, stderr } = await run(['ip', 'add', '203.0.113.7'], { network });
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('add --yes') });
});

test('a replacement by a wide range is asked about once', async () => {
  const argv = ['ip', 'replace', '--index', '0', '--with', '203.0.0.0/16', '--lock-me-out'];
  const { sent, stderr } = await run(argv, { isTerminal: true, answers: [says(false)] });
  expect({ sent, stderr: aligned(stderr) }).toEqual({
    sent: [],
    stderr: expect.stringContaining('allows  65,536 addresses'),
  });
});

describe('whose money goes where', () => {
  const OFFRAMP = [
    'offramp',
    'create',
    'u-1',
    '--amount',
    '2000',
    '--bank-code',
    '000013',
    '--account-number',
    '0123456789',
  ];

  test('an offramp tells the user who pays from the holder, who is not known yet', async () => {
    const { code, stderr } = await run(OFFRAMP, { isTerminal: true, answers: [says(false)] });
    const text = aligned(stderr);
    expect({ code, sent: text.includes('user name  ADA OBI') }, text).toEqual({ code: 9, sent: true });
    expect(text).toContain('holder  not known before it is sent');
    expect(text).not.toMatch(/^ {2}name /m);
  });

  test('an offramp says so in a log, too', async () => {
    const { stderr } = await run([...OFFRAMP, '--yes']);
    expect(aligned(stderr)).toContain('holder  not known before it is sent');
  });

  test('a payout names the holder and the account in a log', async () => {
    const { stderr } = await run(['payout', 'create', '--amount', '500', '--to', 'a-2', '--yes']);
    expect(aligned(stderr)).toContain('account  JOY BELLO, 3000293003 at ZENITH BANK');
  });
});

describe('the contract', () => {
  test('marks fields of the request only', () => {
    for (const { id, consents = {}, request } of endpoints) {
      const fields = ['*', ...Object.keys(shapeOf(request()) ?? {})];
      expect(fields, id).toEqual(expect.arrayContaining(Object.keys(consents)));
    }
  });

  test('marks whatever redirects money', () => {
    const redirecting = endpoints.filter(({ redirects }) => redirects);
    expect(redirecting.length).toBeGreaterThan(3);
    for (const { id, consents } of redirecting) expect(consents, id).toBeDefined();
  });

  test.each([
    [undefined, []],
    [{}, []],
    [{ isDefault: undefined, label: 'x' }, []],
    [{ isDefault: false }, ['destination']],
  ])('says what %j needs', (input, kinds) => {
    expect(consentsOf({ consents: { isDefault: { kind: 'destination' } } }, input)).toEqual(kinds);
  });
});

test('a call that only becomes known when a command runs is stopped, too', async () => {
  const world = fakeWorld();
  const { account } = openAccount({
    world,
    profile: resolveProfile(undefined, world),
    globals: {},
    notices: {},
  } as never);
  const input = { accountId: 'a-2', isDefault: true } as never;
  await expect(account.call(updateBankAccount, input)).rejects.toThrow('banks.update was called without consent');
});

test('commands call what they say, and their help has --yes', async () => {
  const commands = (await Promise.all(CATALOGUE.map(({ load }) => load()))).flat();
  for (const { id, argv } of CASES) {
    const found = commands.find(({ words }) => words.every((word, index) => argv[index] === word));
    expect(found?.endpoints, argv.join(' ')).toContain(id);
    expect(ASKING).toContain(found?.words.join(' '));
  }
});
