import { describe, expect, test } from 'vitest';
import type { HttpRequest } from '../../src/base/world.ts';
import { main } from '../../src/main.ts';
import { droppedLine, html, json, refusal, scripted, success, type Turn } from '../support/exchange.ts';
import { journalRows } from '../support/journal.ts';
import { ACCOUNT, type Answer, type FakeWorld, fakeWorld, type WorldOptions } from '../support/world.ts';

interface Ran {
  readonly code: number;
  readonly world: FakeWorld;
  readonly requests: readonly HttpRequest[];
}

async function run(argv: readonly string[], turns: readonly Turn[], options: WorldOptions = {}): Promise<Ran> {
  const { exchange, requests } = scripted(...turns);
  const world = fakeWorld({ network: exchange, ...options, env: { ...ACCOUNT, ...options.env } });
  return { code: await main(argv, world), world, requests };
}

const bodyOf = (request: HttpRequest | undefined) => JSON.parse(request?.body ?? 'null') as unknown;
const pathOf = (request: HttpRequest | undefined) => request?.url.replace('https://service.test/v1', '');
const no: Answer = { kind: 'confirm', asks: 'Continue?', says: false };

const earned = (available: number | undefined, minimum = 1_000, maximum = 10_000_000) =>
  success({
    summary: { availableForWithdrawal: available },
    details: { minimumWithdrawal: minimum, maximumWithdrawal: maximum },
  });
const PENDING = success({ withdrawalId: 'w-1', status: 'pending' });
const ACCOUNTS = success({
  accounts: [
    { accountId: 'a-1', accountName: 'ADA OBI', accountNumber: '0123456789', bankCode: '000013' },
    { accountId: 'a-2', accountName: 'ADA OBI', accountNumber: '01234*****', bankCode: '000013' },
  ],
});
const GIVEN = ['--bank-code', '000013', '--account-number', '0123456789', '--account-name', 'ADA OBI'];
/** The text by which the journal finds a withdrawal again. */
const TAG = expect.stringMatching(/^\[fr-[0-9a-f]{8}\]$/);
const withdraw = (...more: string[]) => ['fees', 'withdraw', '--amount', 'max', ...GIVEN, '--yes', ...more];

/** A valid Solana address: 32 bytes. */
const SOLANA = 'US517G5965aydkZ46HS38QLi7UQiSojurfbQfKCELFx';

describe('fees withdraw --amount max', () => {
  test.each([
    ['the available amount', earned(250_000), 250_000],
    ['the minimum withdrawal', earned(1_000), 1_000],
    ['at most the maximum withdrawal', earned(10_000_001), 10_000_000],
    ['exactly the maximum', earned(10_000_000), 10_000_000],
    ['the available amount without limits', success({ summary: { availableForWithdrawal: 7 } }), 7],
  ] as const)('takes %s', async (_, fees, amountKobo) => {
    const { code, requests } = await run(withdraw(), [fees, PENDING]);
    expect({ code, paths: requests.map(pathOf) }).toEqual({
      code: 0,
      paths: ['/getaccumulatedfees', '/feewithdrawal'],
    });
    expect(bodyOf(requests[1])).toEqual({
      narration: TAG,
      bankAccountNumber: '0123456789',
      bankCode: '000013',
      accountName: 'ADA OBI',
      amount: amountKobo,
    });
  });

  test('says how much is left over when there is more than the maximum', async () => {
    const { world } = await run(withdraw(), [earned(25_000_000), PENDING]);
    expect(world.stderr.text()).toContain('₦250,000.00 available; withdrawing ₦100,000.00');
  });

  test.each([
    ['nothing', earned(0), '₦0.00 available; the minimum withdrawal is ₦10.00'],
    ['too little', earned(999), '₦9.99 available, below the minimum withdrawal of ₦10.00'],
  ])('exits with 9 for %s and sends and journals nothing', async (_, fees, words) => {
    const { code, world, requests } = await run(withdraw(), [fees]);
    expect({ code, requests: requests.length, journal: journalRows(world.stateDir) }).toEqual({
      code: 9,
      requests: 1,
      journal: [],
    });
    expect(world.stderr.text()).toContain(words);
  });

  test('exits with 5 when the service does not report the available amount', async () => {
    expect((await run(withdraw(), [earned(undefined)])).code).toBe(5);
  });

  test('reads the balance in a dry run and sends nothing else', async () => {
    const { code, world, requests } = await run(withdraw('--dry-run', '-o', 'json'), [earned(5_000)]);
    expect({ code, paths: requests.map(pathOf) }).toEqual({ code: 0, paths: ['/getaccumulatedfees'] });
    expect(JSON.parse(world.stdout.text())).toMatchObject({ method: 'POST', body: { amount: 5_000 } });
  });

  test('exits with 6 when the connection drops after the request was sent', async () => {
    expect((await run(withdraw(), [earned(5_000), droppedLine()])).code).toBe(6);
  });
});

