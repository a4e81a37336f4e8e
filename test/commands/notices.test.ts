import { describe, expect, test } from 'vitest';
import { main } from '../../src/main.ts';
import { type FakeWorld, fakeWorld } from '../support/world.ts';

/** A sandbox with 25 users. */
async function withUsers(options: Parameters<typeof fakeWorld>[0] = {}): Promise<FakeWorld> {
  const world = fakeWorld(options);
  expect(await main(['sandbox', 'seed', '--users', '25', '--rate-limits', 'off', '-q', '-o', 'json'], world)).toBe(0);
  return world;
}

/** What a command prints beyond what was there. */
async function run(world: FakeWorld, ...argv: readonly string[]) {
  const [out, err] = [world.stdout.text().length, world.stderr.text().length];
  const code = await main(argv, world);
  return { code, stdout: world.stdout.text().slice(out), stderr: world.stderr.text().slice(err) };
}

const PROFILE = 'profile sandbox · embedded sandbox\n';

describe('a list that is not whole', () => {
  test.each([
    [['users', 'list'], '20 of 25 users; for the next page: --after CURSOR; for all: --all\n'],
    [
      ['users', 'list', '--limit', '3', '-o', 'csv'],
      '3 of 25 users; for the next page: --after CURSOR; for all: --all\n',
    ],
    [
      ['users', 'list', '--limit', '2', '--query', 'users[].userId'],
      '2 of 25 users; for the next page: --after CURSOR; for all: --all\n',
    ],
    [['users', 'list', '--all'], ''],
    [['users', 'list', '--limit', '100'], ''],
    [['banks'], ''],
    [['users', 'list', '--limit', '3', '-q'], undefined],
  ])('%j says so', async (argv, notice) => {
    const { code, stderr } = await run(await withUsers(), ...argv);
    const said = stderr.replace(/--after [\w.-]+/, '--after CURSOR');
    expect({ code, said }).toEqual({ code: 0, said: notice === undefined ? '' : PROFILE + notice });
  });

  test('says so where the service gives no total', async () => {
    const list = JSON.stringify({ success: true, response_code: '00', data: Array.from({ length: 50 }, () => ({})) });
    const world = fakeWorld({
      env: { FIATRAIL_BASE_URL: 'https://service.test/v1', FIATRAIL_API_KEY: 'a-live-key-nobody-may-see' },
      network: async () => ({ status: 200, headers: {}, body: list }),
    });
    const { stderr } = await run(world, 'fees', 'withdrawals', 'list');
    expect(stderr).toMatch(
      /^20 of the withdrawals, and there are more; for the next page: --after [\w.-]+; for all: --all$/m,
    );
  });
});

describe('a query that finds nothing', () => {
  test.each(['users[0].nothing', 'users[?firstName==`"nobody"`]'])('%s is said, and is no error', async (query) => {
    const { code, stderr } = await run(await withUsers(), 'users', 'list', '--all', '--query', query);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/--query found nothing; there are: users\[\]\.userId, users\[\]\.firstName, .*\n$/),
    });
    expect(stderr.split('\n').filter((line) => line.includes('users[]')).length).toBe(1);
  });

  test('exits with 9 if it is required', async () => {
    const world = await withUsers();
    const query = ['--query', 'users[0].nothing', '--query-required'];
    expect(await run(world, 'users', 'list', '--all', ...query, '-q')).toEqual({
      code: 9,
      stdout: 'null\n',
      stderr: expect.stringMatching(
        /^error: --query found nothing\n {2}hint: see what there is without --query\n {2}run: .*\n$/,
      ),
    });
    expect((await run(world, 'users', 'list', '--query', 'users[0].userId', '--query-required')).code).toBe(0);
  });

  test.each([
    [['users', 'list', '--query-required'], '--query-required needs --query'],
    [
      ['users', 'deactivate', 'u-1', '--reason', 'test', '--yes', '--query', 'userId', '--query-required'],
      'is for commands that only read',
    ],
  ])('%j is a usage error', async (argv, message) => {
    const { code, stderr } = await run(await withUsers(), ...argv);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
  });
});

