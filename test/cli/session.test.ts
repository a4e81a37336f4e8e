import { describe, expect, test } from 'vitest';
import type { HttpRequest, HttpResponse } from '../../src/base/world.ts';
import { main } from '../../src/main.ts';
import {
  droppedLine,
  json,
  refusal,
  refusedConnection,
  scripted,
  success,
  type Turn,
  tooMany,
} from '../support/exchange.ts';
import { type JournalRow, journalRows } from '../support/journal.ts';
import { ACCOUNT, type Answer, type FakeWorld, fakeWorld, type WorldOptions } from '../support/world.ts';

const ONRAMP = ['onramp', 'create', 'u-1', '--amount', '5000'];
const OFFRAMP = [
  'offramp',
  'create',
  'u-1',
  '--amount',
  '20',
  '--bank-code',
  '000013',
  '--account-number',
  '0123456789',
];
const TRANSFER = ['transfers', 'create', '--amount', '1', '--to', '0x52908400098527886E0F7030069857D2E4169EE7'];
const STARTED = success({ requestId: 'r-1', status: 'requested' });
/** A complete response. */
const WHOLE = {
  requestId: 'r-1',
  status: 'requested',
  walletAddress: '0x1',
  message: 'started',
  autoSwapEnabled: false,
  targetAsset: 'CNGN',
  feeBreakdown: { baseAmount: 5000, totalFee: 100, totalAmount: 5100 },
};

const FEE = { percentageFee: 0.5, capFee: 50_000, enabled: true };
const FEES = { fintechId: 'f-1', hasConfiguration: true, feeConfiguration: { onrampFee: FEE, offrampFee: FEE } };

/** Answers the reads of a confirmation, fees and balance, in any order. */
const read: Turn = ({ url }) => {
  if (url.endsWith('/fees/platform/preview')) return success({ result: { finalFee: 7_500 } });
  return success(url.endsWith('/getfees') ? FEES : { totalBalance: '1500.000000' });
};
const PREVIEWS = [read, read, read];

interface Ran {
  readonly code: number;
  readonly world: FakeWorld;
  readonly requests: readonly HttpRequest[];
}

/** Runs a command line with an account whose service plays `turns`. */
async function run(argv: readonly string[], turns: readonly Turn[], options: WorldOptions = {}): Promise<Ran> {
  const { exchange, requests } = scripted(...turns);
  const world = fakeWorld({ network: exchange, ...options, env: { ...ACCOUNT, ...options.env } });
  return { code: await main(argv, world), world, requests };
}

const onTerminal = (...answers: Answer[]) => ({ isTerminal: true, answers });
const yes: Answer = { kind: 'confirm', asks: 'Continue?', says: true };
const no: Answer = { kind: 'confirm', asks: 'Continue?', says: false };

/** The first payment of a live account says that its journal is new. */
const NEW_JOURNAL = /^warning: the journal in \S+ is new, .*\n/;

