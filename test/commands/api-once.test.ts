import { beforeEach, describe, expect, test } from 'vitest';
import { changeProfile } from '../../src/account/changes.ts';
import { Secret } from '../../src/base/secret.ts';
import type { HttpRequest } from '../../src/base/world.ts';
import { CATALOGUE } from '../../src/commands/catalogue.ts';
import { endpoints } from '../../src/contract/endpoints/index.ts';
import { main } from '../../src/main.ts';
import { droppedLine, success } from '../support/exchange.ts';
import { journalRows } from '../support/journal.ts';
import { ACCOUNT, type FakeWorld, fakeClock, fakeWorld } from '../support/world.ts';

const MONEY = endpoints.filter(({ effect }) => effect === 'money');
const BANK = { bankCode: '000013', accountNumber: '0123456789', accountName: 'ADA' };
const BODY = { amount: 50_000, bankDetails: BANK };

let sent: HttpRequest[];
let list: object[];
let isLossy: boolean;
let world: FakeWorld;
let clock: ReturnType<typeof fakeClock>;

beforeEach(() => {
  sent = [];
  list = [];
  isLossy = false;
  clock = fakeClock();
  world = fakeWorld({
    clock,
    env: ACCOUNT,
    network: async (request) => {
      if (request.url.endsWith('/verifywithdrawal')) return success(list[0]);
      const isRead = request.method === 'GET' || request.url.endsWith('/listuserwallets');
      if (!isRead) sent.push(request);
      if (!isRead && isLossy) throw droppedLine();
      const id = String(sent.length);
      const ids = { requestId: id, orderId: id, trade: { tradeId: id } };
      return success(isRead ? { withdrawals: list } : { ...ids, withdrawalId: `FTW_${id}`, status: 'pending' });
    },
  });
});

const run = (argv: readonly string[], more: Partial<FakeWorld> = {}) => main([...argv, '-q'], { ...world, ...more });
const call = (...more: string[]) => run(['api', 'POST', '/feewithdrawal', ...more, '--yes']);
const data = (body: object) => ['-d', JSON.stringify(body)];
const bodies = () => sent.map(({ body }) => JSON.parse(String(body ?? '{}')) as Record<string, unknown>);

describe('api with an idempotency key', () => {
  test('sends the money once, and prints what was recorded', async () => {
    const printed: string[] = [];
    for (let time = 0; time < 2; time++) {
      const before = world.stdout.text().length;
      expect(await call(...data(BODY), '--once', 'k', '-o', 'json')).toBe(0);
      printed.push(world.stdout.text().slice(before));
    }
    expect(sent).toHaveLength(1);
    expect(JSON.parse(printed[1] ?? '')).toMatchObject({ withdrawalId: 'FTW_1' });
    expect(world.stderr.text()).not.toContain('warning: cannot');
  });

  const ordered = Object.fromEntries(Object.entries({ ...BODY, bankDetails: { ...BANK } }).reverse());
  test.each<[what: string, argv: string[], exit: number]>([
    ['another order of fields', data(ordered), 0],
    ['another spelling of a number', ['-d', JSON.stringify(BODY).replace('50000', '50000.00')], 0],
    ['a number with an exponent', ['-d', JSON.stringify(BODY).replace('50000', '5e4')], 0],
    ['a field instead of data', [...data({ bankDetails: BANK }), '-f', 'amount=50000'], 0],
    ['another amount', [...data(BODY), '-f', 'amount=50001'], 2],
    ['a field more', [...data(BODY), '-f', 'narration=x'], 2],
    ['a field that is false', [...data(BODY), '-f', 'urgent=false'], 2],
    ['another account number', data({ ...BODY, bankDetails: { ...BANK, accountNumber: '9999999999' } }), 2],
  ])('compares what was typed: %s', async (_what, argv, exit) => {
    expect(await call(...data(BODY), '--once', 'k')).toBe(0);
    expect(await call(...argv, '--once', 'k')).toBe(exit);
    expect(sent).toHaveLength(1);
  });

  test('compares the endpoint, in any spelling of its path', async () => {
    expect(await call(...data(BODY), '--once', 'k')).toBe(0);
    expect(await run(['api', 'post', '/v1/feewithdrawal', ...data(BODY), '--once', 'k', '--yes'])).toBe(0);
    expect(await run(['api', 'POST', '/cngnonramp', ...data(BODY), '--once', 'k', '--yes'])).toBe(2);
    expect(sent).toHaveLength(1);
  });

  test('is not the same request as the command of the endpoint', async () => {
    expect(await call(...data(BODY), '--once', 'k')).toBe(0);
    const to = ['--bank-code', '000013', '--account-number', '0123456789', '--account-name', 'ADA'];
    expect(await run(['fees', 'withdraw', '--amount', '500', ...to, '--once', 'k', '--yes'])).toBe(2);
    expect(sent).toHaveLength(1);
  });

  test('looks for a lost response before it sends again', async () => {
    isLossy = true;
    expect(await call(...data(BODY), '--once', 'k')).toBe(6);
    isLossy = false;
    expect(await call(...data(BODY), '--once', 'k')).toBe(6);
    const createdAt = new Date(clock.now() + 1_000).toISOString();
    list = [{ withdrawalId: 'FTW_9', amount: 50_000, bankAccountNumber: '0123456789', status: 'pending', createdAt }];
    expect(await call(...data(BODY), '--once', 'k')).toBe(0);
    expect(sent).toHaveLength(1);
    expect(journalRows(world.stateDir).map(({ state, request_id: id }) => [state, id])).toEqual([
      ['accepted', 'FTW_9'],
    ]);
  });

  test('shows a dry run without using the key', async () => {
    expect(await call(...data(BODY), '--once', 'k', '--dry-run')).toBe(0);
    expect(sent).toEqual([]);
    expect(await call(...data(BODY), '--once', 'k')).toBe(0);
    expect(sent).toHaveLength(1);
  });

  test('with a placeholder is filled in', async () => {
    await call(...data(BODY), '--once', 'fees-{year}-{month}');
    expect(await call(...data(BODY), '--once', 'fees-2026-01')).toBe(0);
    expect(sent).toHaveLength(1);
    expect(await call(...data(BODY), '--once', 'fees-{week}')).toBe(2);
  });
});

