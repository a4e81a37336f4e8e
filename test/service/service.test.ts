import { describe, expect, test } from 'vitest';
import { sandboxClock, sandboxStatus } from '../../src/contract/control.ts';
import { onrampStatus, startOnramp } from '../../src/contract/endpoints/onramp.ts';
import { getVirtualAccount } from '../../src/contract/endpoints/virtual-accounts.ts';
import type { Context } from '../../src/service/context.ts';
import { countingIds, fakeClock, openSandbox, START_MS, temporaryFolder } from '../support/sandbox.ts';
import { fund, onboardUser, payIn } from './steps.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const iso = (timeMs: number) => new Date(timeMs).toISOString();
const rename = (name: string) => (context: Context) =>
  context.store.run('UPDATE fintech SET name = ? WHERE id = 1', name);
const nameOf = ({ store }: Context) => store.get<{ name: string }>('SELECT name FROM fintech WHERE id = 1')?.name;

/** A service whose batches run when the test flushes them. */
async function openGathered() {
  const flushes: (() => void)[] = [];
  const box = await openSandbox({ gather: (flush) => flushes.push(flush) });
  const flush = () => {
    for (const each of flushes.splice(0)) each();
  };
  return { box, flush, waiting: () => flushes.length, [Symbol.dispose]: () => box.service.close() };
}

describe('units of one batch', () => {
  test('run in order and resolve after the batch', async () => {
    using gathered = await openGathered();
    const { box, flush, waiting } = gathered;
    const order: string[] = [];
    const unit = (name: string) => {
      const work = () => order.push(`${name} runs`);
      return box.inside(work).then(() => order.push(`${name} resolves`));
    };
    const units = [unit('first'), unit('second'), unit('third')];
    expect(waiting()).toBe(1);
    flush();
    await Promise.all(units);
    expect(order).toEqual([
      'first runs',
      'second runs',
      'third runs',
      'first resolves',
      'second resolves',
      'third resolves',
    ]);
  });

  test('see the writes of earlier units, but not of one that threw', async () => {
    using gathered = await openGathered();
    const { box, flush } = gathered;
    const failing = box.inside((context) => {
      rename('Failing')(context);
      throw new Error('no');
    });
    const seen = [box.inside(rename('Second')), box.inside(nameOf, 'read')];
    flush();
    await expect(failing).rejects.toThrow('no');
    expect(await Promise.all(seen)).toEqual([1, 'Second']);
  });

  test('change nothing if they are alone and throw, but what was due before stays done', async () => {
    await using box = await openSandbox();
    await box.call('POST', '/onboarduser', { bvn: '22222222222' });
    // Past the service, which would run what is due.
    const users = () => box.service.store.all('SELECT 1 FROM user').length;
    const failing = (context: Context) => {
      rename('Failing')(context);
      throw new Error('no');
    };
    const name = await box.inside(nameOf, 'read');
    for (const [passedMs, count] of [
      [0, 0],
      [300, 1],
      [0, 1],
    ] as const) {
      box.clock.pass(passedMs);
      await expect(box.inside(failing)).rejects.toThrow('no');
      expect([users(), await box.inside(nameOf, 'read')]).toEqual([count, name]);
    }
  });

  test('all fail if the commit fails', async () => {
    using gathered = await openGathered();
    const { box, flush } = gathered;
    const fine = box.inside(rename('Fine'));
    const orphan = box.inside(({ store }) => store.run('INSERT INTO posting VALUES (900, 1, 1)'));
    flush();
    for (const each of [fine, orphan]) await expect(each).rejects.toThrow(/FOREIGN KEY/);
    const name = box.inside(nameOf, 'read');
    flush();
    expect(await name).not.toBe('Fine');
  });

  test('do not affect the next batch when they fail', async () => {
    using gathered = await openGathered();
    const { box, flush } = gathered;
    const orphan = box.inside(({ store }) => store.run('INSERT INTO posting VALUES (900, 1, 1)'));
    flush();
    await expect(orphan).rejects.toThrow();
    const next = box.inside(rename('Next'));
    flush();
    expect(await next).toBe(1);
  });
});