describe('a payment', () => {
  test('asks for confirmation on a terminal and is sent on yes', async () => {
    const { code, requests } = await run(ONRAMP, [...PREVIEWS, STARTED], onTerminal(yes));
    expect({ code, url: requests.at(-1)?.url }).toEqual({ code: 0, url: 'https://service.test/v1/cngnonramp' });
  });

  test('exits with 9 when declined and sends and records nothing', async () => {
    const { code, world } = await run(ONRAMP, PREVIEWS, onTerminal(no));
    expect({ code, stdout: world.stdout.text(), journal: journalRows(world.stateDir) }).toEqual({
      code: 9,
      stdout: '',
      journal: [],
    });
    expect(world.stderr.text()).toContain('declined; nothing was sent');
  });

  test.each([
    ['an onramp', ONRAMP],
    ['an offramp', OFFRAMP],
    ['a transfer', TRANSFER],
    ['any request', ['api', 'POST', '/cngnonramp', '-f', 'userId=u']],
  ])('exits with 2 for a --fields name that %s does not print, before sending anything', async (_, argv) => {
    const { code, world, requests } = await run([...argv, '--yes', '--fields', 'nonesuch', '-o', 'json'], []);
    const stderr = world.stderr.text();
    expect({ exit: code, stderr }).toEqual({ exit: 2, stderr: expect.stringContaining('nonesuch') });
    expect({ requests, journal: journalRows(world.stateDir) }).toEqual({ requests: [], journal: [] });
  });

  test('shows its details before it asks', async () => {
    const { world } = await run(ONRAMP, PREVIEWS, onTerminal(no));
    const shown = world.stderr.text();
    for (const part of [
      'environment (LIVE)',
      'u-1',
      '₦5,000.00 (500,000 kobo), sent as 5000 naira',
      'a new wallet of the user',
      '₦100.00: ₦75.00 to the platform, ₦25.00 to you',
      'to pay       ₦5,100.00',
      '1,500.00 cNGN before, 6,500.00 cNGN after',
    ])
      expect(shown).toContain(part);
  });

  test('shows the balance before and after, with fees', async () => {
    const { world, code } = await run(OFFRAMP, PREVIEWS, onTerminal(no));
    const line = '1,500.00 cNGN before, 1,404.90 cNGN after';
    expect({ code, stderr: world.stderr.text() }).toEqual({ code: 9, stderr: expect.stringContaining(line) });
  });

  test('shows its details with --quiet too if it asks', async () => {
    const { world } = await run([...ONRAMP, '-q'], PREVIEWS, onTerminal(no));
    for (const part of ['environment (LIVE)', '₦5,000.00 (500,000 kobo)', '6,500.00 cNGN after'])
      expect(world.stderr.text()).toContain(part);
  });

  test('prints nothing with --quiet and --yes', async () => {
    const { world } = await run([...ONRAMP, '-q', '--yes'], [success(WHOLE)]);
    expect(world.stderr.text().replace(NEW_JOURNAL, '')).toBe('');
  });

  test.each([
    ['a list', []],
    ['a text', 'done'],
  ])('exits with 6 if the response to a transfer is %s: its outcome is unknown', async (_, data) => {
    const { code, world } = await run([...TRANSFER, '--yes'], [success(data)]);
    expect({ code, states: journalRows(world.stateDir).map(({ state }) => state) }).toEqual({
      code: 6,
      states: ['unknown'],
    });
  });

  test('exits with 6 if a market order is accepted without an id, and says with which answer', async () => {
    const order = ['fx', 'trade', '--market', '--pair', 'CNGN-USDC', '--side', 'buy', '--amount', '50000'];
    const { code, world } = await run([...order, '--yes', '-o', 'json'], [success({})]);
    expect({ code, states: journalRows(world.stateDir).map(({ state }) => state) }).toEqual({
      code: 6,
      states: ['unknown'],
    });
    const stderr = world.stderr.text();
    expect(JSON.parse(stderr.slice(stderr.indexOf('{'))).error).toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      message: expect.stringMatching(/^the service accepted the request, but its id is unknown/),
      httpStatus: 200,
      responseCode: '00',
    });
  });

  test('warns about a response that does not match the contract, even with --quiet and --wait', async () => {
    const odd = success({ ...WHOLE, walletAddress: [] });
    const done = success({ requestId: 'r-1', status: 'completed' });
    const { code, world } = await run([...ONRAMP, '--yes', '-q', '--wait'], [odd, done]);
    expect({ code, stderr: world.stderr.text().replace(NEW_JOURNAL, '') }).toEqual({
      code: 0,
      stderr: expect.stringMatching(
        /^warning: the response does not match the contract at walletAddress; it is treated as accepted\n {2}pay exactly/,
      ),
    });
  });

  test('warns about a read that lacks a field, and shows what is there', async () => {
    const older = success({ smartWallet: '0x854e8eed4d9752835f17b3a7e0b1e7641a7483e9' });
    const { code, world } = await run(['wallets', 'show', '-q', '-o', 'json'], [older]);
    expect({ code, stderr: world.stderr.text() }).toEqual({
      code: 0,
      stderr: 'warning: the response lacks fintechId\n',
    });
    expect(world.stdout.text()).toContain('0x854e8eed4d9752835f17b3a7e0b1e7641a7483e9');
  });

  test('is journaled without secrets, in any spelling of their names', async () => {
    const fields = { userId: 'u-1', BVN: '22222222299', apiKey: 'sandbox_0123', meta: [{ privateKey: '5ec7e7' }] };
    const api = ['api', 'POST', '/cngnonramp', '-d', JSON.stringify(fields), '--yes', '-v'];
    const { world } = await run(api, [STARTED]);
    const seen = JSON.stringify(journalRows(world.stateDir)) + world.stderr.text() + world.stdout.text();
    expect(seen).toContain('u-1');
    for (const hidden of ['22222222299', 'sandbox_0123', '5ec7e7']) expect(seen).not.toContain(hidden);
  });

  test('shows the shortfall, asks nothing and exits with 9', async () => {
    const { world, code } = await run(OFFRAMP.with(4, '2000'), PREVIEWS, { isTerminal: true });
    expect(code).toBe(9);
    expect(world.stderr.text()).toContain('1,500.00 cNGN before, 585.00 cNGN short');
    expect(world.stderr.text()).toContain(
      'the balance is 1,500.00 cNGN, and this takes 2,085.00 cNGN; nothing was sent',
    );
  });

  test('leaves out fees and balance that cannot be read', async () => {
    const no404 = refusal(404, '02', 'no');
    const { world, code } = await run(OFFRAMP, [no404], onTerminal(no));
    const shown = world.stderr.text();
    expect({
      code,
      hasBefore: /\d before/.test(shown.replaceAll(/ (cNGN|USDC)/g, '')),
      hasFees: /^ +fees/m.test(shown),
    }).toEqual({
      code: 9,
      hasBefore: false,
      hasFees: false,
    });
  });

  test('shows only the current balance if a fee cannot be read', async () => {
    const withoutFees: Turn = (request) =>
      request.url.endsWith('/getfees')
        ? refusal(404, '02', 'no')
        : (read as (request: HttpRequest) => HttpResponse)(request);
    const { world } = await run(OFFRAMP, [withoutFees, withoutFees, withoutFees], onTerminal(no));
    const shown = world.stderr.text();
    expect(shown).toContain('fees         ₦75.00 to the platform\n');
    expect(shown).toContain('balance      1,500.00 cNGN before\n');
  });

  test.each([['--yes'], ['-y']])('does not ask with %s', async (flag) => {
    const { code, requests } = await run([...OFFRAMP, flag], [STARTED]);
    expect({ code, urls: requests.map(({ url }) => url) }).toEqual({
      code: 0,
      urls: ['https://service.test/v1/cngnofframp'],
    });
  });

  test('does not ask with --yes on a terminal', async () => {
    expect((await run([...ONRAMP, '--yes'], [STARTED], onTerminal())).code).toBe(0);
  });

  const NOT_INTERACTIVE: readonly (readonly [name: string, argv: readonly string[], options: WorldOptions])[] = [
    ['without a terminal', ONRAMP, {}],
    ['with --no-input', [...ONRAMP, '--no-input'], { isTerminal: true }],
    ['in CI', ONRAMP, { isTerminal: true, env: { CI: 'true' } }],
  ];

  test.each(NOT_INTERACTIVE)(
    'exits with 2 %s if --yes is missing, and sends and records nothing',
    async (_, argv, options) => {
      const { code, world } = await run(argv, [], options);
      expect({ code, journal: journalRows(world.stateDir) }).toEqual({ code: 2, journal: [] });
      expect(world.stderr.text()).toContain('add --yes to skip the confirmation');
    },
  );

  test('asks for confirmation with fiatrail api too', async () => {
    const argv = ['api', 'POST', '/cngnonramp', '-f', 'userId=u', '-f', 'amount=5'];
    expect((await run(argv, [], onTerminal(no))).code).toBe(9);
  });
});

