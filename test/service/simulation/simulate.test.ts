import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { problemsOf } from '../../../src/contract/check.ts';
import {
  sandboxAdvance,
  sandboxClock,
  sandboxEvents,
  sandboxSimulate,
  sandboxStatus,
} from '../../../src/contract/control.ts';
import type { ResponseOf } from '../../../src/contract/endpoint.ts';
import { updateBankAccount } from '../../../src/contract/endpoints/banks.ts';
import { endpoints } from '../../../src/contract/endpoints/index.ts';
import { setWebhook } from '../../../src/contract/endpoints/management.ts';
import { listUsers } from '../../../src/contract/endpoints/user-list.ts';
import { Fault } from '../../../src/contract/faults.ts';
import { SIMULATED_KINDS } from '../../../src/contract/sandbox.ts';
import { checkLedger } from '../../../src/service/ledger.ts';
import { loadOperations } from '../../../src/service/operations.ts';
import { insert } from '../../../src/service/rows.ts';
import { FAILURES } from '../../../src/service/simulation/rates.ts';
import { ROOT } from '../../support/built.ts';
import { countingIds, fakeClock, openSandbox, START_MS, type TestSandbox } from '../../support/sandbox.ts';
import { dumpOf } from './dump.ts';

type Day = ResponseOf<typeof sandboxSimulate>;

const DAY_MS = 86_400_000;
const iso = (timeMs: number) => new Date(timeMs).toISOString();

interface Wanted {
  readonly seed?: number;
  readonly users?: number;
  readonly days: number;
  readonly until?: string;
  readonly from?: string;
}

/** Simulates days one after the other, as the command does. */
async function simulate(box: TestSandbox, { seed = 7, users = 40, days, ...more }: Wanted): Promise<Day[]> {
  const found: Day[] = [];
  let rest: Pick<Wanted, 'until' | 'from'> = more;
  for (let left = days; left > 0; left--) {
    const day = await box.ask(sandboxSimulate, { seed, users, days: left, ...rest });
    rest = { until: day.until, from: day.now };
    found.push(day);
  }
  return found;
}

/** How often something was asked for, over all days. */
const requestsOf = (days: readonly Day[], kind: string) =>
  days.flatMap(({ kinds }) => kinds.filter((row) => row.kind === kind)).reduce((sum, row) => sum + row.requests, 0);

const failuresOf = (days: readonly Day[], kind: string, ...codes: readonly string[]) =>
  days
    .flatMap(({ failures }) => failures.filter((row) => row.kind === kind && codes.includes(row.code)))
    .reduce((sum, { count }) => sum + count, 0);

const LAGOS_HOUR = `(created_at / 3600000 + 1) % 24`;

const rows = ({ service }: TestSandbox, sql: string) => service.store.all(sql);
const numberOf = (box: TestSandbox, sql: string) => Number(Object.values(rows(box, sql)[0] ?? {})[0]);

describe('the same seed, time and sandbox', () => {
  const until = '2025-12-31T23:00:00.000Z';

  test('give the same rows in every table, whatever the sandbox’s own ids and time are', async () => {
    await using one = await openSandbox({ ids: countingIds(1) });
    await using other = await openSandbox({ ids: countingIds(2), clock: fakeClock(START_MS + 12_345) });
    await simulate(one, { days: 3, until });
    await simulate(other, { days: 3, until });
    expect(dumpOf(one).length).toBeGreaterThan(100_000);
    expect(dumpOf(other)).toBe(dumpOf(one));
  });

  test('give the same with time passing between the days', async () => {
    await using one = await openSandbox();
    await using slow = await openSandbox();
    await simulate(one, { days: 2, until });
    const first = await slow.ask(sandboxSimulate, { seed: 7, users: 40, days: 2, until });
    slow.clock.pass(9_000);
    expect((await slow.ask(sandboxStatus, {})).now).toBe(iso(Date.parse(first.now) + 9_000));
    await slow.ask(sandboxSimulate, { seed: 7, users: 40, days: 1, until, from: first.now });
    expect(dumpOf(slow)).toBe(dumpOf(one));
  });

  test('differ with another seed', async () => {
    await using one = await openSandbox();
    await using other = await openSandbox();
    await simulate(one, { days: 1, until, seed: 7 });
    await simulate(other, { days: 1, until, seed: 8 });
    expect(dumpOf(other)).not.toBe(dumpOf(one));
  });
});

