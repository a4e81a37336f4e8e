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
const timed = (work: () => void) => {
  const start = process.hrtime.bigint();
  work();
  return Number(process.hrtime.bigint() - start) / 1e6;
};
const checks = () => {
  for (let count = 0; count < CHECKS; count++) journal.requireLastLink();
};
checks();
const figures = Array.from({ length: Number(rounds) }, () => {
  let transitions = 0;
  const verifyMs = timed(() => {
    const found = journal.verify();
    if (found.problem) throw new Error(found.problem.what);
    transitions = found.transitions;
  });
  return { perSecond: (transitions * 1_000) / verifyMs, lastLinkMs: timed(checks) / CHECKS };
});
journal.close();
process.stdout.write(JSON.stringify(figures));
