import { expect, test } from 'vitest';
import { openProfileInbox } from '../../src/engine/connection/inbox.ts';
import { main } from '../../src/main.ts';
import { fakeWorld } from '../support/world.ts';
import { deliveryOf, received } from './support.ts';

const EMBEDDED = { name: 'sandbox', mode: 'embedded' } as const;
const EVENT = '{"event":"user.onboarded","data":{"firstName":"Ada"}}';

const BODIES: readonly (readonly [what: string, body: Buffer])[] = [
  ['an event without a newline at its end', Buffer.from(EVENT)],
  ['newlines at its end', Buffer.from(`${EVENT}\r\n\n`)],
  ['a byte order mark', Buffer.from(`\ufeff${EVENT}`)],
  ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x7d])],
  ['a zero in the middle', Buffer.from('{"a":"b\0c"}')],
  ['what a terminal would act on', Buffer.from('\u009b2J\u001b[31m\u202e')],
  ['nothing', Buffer.from('')],
];

/** A world whose inbox has one delivery of these bytes, and what a target gets. */
async function worldWith(body: Buffer, isTerminal = false) {
  const got: { body: string | undefined; bytes?: Uint8Array; headers: Readonly<Record<string, string>> }[] = [];
  const world = fakeWorld({
    isTerminal,
    network: async ({ body: text, bytes, headers }) => {
      got.push({ body: text, headers, ...(bytes ? { bytes } : {}) });
      return { status: 200, headers: {}, body: '' };
    },
  });
  const inbox = await openProfileInbox(world, EMBEDDED);
  const event = await received(deliveryOf('{}'));
  const { opened: _, ...unread } = event;
  await inbox.add([{ ...unread, opened: undefined, kind: 'unreadable', body }]);
  await inbox.close();
  return { world, got };
}

test.each(BODIES)('a body of %s is shown to the byte', async (_what, body) => {
  const { world } = await worldWith(body);
  expect(await main(['webhooks', 'inbox', 'show', '1', '-o', 'raw', '-q'], world)).toBe(0);
  expect(Buffer.from(world.stdout.bytes()).toString('hex')).toBe(body.toString('hex'));
});

test.each(BODIES)('a body of %s is replayed to the byte', async (_what, body) => {
  const { world, got } = await worldWith(body);
  const argv = ['webhooks', 'inbox', 'replay', '1', '--target', 'http://127.0.0.1:9/', '--yes', '-q'];
  expect(await main(argv, world)).toBe(0);
  const [sent] = got;
  expect(Buffer.from(sent?.bytes ?? sent?.body ?? 'nothing').toString('hex')).toBe(body.toString('hex'));
});

test('a terminal gets nothing that it would act on', async () => {
  const { world } = await worldWith(Buffer.from('\u009b2J\u001b[31mred\u202e'), true);
  await main(['webhooks', 'inbox', 'show', '1', '-o', 'raw', '-q'], world);
  expect(world.stdout.text()).toBe('red\n');
});

test('a header that only the listener was to see is not kept, and no other one is passed on', async () => {
  const delivery = deliveryOf(EVENT, { id: 'w-1' });
  const given = Object.entries(delivery.headers as Record<string, string>);
  const headers: [string, string][] = [
    ['Host', 'hooks.example.com'],
    ['Content-Type', 'application/json; charset=utf-8'],
    ...given.map(([name, value]): [string, string] => [name.toUpperCase(), value]),
    ['Cookie', 'a-session'],
    ['Authorization', 'Bearer a-token'],
    ['X-Forwarded-For', '192.0.2.1'],
    ['X-Forwarded-For', '192.0.2.2'],
  ];
  const { world, got } = await worldWith(Buffer.from('{}'));
  const inbox = await openProfileInbox(world, EMBEDDED);
  await inbox.add([await received({ ...delivery, headers })]);
  expect((await inbox.list({ limit: 1 }))[0]?.headers).toEqual(
    headers.map(([name, value]) => [name, /cookie|auth/i.test(name) ? '***' : value]),
  );
  await inbox.close();
  await main(['webhooks', 'inbox', 'replay', '2', '--target', 'http://127.0.0.1:9/', '--yes', '-q'], world);
  expect(got[0]?.headers).toEqual({
    'content-type': 'application/json; charset=utf-8',
    ...Object.fromEntries(given),
  });
});