describe('balances --require', () => {
  test.each([
    [['account', '--require', '1'], 0, ''],
    [['account', '--require', '5250000'], 0, ''],
    [
      ['account', '--require', '5250000.000001'],
      9,
      'error: the balance is 5,250,000.00 cNGN, below the required 5,250,000.000001 cNGN\n  hint: add tokens to the account wallet, or require less\n',
    ],
    [['account', '--token', 'USDC', '--require', '2000 USDC'], 0, ''],
    [['account', '--token', 'USDC', '--require', '1e9'], 2, undefined],
    [['account', '--require', '5 USDC'], 2, undefined],
    [['account', '--require', '-5'], 2, undefined],
  ] as const)('%j exits with %i', async (argv, expected, error) => {
    const { code, stdout, stderr } = await run(fakeWorld(), 'balances', ...argv, '-q');
    expect(code).toBe(expected);
    if (error !== undefined) expect(stderr.replace(/^ {2}run: .*\n/m, '')).toBe(error);
    if (expected !== 2) expect(stdout).toContain('Balance');
  });

  test('a response without the balance is not taken for enough', async () => {
    const body = JSON.stringify({ success: true, response_code: '00', data: { networkBalances: [] } });
    const world = fakeWorld({
      env: { FIATRAIL_BASE_URL: 'https://service.test/v1', FIATRAIL_API_KEY: 'a-live-key-nobody-may-see' },
      network: async () => ({ status: 200, headers: {}, body }),
    });
    const { code, stderr } = await run(world, 'balances', 'account', '--require', '1', '-q');
    expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringContaining('has no balance') });
  });
});

describe('color', () => {
  const ESCAPE = '\u001b[';
  test.each([
    [[], {}, true, true],
    [[], { NO_COLOR: '1' }, true, false],
    [[], { NO_COLOR: '' }, true, true],
    [[], { TERM: 'dumb' }, true, false],
    [[], {}, false, false],
    [['--color', 'always'], { NO_COLOR: '1' }, false, true],
    [['--color=never'], {}, true, false],
    [['--no-color'], {}, true, false],
    [['--color', 'auto'], {}, true, true],
  ] as const)('%j with %j on a terminal or not: %s', async (flags, env, isTerminal, hasColor) => {
    const world = fakeWorld({ isTerminal, env });
    const { stdout } = await run(world, 'banks', '--search', 'access', ...flags);
    const { stderr } = await run(world, 'banks', 'lst', ...flags);
    expect([stdout.includes(ESCAPE), stderr.includes(ESCAPE)]).toEqual([hasColor, hasColor]);
  });

  test('another word is a usage error', async () => {
    expect((await run(fakeWorld(), 'banks', '--color', 'sometimes')).code).toBe(2);
  });
});

describe('states', () => {
  const GREEN = '\u001b[32m';
  const YELLOW = '\u001b[33m';
  test('are colored in tables and documents, and nowhere else', async () => {
    const world = fakeWorld();
    await run(world, 'sandbox', 'seed', '--users', '1', '--pace', 'instant', '--rate-limits', 'off', '-q');
    const withdraw = ['fees', 'withdraw', '--amount', '500', '--to', 'default', '--yes', '-q'];
    const { stdout } = await run(world, ...withdraw, '--color', 'always');
    expect(stdout).toContain(`${YELLOW}pending\u001b[39m`);
    await run(world, 'sandbox', 'settle', '-q');
    const list = ['fees', 'withdrawals', 'list', '-q', '--color'];
    expect((await run(world, ...list, 'always')).stdout).toContain(`${GREEN}completed\u001b[39m`);
    expect((await run(world, ...list, 'never')).stdout).not.toContain('\u001b');
    expect((await run(world, ...list, 'always', '-o', 'csv')).stdout).not.toContain('\u001b');
  });
});