describe('api', () => {
  test.each<[argv: string[], flag: string]>([
    [['GET', '/getfees'], '--once'],
    [['POST', '/onboarduser', '-d', '{}'], '--once'],
    [['PUT', '/fx/limit-order/update', '-f', 'orderId=o'], '--once'],
    [['GET', '/getfees'], '--again'],
  ])('%j does not take %s', async (argv, flag) => {
    expect(await run(['api', ...argv, ...(flag === '--once' ? [flag, 'k'] : [flag]), '--yes'])).toBe(2);
    expect(world.stderr.text()).toContain(`does not take ${flag}, which is for requests that may move money twice`);
    expect(world.stderr.text().match(/^error: /gm)).toHaveLength(1);
    expect(sent).toEqual([]);
  });

  test('does not take both --once and --again', async () => {
    expect(await call(...data(BODY), '--once', 'k', '--again')).toBe(2);
    expect(sent).toEqual([]);
  });

  test('stops the same payment within 10 minutes, and --again sends it', async () => {
    expect([await call(...data(BODY)), await call(...data(BODY)), await call(...data(BODY), '--again')]).toEqual([
      0, 9, 0,
    ]);
    expect(await call(...data({ ...BODY, amount: 50_001 }))).toBe(0);
    expect(sent).toHaveLength(3);
  });

  test.each(MONEY.map(({ id }) => id))('guards %s as its own command does', async (id) => {
    const commands = (await Promise.all(CATALOGUE.map((group) => group.load()))).flat();
    const own = commands.find(({ endpoints: called }) => called.includes(id));
    const { method, path } = MONEY.find((each) => each.id === id) ?? { method: '', path: '' };
    const words = ['api', method, path.replace(/:\w+/g, 'x'), '--yes'];
    await run(words);
    const exit = await run(words);
    // An order can be created at two paths, one of which has no command.
    const isGuarded = (own?.money ?? 'unguarded') === 'guarded';
    expect({ isStopped: exit === 9, sent: sent.length }).toEqual({ isStopped: isGuarded, sent: isGuarded ? 1 : 2 });
  });

  test.each<[what: string, more: string[], key: unknown]>([
    ['derived from the idempotency key', ['--once', 'k'], expect.stringMatching(/^fr-[0-9a-f]{32}$/)],
    ['what was typed', ['--once', 'k', '-f', 'idempotencyKey=mine'], 'mine'],
    ['left out without an idempotency key', [], undefined],
  ])('sends an idempotency key of FX that is %s', async (_what, more, key) => {
    await run(['api', 'POST', '/fx/trade', '-f', 'quoteId=q', ...more, '--yes']);
    expect(bodies()[0]?.['idempotencyKey']).toEqual(key);
    expect(bodies()[0]?.['quoteId']).toBe('q');
  });

  test('sends the idempotency key that the command of the endpoint sends', async () => {
    await run(['api', 'POST', '/fx/trade', '-f', 'quoteId=q', '--once', 'k', '--yes']);
    const other = fakeWorld({ env: ACCOUNT, network: world.network });
    await main(['fx', 'trade', '--quote', 'q', '--once', 'k', '--yes', '-q'], other);
    const [first, second] = bodies();
    expect(first?.['idempotencyKey']).toEqual(expect.any(String));
    expect(first?.['idempotencyKey']).toBe(second?.['idempotencyKey']);
  });

  test('sends no idempotency key to an endpoint that takes none', async () => {
    expect(await call(...data(BODY), '--once', 'k')).toBe(0);
    expect(bodies()).toEqual([BODY]);
  });

  test('needs an idempotency key if the profile requires one', async () => {
    const profile = {
      name: 'main',
      mode: 'live',
      baseUrl: 'https://service.test/v1',
      store: { kind: 'file' },
    } as const;
    await changeProfile(world, 'main', () => ({ ...profile, rules: { requireOnce: true } }), new Secret('live-key'));
    const main_ = ['--profile', 'main'];
    expect(await call(...data(BODY), ...main_)).toBe(9);
    expect(world.stderr.text()).toContain(
      'rule require-once of profile main: a command that moves money needs an idempotency key',
    );
    expect(await call(...data(BODY), ...main_, '--dry-run')).toBe(0);
    expect(sent).toEqual([]);
    expect(await run(['api', 'GET', '/getwithdrawalhistory', ...main_])).toBe(0);
    expect(await call(...data(BODY), ...main_, '--once', 'k')).toBe(0);
    expect(sent).toHaveLength(1);
  });
});