test('a confirmation wraps its lines between words, aligned with the value', async () => {
  const { exchange } = scripted(success({ requestId: 'r-1', status: 'requested' }));
  const world = fakeWorld({ network: exchange, env: ACCOUNT });
  const stderr = { ...world.stderr, columns: 60 };
  await main(['onramp', 'create', 'u-1', '--amount', '5000', '--yes'], { ...world, stderr });
  const lines = world.stderr.text().split('\n');
  expect(lines.filter((line) => line.startsWith('  ') && line.length > 60)).toEqual([]);
  expect(lines).toContain('  amount       ₦5,000.00 (500,000 kobo), sent as 5000 naira;');
  expect(lines).toContain('               fees are added on top');
});

describe('fees withdraw --to', () => {
  const to = (id: string) => ['fees', 'withdraw', '--amount', '500', '--to', id, '--yes'];

  test('sends the details of the saved account', async () => {
    const { code, requests } = await run(to('a-1'), [ACCOUNTS, PENDING]);
    const saved = { bankAccountNumber: '0123456789', bankCode: '000013', accountName: 'ADA OBI' };
    expect({ code, body: bodyOf(requests[1]) }).toEqual({
      code: 0,
      body: { ...saved, amount: 50_000, narration: TAG },
    });
  });

  test.each([
    ['an unknown id', to('a-9'), 'no payout bank account has this id'],
    ['an account with masked details', to('a-2'), 'did not return this account’s full details'],
  ])('rejects %s and exits with 2', async (_, argv, words) => {
    const { code, world } = await run(argv, [ACCOUNTS]);
    expect({ code, stderr: world.stderr.text() }).toEqual({ code: 2, stderr: expect.stringContaining(words) });
  });

  test.each([
    ['both', [...to('a-1'), '--bank-code', '000013'], 'cannot be combined'],
    [
      'neither',
      ['fees', 'withdraw', '--amount', '500', '--yes'],
      'missing --to <bank-account>: the bank account to pay',
    ],
    ['half of one', [...GIVEN.slice(0, 4), '--amount', '5'], 'missing --account-name'],
  ])('rejects a destination with %s, exits with 2 and reads nothing', async (_, argv, words) => {
    const line = argv[0] === 'fees' ? argv : ['fees', 'withdraw', '--yes', ...argv];
    const { code, world } = await run(line, []);
    expect({ code, stderr: world.stderr.text() }).toEqual({ code: 2, stderr: expect.stringContaining(words) });
  });
});

describe('fees set', () => {
  const now = success({
    fintechId: 'f',
    feeConfiguration: { onrampFee: { percentageFee: 1.5, capFee: 50_000, enabled: true } },
  });
  const updated = success({ fintechId: 'f', operation: 'updated' });

  test('resends omitted settings unchanged and says so', async () => {
    const { code, requests, world } = await run(['fees', 'set', '--onramp', 'off', '--yes'], [now, updated]);
    const onrampFee = { percentageFee: 1.5, capFee: 50_000, enabled: false };
    expect({ code, body: bodyOf(requests[1]) }).toEqual({ code: 0, body: { onrampFee } });
    expect(world.stderr.text()).toContain('unchanged for the onramp fee: 1.5%, cap ₦500.00');
  });

  test('reads nothing when all settings are given and omits the other direction', async () => {
    const all = ['--offramp-percent', '0.25%', '--offramp-cap', '0', '--offramp', 'on', '--note', 'why', '--yes'];
    const { requests } = await run(['fees', 'set', ...all], [updated]);
    const offrampFee = { percentageFee: 0.25, capFee: 0, enabled: true };
    expect(requests.map(bodyOf)).toEqual([{ offrampFee, metadata: { notes: 'why' } }]);
  });

  test('exits with 2 without all settings of a direction that was never set, and changes nothing', async () => {
    const { code, world } = await run(['fees', 'set', '--offramp-percent', '1'], [now]);
    expect({ code, stderr: world.stderr.text() }).toEqual({
      code: 2,
      stderr: expect.stringContaining('the offramp fee is not set yet'),
    });
  });
});

