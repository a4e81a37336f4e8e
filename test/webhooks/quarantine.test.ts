import { describe, expect, test } from 'vitest';
import { newKeyPair, seal } from '../../src/crypto/sealed-box.ts';
import { readBody } from '../../src/webhooks/body.ts';
import { BACKOFF_MS } from '../../src/webhooks/inbox/forwards.ts';
import type { Inbox } from '../../src/webhooks/inbox/inbox.ts';
import { contentOf } from '../../src/webhooks/inbox/received.ts';
import { testQueryPlans } from '../support/query-plans.ts';
import { deliveryOf, NOW_MS, onboarded, received, testInbox } from './support.ts';

const TARGET = 'http://127.0.0.1:3000/';
const OWN = '01900000-0000-7000-8000-000000000001';
const OTHER = '01900000-0000-7000-8000-000000000002';
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** An onboarding in a body without an event id. */
const plain = (name: string) => ({ event: 'user.onboarded', data: { firstName: name } });

const due = async (inbox: Inbox) => (await inbox.forwards.due(TARGET, 100)).map(({ event }) => Number(event.id));
const heldFor = async (inbox: Inbox) =>
  (await inbox.list({ limit: 10, forwarding: 'quarantined' })).map(({ quarantined }) => quarantined);

/** An inbox that forwards, and a function that puts a delivery into it. */
async function forwarding(expected: { fintechId?: string; needsEncryption?: boolean } = {}) {
  const { inbox, clock } = await testInbox();
  await inbox.forwardTo({ targets: [TARGET], ...expected });
  const keep = async (body: string | object, parts: Parameters<typeof deliveryOf>[1] = {}) =>
    (await inbox.add([await received(deliveryOf(body, parts))]))[0];
  return { inbox, clock, keep };
}

describe('a delivery by its time', () => {
  test.each([
    [-61_000, 'none'],
    [-299_000, 'none'],
    [-301_000, 'late'],
    [-HOUR_MS, 'late'],
    [59_000, 'none'],
    [61_000, 'early'],
    [301_000, 'early'],
    [HOUR_MS, 'early'],
  ])('of %i ms from now goes on once if its event id is new, and is marked: %s', async (fromNowMs, kind) => {
    const { inbox, keep } = await forwarding();
    await keep(onboarded(1), { sentAtMs: NOW_MS + fromNowMs });
    const [kept] = await inbox.list({ limit: 1 });
    expect([kept?.isLate, kept?.isEarly, kept?.quarantined]).toEqual([kind === 'late', kind === 'early', null]);
    expect([await due(inbox), await inbox.counts()]).toMatchObject([
      [1],
      { late: kind === 'none' ? 0 : 1, quarantined: 0 },
    ]);
    await keep(onboarded(1), { sentAtMs: NOW_MS + fromNowMs + 1 });
    expect([await due(inbox), await inbox.list({ limit: 9 })]).toMatchObject([[1], [{ copies: 1 }]]);
  });

  test.each([
    [-301_000, 'late'],
    [61_000, 'early'],
  ])('of %i ms from now is quarantined if it has no event id: %s', async (fromNowMs, reason) => {
    const { inbox, keep } = await forwarding();
    await keep(plain('Ada'), { sentAtMs: NOW_MS + fromNowMs });
    expect([await due(inbox), await heldFor(inbox), await inbox.counts()]).toMatchObject([
      [],
      [reason],
      { quarantined: 1, late: 1 },
    ]);
  });

  test('is quarantined when an event with its id is there that says something else', async () => {
    const { inbox, keep } = await forwarding();
    await keep(onboarded(1));
    await keep({ ...onboarded(1), data: { firstName: 'Eve' } }, { sentAtMs: NOW_MS - HOUR_MS });
    expect([await due(inbox), await heldFor(inbox)]).toEqual([[1], ['late']]);
  });

  test('goes on when the service sends it again in time', async () => {
    const { inbox, keep } = await forwarding();
    await keep(plain('Ada'), { id: 'w-1', sentAtMs: NOW_MS - HOUR_MS });
    const recorded = await received(deliveryOf(plain('Ada'), { id: 'w-1', sentAtMs: NOW_MS - HOUR_MS }));
    await inbox.add([recorded]);
    expect(await heldFor(inbox)).toEqual(['late']);
    await keep(plain('Ada'), { id: 'w-1' });
    expect([await heldFor(inbox), await due(inbox)]).toEqual([[], [1]]);
  });
});