describe('thirty days of 90 users', () => {
  /** One life for all tests here, which only read it. */
  const lived = (() => {
    let made: Promise<{ box: TestSandbox; days: Day[] }> | undefined;
    const make = async () => {
      const box = await openSandbox();
      return { box, days: await simulate(box, { days: 30, users: 90, until: '2025-12-31T23:00:00Z' }) };
    };
    return () => {
      made ??= make();
      return made;
    };
  })();

  test('have each kind of request, and 90 users', async () => {
    const { box, days } = await lived();
    expect(SIMULATED_KINDS.filter((kind) => requestsOf(days, kind) === 0)).toEqual([]);
    const { users } = await box.ask(sandboxStatus, {});
    // A BVN that failed may have been the last one.
    expect(users).toBeGreaterThan(85);
    expect(users).toBeLessThanOrEqual(90);
  });

  test('leave a ledger that balances, and nothing stuck', async () => {
    const { box, days } = await lived();
    expect(checkLedger(box.service.store)).toMatchObject({ balanced: true });
    expect(days.map(({ balanced }) => balanced)).toEqual([...Array(29).fill(undefined), true]);
    expect(await box.ask(sandboxStatus, {})).toMatchObject({ stuck: 0 });
  });

  test.each([
    ['user-deposit', ['BVN_NAME_MISMATCH'], FAILURES.wrongName],
    ['user-deposit', ['CANCELLED'], FAILURES.depositCancelled],
    ['onramp', ['NOT_PAID_IN_TIME'], FAILURES.onrampUnpaid + FAILURES.onrampLate + FAILURES.onrampWrongAmount],
    ['onramp-payment', ['AMOUNT_MISMATCH'], FAILURES.onrampWrongAmount],
    ['onramp', ['MINT_FAILED'], FAILURES.mintFails],
    ['offramp', ['PAYOUT_FAILED'], FAILURES.bankFails],
    ['offramp', ['CANCELLED'], FAILURES.cancelled],
    ['offramp', ['VERIFICATION_FAILED'], FAILURES.transferFails],
    ['offramp', ['INSUFFICIENT_BALANCE'], FAILURES.tooMuch],
    ['payout', ['PAYOUT_FAILED'], FAILURES.bankFails],
    ['payout', ['REVERSED'], FAILURES.reversed],
    ['trade', ['INVALID_QUOTE'], FAILURES.lateQuote / 2],
    ['trade', ['NOT_SIGNED_IN_TIME'], FAILURES.unsigned],
    ['bridge', ['WRONG_SENDER'], FAILURES.wrongSender],
    ['onboarding', ['BVN_NOT_VERIFIED'], FAILURES.badBvn],
    ['fee-withdrawal', ['PAYOUT_FAILED'], FAILURES.feesFail],
  ] as const)('%s ends with %j about as often as stated', async (kind, codes, rate) => {
    const { days } = await lived();
    const asked = requestsOf(days, kind);
    const spread = 4 * Math.sqrt(asked * rate * (1 - rate)) + 1;
    expect(Math.abs(failuresOf(days, kind, ...codes) - asked * rate)).toBeLessThan(spread);
  });

  test('have their deposits in the mornings of Lagos, most from the 25th on', async () => {
    const { box } = await lived();
    const deposits = `FROM deposit WHERE user IS NOT NULL AND onramp IS NULL`;
    const all = numberOf(box, `SELECT COUNT(*) ${deposits}`);
    expect(numberOf(box, `SELECT COUNT(*) ${deposits} AND ${LAGOS_HOUR} BETWEEN 6 AND 12`) / all).toBeGreaterThan(0.6);
    expect(numberOf(box, `SELECT COUNT(*) ${deposits} AND ${LAGOS_HOUR} BETWEEN 0 AND 5`)).toBe(0);
    const late = `strftime('%d', created_at / 1000 + 3600, 'unixepoch') >= '25'`;
    // 7 of 31 days, on which there are four times as many.
    expect(numberOf(box, `SELECT COUNT(*) ${deposits} AND ${late}`) / all).toBeGreaterThan(0.4);
  });

  test('have more offramps on a day of the weekend than on another', async () => {
    const { box } = await lived();
    const day = `strftime('%w', created_at / 1000 + 3600, 'unixepoch')`;
    const on = (days: string) => numberOf(box, `SELECT COUNT(*) FROM offramp WHERE ${day} IN (${days})`);
    expect(on("'0', '6'") / 2).toBeGreaterThan(1.3 * (on("'1', '2', '3', '4', '5'") / 5));
  });

  test('has nothing outside its time', async () => {
    const { box, days } = await lived();
    const [from, now] = [Date.parse(days[0]?.from ?? ''), Date.parse(days.at(-1)?.now ?? '')];
    for (const table of [
      'deposit',
      'offramp',
      'onramp',
      'payout',
      'fx_trade',
      'swap',
      'withdrawal',
      'bridge',
      'outbox',
      'posting_set',
    ]) {
      expect(numberOf(box, `SELECT MIN(created_at) FROM ${table}`)).toBeGreaterThanOrEqual(from);
      expect(numberOf(box, `SELECT MAX(created_at) FROM ${table}`)).toBeLessThanOrEqual(now);
    }
  });
});

