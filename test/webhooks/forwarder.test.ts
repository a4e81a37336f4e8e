import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Clock } from '../../src/base/world.ts';
import { DatabaseError } from '../../src/sqlite/errors.ts';
import type { ForwardEnd } from '../../src/webhooks/inbox/forwards.ts';
import type { Inbox } from '../../src/webhooks/inbox/inbox.ts';
import { SILENT_MS } from '../../src/webhooks/inbox/listener.ts';
import { forwardTo } from '../../src/webhooks/listen/forwarder.ts';
import { testQueryPlans } from '../support/query-plans.ts';
import { type FakeClock, temporaryFolder } from '../support/sandbox.ts';
import { deliveryOf, hostWith, onboarded, received, testInbox } from './support.ts';

const TARGET = 'http://127.0.0.1:9/';

/** More than any test needs, so that one whose events are never due ends too. */
const MOST_SLEEPS = 2_000;

const NEVER = new AbortController().signal;

/** A clock that moves only when the forwarder sleeps, and lets other work go on meanwhile. */
function yielding(clock: FakeClock, stopping: AbortController): Clock {
  let sleeps = 0;
  return {
    now: clock.now,
    sleep: async (durationMs) => {
      clock.pass(durationMs);
      sleeps += 1;
      if (sleeps > MOST_SLEEPS) stopping.abort();
      await turn();
    },
  };
}

/** What a forwarder needs besides: that clock, and nobody who hears of anything. */
const quietly = (
  clock: FakeClock,
  stopping: AbortController,
  inbox: Pick<Inbox, 'holds'>,
): Parameters<typeof forwardTo>[2] => ({
  clock: yielding(clock, stopping),
  gather: queueMicrotask,
  onForwarded: () => {},
  onUnrecorded: () => {},
  onDraining: () => {},
  renew: async () => void (await inbox.holds()),
  onFailing: () => {},
});

test('an acknowledged event is recorded once the disk has room again, and not sent twice', async () => {
  const { inbox, clock } = await testInbox();
  await inbox.claim('here');
  await inbox.forwardTo({ targets: [TARGET] });
  await inbox.add([await received(deliveryOf(onboarded(1)))]);
  const stopping = new AbortController();
  let sent = 0;
  let failures = 2;
  const unrecorded: string[] = [];
  const send = async (): Promise<ForwardEnd> => {
    sent += 1;
    return { status: 200 };
  };
  const ended: typeof inbox.forwards.ended = async (attempts) => {
    failures -= 1;
    if (failures >= 0) throw new DatabaseError('full', 'inbox.db', undefined);
    await inbox.forwards.ended(attempts);
  };
  await forwardTo(
    { name: TARGET, send },
    { ...inbox.forwards, ended },
    {
      ...quietly(clock, stopping, inbox),
      onForwarded: () => stopping.abort(),
      onUnrecorded: (problem) => void unrecorded.push(problem),
    },
    { stopping: stopping.signal, cutOff: NEVER },
  );
  expect([sent, unrecorded]).toEqual([1, ['full', 'full']]);
  expect((await inbox.list({ limit: 1 }))[0]?.forwards).toMatchObject([{ state: 'acknowledged' }]);
});

/** Forwards events to a target until it has had enough, and returns the numbers of the events in the order of their attempts. */
async function attempts(
  bodies: readonly object[],
  answerTo: (number: number, count: number, nowMs: number) => Promise<ForwardEnd>,
  enough: number,
) {
  const { inbox, clock } = await testInbox();
  await inbox.claim('here');
  await inbox.forwardTo({ targets: [TARGET] });
  await inbox.add(await Promise.all(bodies.map((body) => received(deliveryOf(body)))));
  const stopping = new AbortController();
  const numbers: number[] = [];
  const send = async ({ id }: { readonly id: bigint }) => {
    numbers.push(Number(id));
    if (numbers.length >= enough) stopping.abort();
    return answerTo(Number(id), numbers.length, clock.now());
  };
  await forwardTo({ name: TARGET, send }, inbox.forwards, quietly(clock, stopping, inbox), {
    stopping: stopping.signal,
    cutOff: NEVER,
  });
  return { numbers };
}

const taken = async (): Promise<ForwardEnd> => ({ status: 200 });

