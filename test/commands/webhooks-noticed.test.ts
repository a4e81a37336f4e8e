import { expect, test } from 'vitest';
import type { InboxEvent } from '../../src/webhooks/inbox/events.ts';
import { createNoticed } from '../../src/webhooks/run/noticed.ts';
import { deliveryOf, NOW_MS, onboarded, received, testInbox } from '../webhooks/support.ts';

const OWN = '01900000-0000-7000-8000-000000000001';
const OTHER = '01900000-0000-7000-8000-000000000002';

type AsSession = Parameters<typeof createNoticed>[0];

/** What a listener says about the deliveries that it gets. `service` says how its reads end. */
async function noticing(service: { aheadMs?: number; fintechId?: string } = {}, mode = 'live') {
  const { inbox, clock } = await testInbox();
  const said: string[] = [];
  let reads = 0;
  let aheadMs: number | undefined;
  const session = {
    world: { clock },
    profile: { mode },
    time: { service: { hostAheadMs: () => aheadMs } },
    call: async () => {
      reads += 1;
      if (service.fintechId === undefined) throw new Error('the service cannot be reached');
      aheadMs = service.aheadMs;
      return { data: { fintechId: service.fintechId } };
    },
  } as unknown as AsSession;
  const noticed = createNoticed(
    session,
    inbox,
    (text, { level } = {}) => void said.push(level === 'warning' ? `warning: ${text}` : text),
  );
  let last = 0n;
  const look = async () => {
    const fresh: InboxEvent[] = await inbox.list({ limit: 100, after: last });
    last = fresh.at(-1)?.id ?? last;
    noticed.look(fresh);
    // What is asked in the background is answered by now.
    await new Promise(setImmediate);
    noticed.look([]);
  };
  const arrive = async (number: number, sentAtMs: number, more: object = {}) => {
    await inbox.add([await received(deliveryOf({ ...onboarded(number), ...more }, { sentAtMs }), clock.now())]);
    await look();
  };
  return { inbox, clock, said, arrive, look, reads: () => reads };
}

const warnings = (said: readonly string[]) => said.filter((text) => text.startsWith('warning:'));

test.each([
  [301_000, -301_000, 'this machine’s clock is 5 min 1 s ahead of the service’s, so events count as late'],
  [-61_000, 61_000, 'this machine’s clock is 1 min 1 s behind the service’s, so events count as early'],
])(
  'a clock that is %i ms off is warned of once, with its distance from the service’s',
  async (aheadMs, fromNowMs, text) => {
    const { said, arrive, reads, clock } = await noticing({ aheadMs, fintechId: OWN });
    for (const number of [1, 2, 3]) await arrive(number, clock.now() + fromNowMs);
    expect([warnings(said), reads()]).toEqual([[`warning: ${text}`], 1]);
  },
);

test('a right clock is not warned of, however late an event comes', async () => {
  const { said, arrive } = await noticing({ aheadMs: 0, fintechId: OWN });
  await arrive(1, NOW_MS - 3_600_000);
  expect(said).toEqual([
    '1 event came late or early, 0 are quarantined, 0 are dead; see: fiatrail webhooks inbox list --status quarantined',
  ]);
});

test.each([
  [
    [-900_000, -301_000],
    'no event arrived less than 5 min 1 s after it was sent: they were delayed, or this machine’s clock is ahead',
  ],
  [[61_000], 'events arrive 1 min 1 s before they were sent: this machine’s clock is behind'],
  [[-1_000, -900_000], undefined],
])('without the service, the least distance of %j is told', async (distances, text) => {
  const { said, arrive, inbox, look } = await noticing();
  for (const [number, fromNowMs] of distances.slice(0, -1).entries())
    await inbox.add([await received(deliveryOf(onboarded(number), { sentAtMs: NOW_MS + fromNowMs }))]);
  await arrive(9, NOW_MS + (distances.at(-1) ?? 0));
  await look();
  expect(warnings(said)).toEqual(text === undefined ? [] : [`warning: ${text}`]);
});

test('the service is asked at most every 10 minutes, and never by an embedded sandbox', async () => {
  const { arrive, reads, clock } = await noticing();
  for (const [number, passedMs] of [0, 1, 599_998, 1, 1].entries()) {
    clock.pass(passedMs);
    await arrive(number, clock.now() - 400_000);
  }
  expect(reads()).toBe(2);
  const embedded = await noticing({}, 'embedded');
  await embedded.arrive(1, NOW_MS - 400_000);
  expect(embedded.reads()).toBe(0);
});

test('the read that tells the time tells which account this is, so that events of another one are quarantined', async () => {
  const { inbox, arrive, look } = await noticing({ aheadMs: 0, fintechId: OWN });
  await look();
  await arrive(1, NOW_MS, { fintechId: OTHER });
  await arrive(2, NOW_MS, { fintechId: OWN });
  expect((await inbox.list({ limit: 9 })).map(({ quarantined }) => quarantined)).toEqual([null, 'foreign']);
});

test('quarantined events are counted in one line, at once and then every 10 seconds', async () => {
  const { said, arrive, clock, look } = await noticing({ aheadMs: 0, fintechId: OWN });
  const quarantined = { eventId: undefined };
  await arrive(1, NOW_MS - 400_000, quarantined);
  await arrive(2, NOW_MS - 400_000, quarantined);
  await arrive(3, NOW_MS - 400_000, quarantined);
  clock.pass(10_000);
  await look();
  clock.pass(60_000);
  await look();
  const line = (late: string, heldCount: string) =>
    `${late} came late or early, ${heldCount} quarantined, 0 are dead; see: fiatrail webhooks inbox list --status quarantined`;
  expect(said).toEqual([line('1 event', '1 is'), line('3 events', '3 are')]);
});