test('docs/contributing/simulated-activity.md lists how often things go wrong', () => {
  const page = readFileSync(join(ROOT, 'docs/contributing/simulated-activity.md'), 'utf8');
  const table = page.slice(page.indexOf('| what | share |')).split('\n\n')[0] ?? '';
  const shares = [...table.matchAll(/\| ([\d.]+)% \|$/gm)].map(([, share]) => Number(share));
  expect(shares).toEqual(Object.values(FAILURES).map((rate) => Number((100 * rate).toFixed(3))));
});

test('makes only requests that a client could make', async () => {
  const problems: string[] = [];
  let checked = 0;
  const groups = await Promise.all(Object.values(loadOperations).map((load) => load()));
  for (const operations of new Set(groups) as Set<Record<string, (call: never, input: never) => unknown>>)
    for (const [id, operation] of Object.entries(operations)) {
      const endpoint = endpoints.find((each) => each.id === id);
      const spy = vi.spyOn(operations, id).mockImplementation((call, input) => {
        checked += 1;
        if (endpoint) problems.push(...problemsOf(endpoint.request(), input).map(({ field }) => `${id} ${field}`));
        return operation(call, input);
      });
      onTestFinished(() => spy.mockRestore());
    }
  await using box = await openSandbox();
  await simulate(box, { days: 6, users: 60 });
  expect(checked).toBeGreaterThan(300);
  expect(problems).toEqual([]);
});

describe('a new sandbox', () => {
  test('has its days in the past, which end shortly before the present', async () => {
    await using box = await openSandbox();
    const [first, second] = await simulate(box, { days: 2 });
    expect(first).toMatchObject({
      from: iso(START_MS - 2 * DAY_MS - 300_000),
      until: iso(START_MS - 300_000),
      wasSetBack: true,
    });
    expect(second).toMatchObject({ from: first?.now, wasSetBack: false });
    expect(Date.parse(second?.now ?? '')).toBeGreaterThanOrEqual(START_MS - 300_000);
    expect((await box.ask(sandboxClock, {})).now).toBe(second?.now);
  });

  test('keeps its account’s id, its keys, its settings and its webhook', async () => {
    await using box = await openSandbox({ pace: 'instant', rateLimits: true });
    await box.ask(setWebhook, { webhookUrl: 'https://example.com/hook', events: ['all'], enabled: true });
    const kept = () => [
      rows(box, 'SELECT key, kind, fintech FROM api_key ORDER BY key'),
      rows(box, 'SELECT id, fintech_id, aes_key, public_key, name FROM fintech'),
      rows(box, 'SELECT * FROM webhook'),
      rows(box, 'SELECT pace, rate_limits, bvn_digest_key, embedded_api_key, platform_secret_key FROM setting'),
    ];
    const before = kept();
    await simulate(box, { days: 1, users: 5 });
    expect(kept()).toEqual(before);
    expect((await box.ask(listUsers, {})).pagination).toMatchObject({ total: 5 });
  });
});

