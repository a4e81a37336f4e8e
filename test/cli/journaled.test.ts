import { expect, onTestFinished, test } from 'vitest';
import { builtInProfile } from '../../src/account/profile.ts';
import { DoneBefore } from '../../src/cli/in-the-way.ts';
import { sendJournaled } from '../../src/cli/journaled.ts';
import { withdrawFees } from '../../src/contract/endpoints/fee-withdrawals.ts';
import { temporaryFolder } from '../support/built.ts';
import { oneProcess, testJournal } from '../support/journal-intent.ts';
import { countingIds, fakeClock } from '../support/sandbox.ts';
import { fakeWorld } from '../support/world.ts';

test('a command that was suspended until another one took its key sends nothing', async () => {
  const path = `${temporaryFolder(onTestFinished)}/journal.db`;
  const clock = fakeClock();
  const bothRun = (processId: number) => ({ ...oneProcess(processId), isRunning: () => true });
  const ids = countingIds();
  const first = await testJournal({ path, clock, ids, host: bothRun(1) });
  const second = await testJournal({ path, clock, ids, host: bothRun(2) });
  onTestFinished(() => {
    first.close();
    second.close();
  });
  const operations: string[] = [];
  const takenOver: typeof first = {
    ...first,
    claim: (intent) => {
      const claim = first.claim(intent);
      if (operations.length > 0) return claim;
      clock.pass(61_000);
      const other = second.claim(intent);
      operations.push(other.kind === 'ours' ? other.operationId : other.kind);
      return claim;
    },
  };
  const sleep = async () => {
    const [operationId = ''] = operations;
    second.sent(operationId, 60_000);
    second.append(operationId, 'accepted', { requestId: 'FTW_1' });
  };
  const sent = sendJournaled(
    {
      world: { ...fakeWorld(), clock: { now: clock.now, sleep } },
      profile: builtInProfile(),
      globals: { timeoutMs: 60_000 },
      commandLine: 'fiatrail fees withdraw',
      journal: async () => takenOver,
      inFlight: () => {},
    },
    {
      ...{ endpoint: withdrawFees, input: {}, summary: 'withdraw fees', keyFingerprint: () => '0a1b' },
      guard: { onceKey: 'k', isAgain: false, isGuarded: true, input: '[]' },
      call: () => Promise.reject(new Error('it was sent')),
    },
  );
  await expect(sent).rejects.toThrow(DoneBefore);
  expect(first.list({ limit: 10 }).map(({ state }) => state)).toEqual(['accepted', 'refused']);
});
