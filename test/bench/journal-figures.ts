/**
 * Measures a journal in process: `node journal-figures.ts PATH ROUNDS`. Prints the transitions verified per second, and the
 * milliseconds of the check and of the sum of a month that precede each payment.
 */
import { openJournal } from '../../src/journal/open.ts';
import { INTENT, oneProcess } from '../support/journal-intent.ts';
import { countingIds, fakeClock } from '../support/sandbox.ts';

const [path = '', rounds = '1'] = process.argv.slice(2);
const CHECKS = 2_000;

const clock = fakeClock();
const journal = await openJournal(path, { clock, ids: countingIds(2), host: oneProcess() });
const [newest] = await journal.list({ limit: 1 });
clock.set(Date.parse(newest?.createdAt ?? ''));
const timed = async (work: () => Promise<void>) => {
  const start = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - start) / 1e6;
};
const checks = async () => {
  for (let count = 0; count < CHECKS; count++) await journal.requireLastLink();
};
const sums = async () => {
  for (let count = 0; count < CHECKS; count++) {
    const minor = await journal.spent(INTENT.account, { asset: 'NGN', period: 'month' });
    if (minor <= 0n) throw new Error('the sum of the month is 0');
  }
};
await checks();
await sums();
const figures: { readonly perSecond: number; readonly lastLinkMs: number; readonly sumMs: number }[] = [];
for (let round = 0; round < Number(rounds); round++) {
  let entries = 0;
  const verifyMs = await timed(async () => {
    const found = await journal.verify();
    if (found.problem) throw new Error(found.problem.what);
    entries = found.entries;
  });
  const [lastLinkMs, sumMs] = [(await timed(checks)) / CHECKS, (await timed(sums)) / CHECKS];
  figures.push({ perSecond: (entries * 1_000) / verifyMs, lastLinkMs, sumMs });
}
journal.close();
process.stdout.write(JSON.stringify(figures));