describe('a sandbox in use', () => {
  const used = async () => {
    const box = await openSandbox();
    await simulate(box, { days: 1, until: '2026-01-04T00:00:00Z' });
    return box;
  };

  test('goes on from its present, with its clock', async () => {
    await using box = await used();
    const before = (await box.ask(sandboxClock, {})).now;
    const last = numberOf(box, 'SELECT MAX(id) FROM posting_set');
    const [day] = await simulate(box, { days: 1 });
    expect(day).toMatchObject({ from: before, wasSetBack: false });
    expect(Date.parse(day?.now ?? '')).toBeGreaterThanOrEqual(Date.parse(before) + DAY_MS);
    expect((await box.ask(sandboxClock, {})).now).toBe(day?.now);
    expect(numberOf(box, `SELECT MIN(created_at) FROM posting_set WHERE id > ${last}`)).toBeGreaterThanOrEqual(
      Date.parse(before),
    );
  });

  test('refuses days before its present, and changes nothing', async () => {
    await using box = await used();
    const before = dumpOf(box);
    const input = { seed: 1, users: 10, days: 30, until: '2026-01-10T00:00:00Z' };
    const { status, envelope } = await box.call('POST', '/_sandbox/simulate', input);
    expect({ status, error: envelope.error }).toEqual({
      status: 400,
      error: expect.stringMatching(/^until: the days would begin before 2026-01-04T00:\d\d:\d\d\.\d{3}Z/),
    });
    expect(dumpOf(box)).toBe(before);
  });

  test('is any with a request of its own, such as a fault, even if no time has passed since it was seeded', async () => {
    await using box = await openSandbox();
    expect((await box.call('POST', '/_sandbox/faults', { endpoint: 'fees.withdraw', kind: 'slow' })).status).toBe(200);
    expect((await simulate(box, { days: 1, users: 2 }))[0]).toMatchObject({ from: iso(START_MS), wasSetBack: false });
  });

  test('is one with a bank account that has another label', async () => {
    await using box = await openSandbox();
    const { account_id: accountId } = rows(box, 'SELECT account_id FROM bank_account WHERE fintech = 1')[0] ?? {};
    await box.ask(updateBankAccount, { accountId: String(accountId), label: 'my own' });
    expect((await simulate(box, { days: 1, users: 2 }))[0]).toMatchObject({ wasSetBack: false });
    expect(numberOf(box, "SELECT COUNT(*) FROM bank_account WHERE label = 'my own'")).toBe(1);
  });

  test('begins anew after a long pause between two days', async () => {
    await using box = await openSandbox();
    const until = '2026-01-03T00:00:00.000Z';
    const first = await box.ask(sandboxSimulate, { seed: 7, users: 5, days: 2, until });
    await box.ask(sandboxAdvance, { durationMs: 3_600_000 });
    const second = await box.ask(sandboxSimulate, { seed: 7, users: 5, days: 1, until, from: first.now });
    expect(Date.parse(second.from)).toBe(Date.parse(first.now) + 3_600_000);
  });
});