test('a slow event holds up nothing but its own request', async () => {
  const bodies = [onboarded(1, 'slow'), onboarded(2, 'slow'), onboarded(3, 'a'), onboarded(4, 'a'), onboarded(5, 'b')];
  let isReleased = false;
  const { numbers } = await attempts(
    bodies,
    async (number, count) => {
      isReleased ||= count === 4;
      for (let turns = 0; number === 1 && !isReleased && turns < MOST_SLEEPS; turns += 1) await turn();
      return { status: 200 };
    },
    5,
  );
  expect([...numbers.slice(0, 4)].sort()).toEqual([1, 3, 4, 5]);
  expect(numbers[4]).toBe(2);
});

test('no more than 32 events are under way at once, and each is sent once', async () => {
  let now = 0;
  let most = 0;
  const bodies = Array.from({ length: 100 }, (_, index) => onboarded(index));
  const { numbers } = await attempts(
    bodies,
    async () => {
      now += 1;
      most = Math.max(most, now);
      await turn();
      now -= 1;
      return { status: 200 };
    },
    100,
  );
  expect([most, new Set(numbers).size, numbers.length]).toEqual([32, 100, 100]);
});

test('a target that takes nothing is left alone, and then tried with one event, each time after a longer pause', async () => {
  const bodies = Array.from({ length: 60 }, (_, index) => onboarded(index));
  const timesMs: number[] = [];
  await attempts(
    bodies,
    async (_number, _count, nowMs) => {
      timesMs.push(nowMs);
      return { problem: 'the connection was refused' };
    },
    135,
  );
  const lateMs = timesMs.filter((timeMs) => timeMs - (timesMs[0] ?? 0) >= 2_000);
  const pausesMs = lateMs.slice(1).map((timeMs, index) => timeMs - (lateMs[index] ?? 0));
  expect(pausesMs.length).toBeGreaterThan(5);
  expect(Math.min(...pausesMs)).toBeGreaterThanOrEqual(1_000);
  expect(pausesMs.at(-1)).toBeGreaterThanOrEqual(30_000);
});

test('a target that rejects each event once, and so many at a time, is never left alone', async () => {
  const bodies = Array.from({ length: 300 }, (_, index) => onboarded(index));
  const timesMs: number[] = [];
  const seen = new Set<number>();
  await attempts(
    bodies,
    async (number, _count, nowMs) => {
      timesMs.push(nowMs);
      if (seen.has(number)) return taken();
      seen.add(number);
      return { status: 500 };
    },
    600,
  );
  expect((timesMs.at(-1) ?? 0) - (timesMs[0] ?? 0)).toBeLessThan(5_000);
});

test('goes on at full speed once a trial is taken', async () => {
  const bodies = Array.from({ length: 80 }, (_, index) => onboarded(index));
  let isUp = false;
  const { numbers } = await attempts(
    bodies,
    async (_number, count) => {
      isUp ||= count > 40;
      return isUp ? taken() : { status: 503 };
    },
    110,
  );
  expect(new Set(numbers).size).toBe(80);
});

describe('a listener that stops', () => {
  /** Forwards two events of one request; the first attempt ends when `finish` is called, or is cut off. */
  async function stoppingWith(during: (cut: () => void, finish: () => void) => void) {
    const { inbox, clock } = await testInbox();
    await inbox.claim('here');
    await inbox.forwardTo({ targets: [TARGET] });
    await inbox.add(
      await Promise.all([onboarded(1, 'a'), onboarded(2, 'a')].map((body) => received(deliveryOf(body)))),
    );
    const [stopping, cutting] = [new AbortController(), new AbortController()];
    const draining: number[] = [];
    const sent: bigint[] = [];
    const send = ({ id }: { readonly id: bigint }, cutOff: AbortSignal) =>
      new Promise<ForwardEnd>((resolve) => {
        sent.push(id);
        cutOff.addEventListener('abort', () => resolve({ problem: 'cut off' }), { once: true });
        stopping.abort();
        setImmediate(() =>
          setImmediate(() =>
            during(
              () => cutting.abort(),
              () => resolve({ status: 200 }),
            ),
          ),
        );
      });
    await forwardTo(
      { name: TARGET, send },
      inbox.forwards,
      { ...quietly(clock, stopping, inbox), onDraining: (count) => void draining.push(count) },
      { stopping: stopping.signal, cutOff: cutting.signal },
    );
    const states = (await inbox.list({ limit: 9, after: 0n })).map(({ forwards: [forward] }) => forward);
    return { draining, sent, states };
  }

  test('lets what is on its way end, and leaves the rest', async () => {
    const { draining, sent, states } = await stoppingWith((_cut, finish) => finish());
    expect([draining, sent]).toEqual([[1], [1n]]);
    expect(states).toMatchObject([{ state: 'acknowledged' }, { state: 'waiting', attempts: 0 }]);
  });

  test('counts nothing against a target that was cut off', async () => {
    const { sent, states } = await stoppingWith((cut) => cut());
    expect([sent, states]).toMatchObject([[1n], [{ state: 'waiting', attempts: 0 }, { state: 'waiting' }]]);
  });
});

