import { expect, test } from 'vitest';
import { openProfileInbox } from '../../src/cli/inbox.ts';
import { screenFor } from '../../src/commands/webhooks/screen.ts';
import { main } from '../../src/main.ts';
import { fakeWorld } from '../support/world.ts';
import { deliveryOf, received } from '../webhooks/support.ts';

/** A world whose sandbox has received one event. */
async function worldWith(event: object) {
  const world = fakeWorld({ env: { FIATRAIL_FORWARD_SECRET: 'a-forward-secret' } });
  const inbox = await openProfileInbox(world, { name: 'sandbox', mode: 'embedded' });
  inbox.keep([await received(deliveryOf(event))]);
  return { world, inbox };
}

test('a replay changes the content that was read, whatever stands in the place of another form', async () => {
  const { world, inbox } = await worldWith({ event: 'user.onboarded', data: 'text', payload: { firstName: 'Ada' } });
  inbox.close();
  const options = ['--resign', 'service', '--set', 'firstName=Eve', '--dry-run', '-o', 'json', '-q'];
  expect(await main(['webhooks', 'inbox', 'replay', '1', '--to', 'http://127.0.0.1:9/', ...options], world)).toBe(0);
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