test('a day that breaks off leaves the one before, and can be simulated again', async () => {
  const until = '2026-01-04T00:00:00.000Z';
  await using whole = await openSandbox();
  await simulate(whole, { days: 2, until });
  await using box = await openSandbox();
  const first = await box.ask(sandboxSimulate, { seed: 7, users: 40, days: 2, until });
  const before = dumpOf(box);
  const { offrampOperations } = await import('../../../src/service/offramp/operation.ts');
  const spy = vi.spyOn(offrampOperations, 'transactions.offramp').mockImplementation(() => {
    throw new Error('broken');
  });
  const again = { seed: 7, users: 40, days: 1, until, from: first.now };
  await expect(box.ask(sandboxSimulate, again)).rejects.toThrow();
  spy.mockRestore();
  expect(dumpOf(box)).toBe(before);
  expect((await box.ask(sandboxClock, {})).now).toBe(first.now);
  await box.ask(sandboxSimulate, again);
  expect(dumpOf(box)).toBe(dumpOf(whole));
});

test('a day ends when nothing is due for ten seconds, whatever is under way', async () => {
  await using box = await openSandbox();
  // Noon of a salary day.
  const [day] = await simulate(box, { days: 1, users: 600, until: '2025-12-31T11:00:00Z' });
  const soon = Date.parse(day?.now ?? '') + 10_000;
  expect(numberOf(box, `SELECT COUNT(*) FROM due WHERE due_at <= ${soon}`)).toBe(0);
  expect(numberOf(box, `SELECT COUNT(*) FROM due WHERE due_at <= ${soon + 600_000}`)).toBeGreaterThan(0);
});

test('a rejected request leaves nothing behind', async () => {
  const { offrampOperations } = await import('../../../src/service/offramp/operation.ts');
  const spy = vi.spyOn(offrampOperations, 'transactions.offramp').mockImplementation(({ store, nowMs }) => {
    insert(store, 'fault_rule', { endpoint: 'fees.get', kind: 'slow', times: 1, created_at: nowMs });
    throw new Fault('SHORT_BALANCE', 'too little');
  });
  onTestFinished(() => spy.mockRestore());
  await using box = await openSandbox();
  const days = await simulate(box, { days: 4 });
  expect(failuresOf(days, 'offramp', 'INSUFFICIENT_BALANCE')).toBe(requestsOf(days, 'offramp'));
  expect(spy.mock.calls.length).toBeGreaterThan(3);
  expect(numberOf(box, 'SELECT COUNT(*) FROM fault_rule')).toBe(0);
});

test('an outage keeps the receiver of webhooks from its events for some hours', async () => {
  await using box = await openSandbox();
  await box.ask(setWebhook, { webhookUrl: 'https://example.com/hook', events: ['all'], enabled: true });
  const days = await simulate(box, { days: 20, users: 15 });
  const lost = days.filter(({ lostAttempts }) => lostAttempts > 0);
  expect(lost.length).toBeGreaterThan(0);
  expect(lost.length).toBeLessThan(10);
  const attempts = rows(box, 'SELECT DISTINCT problem, status FROM delivery_attempt');
  expect(attempts).toEqual([{ problem: 'the connection was refused', status: null }]);
  expect(numberOf(box, 'SELECT COUNT(*) FROM delivery_attempt')).toBe(
    days.reduce((sum, day) => sum + day.lostAttempts, 0),
  );
  // Nobody got anything yet: what was tried in vain is tried again.
  expect((await box.ask(sandboxEvents, { state: 'waiting' })).total).toBe(numberOf(box, 'SELECT COUNT(*) FROM outbox'));
});

test.each([
  { days: 0 },
  { days: 3651 },
  { users: 0 },
  { users: 10_001 },
  { seed: 'seven' },
  { seed: -1 },
  { until: 'tomorrow' },
  { until: '9000-01-02' },
  { from: '2026-01-01T00:00:00Z' },
  { from: '2126-01-01T00:00:00Z', until: '2126-01-02T00:00:00Z' },
  { until: '1970-01-02', days: 3 },
  { more: 1 },
])('refuses %o, and changes nothing', async (input) => {
  await using box = await openSandbox();
  const before = dumpOf(box);
  const { status, envelope } = await box.call('POST', '/_sandbox/simulate', { seed: 1, users: 1, days: 1, ...input });
  expect([status, envelope.response_code]).toEqual([400, '01']);
  expect(dumpOf(box)).toBe(before);
});