test('what ends while the inbox is asked what is due is not sent again, although it is in the answer', async () => {
  const { inbox, clock } = await testInbox();
  await inbox.claim('here');
  await inbox.forwardTo({ targets: [TARGET] });
  for (const number of [1, 2]) await inbox.add([await received(deliveryOf(onboarded(number)))]);
  const stopping = new AbortController();
  const sent: bigint[] = [];
  let finish = () => {};
  const send = async ({ id }: { readonly id: bigint }): Promise<ForwardEnd> => {
    sent.push(id);
    if (sent.length > 2) stopping.abort();
    if (id === 1n) await new Promise<void>((resolve) => (finish = resolve));
    return { status: 200 };
  };
  let asked = 0;
  const due: typeof inbox.forwards.due = async (...given) => {
    const rows = await inbox.forwards.due(...given);
    asked += 1;
    // The first event ends after it was read, and before the answer arrives.
    if (asked === 2) finish();
    if (asked === 2) await new Promise((resolve) => setImmediate(resolve));
    if (asked === 6) stopping.abort();
    return rows;
  };
  await forwardTo({ name: TARGET, send }, { ...inbox.forwards, due }, quietly(clock, stopping, inbox), {
    stopping: stopping.signal,
    cutOff: NEVER,
  });
  expect(sent).toEqual([1n, 2n]);
});

describe('a listener that was suspended for a minute', () => {
  /** Two listeners of an inbox, of which the first is suspended while it sends an event, and what each sends. */
  async function suspended() {
    using folder = temporaryFolder();
    const path = folder.file('inbox.db');
    const { inbox: first, clock } = await testInbox(path, hostWith(1, [1, 2]));
    const { inbox: second, clock: other } = await testInbox(path, hostWith(2, [1, 2]));
    await first.claim('first');
    await first.forwardTo({ targets: [TARGET] });
    for (const number of [1, 2]) await first.add([await received(deliveryOf(onboarded(number, 'one')))]);
    const sent: string[] = [];
    const stopping = new AbortController();
    const send = async ({ id }: { readonly id: bigint }): Promise<ForwardEnd> => {
      sent.push(`first ${id}`);
      for (const each of [clock, other]) each.pass(61_000);
      if (await second.claim('second')) throw new Error('the first one is still alive');
      for (const _each of [1, 2])
        for (const due of await second.forwards.due(TARGET, 9)) {
          sent.push(`second ${due.event.id}`);
          await second.forwards.ended([[due, {}]]);
        }
      return { problem: 'it was suspended' };
    };
    const forwarding = forwardTo(
      { name: TARGET, send },
      first.forwards,
      {
        ...quietly(clock, stopping, first),
        renew: async () => {
          if (!(await first.holds())) throw new Error('taken');
        },
      },
      { stopping: stopping.signal, cutOff: NEVER },
    );
    await expect(forwarding).rejects.toThrow('taken');
    for (const each of [first, second]) await each.close();
    return sent;
  }

  test('sends nothing more once another one forwards', async () => {
    expect(await suspended()).toEqual(['first 1', 'second 1', 'second 2']);
  });
});