describe('fees withdrawals list --all', () => {
  const rows = (count: number, pagination = {}) =>
    success({
      pagination,
      withdrawals: Array.from({ length: count }, (_, at) => ({
        withdrawalId: `w-${at}`,
        amount: 1,
        status: 'pending',
      })),
    });

  test('asks for more rows until fewer come', async () => {
    const { code, requests, world } = await run(
      ['fees', 'withdrawals', 'list', '--all', '--limit', '100', '-o', 'json', '--query', 'length(withdrawals)'],
      [rows(100), rows(200), rows(250)],
    );
    const limits = requests.map(({ url }) => new URL(url).searchParams.get('limit'));
    expect({ code, limits, stdout: world.stdout.text() }).toEqual({
      code: 0,
      limits: ['100', '200', '300'],
      stdout: '250\n',
    });
  });

  test('prints the rows received and exits with 5 when the list is incomplete', async () => {
    const { code, world } = await run(
      ['fees', 'withdrawals', 'list', '--all', '--limit', '100', '-o', 'csv', '--fields', 'withdrawalId'],
      [rows(100), rows(100, { total: 250, limit: 100, hasMore: true })],
    );
    expect({ code, lines: world.stdout.text().trim().split('\n').length }).toEqual({ code: 5, lines: 101 });
    expect(world.stderr.text()).toContain('the service returned 100 rows and says that there are more');
  });
});

describe('an endpoint whose effect depends on its action', () => {
  const LIST = ['api', 'POST', '/manageipallowlist', '-f', 'action=list'];
  const REMOVE = ['api', 'POST', '/manageipallowlist', '-f', 'action=remove', '-f', 'index=0'];
  const listed = success({ ipAddresses: [], totalIps: 0 });

  test.each([
    ['ip list', ['ip', 'list']],
    ['ip check', ['ip', 'check']],
    ['api with action=list', LIST],
  ])('retries a read after a failure: %s', async (_, argv) => {
    const { code, requests } = await run(argv, [html(502), droppedLine(), listed]);
    expect({ code, requests: requests.length }).toEqual({ code: 0, requests: 3 });
  });

  test('exits with 6 rather than resend an addition', async () => {
    const add = ['api', 'POST', '/manageipallowlist', '-f', 'action=add', '-f', 'ipAddress=192.0.2.1'];
    expect((await run(add, [html(502)])).code).toBe(6);
  });

  test('confirms and journals a removal', async () => {
    expect((await run(REMOVE, [], { isTerminal: true, answers: [no] })).code).toBe(9);
    const { code, world } = await run([...REMOVE, '--yes'], [success({ action: 'remove' })]);
    expect({ code, states: journalRows(world.stateDir).map(({ state }) => state) }).toEqual({
      code: 0,
      states: ['settled'],
    });
  });

  test('exits with 5 when a read stays unreadable', async () => {
    const world = fakeWorld({ network: async () => json(200, '{"status": '), env: ACCOUNT });
    expect(await main(['ip', 'list'], world)).toBe(5);
  });
});

describe('api', () => {
  test.each([
    ['GET', '/regenerateapikey'],
    ['get', '/v1/regenerateapikey'],
  ])('exits with 2 for %s %s', async (...words) => {
    const { code, world } = await run(['api', ...words, '--yes'], []);
    expect({ code, stderr: world.stderr.text() }).toEqual({
      code: 2,
      stderr: expect.stringContaining('fiatrail keys rotate'),
    });
  });

  test('accepts an alias path, and prefers a literal segment over a parameter', async () => {
    const trade = success({ trade: { tradeId: 't-1', status: 'pending' } });
    const { requests } = await run(['api', 'GET', '/fx/trades/t-1', '-o', 'raw'], [trade]);
    expect(requests.map(pathOf)).toEqual(['/fx/trades/t-1']);
    const named = await run(['api', 'GET', '/fx/trades/status', '-f', 'tradeId=t-1', '-o', 'raw'], [trade]);
    expect(named.requests.map(pathOf)).toEqual(['/fx/trades/status?tradeId=t-1']);
  });
});

