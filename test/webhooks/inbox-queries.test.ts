import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../src/sqlite/database.ts';
import { countEvents, happenedFrom, type InboxFilter, listEvents } from '../../src/webhooks/inbox/events.ts';
import { forwardsIn } from '../../src/webhooks/inbox/forwards.ts';
import { INBOX_LAYOUT } from '../../src/webhooks/inbox/layout.ts';
import { leaseIn } from '../../src/webhooks/inbox/listener.ts';
import { type InboxStore, storeIn } from '../../src/webhooks/inbox/store.ts';
import { temporaryFolder } from '../support/sandbox.ts';
import { deliveryOf, hostWith, listOf, NOW_MS, onboarded, received, testInbox } from './support.ts';

const TARGET = 'http://127.0.0.1:3000/';

/** Runs queries on an empty inbox, and returns the plan of each. */
async function plansOf(run: (store: InboxStore) => Promise<unknown>): Promise<string[][]> {
  const database = await openDatabase(':memory:', { synchronous: 'FULL', layout: INBOX_LAYOUT });
  const plans: string[][] = [];
  const explained: Database['all'] = (sql, ...values) => {
    const steps = database.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...values);
    plans.push(steps.map(({ detail }) => detail));
    return database.all(sql, ...values);
  };
  const get: Database['get'] = (sql, ...values) => explained(sql, ...values)[0] as never;
  const opened = { ...database, all: explained, get };
  await run(storeIn(opened, () => NOW_MS, { path: ':memory:', layout: INBOX_LAYOUT }));
  database.close();
  return plans;
}

const SCAN = /^SCAN event|TEMP B-TREE/;

describe('the plan of a list', () => {
  const period = { sinceMs: 1, untilMs: 9 };
  const names = [{ event: 'user.onboarded' }, { requestId: 'r' }, { userId: 'u' }, { kind: 'encrypted' }] as const;
  const all: Omit<InboxFilter, 'limit'>[] = [{}, ...names, { kind: 'event' }, { isOffTime: true }];
  const periods = all.flatMap((filter) => [
    { ...filter, ...period },
    { ...filter, ...period, before: 5n },
    { ...filter, ...period, after: 5n },
  ]);
  const pages = names.flatMap((filter) => [filter, { ...filter, before: 5n }, { ...filter, after: 5n }]);

  test.each([...periods, ...pages, { before: 5n }, { after: 5n }])(
    'with %o starts where its rows are, and sorts nothing',
    async (filter) => {
      const [plan, ...others] = await plansOf(({ read }) =>
        read((queries) => listEvents(queries, { limit: 20, ...filter })),
      );
      expect(plan?.filter((step) => SCAN.test(step))).toEqual([]);
      expect(plan?.[0]).toMatch(/^SEARCH event USING/);
      expect(others).toEqual([]);
    },
  );

  test.each([period, { ...period, before: 5n }, { ...period, event: 'user.onboarded' }])(
    'with %o has both ends of the period in the index',
    async (filter) => {
      const [plan] = await plansOf(({ read }) => read((queries) => listEvents(queries, { limit: 20, ...filter })));
      expect(plan?.[0]).toContain('received_at>? AND received_at<?');
    },
  );

  test.each([{}, period])('of late events with %o reads those alone', async (filter) => {
    const [plan] = await plansOf(({ read }) =>
      read((queries) => listEvents(queries, { limit: 20, isOffTime: true, ...filter })),
    );
    expect(plan?.[0]).toContain('USING INDEX event_off_time');
  });

  test.each(['pending', 'dead'] as const)('of %s events starts with those alone', async (forwarding) => {
    const [plan] = await plansOf(({ read }) => read((queries) => listEvents(queries, { limit: 20, forwarding })));
    expect(plan?.[0]).toBe('SEARCH event USING INTEGER PRIMARY KEY (rowid=?)');
    expect(plan).toContainEqual(expect.stringMatching(/^SCAN forward USING INDEX forward_(in_turn|dead)$/));
  });

  test('of the latest events sorts nothing', async () => {
    expect(await plansOf(({ read }) => read((queries) => listEvents(queries, { limit: 20 })))).toEqual([
      ['SCAN event'],
    ]);
  });

  test('of what happened in a period reads that period alone', async () => {
    expect(
      await plansOf(({ read }) =>
        listOf(happenedFrom((sql, ...values) => read((queries) => queries.all(sql, ...values)), 1, 9)),
      ),
    ).toEqual([['SEARCH event USING INDEX event_by_happening (happened_ms>? AND happened_ms<?)']]);
  });

  test.each([{}, { event: 'user.onboarded' }, { kind: 'encrypted' as const }])(
    'of the counts with %o reads no event',
    async (selection) => {
      const [plan = []] = await plansOf(({ read }) => read((queries) => countEvents(queries, selection)));
      expect(plan.filter((step) => /\bevent\b/.test(step))).toEqual([]);
      expect(plan).not.toEqual([]);
    },
  );

  test.each([period, { ...period, userId: 'u' }])(
    'of the counts with %o reads those events alone',
    async (selection) => {
      const [plan] = await plansOf(({ read }) => read((queries) => countEvents(queries, selection)));
      expect(plan?.[0]).toMatch(/^SEARCH event USING INDEX event_by_\w+ \(.*received_at>\? AND received_at<\?\)$/);
    },
  );
});

