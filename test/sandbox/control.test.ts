import { describe, expect, test } from 'vitest';
import {
  sandboxAdvance,
  sandboxClock,
  sandboxFaultAdd,
  sandboxPay,
  sandboxReset,
  sandboxSeed,
  sandboxStatus,
} from '../../src/contract/control.ts';
import { trade } from '../../src/contract/endpoints/fx-trades.ts';
import { startOnramp } from '../../src/contract/endpoints/onramp.ts';
import { listUsers } from '../../src/contract/endpoints/user-list.ts';
import { TEST_ACCOUNTS, TEST_VALUES } from '../../src/service/values.ts';
import { expectSettledLedger, fund, onboardUser, secondKey, settle } from '../service/steps.ts';
import { countingIds, fakeClock, openSandbox, START_MS, temporaryFolder } from '../support/sandbox.ts';

const iso = (timeMs: number) => new Date(timeMs).toISOString();

describe('status', () => {
  test('of a new sandbox', async () => {
    await using box = await openSandbox({ rateLimits: true });
    expect(await box.ask(sandboxStatus, {})).toMatchObject({
      now: iso(START_MS),
      clockOffsetSeconds: 0,
      pace: 'quick',
      rateLimits: 'on',
      users: 0,
      pending: 0,
      events: 0,
      ledger: { balanced: true, sums: { NGN: '0.00', CNGN: '0.000000', USDC: '0.000000', USDT: '0.000000' } },
    });
  });

  test('counts users, pending work, and events', async () => {
    await using box = await openSandbox();
    const { userId } = await onboardUser(box);
    await box.ask(startOnramp, { userId, amount: 1 });
    expect(await box.ask(sandboxStatus, {})).toMatchObject({ users: 1, pending: 2, events: 3 });
  });

  test('reports an unbalanced ledger, and by how much', async () => {
    await using box = await openSandbox();
    await box.inside(({ store }) => store.run(`UPDATE account SET balance = balance + 1 WHERE code = 'reserve'`));
    expect((await box.ask(sandboxStatus, {})).ledger).toMatchObject({ balanced: false, sums: { NGN: '0.01' } });
  });

  test('lists the test values only on request', async () => {
    await using box = await openSandbox();
    const plain = await box.ask(sandboxStatus, {});
    for (const name of ['bvns', 'accounts', 'trades', 'values', 'refusals', 'fintechs'])
      expect(plain).not.toHaveProperty(name);
    const { bvns = [], accounts = [], trades = [], values = [] } = await box.ask(sandboxStatus, { values: true });
    expect(values).toEqual(TEST_VALUES);
    expect(bvns.map(({ bvn }) => bvn)).toContain('00000000000');
    expect(accounts.map(({ accountNumber }) => accountNumber)).toEqual(
      TEST_ACCOUNTS.map(({ accountNumber }) => accountNumber),
    );
    expect(trades.map(({ cngnAmount }) => cngnAmount)).toEqual(['1301', '1302', '1303', '1304']);
  });

  test('lists the rejections that a fault of kind reject takes', async () => {
    await using box = await openSandbox();
    const { refusals = [] } = await box.ask(sandboxStatus, { values: true });
    const common = refusals.find(({ operation }) => operation === 'any operation')?.names ?? [];
    expect(common).toContain('RATE_LIMIT_EXCEEDED');
    expect(refusals.find(({ operation }) => operation === 'fx.trade')?.names).toContain('INVALID_QUOTE');
    for (const { operation, names } of refusals) {
      const endpoint = operation === 'any operation' ? 'fees.preview' : operation;
      for (const name of names) await box.ask(sandboxFaultAdd, { endpoint, kind: 'reject', name });
    }
  });

  test('shows the working keys of every fintech', async () => {
    await using box = await openSandbox();
    const { fintechs = [] } = await box.ask(sandboxStatus, { values: true });
    expect(fintechs.map(({ name }) => name)).toEqual([
      'Harmattan Pay',
      'Savanna Remit',
      'Lagoon Markets',
      'Delta Liquidity',
    ]);
    for (const { fintechId, sandboxKey, productionKey } of fintechs) {
      expect(await box.ask(sandboxStatus, {}, sandboxKey ?? '')).toMatchObject({ fintechId });
      const reply = await box.call('POST', '/createsandboxapikey', {}, productionKey ?? '');
      expect({ status: reply.status, fintechId: reply.envelope.data?.['fintechId'] }).toEqual({
        status: 200,
        fintechId,
      });
    }
  });

  test('counts open trades, and what they hold in escrow', async () => {
    await using box = await openSandbox();
    expect(await box.ask(sandboxStatus, {})).toMatchObject({ openTrades: 0, escrow: { CNGN: '0.000000' } });
    await box.ask(trade, { pair: 'CNGN-USDC', side: 'buy', cngnAmount: '14070' });
    const { openTrades, escrow } = await box.ask(sandboxStatus, {});
    expect(openTrades).toBe(1);
    expect(escrow).toMatchObject({ CNGN: '14070.000000', USDT: '0.000000' });
    expect(Number(escrow.USDC)).toBeGreaterThan(9);
    await settle(box);
    expect(await box.ask(sandboxStatus, {})).toMatchObject({
      openTrades: 0,
      escrow: { CNGN: '0.000000', USDC: '0.000000', USDT: '0.000000' },
    });
  });
});