describe('an exclusive unit', () => {
  test('runs in order and does not share failures with the other units', async () => {
    using gathered = await openGathered();
    const { box, flush } = gathered;
    const orphan = (context: Context) => context.store.run('INSERT INTO posting VALUES (900, 1, 1)');
    const units = [
      box.inside(orphan),
      box.inside(rename('Alone'), 'alone'),
      box.inside(orphan),
      box.inside(nameOf, 'alone'),
      box.inside(rename('Last')),
      box.inside(nameOf, 'read'),
    ];
    flush();
    const settled = await Promise.allSettled(units);
    expect(settled.map(({ status }) => status === 'fulfilled')).toEqual([false, true, false, true, true, true]);
    expect(await Promise.all([units[1], units[3], units[4], units[5]])).toEqual([1, 'Alone', 1, 'Last']);
  });
});

describe('due work', () => {
  test('happens at its own time, even if the sandbox is read much later', async () => {
    await using box = await openSandbox({ pace: 'real' });
    const { envelope } = await box.call('POST', '/onboarduser', { bvn: '22222222222' });
    box.clock.pass(24 * HOUR_MS);
    const userId = String(envelope.data?.['userHash']);
    const verified = await box.call('POST', '/getuserdetails', { userId });
    expect(verified.envelope.data).toMatchObject({
      walletDetails: { walletCreatedAt: iso(START_MS + 2 * MINUTE_MS) },
    });
  });

  test.each(['22222222222', '00000000000'])('of an onboarding (BVN %s) notes when it ended', async (bvn) => {
    await using box = await openSandbox({ pace: 'real' });
    await box.call('POST', '/onboarduser', { bvn });
    const endedAt = () =>
      box.inside(({ store }) => store.get<{ ended_at: bigint | null }>('SELECT ended_at FROM onboarding')?.ended_at);
    expect(await endedAt()).toBe(null);
    box.clock.pass(HOUR_MS);
    expect(await endedAt()).toBe(BigInt(START_MS + 2 * MINUTE_MS));
  });

  test('that fails an onboarding lets its BVN be tried again', async () => {
    await using box = await openSandbox();
    const onboard = async () => (await box.call('POST', '/onboarduser', { bvn: '00000000000' })).status;
    expect([await onboard(), await onboard()]).toEqual([200, 400]);
    box.clock.pass(HOUR_MS);
    expect(await onboard()).toBe(200);
  });

  test('happens in order of time, not of scheduling', async () => {
    await using box = await openSandbox({ pace: 'real' });
    const slow = await box.call('POST', '/onboarduser', { bvn: '22222222222' });
    await box.call('POST', '/_sandbox/seed', { pace: 'quick' });
    const quick = await box.call('POST', '/onboarduser', { bvn: '33333333333' });
    box.clock.pass(24 * HOUR_MS);
    const users = await box.inside(({ store }) =>
      store.all<{ user_id: string }>('SELECT user_id FROM user ORDER BY id'),
    );
    expect(users.map(({ user_id }) => user_id)).toEqual(
      [quick, slow].map(({ envelope }) => envelope.data?.['userHash']),
    );
  });

  test('happens in order, including the work it schedules', async () => {
    await using box = await openSandbox();
    const user = await onboardUser(box);
    await box.call('POST', '/_sandbox/seed', { pace: 'real' });
    const startMs = box.clock.now();
    const { requestId } = await box.ask(startOnramp, { userId: user.userId, amount: 1000 });
    const { virtualAccount } = await box.ask(getVirtualAccount, { requestId });
    await payIn(box, virtualAccount.accountNumber, 102_200n);
    box.clock.pass(24 * HOUR_MS);
    expect(await box.ask(onrampStatus, { requestId })).toMatchObject({
      status: 'completed',
      completedAt: iso(startMs + 75_000),
      wallet: {
        fundingRequestedAt: iso(startMs),
        fundedAt: iso(startMs + 60_000),
        virtualAccountStatus: 'used',
      },
    });
  });

  test.each(['read', 'write'] as const)('runs before %s work', async (kind) => {
    await using box = await openSandbox();
    await box.call('POST', '/onboarduser', { bvn: '22222222222' });
    box.clock.pass(299);
    const users = ({ store }: Context) => store.all('SELECT 1 FROM user').length;
    expect(await box.inside(users, kind)).toBe(0);
    box.clock.pass(1);
    expect(await box.inside(users, kind)).toBe(1);
  });

  test('is rolled back and set aside if it throws, and blocks nothing else', async () => {
    await using box = await openSandbox();
    const [broken, whole] = [await onboardUser(box), await onboardUser(box)];
    for (const user of [broken, whole]) await payIn(box, user.accountNumber, 100_000n, user.name);
    await box.inside(({ store }) =>
      store.run(`UPDATE wallet SET kind = 'generated' WHERE kind = 'managed' AND user = 1 AND blockchain = 'base'`),
    );
    box.clock.pass(1000);
    const { envelope } = await box.call('GET', `/balance/user/${whole.userId}`);
    expect(envelope.data).toMatchObject({ totalBalance: '978.000000' });
    expect(await box.ask(sandboxStatus, {})).toMatchObject({ stuck: 1, pending: 0, ledger: { balanced: true } });
    const states = ({ store }: Context) => store.all<{ state: string }>('SELECT state FROM deposit ORDER BY id');
    expect((await box.inside(states, 'read')).map(({ state }) => state)).toEqual(['processing', 'completed']);
  });

  test("does not run while only another machine's clock moves", async () => {
    await using box = await openSandbox();
    await box.call('POST', '/onboarduser', { bvn: '22222222222' });
    box.clock.set(START_MS - HOUR_MS);
    expect(await box.inside(({ store }) => store.all('SELECT 1 FROM user').length)).toBe(0);
  });
});