describe('an event of another account', () => {
  test.each([
    [OTHER, ['foreign']],
    [OWN.toUpperCase(), []],
    ['acme', []],
  ])('%s is quarantined: %j', async (fintechId, quarantined) => {
    const { inbox, keep } = await forwarding({ fintechId: OWN });
    await keep({ ...onboarded(1), fintechId });
    expect([await heldFor(inbox), await due(inbox)]).toEqual([quarantined, quarantined.length > 0 ? [] : [1]]);
  });

  test('goes on while the account’s own id is not known', async () => {
    const { inbox, keep } = await forwarding();
    await keep({ ...onboarded(1), fintechId: OTHER });
    expect(await due(inbox)).toEqual([1]);
    await inbox.forwardTo({ fintechId: OWN });
    await keep({ ...onboarded(2), fintechId: OTHER });
    expect([await due(inbox), await heldFor(inbox)]).toEqual([[1], ['foreign']]);
  });
});

test('an event that is not encrypted is quarantined where encryption is required, until it comes encrypted', async () => {
  const { inbox, keep } = await forwarding({ needsEncryption: true });
  await keep(onboarded(1));
  expect([await heldFor(inbox), await due(inbox)]).toEqual([['unencrypted'], []]);
  const { publicKey, privateKey } = newKeyPair(new Uint8Array(32).fill(1));
  const payload = await seal(JSON.stringify(onboarded(1)), publicKey);
  const sealed = deliveryOf({ payload });
  const content = contentOf(await readBody(sealed.body, [privateKey]), sealed.body);
  await inbox.add([{ ...(await received(sealed)), ...content, isEncrypted: true }]);
  expect([await heldFor(inbox), await due(inbox)]).toEqual([[], [1]]);
});

test.each<[string, Parameters<Inbox['forwardTo']>[0]]>([
  ['the account’s id', { fintechId: OWN }],
  ['the targets', { targets: [TARGET] }],
  ['nothing', {}],
])('encryption stays required when only %s is said again', async (_what, said) => {
  const { inbox, keep } = await forwarding({ needsEncryption: true });
  await inbox.forwardTo(said);
  await keep(onboarded(1));
  expect([await heldFor(inbox), await due(inbox)]).toEqual([['unencrypted'], []]);
  await inbox.forwardTo({ needsEncryption: false });
  await keep(onboarded(2));
  expect(await due(inbox)).toEqual([2]);
});

test.each<[string, Parameters<Inbox['forwardTo']>[0]]>([
  ['encryptionPolicy', { needsEncryption: false }],
  ['the targets', { targets: [TARGET] }],
])('the account’s id stays known when only %s is said again', async (_what, said) => {
  const { inbox, keep } = await forwarding({ fintechId: OWN });
  await inbox.forwardTo(said);
  await keep({ ...onboarded(1), fintechId: OTHER });
  expect([await heldFor(inbox), await due(inbox)]).toEqual([['foreign'], []]);
});

describe('a redrive', () => {
  async function withHeld() {
    const all = await forwarding({ fintechId: OWN });
    await all.keep(plain('Ada'), { sentAtMs: NOW_MS - HOUR_MS });
    await all.keep(plain('Eve'), { sentAtMs: NOW_MS + HOUR_MS });
    await all.keep({ ...onboarded(3), fintechId: OTHER });
    await all.keep('[1]');
    return all.inbox;
  }

  test.each([
    [{}, 0, []],
    [{ isOffTime: true }, 2, [1, 2]],
    [{ isOffTime: true, target: 'exec:other' }, 0, []],
    [{ event: 3n }, 1, [3]],
    [{ event: 4n }, 1, [4]],
    [{ event: 9n }, 0, []],
  ])('of %o lets %i quarantined events go on', async (chosen, released, forwarded) => {
    const inbox = await withHeld();
    expect([await inbox.forwards.redrive(chosen), await due(inbox)]).toEqual([{ redriven: 0, released }, forwarded]);
    expect((await inbox.counts()).quarantined).toBe(4 - released);
  });

  test('leaves quarantined what no target wants', async () => {
    const inbox = await withHeld();
    await inbox.forwardTo({ targets: [TARGET], events: ['swap.failed'] });
    expect([await inbox.forwards.redrive({ isOffTime: true }), (await inbox.counts()).quarantined]).toEqual([
      { redriven: 0, released: 0 },
      4,
    ]);
  });
});