describe('seed', () => {
  test('adds users who are verified at once', async () => {
    await using box = await openSandbox({ pace: 'real' });
    expect(await box.ask(sandboxSeed, { users: 250 })).toEqual({
      users: 250,
      transactions: 0,
      pace: 'real',
      rateLimits: 'off',
    });
    expect((await box.ask(listUsers, {})).pagination).toMatchObject({ total: 250 });
    expect(await box.ask(sandboxSeed, { users: 3 })).toMatchObject({ users: 253 });
    await expectSettledLedger(box);
  });

  test('adds them to the calling fintech', async () => {
    await using box = await openSandbox();
    const other = await secondKey(box);
    await box.ask(sandboxSeed, { users: 2 }, other);
    expect((await box.ask(listUsers, {}, other)).pagination).toMatchObject({ total: 2 });
    expect((await box.ask(listUsers, {})).pagination).toMatchObject({ total: 0 });
  });

  test.each(['instant', 'quick', 'real'] as const)('sets the pace %s', async (pace) => {
    await using box = await openSandbox();
    expect(await box.ask(sandboxSeed, { pace })).toMatchObject({ pace });
    expect(await box.ask(sandboxStatus, {})).toMatchObject({ pace, rateLimits: 'off' });
  });

  test('leaves other settings unchanged', async () => {
    await using box = await openSandbox({ pace: 'real', rateLimits: true });
    await box.ask(sandboxSeed, { rateLimits: false });
    expect(await box.ask(sandboxStatus, {})).toMatchObject({ pace: 'real', rateLimits: 'off', users: 0 });
  });

  test.each([{ users: -1 }, { users: 1001 }, { users: 1.5 }, { pace: 'slow' }, { rateLimits: 'on' }, { more: 1 }])(
    'refuses %o',
    async (input) => {
      await using box = await openSandbox();
      expect((await box.call('POST', '/_sandbox/seed', input)).status).toBe(400);
    },
  );
});

describe('the pace', () => {
  test.each([
    ['instant', 0],
    ['quick', 300],
    ['real', 120_000],
  ] as const)('%s verifies a BVN after %d ms', async (pace, durationMs) => {
    await using box = await openSandbox({ pace });
    await box.call('POST', '/onboarduser', { bvn: '22222222222' });
    const users = async () => (await box.ask(sandboxStatus, {})).users;
    if (durationMs > 0) {
      box.clock.pass(durationMs - 1);
      expect(await users()).toBe(0);
      box.clock.pass(1);
    }
    expect(await users()).toBe(1);
  });
});

