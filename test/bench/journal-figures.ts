/**
 * Measures a journal in process: `node journal-figures.ts PATH ROUNDS`. Prints the transitions verified per second, and the
 * milliseconds of the check that precedes each payment.
 */
import { openJournal } from '../../src/journal/journal.ts';
import { oneProcess } from '../support/journal-intent.ts';
import { countingIds, fakeClock } from '../support/sandbox.ts';

const [path = '', rounds = '1'] = process.argv.slice(2);
const CHECKS = 2_000;

const journal = await openJournal(path, { clock: fakeClock(), ids: countingIds(2), host: oneProcess() });
const timed = async (work: () => Promise<void>) => {
  const start = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - start) / 1e6;
};
const checks = async () => {
  for (let count = 0; count < CHECKS; count++) await journal.requireLastLink();
};
await checks();
const figures: { readonly perSecond: number; readonly lastLinkMs: number }[] = [];
for (let round = 0; round < Number(rounds); round++) {
  let transitions = 0;
  const verifyMs = await timed(async () => {
    const found = await journal.verify();
    if (found.problem) throw new Error(found.problem.what);
    transitions = found.transitions;
  });
  figures.push({ perSecond: (transitions * 1_000) / verifyMs, lastLinkMs: (await timed(checks)) / CHECKS });
}
journal.close();
process.stdout.write(JSON.stringify(figures));
