/**
 * Fills a journal with accepted operations, and one in a thousand with an unknown outcome: `node fill-journal.ts PATH COUNT`.
 * It uses the journal's own functions, in one transaction.
 */
import { openJournal } from '../../src/journal/journal.ts';
import { createOperation, type Recording, tryMove } from '../../src/journal/transitions.ts';
import { openDatabase } from '../../src/sqlite/database.ts';
import { INTENT, oneProcess } from '../support/journal-intent.ts';
import { countingIds, fakeClock } from '../support/sandbox.ts';

const [path = '', count = '0'] = process.argv.slice(2);
const KINDS = ['money', 'money', 'money', 'destructive', 'onboarding'] as const;

const clock = fakeClock(Date.UTC(2024, 0, 1));
const ids = countingIds();
const host = oneProcess();
(await openJournal(path, { clock, ids, host })).close();
const store = await openDatabase(path, {
  synchronous: 'NORMAL',
  layout: { version: 4, applicationId: 0x66726a72, create: () => {} },
});
const recording: Recording = { store, host: host.name, now: clock.now };
const result = JSON.stringify({ endpoint: INTENT.endpoint, data: { withdrawalId: 'x'.repeat(36), status: 'pending' } });
store.transaction('write', () => {
  for (let index = 0; index < Number(count); index++) {
    clock.pass(60_000);
    const id = ids.uuid();
    const kind = KINDS[index % KINDS.length] ?? 'money';
    const ours = { account: 'a', inputDigest: `digest-${index}`, operator: 'ada', processId: 100 };
    createOperation(recording, { ...INTENT, ...ours, id, kind, onceKey: `k-${index}` });
    tryMove(recording, id, 'sent', { busyUntil: 0 });
    if (index % 1_000 !== 999) tryMove(recording, id, 'accepted', { requestId: `r-${index}`, result });
  }
});
store.close();