describe('reset', () => {
  test('drops everything but the key, and seeds again', async () => {
    await using box = await openSandbox();
    const fresh = await box.ask(sandboxStatus, {});
    await fund(box, await onboardUser(box), 1000);
    await box.ask(sandboxAdvance, { durationMs: 86_400_000 });
    const reset = await box.ask(sandboxReset, {});
    const after = await box.ask(sandboxStatus, {});
    expect(after).toMatchObject({ users: 0, pending: 0, events: 0, clockOffsetSeconds: 0, ledger: fresh.ledger });
    expect(after.fintechId).toBe(reset.fintechId);
    expect(after.fintechId).not.toBe(fresh.fintechId);
    expect(after.now).toBe(iso(box.clock.now()));
    expect(box.sandbox.apiKey()).toBe(box.apiKey);
  });

  test('restores the defaults, or sets the given values', async () => {
    await using box = await openSandbox({ pace: 'real', rateLimits: false });
    await box.ask(sandboxReset, {});
    expect(await box.ask(sandboxStatus, {})).toMatchObject({ pace: 'quick', rateLimits: 'on' });
    await box.ask(sandboxReset, { pace: 'instant', rateLimits: false });
    expect(await box.ask(sandboxStatus, {})).toMatchObject({ pace: 'instant', rateLimits: 'off' });
  });

  test('leaves a working sandbox', async () => {
    await using box = await openSandbox();
    await onboardUser(box, '22222222222');
    await box.ask(sandboxReset, {});
    await fund(box, await onboardUser(box, '22222222222'), 1000);
    await expectSettledLedger(box);
  });

  test('can be repeated', async () => {
    await using box = await openSandbox();
    for (let count = 0; count < 3; count++) await box.ask(sandboxReset, {});
    await expectSettledLedger(box);
  });

  test('is seen by another sandbox on the file', async () => {
    using folder = temporaryFolder();
    const clock = fakeClock();
    const path = folder.file('sandbox.db');
    await using first = await openSandbox({ path, clock });
    await using second = await openSandbox({ path, clock, ids: countingIds(2) });
    await onboardUser(first);
    await second.call('GET', '/_sandbox/status');
    await second.ask(sandboxReset, {});
    expect(await first.ask(sandboxStatus, {})).toMatchObject({ users: 0 });
    await fund(first, await onboardUser(first), 10);
    await expectSettledLedger(second);
  });
});

describe('clock and advance', () => {
  test('show both clocks', async () => {
    await using box = await openSandbox();
    const { now } = await box.ask(sandboxAdvance, { durationMs: 1_500 });
    box.clock.pass(10);
    expect(now).toBe(iso(START_MS + 1_500));
    expect(await box.ask(sandboxClock, {})).toEqual({
      now: iso(START_MS + 1_510),
      machineTime: iso(START_MS + 10),
      clockOffsetSeconds: 1,
    });
  });

  test.each([
    ['GET', '/getfees', 200],
    ['GET', '/balance/user/nobody', 404],
    ['GET', '/nowhere', 404],
    ['POST', '/_sandbox/advance', 400],
  ])(
    'the time in the headers of %s %s is that of the sandbox, whoever moved its clock',
    async (method, path, status) => {
      using folder = temporaryFolder();
      const file = folder.file('sandbox.db');
      const clock = fakeClock();
      await using first = await openSandbox({ path: file, clock });
      await using second = await openSandbox({ path: file, clock, ids: countingIds(2) });
      const headerOf = async (box: typeof first) => {
        const reply = await box.call(method, path, method === 'POST' ? {} : undefined);
        expect(reply.status).toBe(status);
        return box.sandbox.timeHeaders();
      };
      for (const [movedMs, mover, other] of [
        [1_000, first, second],
        [2_000, second, first],
      ] as const) {
        const { now } = await mover.ask(sandboxAdvance, { durationMs: 1_000 });
        for (const headers of [mover.sandbox.timeHeaders(), await headerOf(other), await headerOf(mover)])
          expect(headers).toMatchObject({
            date: new Date(now).toUTCString(),
            'x-sandbox-clock': `${Date.parse(now)} ${movedMs}`,
          });
      }
    },
  );

  test.each([
    [true, undefined],
    [false, 'off'],
  ])('a sandbox says whether it enforces no rate limits: %s', async (rateLimits, header) => {
    await using box = await openSandbox();
    await box.ask(sandboxSeed, { rateLimits });
    await box.call('GET', '/getfees');
    expect(box.sandbox.timeHeaders()['x-sandbox-limits']).toBe(header);
  });

  test.each([{}, { durationMs: 0 }, { durationMs: -1 }, { durationMs: 0.5 }, { durationMs: '1' }])(
    'advance rejects %o',
    async (input) => {
      await using box = await openSandbox();
      expect((await box.call('POST', '/_sandbox/advance', input)).status).toBe(400);
    },
  );
});

test('pay returns what it posted', async () => {
  await using box = await openSandbox();
  const user = await onboardUser(box);
  const request = { accountNumber: user.accountNumber, amount: 12.34, senderName: user.name };
  expect(await box.ask(sandboxPay, request)).toMatchObject({
    accountNumber: user.accountNumber,
    amount: 12.34,
    outcome: 'accepted',
    reason: null,
  });
  await settle(box);
  await expectSettledLedger(box);
});
