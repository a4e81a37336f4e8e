import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { builtInProfile, resolveProfile } from '../../src/account/profile.ts';
import { createEventRecorder } from '../../src/copy/event-recorder.ts';
import type { Account } from '../../src/engine/account.ts';
import { openProfileInbox } from '../../src/engine/connection/inbox.ts';
import { main } from '../../src/main.ts';
import type { InboxEvent } from '../../src/webhooks/inbox/events.ts';
import { success } from '../support/exchange.ts';
import { testJournal } from '../support/journal-intent.ts';
import { ACCOUNT, fakeClock, fakeWorld } from '../support/world.ts';
import { deliveryOf, received } from '../webhooks/support.ts';
import { movingService } from './moving-service.ts';

const event = (name: string, requestId: string, data: object = {}) =>
  ({ event: name, text: JSON.stringify({ event: name, requestId, data: { amount: 1, ...data } }) }) as InboxEvent;

test('an event is in the local copy at once; the next sync reads its row and goes on from what was read', async () => {
  const clock = fakeClock();
  const service = movingService(clock.now);
  const world = fakeWorld({ clock, network: (...given) => service.exchange(...given), env: ACCOUNT });
  const sync = async () => expect(await main(['sync', '-q'], world), world.stderr.text()).toBe(0);
  const query = (sql: string) => {
    const database = new DatabaseSync(join(world.stateDir, 'copy-environment.db'), { readOnly: true });
    const found = database.prepare(sql).all();
    database.close();
    return found.map((row) => Object.values(row));
  };
  const rows = () => query('SELECT id, status, is_open, amount_minor FROM withdrawals ORDER BY id');
  const statusesOf = ({ requestId }: Record<string, unknown>) =>
    query(`SELECT status FROM status_changes WHERE id = '${requestId}' ORDER BY seen_at`).flat();
  const [open, later] = [service.add('withdrawals'), service.add('withdrawals')];
  await sync();
  // Added by someone else since: an event tells of it before any list.
  const unread = service.add('withdrawals');
  const failing = service.add('withdrawals');
  const journal = await testJournal();
  onTestFinished(() => journal.close());
  const parts = {
    world,
    profile: { ...builtInProfile(), name: 'environment', mode: 'live' },
    journal: () => testJournal(),
  };
  const recorder = createEventRecorder(parts as unknown as Account);
  await recorder.record([
    event('fintech.user.asset.transfer.completed', String(open['requestId'])),
    event('fintech.user.asset.transfer.completed', String(unread['requestId'])),
    event('fintech.user.asset.transfer.failed', String(failing['requestId'])),
  ]);
  // It says no status, so the row has the one that its list shows of whatever goes on.
  await recorder.record([event('fintech.offramp.initiated', 'payout-1')]);
  expect(query('SELECT id, status, is_open FROM payouts')).toEqual([['payout-1', 'processing', 1]]);
  await clock.sleep(60_000, new AbortController().signal);
  await recorder.record([event('fintech.user.asset.transfer.failed', String(open['requestId']))]);
  expect(rows()).toEqual([
    ['withdrawals-1', 'completed', 0, 5_000_000],
    ['withdrawals-2', 'pending', 1, 5_000_000],
    ['withdrawals-3', 'completed', 0, null],
    ['withdrawals-4', 'failed', 0, null],
  ]);
  // So the next sync reads them, however equal the row is.
  const toRead = query('SELECT id FROM stored_withdrawals WHERE digest IS NULL ORDER BY id').flat();
  expect(toRead).toEqual(['withdrawals-1', 'withdrawals-3', 'withdrawals-4']);
  // An event that came too late changed nothing, and no change is written down.
  expect(statusesOf(open)).toEqual(['completed']);
  for (const row of [open, unread, later]) row['status'] = 'completed';
  failing['status'] = 'failed';
  await sync();
  expect(rows()).toEqual([
    ['withdrawals-1', 'completed', 0, 5_000_000],
    ['withdrawals-2', 'completed', 0, 5_000_000],
    ['withdrawals-3', 'completed', 0, 5_000_000],
    ['withdrawals-4', 'failed', 0, 5_000_000],
  ]);
  expect(statusesOf(open)).toEqual(['completed']);
  // What has changed is told by what syncs read, not by what the event said in between.
  expect(query(`SELECT field, before_json, after_json FROM changes WHERE id = '${open['requestId']}'`)).toContainEqual([
    'status',
    '"pending"',
    '"completed"',
  ]);
});

