import { expect, test } from 'vitest';
import { openProfileInbox } from '../../src/engine/connection/inbox.ts';
import { main } from '../../src/main.ts';
import { fakeWorld } from '../support/world.ts';
import { deliveryOf, onboarded, received } from '../webhooks/support.ts';

const TO = 'http://127.0.0.1:9/';

/** A world whose inbox has these events, and a target that answers as told and keeps what it got. */
async function replaying(
  count: number,
  answerTo: (number: number) => { status: number; headers?: Record<string, string> },
) {
  const got: number[] = [];
  const slept: number[] = [];
  const world = fakeWorld({
    network: async ({ body = '' }) => {
      const number = Number((JSON.parse(body) as { eventId: string }).eventId.replace('event-', ''));
      got.push(number);
      return { headers: {}, body: '', ...answerTo(number) };
    },
  });
  const inbox = await openProfileInbox(world, { name: 'sandbox', mode: 'embedded' });
  const bodies = Array.from({ length: count }, (_, at) => ({
    ...onboarded(at + 1),
    event: at % 2 === 0 ? 'user.onboarded' : 'swap.failed',
  }));
  await inbox.add(await Promise.all(bodies.map((body) => received(deliveryOf(body)))));
  await inbox.close();
  const clock = {
    ...world.clock,
    sleep: async (durationMs: number, signal: AbortSignal) => {
      slept.push(durationMs);
      await world.clock.sleep(durationMs, signal);
    },
  };
  const run = async (...words: string[]) => {
    const argv = ['webhooks', 'inbox', 'replay', ...words, '--target', TO, '-o', 'json', '-q'];
    const code = await main(argv, { ...world, clock });
    const text = world.stdout.text();
    return { code, data: text === '' ? undefined : (JSON.parse(text) as object), stderr: world.stderr.text() };
  };
  return { run, got, slept };
}

test('the events of a filter are sent again, oldest first, once a person agrees', async () => {
  const { run, got } = await replaying(1_201, () => ({ status: 200 }));
  expect((await run('--event', 'user.onboarded')).stderr).toContain('send 601 events again');
  expect(got).toEqual([]);
  const { code, data } = await run('--event', 'user.onboarded', '--yes');
  expect([code, data]).toEqual([0, { to: TO, acknowledged: 601, rejected: [], left: 0 }]);
  expect(got).toEqual(Array.from({ length: 601 }, (_, at) => 2 * at + 1));
});

test('what the target does not take is listed, and the others are sent', async () => {
  const { run, got } = await replaying(4, (number) => ({ status: number === 2 ? 500 : 200 }));
  const { code, data } = await run('--since', '100d', '--yes');
  expect([code, got]).toEqual([3, [1, 2, 3, 4]]);
  expect(data).toEqual({
    to: TO,
    acknowledged: 3,
    left: 0,
    rejected: [{ id: 2, event: 'swap.failed', to: TO, status: 500, problem: null }],
  });
});

test('a target that takes nothing is left alone after 10 events', async () => {
  const { run, got } = await replaying(15, () => ({ status: 500 }));
  expect(await run('--since', '100d', '--yes')).toMatchObject({ code: 3, data: { acknowledged: 0, left: 5 } });
  expect(got).toHaveLength(10);
});

test('a target that asks for a wait gets it', async () => {
  const { run, slept } = await replaying(2, (number) =>
    number === 1 ? { status: 429, headers: { 'retry-after': '7' } } : { status: 200 },
  );
  expect(await run('--since', '100d', '--yes')).toMatchObject({ code: 3, data: { acknowledged: 1 } });
  expect(slept).toContain(7_000);
});

test.each([
  [[], 'give either an event, or a filter'],
  [['1', '--since', '1d'], 'give either an event, or a filter'],
  [['--since', '1d', '--set', 'a=1'], '--set needs one event and --resign'],
])('%j is rejected', async (words, message) => {
  const { run, got } = await replaying(1, () => ({ status: 200 }));
  expect(await run(...words, '--yes')).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  expect(got).toEqual([]);
});

test('a dry run says how many would be sent', async () => {
  const { run, got } = await replaying(3, () => ({ status: 200 }));
  expect(await run('--since', '100d', '--dry-run')).toMatchObject({ code: 0, data: { events: 3 } });
  expect(got).toEqual([]);
});
