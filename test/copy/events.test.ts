import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { builtInProfile } from '../../src/account/profile.ts';
import { createEventRecorder } from '../../src/copy/event-recorder.ts';
import type { Account } from '../../src/engine/account.ts';
import { main } from '../../src/main.ts';
import type { InboxEvent } from '../../src/webhooks/inbox/events.ts';
import { testJournal } from '../support/journal-intent.ts';
import { ACCOUNT, fakeClock, fakeWorld } from '../support/world.ts';
import { movingService } from './moving-service.ts';

const event = (name: string, requestId: string) =>
  ({ event: name, text: JSON.stringify({ event: name, requestId, data: { amount: 1 } }) }) as InboxEvent;

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