describe('without confirmation or journal', () => {
  test.each([
    ['a read', ['balances', 'account'], success({ totalBalance: '5.000000' })],
    [
      'a write',
      ['bank-accounts', 'add', '--account-number', '0123456789', '--bank-code', '058', '--yes'],
      success({ verifiedAccountName: 'A', isValidated: true }),
    ],
  ] as const)('%s is sent', async (_, argv, answer) => {
    const { code, world } = await run(argv, [answer], onTerminal());
    expect({ code, journal: journalRows(world.stateDir) }).toEqual({ code: 0, journal: [] });
  });
});

describe('--dry-run', () => {
  test.each([
    ['a payment', [...ONRAMP, '--dry-run']],
    ['a read', ['balances', 'account', '--dry-run']],
    ['a read with --all', ['users', 'list', '--all', '--dry-run']],
    ['a write', ['users', 'onboard', '12345678901', '--dry-run']],
    ['api', ['api', 'POST', '/cngnonramp', '-f', 'amount=5', '--dry-run']],
    ['a payment with --wait', [...ONRAMP, '--wait', '--dry-run']],
  ])('of %s asks, sends and records nothing and succeeds', async (_, argv) => {
    const { code, world } = await run([...argv, '-o', 'json'], [], onTerminal());
    expect({ code, printed: JSON.parse(world.stdout.text()), journal: journalRows(world.stateDir) }).toMatchObject({
      code: 0,
      printed: { dryRun: true },
      journal: [],
    });
  });

  test('redacts secrets', async () => {
    const { world } = await run(['users', 'onboard', '12345678901', '--dry-run', '-v'], []);
    expect(world.stdout.text() + world.stderr.text()).not.toContain('12345678901');
  });

  test('of the tour sends nothing', async () => {
    const world = fakeWorld();
    await main(['tour', '--dry-run'], world);
    expect(journalRows(world.stateDir)).toEqual([]);
  });
});