describe('history', () => {
  const deposits = (count: number) =>
    success({
      deposits: Array.from({ length: count }, (_, at) => ({ id: `d-${at}`, amount: 5 })),
      total: count,
      limit: 20,
      offset: 0,
      hasMore: false,
    });
  const queryOf = (request: HttpRequest | undefined) => Object.fromEntries(new URL(request?.url ?? '').searchParams);

  test('sends the filters under the service’s names', async () => {
    const argv = ['history', 'deposits', '--user', 'u-1', '--status', 'failed', '--since', '2026-08-01'];
    const { requests } = await run([...argv, '--until', '2026-08-02T10:00:00+01:00', '--limit', '7'], [deposits(0)]);
    expect(queryOf(requests[0])).toEqual({
      type: 'user_onramp',
      userId: 'u-1',
      status: 'failed',
      startDate: '2026-07-31T23:00:00.000Z',
      endDate: '2026-08-02T09:00:00.000Z',
      limit: '7',
      offset: '0',
    });
  });

  test.each([
    ['an impossible day', ['--since', '2026-02-30']],
    ['text that is not a date', ['--until', 'soon']],
    ['a time without a zone', ['--since', '2026-08-01T10:00']],
    ['reversed dates', ['--since', '2026-08-02', '--until', '2026-08-01']],
    ['dates reversed by their time zones', ['--since', '2026-08-01T10:00:00Z', '--until', '2026-08-01T10:30:00+01:00']],
    ['a user with a conflicting type', ['--user', 'u', '--type', 'fintech_deposit']],
  ])('rejects %s, exits with 2 and sends nothing', async (_, more) => {
    expect((await run(['history', 'deposits', ...more], [])).code).toBe(2);
  });

  test('says of joined pages where they are in the list', async () => {
    const { world } = await run(['history', 'deposits', '--all', '-o', 'json'], [deposits(3)]);
    const printed = JSON.parse(world.stdout.text()) as Record<string, unknown>;
    expect(Object.keys(printed)).toEqual(['deposits', 'pagination']);
    expect(printed['pagination']).toEqual({ total: 3, limit: null, offset: 0, hasMore: false, after: null });
  });

  test.each(['ndjson', 'csv'])('reads at most one page ahead of the output: -o %s', async (format) => {
    const size = 2;
    const written: number[] = [];
    let world: FakeWorld | undefined;
    const page =
      (from: number, count: number): Turn =>
      () => {
        written.push((world?.stdout.text().match(/d-\d+/g) ?? []).length);
        const rows = Array.from({ length: count }, (_, at) => ({ id: `d-${from + at}` }));
        return success({ deposits: rows, total: 5 });
      };
    const { exchange } = scripted(page(0, 2), page(2, 2), page(4, 1));
    world = fakeWorld({ network: exchange, env: ACCOUNT });
    const argv = ['history', 'deposits', '--all', '--limit', String(size), '-o', format, '--fields', 'id'];
    expect({ code: await main(argv, world), written }).toEqual({ code: 0, written: [0, 2, 2] });
  });
});

describe('bridge create', () => {
  const ROUTE = ['bridge', 'create', '--amount', '5', '--to-network', 'bsc', '--from', `0x${'a'.repeat(40)}`];
  const from = (network: string) => [...ROUTE, '--to', `0x${'b'.repeat(40)}`, '--from-network', network];
  const NETWORKS = success({
    tokens: [{ token: 'CNGN', networks: ['base', 'newnet'] }],
    allSupportedNetworks: ['arc'],
  });

  test('rejects an unknown network before it asks', async () => {
    const { code, world, requests } = await run(from('xx'), [NETWORKS], { isTerminal: true });
    expect({ code, paths: requests.map(pathOf), journal: journalRows(world.stateDir) }).toEqual({
      code: 2,
      paths: ['/bridge/networks'],
      journal: [],
    });
    expect(world.stderr.text()).toContain('unknown network "xx"; nothing was sent');
    expect(world.stderr.text()).toContain('use one of base, newnet, arc');
  });

  test.each([
    ['that only the service knows', 'newnet', [NETWORKS]],
    ['if the list cannot be read', 'xx', [refusal(400, '01', 'no')]],
    ['that is known', 'base', []],
  ] as const)('asks about a network %s', async (_name, network, turns) => {
    const { code, world } = await run(from(network), [...turns, refusal(400, '01', 'no')], {
      isTerminal: true,
      answers: [no],
    });
    expect({ code, text: world.stderr.text() }).toEqual({ code: 9, text: expect.stringContaining('declined') });
  });
});

