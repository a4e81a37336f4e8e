import { describe, expect, test } from 'vitest';
import { Secret } from '../../src/base/secret.ts';
import type { World } from '../../src/base/world.ts';
import { zoneNamed } from '../../src/base/zone.ts';
import { sealAesEnvelope } from '../../src/crypto/aes-envelope.ts';
import { existingProfileInbox, openProfileInbox } from '../../src/engine/connection/inbox.ts';
import { main } from '../../src/main.ts';
import { createProgress } from '../../src/terminal/show/progress.ts';
import { screenFor } from '../../src/webhooks/run/screen.ts';
import { type Answer, fakeWorld } from '../support/world.ts';
import { deliveryOf, received } from '../webhooks/support.ts';

/** A world whose sandbox has received one event. */
async function worldWith(event: object) {
  const world = fakeWorld({ env: { FIATRAIL_FORWARD_SECRET: 'a-forward-secret' } });
  const inbox = await openProfileInbox(world, { name: 'sandbox', mode: 'embedded' });
  await inbox.add([await received(deliveryOf(event))]);
  return { world, inbox };
}

test('a replay changes the content that was read, whatever stands in the place of another form', async () => {
  const { world, inbox } = await worldWith({ event: 'user.onboarded', data: 'text', payload: { firstName: 'Ada' } });
  await inbox.close();
  const options = ['--resign', 'service', '--set', 'firstName=Eve', '--dry-run', '-o', 'json', '-q'];
  expect(await main(['webhooks', 'inbox', 'replay', '1', '--target', 'http://127.0.0.1:9/', ...options], world)).toBe(
    0,
  );
  expect(world.stdout.text()).toContain('Eve');
});

/** The parts of an account that a listener's screen needs. */
function listenerWith(world: World, format: string) {
  const progress = createProgress(world, { quiet: true, color: 'never' }, true);
  const notices = { say: async () => {}, progress };
  return { world, globals: { present: { format } }, notices } as unknown as Parameters<typeof screenFor>[0];
}

test('a listener escapes what an event could do to a terminal', async () => {
  const { world, inbox } = await worldWith({ event: '\x9b2Jcleared\u202e', data: {} });
  const zone = zoneNamed('Africa/Lagos');
  const account = listenerWith(world, 'ndjson');
  await screenFor(account, inbox, { isQuiet: true, isFormatChosen: true, zone }).arrived(
    await inbox.list({ limit: 1 }),
  );
  await inbox.close();
  expect(world.stdout.text()).toContain('"event":"\\u009b2Jcleared\\u202e"');
});

test('a listener shows when an event arrived in the time zone', async () => {
  const { world, inbox } = await worldWith({ event: 'user.onboarded', data: {} });
  const zone = zoneNamed('Asia/Kolkata');
  const account = listenerWith(world, 'table');
  const [event] = await inbox.list({ limit: 1 });
  await screenFor(account, inbox, { isQuiet: true, isFormatChosen: true, zone }).arrived(
    await inbox.list({ limit: 1 }),
  );
  await inbox.close();
  const local = new Date((event?.receivedAtMs ?? 0) + 5.5 * 3_600_000).toISOString().slice(11, 19);
  expect(world.stdout.text()).toMatch(new RegExp(`^${local} {6}1  user\\.onboarded`, 'm'));
});

test('the question before events are deleted has the time in the time zone', async () => {
  const answers: Answer[] = [{ kind: 'confirm', asks: 'received before 2026-01-04 18:00:00 +09', says: false }];
  const world = fakeWorld({ isTerminal: true, answers });
  const argv = ['webhooks', 'inbox', 'prune', '--older-than', '1d', '--tz', 'Asia/Tokyo'];
  expect(await main(argv, world)).toBe(9);
});