describe('pruning', () => {
  test('keeps what tells a copy, by the signature and by the event', async () => {
    const { inbox, clock, keep } = await forwarding();
    const recorded = await received(deliveryOf(onboarded(1)));
    const without = await received(deliveryOf(plain('Ada'), { id: 'w-2' }));
    await inbox.add([recorded, without]);
    for (const each of await inbox.forwards.due(TARGET, 9)) await inbox.forwards.ended([[each, { status: 200 }]]);
    clock.pass(1_000);
    expect([await inbox.prune(clock.now()), (await inbox.counts()).events]).toEqual([2, 0]);
    expect((await inbox.add([recorded, without])).map(({ isCopy }) => isCopy)).toEqual([true, true]);
    expect(await keep(onboarded(1), { sentAtMs: NOW_MS - HOUR_MS })).toEqual({ id: 1n, isCopy: true });
    expect(await keep(plain('Ada'), { id: 'w-2', sentAtMs: NOW_MS + 1 })).toEqual({ id: 2n, isCopy: true });
    await keep({ ...onboarded(1), data: {} }, { sentAtMs: NOW_MS - HOUR_MS });
    expect([await heldFor(inbox), await due(inbox), (await inbox.counts()).events]).toEqual([['late'], [], 1]);
  });

  test('takes one event whatever holds it, unless it waits, and still tells its copies', async () => {
    const { inbox, clock, keep } = await forwarding();
    await keep(plain('Ada'), { sentAtMs: NOW_MS - HOUR_MS });
    await keep(onboarded(1), { sentAtMs: NOW_MS + 1 });
    await keep(onboarded(2), { sentAtMs: NOW_MS + 2 });
    for (let tries = 0; tries <= BACKOFF_MS.length; tries++) {
      const [forward] = await inbox.forwards.due(TARGET, 1);
      if (forward) await inbox.forwards.ended([[forward, { status: 500 }]]);
      clock.pass(HOUR_MS * 9);
    }
    const { dead, waiting, quarantined } = await inbox.counts();
    expect({ dead, waiting, quarantined }).toEqual({ dead: 1, waiting: 1, quarantined: 1 });
    expect([await inbox.pruneOne(1n), await inbox.pruneOne(2n), await inbox.pruneOne(3n)]).toEqual([true, true, false]);
    expect(await inbox.counts()).toMatchObject({ events: 1, dead: 0, waiting: 1, quarantined: 0 });
    // What was sent before it was not deleted, so it is still looked for.
    expect(await inbox.prunedMs()).toBeUndefined();
    expect(await keep(plain('Ada'), { sentAtMs: NOW_MS - HOUR_MS })).toEqual({ id: 1n, isCopy: true });
    expect(await inbox.pruneOne(1n)).toBe(false);
  });

  test('takes no quarantined event', async () => {
    const { inbox, clock, keep } = await forwarding();
    await keep(plain('Ada'), { sentAtMs: NOW_MS - HOUR_MS });
    clock.pass(1_000);
    expect([await inbox.prune(clock.now()), await heldFor(inbox)]).toEqual([0, ['late']]);
  });
});

describe('a retry that builds its body anew', () => {
  const { event, ...rest } = onboarded(1);
  const first = {
    event,
    ...rest,
    timestamp: '2026-01-05T08:00:00.000Z',
    version: '1.0',
    data: { a: 1, b: { c: [2], d: 3 } },
  };
  test.each([
    ['another timestamp', { ...first, timestamp: '2026-01-05T08:09:00.000Z' }, true],
    ['another version', { ...first, version: '1.0.0' }, true],
    ['another order of the fields', { ...onboarded(1), data: { b: { d: 3, c: [2] }, a: 1 } }, true],
    ['the names of another form', { ...rest, data: undefined, eventType: event, payload: first.data }, true],
    ['other data', { ...first, data: { a: 1, b: { c: [2], d: 4 } } }, false],
    ['another order of a list', { ...first, data: { a: 1, b: { c: [2, 0], d: 3 } } }, false],
    ['another name', { ...first, event: 'swap.failed' }, false],
    ['another event id', { ...first, eventId: 'event-2' }, false],
  ])('with %s is a copy: %s', async (_what, again, isCopy) => {
    const { inbox, keep } = await forwarding();
    await keep(first, { id: 'w-1' });
    expect(await keep(again, { id: 'w-2', sentAtMs: NOW_MS + 1 })).toMatchObject({ isCopy });
    expect(await inbox.list({ limit: 9 })).toHaveLength(isCopy ? 1 : 2);
  });

  test('tells numbers apart that are equal as doubles', async () => {
    const { keep } = await forwarding();
    const body = (amount: string) => `{"event":"user.onboarded","eventId":"event-1","data":{"amount":${amount}}}`;
    await keep(body('12345678901234567890'));
    expect(await keep(body('12345678901234567891'))).toMatchObject({ isCopy: false });
    expect(await keep(body('12345678901234567890 '))).toMatchObject({ isCopy: true });
  });
});

testQueryPlans();