describe('other money commands', () => {
  test.each([
    [
      ['payout', 'create', '--amount', '1.5', '--to', 'a-1'],
      '/initiateofframp',
      { amount: 1_500_000, bankAccountId: 'a-1' },
      { requestId: 'r-1' },
    ],
    [
      [
        'withdrawals',
        'create',
        'u-1',
        '--amount',
        '1.5',
        '--token',
        'usdc',
        '--from',
        'w-1',
        '--to',
        SOLANA,
        '--network',
        'sol',
      ],
      '/withdrawasset',
      { userId: 'u-1', internalWallet: 'w-1', destinationWallet: SOLANA, amount: 1.5, ticker: 'USDC', network: 'sol' },
      { requestId: 'r-1' },
    ],
    [
      ['transfers', 'create', '--amount', '2 USDT', '--token', 'USDT', '--to', `0x${'a'.repeat(40)}`, '--note', 'n'],
      '/fintechtransfer',
      { destinationAddress: `0x${'a'.repeat(40)}`, amount: 2_000_000, ticker: 'USDT', note: 'n' },
      { requestId: 'r-1' },
    ],
  ])('%j sends %s in its unit and is journaled', async (argv, path, body, data) => {
    const { code, requests, world } = await run([...argv, '--yes'], [success(data)]);
    expect({ code, paths: requests.map(pathOf), bodies: requests.map(bodyOf) }).toEqual({
      code: 0,
      paths: [path],
      bodies: [body],
    });
    expect(journalRows(world.stateDir).map(({ state }) => state)).toEqual(['accepted']);
  });

  test.each([
    ['payout', ['payout', 'create', '--amount', '5', '--to', 'a-1']],
    ['transfers create', ['transfers', 'create', '--amount', '5', '--to', `0x${'a'.repeat(40)}`]],
    ['withdrawal of fees', ['fees', 'withdraw', '--amount', '5', ...GIVEN]],
    ['removal', ['wallets', 'external', 'remove', '0x1']],
    ['removal', ['bank-accounts', 'remove', 'a-1']],
    ['removal', ['users', 'default-wallet', 'remove', 'u-1']],
  ])('%s exits with 2 without --yes or a terminal and sends nothing', async (_, argv) => {
    const { code, world } = await run(argv, []);
    expect({ code, journal: journalRows(world.stateDir) }).toEqual({ code: 2, journal: [] });
  });

  test('exits with 3 and prints the table when one user of a batch failed', async () => {
    const results = [
      { userId: 'u-1', status: 'created' },
      { userId: 'u-2', status: 'failed', reason: 'no such user' },
    ];
    const reply = success({ created: 1, failed: 1, results });
    const { code, world, requests } = await run(
      ['users', 'migrate-wallets', 'u-1', 'u-2', '--force', '--yes'],
      [reply],
    );
    expect({ code, body: bodyOf(requests[0]) }).toEqual({ code: 3, body: { userId: ['u-1', 'u-2'], force: true } });
    expect(world.stdout.text()).toContain('no such user');
  });
});

describe('onramp create', () => {
  const STARTED = success({ requestId: 'r-1', status: 'requested' });
  const TO = `0x${'b'.repeat(40)}`;
  const look: Turn = () => refusal(404, '02', 'not to be read');

  test.each([
    ['nothing', [], {}, 'a new wallet of the user, as cNGN or the user’s onramp asset'],
    ['off', ['--auto-swap', 'off'], { autoSwap: false }, 'a new wallet of the user, as cNGN'],
    ['sweep', ['--sweep'], { sweepToOfframp: true }, 'the user’s default wallet, as cNGN or the user’s onramp asset'],
    [
      'a swap',
      ['--auto-swap', 'USDT'],
      { autoSwap: true, assetSwap: 'USDT' },
      'a new wallet of the user, swapped into USDT',
    ],
    [
      'both',
      ['--auto-swap', 'USDC', '--sweep'],
      { autoSwap: true, assetSwap: 'USDC', sweepToOfframp: true },
      'the user’s default wallet, swapped into USDC',
    ],
    [
      'a swap elsewhere',
      ['--auto-swap', 'USDC', '--destination', TO],
      { autoSwap: true, assetSwap: 'USDC', destinationAssetSwap: TO },
      `0x${'bbbb '.repeat(10).trim()}, swapped into USDC`,
    ],
  ])('shows and sends the destination with %s', async (_, more, fields, words) => {
    const yes: Answer = { kind: 'confirm', asks: 'Continue?', says: true };
    const line = ['onramp', 'create', 'u-1', '--amount', '5', ...more];
    const { code, world, requests } = await run(line, [look, look, look, STARTED], {
      isTerminal: true,
      answers: [yes],
    });
    expect({ code, body: bodyOf(requests[3]) }).toEqual({ code: 0, body: { userId: 'u-1', amount: 5, ...fields } });
    expect(world.stderr.text()).toContain(`destination  ${words}\n`);
  });

  test.each([
    ['without a swap', ['--destination', TO]],
    ['with the swap off', ['--auto-swap', 'off', '--destination', TO]],
    ['with a sweep', ['--auto-swap', 'USDC', '--sweep', '--destination', TO]],
  ])('rejects --destination %s and exits with 2', async (_, more) => {
    expect((await run(['onramp', 'create', 'u-1', '--amount', '5', '--yes', ...more], [])).code).toBe(2);
  });
});