describe('missing input', () => {
  test('is asked for on a terminal', async () => {
    const answers: Answer[] = [
      { kind: 'search', asks: 'Which user?', says: 'ADA' },
      { kind: 'text', asks: 'Amount in Naira:', says: ' 5,000 ' },
    ];
    const users = success({ users: [{ userId: 'u-9', firstName: 'ADA' }], pagination: { total: 1 } });
    const bank = ['--bank-code', '000013', '--account-number', '0123456789'];
    const { code, requests } = await run(
      ['offramp', 'create', ...bank, '--yes'],
      [users, STARTED],
      onTerminal(...answers),
    );
    expect({ code, printed: JSON.parse(requests[1]?.body ?? '') }).toEqual({
      code: 0,
      printed: expect.objectContaining({ userId: 'u-9', amount: 5000 }),
    });
  });

  test('is typed if the list to choose from cannot be read', async () => {
    const answers: Answer[] = [
      { kind: 'text', asks: 'Which user?', says: 'u-9' },
      { kind: 'text', asks: 'Amount in Naira:', says: '5000' },
    ];
    const bank = ['--bank-code', '000013', '--account-number', '0123456789'];
    const turns = [refusal(400, '01', 'no'), STARTED];
    const { code, requests } = await run(['offramp', 'create', ...bank, '--yes'], turns, onTerminal(...answers));
    expect({ code, userId: JSON.parse(requests[1]?.body ?? '').userId }).toEqual({ code: 0, userId: 'u-9' });
  });

  test('is asked for after the given values are validated', async () => {
    expect((await run(['onramp', 'create', '--amount', '0'], [], onTerminal())).code).toBe(2);
  });

  test('is hidden if it is a BVN', async () => {
    const answer: Answer = { kind: 'secret', asks: 'BVN', says: '12345678901' };
    const { code, requests } = await run(
      ['users', 'onboard', '--yes'],
      [success({ requestId: 'r', userHash: 'h' }), success({ status: 'completed' })],
      onTerminal(answer),
    );
    expect({ code, body: requests[0]?.body }).toEqual({ code: 0, body: '{"bvn":"12345678901"}' });
  });

  test.each([[{}], [{ isTerminal: true, env: { CI: '1' } }]])(
    'exits with 2 without a terminal: %j',
    async (options) => {
      const { code, world } = await run(['offramp', 'create', 'u', '--yes'], [], options);
      expect({ code, stderr: world.stderr.text() }).toEqual({
        code: 2,
        stderr: expect.stringContaining('--amount <naira>, --bank-code <code>, --account-number <digits>'),
      });
    },
  );

  test('rejects a BVN given twice and exits with 2', async () => {
    const { code, world } = await run(['users', 'onboard', '12345678901', '--bvn-stdin'], [], {
      stdin: '12345678901',
    });
    expect({ code, stderr: world.stderr.text() }).toEqual({
      code: 2,
      stderr: expect.stringContaining('<bvn> cannot be combined with --bvn-stdin'),
    });
  });

  test('reads a BVN from standard input without its line break', async () => {
    const { requests } = await run(['users', 'onboard', '--bvn-stdin'], [success({ requestId: 'r', userHash: 'h' })], {
      stdin: '12345678901\r\n',
    });
    expect(requests[0]?.body).toBe('{"bvn":"12345678901"}');
  });
});