test('an event that nobody will forward is deleted once a person agrees, and it alone', async () => {
  const { world, inbox } = await worldWith({ hello: 'world' });
  const next = async (id: string) =>
    inbox.add([await received(deliveryOf({ event: 'user.onboarded', data: { id } }, { id }))]);
  await next('w-2');
  await inbox.forwardTo({ targets: ['http://127.0.0.1:3000/'], events: ['user.onboarded'] });
  await next('w-3');
  await inbox.close();
  const run = async (answers: Answer[], ...words: string[]) => {
    const asked = { ...fakeWorld({ isTerminal: true, answers }), env: world.env };
    const code = await main(['webhooks', 'inbox', ...words], asked);
    return [code, asked.stderr.text()] as const;
  };
  expect((await run([], 'redrive', '1'))[1]).toContain('event 1 is unchanged: no target takes it');
  expect((await run([], 'redrive', '2'))[1]).toContain('event 2 is unchanged: it is neither dead nor quarantined');
  const asks = 'Delete event 1';
  expect((await run([{ kind: 'confirm', asks, says: false }], 'prune', '1'))[0]).toBe(9);
  expect((await run([{ kind: 'confirm', asks, says: true }], 'prune', '1'))[0]).toBe(0);
  for (const words of [['prune'], ['prune', '2', '--older-than', '1d']])
    expect(await run([], ...words)).toEqual([2, expect.stringContaining('give either an event, or --older-than')]);
  // Nobody is asked about what cannot be done.
  expect(await run([], 'prune', '3')).toEqual([3, expect.stringContaining('event 3 still waits to be forwarded')]);
  expect(await run([], 'prune', '1', '--yes')).toEqual([2, expect.stringContaining('the inbox has no such event')]);
  expect(await run([], 'show', '2')).toEqual([0, '']);
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

describe('an event in the older envelope', () => {
  const EVENT = { event: 'user.onboarded', data: { firstName: 'Ada' } };
  const IV = new Uint8Array(16).fill(7);

  /** The body under the account's own key, and a world of that account that reads it from standard input. */
  async function encryptedBody() {
    const asking = fakeWorld();
    await main(['keys', 'aes', 'show', '--print-key', '-o', 'json', '-q'], asking);
    const key: string = JSON.parse(asking.stdout.text()).aesKey;
    return { key, asking, body: JSON.stringify(sealAesEnvelope(JSON.stringify(EVENT), new Secret(key), IV)) };
  }
  const printed = { ...EVENT, isEncrypted: true };

  test('is opened with the account’s AES key', async () => {
    const { asking, body } = await encryptedBody();
    const world = { ...fakeWorld({ stdin: body }), env: asking.env };
    expect(await main(['webhooks', 'open', '-o', 'json', '-q'], world)).toBe(0);
    expect(JSON.parse(world.stdout.text())).toMatchObject(printed);
  });

  test('is opened with a key that is given, without the service', async () => {
    const { key, body } = await encryptedBody();
    const world = { ...fakeWorld({ stdin: key }), readFile: async () => body };
    expect(await main(['webhooks', 'open', '--body', 'a', '--private-key-stdin', '-o', 'json', '-q'], world)).toBe(0);
    expect(JSON.parse(world.stdout.text())).toMatchObject(printed);
  });

  test.each([
    ['all of them', [], 2],
    ['the one that is named', ['2'], 1],
  ])('is opened by a redrive of %s', async (_which, named, opened) => {
    const { asking, body } = await encryptedBody();
    const inbox = await openProfileInbox(asking, { name: 'sandbox', mode: 'embedded' });
    for (const end of ['', '\n']) await inbox.add([await received(deliveryOf(`${body}${end}`))]);
    const before = asking.stdout.text().length;
    expect(await main(['webhooks', 'inbox', 'redrive', ...named, '-o', 'json', '-q'], asking)).toBe(0);
    expect(JSON.parse(asking.stdout.text().slice(before))).toMatchObject({ opened });
    expect(await inbox.list({ limit: 5, kind: 'encrypted' })).toHaveLength(2 - opened);
    await inbox.close();
  });
});