test('an attempt that came too late is not counted against its target', async () => {
  const { inbox, clock } = await testInbox();
  await inbox.claim('here');
  await inbox.forwardTo({ targets: [TARGET] });
  await inbox.add([await received(deliveryOf(onboarded(1)))]);
  const stopping = new AbortController();
  const send = async (): Promise<ForwardEnd> => {
    stopping.abort();
    return { problem: 'it was not sent' };
  };
  // It was claimed in time, and is not this process's any more once it is sent.
  const due: typeof inbox.forwards.due = async (...asked) =>
    (await inbox.forwards.due(...asked)).map((forward) => ({ ...forward, isOurs: () => !stopping.signal.aborted }));
  await forwardTo({ name: TARGET, send }, { ...inbox.forwards, due }, quietly(clock, stopping, inbox), {
    stopping: stopping.signal,
    cutOff: NEVER,
  });
  expect((await inbox.list({ limit: 1 }))[0]?.forwards).toMatchObject([{ state: 'waiting', attempts: 0 }]);
});

test.each([
  [9_999, true, 0],
  [10_000, true, 1],
  [59_999, true, 1],
])('after %i ms, a listener has the inbox: %s, for which it writes %i times', async (passed, isOurs, writes) => {
  using folder = temporaryFolder();
  const { inbox, clock } = await testInbox(folder.file('inbox.db'));
  await inbox.claim('here');
  const aliveMs = async () => (await inbox.listeners())[0]?.aliveAtMs ?? 0;
  const before = await aliveMs();
  const isSure = inbox.claimed();
  clock.pass(passed);
  expect(isSure()).toBe(passed < 55_000);
  expect([await inbox.holds(), Number((await aliveMs()) > before)]).toEqual([isOurs, writes]);
  await inbox.close();
});

test('a process with the id of an earlier listener does not keep that one’s place', async () => {
  using folder = temporaryFolder();
  const path = folder.file('inbox.db');
  const { inbox: first, clock } = await testInbox(path);
  await first.claim('first');
  const { inbox: second, clock: other } = await testInbox(path);
  for (const each of [clock, other]) each.pass(1);
  expect(await second.claim('second')).toBeUndefined();
  expect([await first.touch(), await second.touch()]).toEqual([false, true]);
  for (const each of [first, second]) await each.close();
});

test('a listener has its place although time passes while it takes it', async () => {
  using folder = temporaryFolder();
  const { inbox, clock } = await testInbox(folder.file('inbox.db'));
  let nowMs = clock.now();
  Object.assign(clock, {
    now: () => {
      nowMs += 1;
      return nowMs;
    },
  });
  await inbox.claim('here');
  const secrets = { fingerprints: ['a-secret'], canLearn: true };
  await inbox.reportSecrets(secrets);
  expect([await inbox.touch(), (await inbox.listeners())[0]?.secrets]).toEqual([true, secrets]);
  await inbox.close();
});

describe('a listener', () => {
  test('has the inbox to itself while it lives', async () => {
    using folder = temporaryFolder();
    const path = folder.file('inbox.db');
    const { inbox } = await testInbox(path, hostWith(1, [1, 2]));
    const { inbox: second } = await testInbox(path, hostWith(2, [1, 2]));
    expect(await inbox.claim('port 1')).toBeUndefined();
    expect(await second.claim('port 2')).toMatchObject({ processId: 1, host: 'here', address: 'port 1' });
    await inbox.release();
    expect(await second.claim('port 2')).toBeUndefined();
    for (const each of [inbox, second]) await each.close();
  });

  test('that died leaves the inbox to the next', async () => {
    using folder = temporaryFolder();
    const path = folder.file('inbox.db');
    const { inbox } = await testInbox(path, hostWith(1));
    await inbox.claim('port 1');
    await inbox.close();
    const { inbox: second } = await testInbox(path, hostWith(2, [2]));
    expect(await second.claim('port 2')).toBeUndefined();
    await second.close();
  });

  test('of another machine counts as gone once it is silent', async () => {
    using folder = temporaryFolder();
    const path = folder.file('inbox.db');
    const { inbox } = await testInbox(path, hostWith(1, [1], 'there'));
    await inbox.claim('port 1');
    await inbox.close();
    const { inbox: second, clock } = await testInbox(path, hostWith(1));
    expect(await second.claim('port 2')).toMatchObject({ host: 'there' });
    clock.pass(SILENT_MS);
    expect(await second.claim('port 2')).toBeUndefined();
    await second.close();
  });
});

testQueryPlans();
