import { expect, test } from 'vitest';
import { builtInProfile } from '../../src/account/profile.ts';
import { createEventRecorder } from '../../src/copy/event-recorder.ts';
import type { Account } from '../../src/engine/account.ts';
import type { Journal } from '../../src/journal/interface.ts';
import type { InboxEvent } from '../../src/webhooks/inbox/events.ts';
import { INTENT, testJournal } from '../support/journal-intent.ts';
import { fakeWorld } from '../support/world.ts';

/** Says that an onramp goes on, which ends nothing. */
const CONFIRMED = {
  event: 'payments.confirmed',
  text: JSON.stringify({ event: 'payments.confirmed', requestId: 'r-1', data: { amount: 1 } }),
} as InboxEvent;

test('an event that arrives while the journal is read is looked for again, and one before it is not', async () => {
  const opened = await testJournal();
  await opened.claim(INTENT);
  let whileReading = async () => {};
  let looks = 0;
  const journal: Journal = {
    ...opened,
    list: async (selection) => {
      const found = await opened.list(selection);
      looks += 1;
      await whileReading();
      return found;
    },
  };
  const parts: Pick<Account, 'world' | 'profile' | 'journal' | 'accountNames'> = {
    world: fakeWorld({ env: { FIATRAIL_JOURNAL_URL: 'postgresql://journal.test/a' } }),
    profile: builtInProfile(),
    journal: async () => journal,
    accountNames: async () => INTENT.account,
  };
  const recorder = createEventRecorder(parts as Account);
  await recorder.record([CONFIRMED]);
  whileReading = () => recorder.record([CONFIRMED]);
  expect(await recorder.reconcileMentioned()).toBe(0);
  expect(looks).toBe(1);
  whileReading = async () => {};
  await recorder.reconcileMentioned();
  expect(looks).toBe(2);
  await recorder.reconcileMentioned();
  expect(looks).toBe(2);
  opened.close();
});