describe('the journal', () => {
  /** Pays once; `seen` is the journal at the time the request was sent. */
  async function paying(turn: (request: HttpRequest) => ReturnType<typeof json>) {
    let seen: JournalRow[] = [];
    let stateDir = '';
    const { exchange } = scripted((request) => {
      seen = journalRows(stateDir);
      return turn(request);
    });
    const world = fakeWorld({ network: exchange, env: ACCOUNT });
    stateDir = world.stateDir;
    const code = await main([...ONRAMP, '--yes', '-o', 'json'], world);
    return { code, seen, rows: journalRows(stateDir), stderr: world.stderr.text() };
  }

  test('records the operation as sent before the request is sent', async () => {
    const { seen } = await paying(() => STARTED);
    expect(seen).toMatchObject([{ state: 'sent', endpoint: 'transactions.onramp', request_id: null }]);
    expect(JSON.parse(seen[0]?.request ?? '')).toEqual({ userId: 'u-1', amount: 5000 });
  });

  test('records it as accepted, with the request id, after the response', async () => {
    const { code, rows } = await paying(() => STARTED);
    expect({ code, rows }).toMatchObject({ code: 0, rows: [{ state: 'accepted', request_id: 'r-1' }] });
  });

  const OUTCOMES: readonly (readonly [name: string, turns: () => Turn[], exit: number, state: string])[] = [
    ['HTTP 500', () => [refusal(500, '05', 'Internal error')], 6, 'unknown'],
    ['a lost connection', () => [droppedLine()], 6, 'unknown'],
    ['a body that is not JSON', () => [json(200, '{')], 6, 'unknown'],
    ['success without a request id', () => [success({})], 6, 'unknown'],
    ['a redirect', () => [json(302, '', { location: '/' })], 6, 'unknown'],
    ['a rejection', () => [refusal(400, '01', 'no')], 3, 'rejected'],
    ['a wrong key', () => [refusal(401, '03', 'no')], 4, 'rejected'],
    ['no connection', () => [refusedConnection()], 5, 'rejected'],
    ['a persistent rate limit', () => [tooMany({ 'retry-after': '3600' })], 7, 'rejected'],
    ['success that does not match the contract', () => [success({ requestId: 'r-2', status: 5 })], 0, 'accepted'],
  ];

  test.each(OUTCOMES)('records the outcome of %s', async (_, turns, exit, state) => {
    const { code, world } = await run([...ONRAMP, '--yes'], turns());
    expect({ code, states: journalRows(world.stateDir).map((row) => row.state) }).toEqual({
      code: exit,
      states: [state],
    });
  });

  test('is referred to by the error of an unknown outcome', async () => {
    const { stderr, rows } = await paying(() => refusal(500, '05', 'no'));
    const { error } = JSON.parse(stderr.split('\n').at(-2) ?? '');
    expect(error).toMatchObject({ category: 'unknown', retryable: false, operationId: rows[0]?.id });
    expect(error.hint).toContain(`fiatrail ops reconcile ${rows[0]?.id}`);
  });

  test('contains no secrets', async () => {
    const { world } = await run(
      [...ONRAMP, '--yes'],
      [refusal(400, '01', `your key ${ACCOUNT.FIATRAIL_API_KEY} is bad`)],
    );
    expect(JSON.stringify(journalRows(world.stateDir))).not.toContain(ACCOUNT.FIATRAIL_API_KEY);
  });

  test('keeps every digit of what was sent', async () => {
    const fields = ['-f', 'userId=u', '-f', 'amount=12345678901234567890.10'];
    const { world } = await run(['api', 'POST', '/cngnonramp', ...fields, '--yes'], [refusal(400, '01', 'no')]);
    const again = { ...world, stdout: fakeWorld().stdout };
    await main(['ops', 'show', journalRows(world.stateDir)[0]?.id ?? '', '-o', 'json'], again);
    expect(again.stdout.text()).toContain('"value": "12345678901234567890.10"');
  });

  test('exits with 2 before a payment is sent if it cannot be written', async () => {
    const world = fakeWorld({ env: { ...ACCOUNT, FIATRAIL_STATE_DIR: '/dev/null/nowhere' } });
    expect(await main([...ONRAMP, '--yes'], world)).toBe(2);
  });
});

