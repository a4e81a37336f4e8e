import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FAULT_KINDS, type FaultKind } from '../../../src/contract/sandbox.ts';
import { main } from '../../../src/main.ts';
import { serve } from '../../../src/sandbox/serve.ts';
import { testNetwork } from '../../support/loopback.ts';
import { type FakeWorld, fakeWorld } from '../../support/world.ts';

/** An embedded sandbox and the commands run on it. */
interface Bench {
  readonly world: FakeWorld;
  /** The exit code. */
  run(...argv: string[]): Promise<number>;
  /** The JSON that a command prints; it must succeed. */
  json(...argv: string[]): Promise<Record<string, unknown>>;
  /** Rows of a table of the state file. */
  count(table: string): number;
}

async function openBench(): Promise<Bench> {
  const world = fakeWorld();
  const bench = benchOf(world, join(world.stateDir, 'sandbox.db'));
  await bench.json('sandbox', 'seed', '--users', '1', '--rate-limits', 'off');
  return bench;
}

function benchOf(world: FakeWorld, path: string): Bench {
  const run = (...argv: string[]) => main([...argv, '--no-input', '-q'], world);
  const json: Bench['json'] = async (...argv) => {
    const before = world.stdout.text().length;
    const code = await run(...argv, '-o', 'json');
    if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${code}: ${world.stderr.text()}`);
    return JSON.parse(world.stdout.text().slice(before)) as Record<string, unknown>;
  };
  const count = (table: string) => {
    const connection = new DatabaseSync(path, { readOnly: true });
    const row = connection.prepare(`SELECT COUNT(*) AS n FROM ${table}`).get();
    connection.close();
    return Number(row?.['n']);
  };
  return { world, run, json, count };
}

interface User {
  readonly userId: string;
  readonly virtualAccount: { readonly accountNumber: string; readonly accountName: string };
}

/** A user with a million cNGN. */
async function fundedUser({ json }: Bench): Promise<string> {
  const { users } = await json('users', 'list');
  const [user] = users as User[];
  const { accountNumber = '', accountName = '' } = user?.virtualAccount ?? {};
  await json('sandbox', 'pay', accountNumber, '--amount', '1000000', '--sender', accountName);
  await json('sandbox', 'settle');
  return user?.userId ?? '';
}

const payOut = (userId: string) =>
  [
    'offramp',
    'create',
    userId,
    '--amount',
    '10',
    '--bank-code',
    '000013',
    '--account-number',
    '0123456789',
    '--yes',
  ] as const;

/** The exit code for each kind of fault, and whether the payout is booked. */
const MONEY: readonly (readonly [kind: FaultKind, exit: number, booked: number])[] = [
  ['lost-request', 6, 0],
  ['lost-response', 6, 1],
  ['slow', 0, 1],
  ['http-500', 6, 0],
  ['http-500-after', 6, 1],
  ['http-502-html', 6, 0],
  ['rate-limit', 0, 1],
  ['malformed-json', 6, 1],
  ['truncated', 6, 1],
];

describe('a payout by command, with a fault', () => {
  test.each(MONEY)('%s: exit %d, booked %d', async (kind, exit, booked) => {
    const bench = await openBench();
    const userId = await fundedUser(bench);
    await bench.json('sandbox', 'fault', 'add', '--on', 'offramp create', '--fault', kind);
    expect(await bench.run(...payOut(userId))).toBe(exit);
    expect(bench.count('offramp')).toBe(booked);
    expect(bench.count('fault_rule')).toBe(0);
    const { operations } = await bench.json('ops', 'list');
    expect((operations as { state: string }[]).map(({ state }) => state)).toEqual([
      exit === 0 ? 'accepted' : 'unknown',
    ]);
    await bench.json('sandbox', 'settle');
    const status = await bench.json('sandbox', 'status');
    expect(status['ledger']).toMatchObject({ balanced: true });
  });

  test('payout-fails is accepted, then fails and exits with 3', async () => {
    const bench = await openBench();
    const userId = await fundedUser(bench);
    await bench.json('sandbox', 'fault', 'add', '--on', 'transactions.offramp', '--fault', 'payout-fails');
    expect(await bench.run(...payOut(userId), '--wait', '1m')).toBe(3);
    expect(await bench.run(...payOut(userId), '--wait', '1m')).toBe(0);
  });
});

describe('a read by command, with a fault', () => {
  const reads = FAULT_KINDS.filter(
    (kind) => kind !== 'payout-fails' && kind !== 'reject' && !kind.endsWith('-webhook'),
  );

  test.each(reads)('%s: retries until it gets a response', async (kind) => {
    const bench = await openBench();
    await bench.json('sandbox', 'fault', 'add', '--on', 'history deposits', '--fault', kind, '--times', '2');
    expect(await bench.json('history', 'deposits')).toMatchObject({ pagination: { total: 0 } });
    expect(bench.count('fault_rule')).toBe(kind === 'slow' ? 1 : 0);
  });
});

describe('a served sandbox, with a fault', () => {
  /** Runs commands against a sandbox served by this process on a real socket. */
  async function openServed() {
    const folder = fakeWorld();
    folder.ensurePrivateDir(folder.stateDir);
    const path = join(folder.stateDir, 'sandbox.db');
    const served = await serve(folder, { path, port: 0, rateLimits: false });
    onTestFinished(() => served.close());
    const env = { FIATRAIL_BASE_URL: served.url, FIATRAIL_API_KEY: served.apiKey };
    return benchOf(fakeWorld({ env, network: testNetwork() }), path);
  }

  test.each(MONEY)('%s: exit %d, booked %d', async (kind, exit, booked) => {
    const bench = await openServed();
    await bench.json('sandbox', 'seed', '--users', '1');
    const userId = await fundedUser(bench);
    await bench.json('sandbox', 'fault', 'add', '--on', 'offramp create', '--fault', kind);
    expect(await bench.run(...payOut(userId))).toBe(exit);
    expect(bench.count('offramp')).toBe(booked);
    expect(bench.count('fault_rule')).toBe(0);
  });

  test.each(['lost-response', 'truncated'] as const)('%s: retries a read until it gets a response', async (kind) => {
    const bench = await openServed();
    await bench.json('sandbox', 'fault', 'add', '--on', 'history deposits', '--fault', kind, '--times', '2');
    expect(await bench.json('history', 'deposits')).toMatchObject({ pagination: { total: 0 } });
    expect(bench.count('fault_rule')).toBe(0);
  });

  test('writes a snapshot to the caller’s folder and restores it from there', async () => {
    const bench = await openServed();
    const file = join(bench.world.homeDir, 'served.db');
    const { bytes } = await bench.json('sandbox', 'snapshot', file);
    expect(statSync(file)).toMatchObject({ size: bytes, mode: 0o100600 });
    await bench.json('sandbox', 'seed', '--users', '3');
    await bench.json('sandbox', 'restore', file, '--yes');
    expect(bench.count('user')).toBe(0);
    expect(await bench.run('sandbox', 'snapshot', file)).toBe(2);
  });
});

describe('sandbox fault', () => {
  test('lists and clears faults', async () => {
    const { json } = await openBench();
    await json('sandbox', 'fault', 'add', '--on', 'fees.withdraw', '--fault', 'lost-response', '--times', '3');
    await json('sandbox', 'fault', 'add', '--on', 'fiatrail users  list', '--fault', 'slow');
    const pagination = (total: number) => ({ total, limit: null, offset: 0, hasMore: false, after: null });
    expect(await json('sandbox', 'fault', 'list')).toEqual({
      pagination: pagination(2),
      faults: [
        { endpoint: 'fees.withdraw', kind: 'lost-response', name: null, times: 3 },
        { endpoint: 'users.list', kind: 'slow', name: null, times: 1 },
      ],
    });
    expect(await json('sandbox', 'fault', 'clear')).toEqual({ cleared: 2 });
    expect(await json('sandbox', 'fault', 'list')).toEqual({ faults: [], pagination: pagination(0) });
  });

  test.each([
    ['fees withdraw', 'fees.withdraw'],
    ['offramp create', 'transactions.offramp'],
    ['users onboard', 'users.onboard'],
    ['users onboarding status', 'users.onboard-status'],
    ['history transactions', 'transactions.list'],
  ])('resolves the command "%s" to %s', async (command, endpoint) => {
    const { json } = await openBench();
    expect(await json('sandbox', 'fault', 'add', '--on', command, '--fault', 'slow')).toMatchObject({ endpoint });
  });

  test.each([
    ['nothing', /--on: invalid endpoint "nothing"; expected an endpoint id or a command/],
    ['users', /expected an endpoint id or a command/],
    ['sandbox clock', /--on: invalid endpoint "sandbox clock"; the command calls no endpoint/],
    ['status', /--on: status calls several endpoints/],
  ])('rejects "%s", exits with 2 and adds nothing', async (on, words) => {
    const bench = await openBench();
    expect(await bench.run('sandbox', 'fault', 'add', '--on', on, '--fault', 'slow')).toBe(2);
    expect(bench.world.stderr.text()).toMatch(words);
    expect(bench.count('fault_rule')).toBe(0);
  });

  test('rejects payout-fails for an endpoint that pays nothing out', async () => {
    const bench = await openBench();
    expect(await bench.run('sandbox', 'fault', 'add', '--on', 'users.list', '--fault', 'payout-fails')).toBe(3);
    expect(bench.count('fault_rule')).toBe(0);
  });
});

describe('sandbox snapshot and restore', () => {
  test('restore the earlier state', async () => {
    const { world, json, count } = await openBench();
    const file = join(world.homeDir, 'before.db');
    expect(await json('sandbox', 'snapshot', file)).toMatchObject({ path: file });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await json('sandbox', 'seed', '--users', '2', '--history', '12');
    expect({ onboarding: count('onboarding'), movement: count('movement') }).toEqual({ onboarding: 43, movement: 12 });
    await json('sandbox', 'restore', file, '--yes');
    expect({ onboarding: count('onboarding'), movement: count('movement') }).toEqual({ onboarding: 1, movement: 0 });
    await json('users', 'list');
  });

  test('asks before a restore', async () => {
    const bench = await openBench();
    const file = join(bench.world.homeDir, 'before.db');
    await bench.json('sandbox', 'snapshot', file);
    expect(await bench.run('sandbox', 'restore', file)).toBe(2);
    expect(bench.world.stderr.text()).toMatch(/cannot ask for confirmation/);
  });

  test.each([
    ['another file', () => Buffer.from('something else\n'), 'it is not a sandbox state file'],
    ['an empty file', () => Buffer.alloc(0), 'it is not a sandbox state file'],
    ['a database of another program', (state: Buffer) => state.fill(0, 68, 72), 'it is not a sandbox state file'],
    ['half a snapshot', (state: Buffer) => state.subarray(0, state.length / 2), 'it is incomplete'],
  ])('says that %s is unusable before what a restore would lose', async (_name, change, words) => {
    const bench = await openBench();
    const file = join(bench.world.homeDir, 'before.db');
    await bench.json('sandbox', 'snapshot', file);
    writeFileSync(file, change(readFileSync(file)));
    // Without --yes, the confirmation would be the error.
    expect(await bench.run('sandbox', 'restore', file)).toBe(2);
    expect(bench.world.stderr.text()).toContain(`${file}: ${words}`);
  });

  test.each([
    ['snapshot', 'there.db', 'there.db: the file already exists'],
    ['snapshot', 'none/there.db', 'there.db: the folder does not exist'],
    ['restore', 'none.db', 'none.db: the file does not exist'],
    ['snapshot', 'folder', 'folder: the file already exists'],
    ['snapshot', 'link', 'link: the file already exists'],
    ['restore', 'there.db', 'there.db: it is not a sandbox state file'],
    ['restore', 'folder', 'folder: it is not a regular file'],
    ['restore', 'link', 'link: it is not a regular file'],
  ])('exits with 2 for %s %s', async (command, name, words) => {
    const bench = await openBench();
    writeFileSync(join(bench.world.homeDir, 'there.db'), 'something else\n');
    mkdirSync(join(bench.world.homeDir, 'folder'));
    symlinkSync(join(bench.world.homeDir, 'target'), join(bench.world.homeDir, 'link'));
    const file = join(bench.world.homeDir, name);
    expect(await bench.run('sandbox', command, file, '--yes')).toBe(2);
    expect(bench.world.stderr.text()).toContain(`error: ${join(bench.world.homeDir, name.replace('there.db', ''))}`);
    expect(bench.world.stderr.text()).toContain(words);
    expect(bench.count('user')).toBe(1);
    expect(existsSync(join(bench.world.homeDir, 'none'))).toBe(false);
    expect(existsSync(join(bench.world.homeDir, 'target'))).toBe(false);
    expect(readFileSync(join(bench.world.homeDir, 'there.db'), 'utf8')).toBe('something else\n');
  });
});

describe('sandbox pay', () => {
  test('deposits tokens in a wallet', async () => {
    const { json } = await openBench();
    const { smartWallet } = await json('wallets', 'show');
    const { address } = smartWallet as { address: string };
    const tokens = [
      '--chain',
      '--token',
      'usdc',
      '--network',
      'base',
      '--amount',
      '12.5',
      '--sender',
      `0x${'ab'.repeat(20)}`,
    ];
    const paid = await json('sandbox', 'pay', address, ...tokens);
    expect(paid).toMatchObject({
      address,
      asset: 'USDC',
      outcome: 'credited',
      amount: { value: '12.500000', asset: 'USDC' },
    });
    expect(await json('balances', 'account', '--token', 'USDC')).toMatchObject({
      totalBalance: { value: '2012.500000' },
    });
  });

  test.each([
    [['7387420489', '--amount', '5', '--sender', ''], /--sender: /],
    [['7387420489', '--amount', '5', '--sender', 'A\u0007B'], /--sender: /],
    [['7387420489', '--amount', '5', '--sender', 'A'.repeat(501)], /--sender: /],
    [['738742048', '--amount', '5', '--sender', 'A'], /<account>: invalid account number "738742048"/],
    [['7387420489', '--amount', '5.001', '--sender', 'A'], /--amount: /],
    [['7387420489', '--amount', '0', '--sender', 'A'], /--amount: /],
    [['7387420489', '--amount', '5', '--sender', 'A', '--token', 'CNGN'], /--token requires --chain/],
    [['7387420489', '--amount', '5', '--sender', 'A', '--network', 'base'], /--network requires --chain/],
    [[`0x${'ab'.repeat(20)}`, '--amount', '5', '--sender', 'A'], /an address requires --chain/],
    [[`0x${'ab'.repeat(20)}`, '--amount', '₦5', '--sender', 'A', '--chain'], /--amount: .*cNGN/],
    [
      [`0x${'ab'.repeat(20)}`, '--amount', '5', '--sender', 'A', '--chain', '--token', 'BTC'],
      /--token: invalid value "BTC"/,
    ],
  ])('rejects %j, names the flag and exits with 2', async (argv, words) => {
    const bench = await openBench();
    expect(await bench.run('sandbox', 'pay', ...argv)).toBe(2);
    expect(bench.world.stderr.text()).toMatch(words);
    expect(bench.world.stderr.text()).not.toMatch(/senderName|accountNumber/);
  });

  test.each([
    ['a name', '7387420489'],
    ['an address', `0x${'ab'.repeat(20)}`],
  ])('exits with 3 and prints the service’s rejection of %s', async (_what, account) => {
    const bench = await openBench();
    const chain = account.startsWith('0x') ? ['--chain', '--network', 'moon'] : [];
    const to = account.startsWith('0x') ? account : '7999999999';
    expect(await bench.run('sandbox', 'pay', to, '--amount', '5', '--sender', `0x${'cd'.repeat(20)}`, ...chain)).toBe(
      3,
    );
  });
});

describe('sandbox restore', () => {
  test('shows no content in a trace, a dry run or the journal', async () => {
    const bench = await openBench();
    const file = join(bench.world.homeDir, 'before.db');
    await bench.json('sandbox', 'snapshot', file, '-v');
    await bench.json('sandbox', 'restore', file, '--yes', '-v');
    expect(await bench.run('sandbox', 'restore', file, '--dry-run')).toBe(0);
    // How every gzip stream begins, in base64url.
    const shown = bench.world.stderr.text() + bench.world.stdout.text();
    expect(shown).toContain('"content":"[redacted]"');
    expect(shown).not.toContain('H4sI');
    expect(JSON.stringify(await bench.json('ops', 'list'))).not.toContain('H4sI');
    expect(readFileSync(join(bench.world.stateDir, 'journal.db'), 'latin1')).not.toContain('H4sI');
  });
});

describe('sandbox serve', () => {
  test.each([
    [['--host', 'localhost'], /invalid address "localhost"/],
    [['--host', '10.0.0.0/8'], /invalid address/],
    [['--host', '192.0.2.99'], /this machine does not have the address 192\.0\.2\.99/],
    [['--allow-host', 'a b'], /invalid host name "a b"/],
    [['--allow-host', 'http://a.test'], /invalid host name/],
    [['--allow-origin', 'a.test'], /invalid origin "a\.test"/],
    [['--allow-origin', 'http://a.test/'], /invalid origin/],
    [['--allow-origin', 'null'], /invalid origin/],
    [['--allow-origin', '*'], /invalid origin/],
    [['--responses', 'newest'], /invalid .*newest/],
    ...[
      '',
      'a b',
      'a/b',
      '../x',
      'acme\r\nX-Evil: 1',
      'acme\u0000',
      '-acme',
      'ácme',
      'a'.repeat(41),
      'fintech',
      'Total',
      'swap-',
    ].map((name): [string[], RegExp] => [['--service-name', name], /invalid service name/]),
  ])('rejects %j and exits with 2', async (argv, words) => {
    const bench = await openBench();
    expect(await bench.run('sandbox', 'serve', '--port', '0', ...argv)).toBe(2);
    expect(bench.world.stderr.text()).toMatch(words);
  });

  test.each([
    [[], 0],
    [['--host', '::1'], 0],
    [['--host', '0.0.0.0', '--allow-host', 'a.test', '--allow-origin', 'http://a.test'], 1],
  ])('%j warns of other machines %d times', async (argv, warnings) => {
    const stop = new AbortController();
    const world = fakeWorld({ interrupted: stop.signal });
    stop.abort();
    await main(['sandbox', 'serve', '--port', '0', ...argv], world);
    expect(world.stdout.text()).toMatch(/FIATRAIL_BASE_URL=http:/);
    const lines = world.stderr
      .text()
      .split('\n')
      .filter((line) => line.startsWith('warning:'));
    expect(lines).toHaveLength(warnings);
    for (const line of lines) expect(line).toMatch(/0\.0\.0\.0 is not a loopback address/);
  });
});

describe('sandbox status', () => {
  test('shows keys only with --values', async () => {
    const { json } = await openBench();
    expect(JSON.stringify(await json('sandbox', 'status'))).not.toMatch(/sandbox_|key-/);
    const { fintechs } = await json('sandbox', 'status', '--values');
    expect(fintechs).toHaveLength(4);
    const [first] = fintechs as { sandboxKey: string; productionKey: string }[];
    expect(first?.sandboxKey.startsWith('sandbox_')).toBe(true);
    expect(first?.productionKey.length).toBeGreaterThan(10);
  });

  test.each([
    ['sandbox', 'settle'],
    ['sandbox', 'snapshot', 'x'],
    ['sandbox', 'restore', 'x', '--yes'],
    ['sandbox', 'fault', 'list'],
    ['sandbox', 'fault', 'clear'],
    ['sandbox', 'fault', 'add', '--on', 'users.list', '--fault', 'slow'],
    ['sandbox', 'pay', '7387420489', '--amount', '1', '--sender', 'A'],
    ['sandbox', 'seed', '--history', '1'],
  ])('rejects %s %s for a live profile and exits with 2', async (...argv) => {
    const env = { FIATRAIL_BASE_URL: 'https://service.test/v1', FIATRAIL_API_KEY: 'a-live-key-nobody-may-see' };
    const world = fakeWorld({ env });
    expect(await main([...argv, '--no-input'], world)).toBe(2);
    expect(world.stderr.text()).toContain('sandbox commands need a sandbox profile');
  });
});