describe('the tallies', () => {
  /** What the tallies say, and what the rows say. */
  const bothOf = (path: string) => {
    const database = new DatabaseSync(path, { readOnly: true });
    const rows = (sql: string) => database.prepare(sql).all();
    const both = {
      tallied: {
        events: rows(`SELECT kind, event, events FROM event_tally WHERE events <> 0 ORDER BY 1, 2`),
        forwards: rows('SELECT state, forwards FROM forward_tally WHERE forwards <> 0 ORDER BY 1'),
      },
      counted: {
        events: rows(
          `SELECT kind, coalesce(event, '') AS event, count(*) AS events FROM event GROUP BY 1, 2 ORDER BY 1, 2`,
        ),
        forwards: rows(`SELECT state, count(*) AS forwards FROM forward GROUP BY 1
          UNION ALL SELECT 'quarantined', count(*) FROM event WHERE quarantined IS NOT NULL HAVING count(*) > 0
          UNION ALL SELECT 'off-time', count(*) FROM event WHERE is_late + is_early > 0 HAVING count(*) > 0 ORDER BY 1`),
      },
    };
    database.close();
    return both;
  };

  test('agree with the rows after every kind of change', async () => {
    using folder = temporaryFolder();
    const path = folder.file('inbox.db');
    const { inbox, clock } = await testInbox(path);
    const check = async (counts: object) => {
      const { tallied, counted } = bothOf(path);
      expect(tallied).toEqual(counted);
      expect(await inbox.counts()).toMatchObject(counts);
    };
    const keep = async (...bodies: (string | object)[]) =>
      await inbox.add(await Promise.all(bodies.map((body) => received(deliveryOf(body)))));
    await keep(onboarded(1), onboarded(2), onboarded(2), '[1]', '{"payload":"AAAA"}', { event: 'new', data: {} });
    await check({ events: 5, waiting: 0, dead: 0 });
    await inbox.forwardTo({ targets: [TARGET] });
    const [_third] = await keep(onboarded(3), onboarded(4), onboarded(5));
    await check({ events: 8, waiting: 3, dead: 0 });
    const [due] = await inbox.forwards.due(TARGET, 1);
    if (due) await inbox.forwards.ended([[due, { status: 200 }]]);
    const [dying] = await inbox.forwards.due(TARGET, 1);
    if (dying) await inbox.forwards.ended([[{ ...dying, attempts: 1_000 }, { status: 500 }]]);
    await check({ events: 8, waiting: 1, dead: 1 });
    await inbox.forwards.redrive();
    await check({ events: 8, waiting: 2, dead: 0 });
    const sealed = (await inbox.list({ limit: 1, kind: 'encrypted' }))[0];
    const happenedAt = new Date(NOW_MS - 60_000).toISOString();
    if (sealed) await inbox.open(sealed, await received(deliveryOf({ ...onboarded(6), timestamp: happenedAt })));
    expect(await listOf(inbox.happenedFrom(0, NOW_MS))).toMatchObject([
      { id: sealed?.id, happenedMs: NOW_MS - 60_000 },
    ]);
    await check({ events: 8, waiting: 3, dead: 0 });
    const [last] = await inbox.forwards.due(TARGET, 1);
    if (last) await inbox.forwards.ended([[last, { status: 200 }]]);
    clock.pass(1_000);
    expect(await inbox.prune(clock.now())).toBe(5);
    await check({ events: 3, waiting: 2, dead: 0, quarantined: 1 });
    expect(await inbox.countByName({ userId: 'user-5' })).toEqual([
      { event: 'user.onboarded', kind: 'event', count: 1 },
    ]);
    await inbox.close();
  });
});

test('what is due is found without reading what waits behind it', async () => {
  const plans = await plansOf((store) =>
    forwardsIn(
      store,
      leaseIn(store, hostWith(1), () => NOW_MS),
    ).due(TARGET, 32),
  );
  expect(plans.flat().join('\n')).toMatch(/USING INDEX forward_(due|set) \(target=\?/);
  expect(plans.flat().filter((step) => step.startsWith('SCAN'))).toEqual([]);
});