describe('after a payment was sent', () => {
  /** An error in the output must not exit with 2, which means that nothing was sent. */
  const STATUS = success({ requestId: 'r-1', status: 'completed', message: 'done' });
  const PRINTS: readonly (readonly [name: string, argv: readonly string[], turns: readonly Turn[]])[] = [
    ['a query that fails on the response', [...ONRAMP, '--yes', '--query', 'abs(status)'], [STARTED]],
    ['a field that the status does not have', [...ONRAMP, '--yes', '--wait', '--fields', 'message'], [STARTED, STATUS]],
    ['a field of the status', [...ONRAMP, '--yes', '--wait', '--fields', 'txHash'], [STARTED, STATUS]],
  ];

  test.each(PRINTS)('%s is rejected before it is sent, or exits with neither 1 nor 2', async (_, argv, turns) => {
    let left = 0;
    const network = async () => {
      const turn = turns[left];
      left += 1;
      return turn as ReturnType<typeof json>;
    };
    const world = fakeWorld({ network, env: ACCOUNT });
    const code = await main(argv, world);
    const isHonest = left === 0 || (code !== 1 && code !== 2);
    expect({ code, left, isHonest }).toMatchObject({ isHonest: true });
  });

  test('accepts a field of the status with --wait', async () => {
    const { code, world } = await run(
      [...ONRAMP, '--yes', '--wait', '--fields', 'status', '-q', '-o', 'json'],
      [STARTED, STATUS],
    );
    expect({ code, printed: JSON.parse(world.stdout.text()) }).toEqual({ code: 0, printed: { status: 'completed' } });
  });

  test('exits with neither 1 nor 2 if the output cannot be written', async () => {
    const world = fakeWorld({ network: scripted(STARTED).exchange, env: ACCOUNT });
    const full = { ...world.stdout, write: () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' })) };
    const code = await main([...ONRAMP, '--yes'], { ...world, stdout: full });
    expect([1, 2]).not.toContain(code);
    expect(journalRows(world.stateDir)).toMatchObject([{ state: 'accepted' }]);
  });
});

describe('standard error', () => {
  test('shows the profile and its mode', async () => {
    const { world } = await run(['balances', 'account'], [success({ totalBalance: '5.000000' })]);
    expect(world.stderr.text()).toBe('profile environment · LIVE\n');
  });

  test('shows the sandbox mode for a sandbox key', async () => {
    const env = { FIATRAIL_API_KEY: 'sandbox_0123' };
    const { world } = await run(['balances', 'account'], [success({ totalBalance: '5.000000' })], { env });
    expect(world.stderr.text()).toBe('profile environment · sandbox\n');
  });

  test.each(['-q', '--quiet'])('is empty with %s', async (flag) => {
    const { world } = await run(['balances', 'account', flag], [success({ totalBalance: '5.000000' })]);
    expect(world.stderr.text()).toBe('');
  });

  test('shows a warning for a response that does not match the contract', async () => {
    const { world, code } = await run([...ONRAMP, '--yes', '-o', 'json'], [success({ requestId: 'r', status: 5 })]);
    expect({ code, stderr: world.stderr.text() }).toEqual({
      code: 0,
      stderr: expect.stringContaining('warning: the response does not match the contract at'),
    });
  });

  test('shows each request with -v, without the key', async () => {
    const { world } = await run(
      ['fees', 'show', '-v'],
      [refusal(401, '03', `no such key: ${ACCOUNT.FIATRAIL_API_KEY}`)],
    );
    expect(world.stderr.text()).toContain('> GET https://service.test/v1/getfees');
    expect(world.stderr.text()).not.toContain(ACCOUNT.FIATRAIL_API_KEY);
  });

  test('never shows a BVN with -v, even if the service repeats it', async () => {
    const words = refusal(400, '01', 'BVN 12345678901 is taken', { data: { bvn: '12345678901' } });
    const { world } = await run(['users', 'onboard', '12345678901', '-v'], [words]);
    expect(world.stderr.text()).toContain('[redacted]');
    expect(world.stderr.text()).not.toContain('12345678901');
  });
});
