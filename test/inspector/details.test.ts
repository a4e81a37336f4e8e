import { expect, test } from 'vitest';
import type { Account } from '../../src/engine/account.ts';
import { eventOf, newestEvents } from '../../src/inspector/account/events.ts';
import { newestOperations, operationOf } from '../../src/inspector/account/operations.ts';
import { INTENT, prepared, testJournal } from '../support/journal-intent.ts';
import { fakeWorld } from '../support/world.ts';
import { deliveryOf, onboarded, received, testInbox } from '../webhooks/support.ts';

/** What the page shows of one operation and of one event. */

test.each([
  ['another live profile', 'live'],
  ['a profile of the sandbox', 'embedded'],
] as const)('an operation of %s in the same journal is neither listed nor shown', async (_what, mode) => {
  const journal = await testJournal();
  const own = await prepared(journal, { profile: 'main', mode: 'live' });
  const other = await prepared(journal, { profile: 'other', mode, input: 'other' });
  const account = {
    profile: { name: 'main', mode: 'live' },
    world: fakeWorld({ env: { FIATRAIL_JOURNAL_URL: 'postgresql://journal.test/a' } }),
    journal: async () => journal,
  } as unknown as Account;
  const inbox = async () => undefined;
  expect((await newestOperations(account)).rows.map(({ id }) => id)).toEqual([own]);
  expect(await operationOf(account, inbox, own)).toMatchObject({ id: own, request: INTENT.request });
  expect(await operationOf(account, inbox, other)).toBeUndefined();
  expect(await operationOf(account, inbox, own.slice(0, -1))).toBeUndefined();
  journal.close();
});

test('an event is shown without its secrets', async () => {
  const { inbox } = await testInbox();
  const id = 1;
  await inbox.add([
    await received(deliveryOf({ ...onboarded(1), data: { userId: 'u-1', bvn: '22345678901', apiKey: 'sk-invented' } })),
  ]);
  expect((await newestEvents(inbox)).rows.map((each) => each['id'])).toEqual([String(id)]);
  const { data } = (await eventOf(inbox, String(id))) ?? {};
  expect(data).toContain('u-1');
  for (const secret of ['22345678901', 'sk-invented']) expect(data).not.toContain(secret);
  expect(await eventOf(inbox, `${id}9`)).toBeUndefined();
});
