import { expect, test } from 'vitest';
import { zoneNamed } from '../../src/base/zone.ts';
import { screenFor } from '../../src/commands/webhooks/screen.ts';
import { existingProfileInbox, openProfileInbox } from '../../src/engine/inbox.ts';
import { main } from '../../src/main.ts';
import { type Answer, fakeWorld } from '../support/world.ts';
import { deliveryOf, received } from '../webhooks/support.ts';

/** A world whose sandbox has received one event. */
async function worldWith(event: object) {
  const world = fakeWorld({ env: { FIATRAIL_FORWARD_SECRET: 'a-forward-secret' } });
  const inbox = await openProfileInbox(world, { name: 'sandbox', mode: 'embedded' });
  inbox.add([await received(deliveryOf(event))]);
  return { world, inbox };
}

test('a replay changes the content that was read, whatever stands in the place of another form', async () => {
  const { world, inbox } = await worldWith({ event: 'user.onboarded', data: 'text', payload: { firstName: 'Ada' } });
  inbox.close();
  const options = ['--resign', 'service', '--set', 'firstName=Eve', '--dry-run', '-o', 'json', '-q'];
  expect(await main(['webhooks', 'inbox', 'replay', '1', '--target', 'http://127.0.0.1:9/', ...options], world)).toBe(
    0,
  );
  expect(world.stdout.text()).toContain('Eve');
});

test('a listener escapes what an event could do to a terminal', async () => {
  const { world, inbox } = await worldWith({ event: '\x9b2Jcleared\u202e', data: {} });
  const globals = { present: { format: 'ndjson' }, quiet: true, isFormatChosen: true };
  const session = { world, globals, say: async () => {} } as unknown as Parameters<typeof screenFor>[0];
  await screenFor(session, inbox).arrived(inbox.list({ limit: 1 }));
  inbox.close();
  expect(world.stdout.text()).toContain('"event":"\\u009b2Jcleared\\u202e"');
});

test('a listener shows when an event arrived in the time zone', async () => {
  const { world, inbox } = await worldWith({ event: 'user.onboarded', data: {} });
  const zone = zoneNamed('Asia/Kolkata');
  const globals = { present: { format: 'table' }, quiet: true, isFormatChosen: true, zone };
  const session = { world, globals, say: async () => {} } as unknown as Parameters<typeof screenFor>[0];
  const [event] = inbox.list({ limit: 1 });
  await screenFor(session, inbox).arrived(inbox.list({ limit: 1 }));
  inbox.close();
  const local = new Date((event?.receivedAtMs ?? 0) + 5.5 * 3_600_000).toISOString().slice(11, 19);
  expect(world.stdout.text()).toMatch(new RegExp(`^${local} {6}1  user\\.onboarded`, 'm'));
});

test('the question before events are deleted has the time in the time zone', async () => {
  const answers: Answer[] = [{ kind: 'confirm', asks: 'received before 2026-01-04 18:00:00 +09', says: false }];
  const world = fakeWorld({ isTerminal: true, answers });
  const argv = ['webhooks', 'inbox', 'prune', '--older-than', '1d', '--tz', 'Asia/Tokyo'];
  expect(await main(argv, world)).toBe(9);
});

test.each([
  ['list', 'events'],
  ['list --count', 'counts'],
  ['export', 'events'],
])('webhooks inbox %s without a file needs no writable disk', async (words, rows) => {
  const world = fakeWorld();
  const ensurePrivateDir = () => {
    throw new Error('the disk is read-only');
  };
  const code = await main(['webhooks', 'inbox', ...words.split(' '), '-o', 'json'], { ...world, ensurePrivateDir });
  expect({ code, stderr: world.stderr.text() }).toEqual({ code: 0, stderr: '' });
  expect(JSON.parse(world.stdout.text())[rows]).toEqual([]);
  expect(await existingProfileInbox(world, { name: 'sandbox', mode: 'embedded' })).toBe(undefined);
});
