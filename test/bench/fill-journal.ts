/**
 * Fills a journal with accepted operations, and one in a thousand with an unknown outcome: `node fill-journal.ts PATH COUNT`.
 * It uses the journal's own functions, in one transaction.
 */
import { accountIn } from '../../src/journal/accounts.ts';
import type { Recording } from '../../src/journal/entries.ts';
import { openSqliteStore } from '../../src/journal/sqlite/store.ts';
import { createOperation, tryMove } from '../../src/journal/transitions.ts';
import { amount } from '../../src/money/amount.ts';
import { INTENT, oneProcess } from '../support/journal-intent.ts';
import { countingIds, fakeClock } from '../support/sandbox.ts';

const [path = '', count = '0'] = process.argv.slice(2);
const KINDS = ['money', 'money', 'money', 'destructive', 'onboarding'] as const;

const clock = fakeClock(Date.UTC(2024, 0, 1));
const ids = countingIds();
const host = oneProcess();
const store = await openSqliteStore(path, { clock, ids, host });
const result = JSON.stringify({ endpoint: INTENT.endpoint, data: { withdrawalId: 'x'.repeat(36), status: 'pending' } });
const moves = amount('NGN', 50_000n);
await store.write(async (queries) => {
  const recording: Recording = { queries, host: host.name };
  const { account } = await accountIn(recording, INTENT.account, ids.uuid);
  for (let index = 0; index < Number(count); index++) {
    clock.pass(60_000);
    const id = ids.uuid();
    const kind = KINDS[index % KINDS.length] ?? 'money';
    const ours = { account, inputDigest: `digest-${index}`, runBy: 'ada', processId: 100, moves };
    await createOperation(recording, { ...INTENT, ...ours, id, kind, idempotencyKey: `k-${index}` });
    await tryMove(recording, id, 'sent', { busyUntil: 0 });
    if (index % 1_000 !== 999) await tryMove(recording, id, 'accepted', { requestId: `r-${index}`, result });
  }
});
await store.close();