describe('a table for another program', () => {
  const LIST = ['users', 'list', '--limit', '4', '-q'];
  const linesOf = (text: string) => text.trimEnd().split('\n');

  test('has one line for each row, whatever COLUMNS says', async () => {
    for (const COLUMNS of [undefined, '20', '80', '200', 'wide', '0']) {
      const world = await withUsers(COLUMNS === undefined ? {} : { env: { COLUMNS } });
      const lines = linesOf((await run(world, ...LIST)).stdout);
      expect(lines).toHaveLength(6);
      for (const line of lines.slice(2)) expect(line).toMatch(/^[0-9a-f]{64} .*\d{10}$/);
    }
  });

  test('is cut to COLUMNS at words, and never inside an id', async () => {
    const narrow = linesOf((await run(fakeWorld({ env: { COLUMNS: '60' } }), 'bank-accounts', 'list', '-q')).stdout);
    expect(narrow).toHaveLength(3);
    expect(narrow[2]).toMatch(/^[0-9a-f-]{36} {2}DAMILOLA… +0123456789 {2}GUARANTY TRUST… +yes +settlement$/);
  });

  test('wraps to the width of a terminal instead', async () => {
    const lines = linesOf((await run(await withUsers({ isTerminal: true }), ...LIST, '--no-color')).stdout);
    expect(lines.length).toBeGreaterThan(6);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  });
});

test('whoami says which account and who', async () => {
  const { code, stdout } = await run(fakeWorld(), 'whoami', '-o', 'json');
  expect({ code, ...JSON.parse(stdout) }).toEqual({
    code: 0,
    profile: 'sandbox',
    account: 'embedded sandbox',
    mode: 'embedded',
    baseUrl: null,
    keyFingerprint: expect.stringMatching(/^[0-9a-f]{12}$/),
    user: 'ada',
    host: 'host-1',
  });
});

test('version and help are words too', async () => {
  expect((await run(fakeWorld(), 'version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  const { stdout } = await run(fakeWorld(), 'help', 'fx', 'trade');
  expect(stdout).toBe((await run(fakeWorld(), 'fx', 'trade', '--help')).stdout);
  expect(await run(fakeWorld(), 'help', 'xqzzw')).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'error: nothing in the help is about "xqzzw"\n  hint: see what there is with: fiatrail help topics, or: fiatrail help commands\n  run: 2026-01-05T09:00:00.000Z · fiatrail · host host-1\n',
  });
});

describe('ops list with a filter', () => {
  test('does not count what the filter leaves out', async () => {
    const world = fakeWorld();
    await run(world, 'sandbox', 'seed', '--users', '1', '--pace', 'instant', '--rate-limits', 'off', '-q');
    for (const amount of ['500', '600', '700'])
      await run(world, 'fees', 'withdraw', '--amount', amount, '--to', 'default', '--yes', '-q');
    expect((await run(world, 'ops', 'list', '--status', 'unknown')).stderr).toBe('');
    expect((await run(world, 'ops', 'list', '--limit', '1')).stderr).toMatch(/^1 of 3 operations; for the next/);
    expect((await run(world, 'ops', 'list', '--kind', 'money', '--limit', '1')).stderr).toMatch(
      /^1 of the operations, and there are more; for the next page: --after [\w.-]+; for all: --all\n$/,
    );
    const { pagination } = JSON.parse((await run(world, 'ops', 'list', '--status', 'unknown', '-o', 'json')).stdout);
    expect(pagination).toMatchObject({ total: 0, hasMore: false });
  });

  test('and a query that finds nothing print no word that a script could take for a row', async () => {
    const { stdout } = await run(fakeWorld(), 'ops', 'list', '--query', 'operations[].operationId', '-q');
    expect(stdout).toBe('');
  });
});