describe('sandbox time', () => {
  test('is machine time plus the advance, also after reopening', async () => {
    using folder = temporaryFolder();
    const path = folder.file('sandbox.db');
    const clock = fakeClock();
    const first = await openSandbox({ path, clock });
    for (const durationMs of [HOUR_MS, 1]) await first.call('POST', '/_sandbox/advance', { durationMs });
    await first.close();
    clock.pass(MINUTE_MS);
    await using second = await openSandbox({ path, clock, ids: countingIds(2) });
    expect(await second.ask(sandboxClock, {})).toEqual({
      now: iso(START_MS + HOUR_MS + 1 + MINUTE_MS),
      machineTime: iso(START_MS + MINUTE_MS),
      clockOffsetSeconds: 3600,
    });
  });

  test('reports the number of events of an advance', async () => {
    await using box = await openSandbox({ pace: 'real' });
    await box.call('POST', '/onboarduser', { bvn: '22222222222' });
    await box.call('POST', '/onboarduser', { bvn: '00000000000' });
    const advance = async (durationMs: number) =>
      (await box.call('POST', '/_sandbox/advance', { durationMs })).envelope.data;
    expect(await advance(2 * MINUTE_MS - 1)).toMatchObject({ events: 0 });
    expect(await advance(1)).toEqual({ now: iso(START_MS + 2 * MINUTE_MS), events: 2 });
    expect(await advance(HOUR_MS)).toMatchObject({ events: 0 });
  });

  test('adds up two advances of one batch', async () => {
    await using box = await openSandbox();
    const advances = [2, 1].map((hours) => box.call('POST', '/_sandbox/advance', { durationMs: hours * HOUR_MS }));
    await Promise.all(advances);
    expect(await box.ask(sandboxClock, {})).toMatchObject({ now: iso(START_MS + 3 * HOUR_MS) });
  });

  // Otherwise the onramp would start in the past and expire before it can be paid.
  test('includes the advance for later units of its batch', async () => {
    await using box = await openSandbox();
    const { userId } = await onboardUser(box);
    const [, started] = await Promise.all([
      box.call('POST', '/_sandbox/advance', { durationMs: 31 * MINUTE_MS }),
      box.call('POST', '/cngnonramp', { userId, amount: 100 }),
    ]);
    const { requestId } = started.envelope.data ?? {};
    expect((await box.call('POST', '/getvirtualaccount', { requestId })).status).toBe(200);
  });

  test('cannot be advanced beyond the valid dates', async () => {
    await using box = await openSandbox();
    expect((await box.call('POST', '/_sandbox/advance', { durationMs: 9e15 })).status).toBe(400);
  });
});

describe('a reopened sandbox', () => {
  test('keeps its key, users, balances and due work', async () => {
    using folder = temporaryFolder();
    const path = folder.file('sandbox.db');
    const clock = fakeClock();
    const first = await openSandbox({ path, clock });
    const user = await onboardUser(first);
    await fund(first, user, 1000);
    const { requestId } = await first.ask(startOnramp, { userId: user.userId, amount: 10 });
    await first.close();
    await using second = await openSandbox({ path, clock, ids: countingIds(2) });
    expect(second.apiKey).toBe(first.apiKey);
    const { envelope } = await second.call('GET', `/balance/user/${user.userId}`);
    expect(envelope.data).toMatchObject({ totalBalance: '1000.000000' });
    clock.pass(30 * MINUTE_MS);
    expect(await second.ask(onrampStatus, { requestId })).toMatchObject({ status: 'failed' });
  });
});