test('a row has the time at which an event says that it ended, and otherwise the time in which it did', async () => {
  const clock = fakeClock();
  const service = movingService(clock.now);
  const world = fakeWorld({ clock, network: (...given) => service.exchange(...given), env: ACCOUNT });
  const sync = async () => expect(await main(['sync', '-q'], world), world.stderr.text()).toBe(0);
  const ends = () => {
    const database = new DatabaseSync(join(world.stateDir, 'copy-environment.db'), { readOnly: true });
    const rows = database.prepare('SELECT ended_at, end_bound FROM stored_withdrawals ORDER BY id').all();
    database.close();
    return rows.map((row) => Object.values(row));
  };
  const iso = (atMs: number) => new Date(atMs).toISOString();
  const pass = (ms: number) => clock.sleep(ms, new AbortController().signal);
  const madeMs = clock.now();
  const all = [1, 2, 3, 4, 5].map(() => service.add('withdrawals'));
  const [, , ...ended] = all;
  await pass(60_000);
  for (const row of ended) row['status'] = 'failed';
  const [, , , , completed] = all;
  if (completed) completed['status'] = 'completed';
  await sync();
  const syncedMs = clock.now();
  const unread = service.add('withdrawals');
  const ids = [...all, unread].map((row) => String(row['requestId']));
  const [timed = '', untimed = '', seen = '', wrong = '', good = '', unreadId = ''] = ids;
  const failed = (id: string, data?: object) => event('fintech.user.asset.transfer.failed', id, data);
  await pass(60_000);
  const heardMs = clock.now();
  const parts = {
    world,
    profile: { ...builtInProfile(), name: 'environment', mode: 'live' },
    journal: () => testJournal(),
  };
  await createEventRecorder(parts as unknown as Account).record([
    failed(timed, { failedAt: iso(syncedMs + 1_000) }),
    failed(untimed),
    // These had been seen to have ended. What is said of two contradicts it.
    failed(seen, { failedAt: iso(madeMs + 7_000) }),
    failed(wrong, { failedAt: iso(heardMs) }),
    failed(good, { failedAt: iso(madeMs + 7_000) }),
    failed(unreadId),
  ]);
  const expected = [
    [iso(syncedMs + 1_000), null],
    [iso(heardMs), iso(madeMs)],
    [iso(madeMs + 7_000), null],
    [iso(madeMs), iso(syncedMs)],
    [iso(madeMs), iso(syncedMs)],
  ];
  expect(ends()).toEqual([...expected, [iso(heardMs), expect.any(String)]]);
  for (const row of [...all.slice(0, 4), unread]) row['status'] = 'failed';
  await sync();
  // Now the list says when it began.
  expect(ends()).toEqual([...expected, [iso(heardMs), iso(syncedMs)]]);
});

test('an event that a clock ahead of the service’s noted while failures were asked about hides no later failure', async () => {
  const clock = fakeClock();
  const service = movingService(clock.now);
  let asked = 0;
  const world = fakeWorld({
    clock,
    env: ACCOUNT,
    network: async (request, ...rest) => {
      if (!new URL(request.url).pathname.endsWith('/getofframpstatus')) return service.exchange(request, ...rest);
      asked += 1;
      if (asked === 1) await meanwhile();
      return success({ status: 'failed' });
    },
  });
  const sync = async () => expect(await main(['sync', '-q'], world), world.stderr.text()).toBe(0);
  const ahead = { ...world, clock: { ...clock, now: () => clock.now() + 3_600_000 } };
  const parts = {
    world: ahead,
    profile: { ...builtInProfile(), name: 'environment', mode: 'live' },
    journal: () => testJournal(),
  };
  const added = () => Object.assign(service.add('payouts'), { type: 'fintech_offramp' });
  const [first, heard, last] = [added(), added(), added()];
  const meanwhile = () =>
    createEventRecorder(parts as unknown as Account).record([event('fintech.offramp.failed', String(heard['id']))]);
  Object.assign(first, { status: 'failed' });
  await sync();
  // The one that had failed, and the one that an event told of meanwhile.
  expect(asked).toBe(2);
  await clock.sleep(60_000, new AbortController().signal);
  for (const row of [heard, last]) Object.assign(row, { status: 'failed' });
  await sync();
  // What the list says of the second now is new too.
  expect(asked).toBe(4);
});

test('an inbox that cannot be read stops no sync, and is read by the next one', async () => {
  const clock = fakeClock();
  const service = movingService(clock.now);
  const world = fakeWorld({ clock, network: (...given) => service.exchange(...given), env: ACCOUNT });
  const row = service.add('withdrawals');
  row['status'] = 'failed';
  const path = join(world.stateDir, 'inbox-environment.db');
  mkdirSync(world.stateDir, { recursive: true, mode: 0o700 });
  writeFileSync(path, 'this is no inbox', { mode: 0o600 });
  const [madeAt, endedMs] = [String(row['createdAt']), clock.now() + 1_000];
  await clock.sleep(60_000, new AbortController().signal);
  const ends = async () => {
    expect(await main(['sync', '-q'], world), world.stderr.text()).toBe(0);
    const database = new DatabaseSync(join(world.stateDir, 'copy-environment.db'), { readOnly: true });
    const rows = database.prepare('SELECT ended_at, end_bound FROM stored_withdrawals').all();
    database.close();
    return rows.map((each) => Object.values(each));
  };
  expect(await ends()).toEqual([[madeAt, new Date(clock.now()).toISOString()]]);
  expect(world.stderr.text()).toContain('warning: the inbox of webhooks cannot be read; the copy lacks');
  rmSync(path);
  const inbox = await openProfileInbox(world, resolveProfile(undefined, world));
  const failedAt = new Date(endedMs).toISOString();
  const body = { event: 'fintech.user.asset.transfer.failed', requestId: row['requestId'], data: { failedAt } };
  await inbox.add([await received(deliveryOf(body, { sentAtMs: clock.now() }), clock.now())]);
  await inbox.close();
  expect(await ends()).toEqual([[failedAt, null]]);
});
