import { expect, test } from 'vitest';
import { chances } from '../served.ts';
import { postingsIn } from './postings.ts';
import { compareBalances, compareFees, compareKinds, compareNow, compareReport, compareUsers, days, month } from './reports.ts';
import { type Machine, served } from './rig.ts';
import { inFile, type Moment, truthIn } from '../ledger.ts';
import { compareEntries } from './entries.ts';
import { newTally, tallyText } from './tally.ts';
import { DAY_MS, working } from './work.ts';

const DAYS = Number(process.env['TRUTH_DAYS'] ?? 10);
const PER_DAY = Number(process.env['TRUTH_OPS'] ?? 20);
const SEED = Number(process.env['TRUTH_SEED'] ?? 3);
test('try', async () => {
  const t0 = performance.now();
  const service = await served(Date.UTC(2026, 9, 24, 22));
  const account = await working(service, chances(SEED));
  const daily = service.machine({ name: 'daily' });
  const noon = service.machine({ name: 'noon' });
  const once = service.machine({ name: 'once' });
  const stale = service.machine({ name: 'stale' });
  const never = service.machine({ name: 'never' });
  const sync = async (m: Machine) => {
    const r = await m.run('sync');
    expect(r.code, r.stderr).toBe(0);
    if (r.stderr.includes('warning')) console.log(r.stderr);
  };
  await service.moveTo(service.now() + 1800_000);
  await sync(daily); await sync(noon); await sync(once);
  await service.moveTo(service.now() + 1800_000);
  const iso = () => new Date(service.now()).toISOString();
  const before = { at: iso(), sums: truthIn(service.path) };
  const moments: Moment[] = [];
  for (let day = 0; day < DAYS; day++) {
    const start = service.now();
    await account.work(start + DAY_MS, PER_DAY, new Map([[start + 13 * 3600_000, () => sync(noon)]]));
    await sync(daily);
    if (day <= DAYS / 2) await sync(stale);
    moments.push({ at: iso(), sums: truthIn(service.path) });
  }
  console.log('worked', performance.now() - t0, account.done);
  await sync(once); await sync(never); await sync(noon);
  console.log('synced', performance.now() - t0);
  const truth = postingsIn(service.path);
  const all = days('2026-10-25', new Date(service.now()).toISOString().slice(0, 10));
  for (const [name, m] of Object.entries({ daily, noon, once, never, stale })) {
    const tally = newTally();
    for (const asked of [month('2026-10', service.now()), month('2026-11', service.now()), all]) {
      await compareReport(m, truth, asked, tally);
      await compareKinds(m, truth, asked, tally);
      await compareFees(m, truth, asked, tally);
      await compareBalances(m, truth, asked, tally);
      await compareUsers(m, truth, asked, tally);
    }
    await compareNow(m, truth, tally);
    compareEntries(inFile(m.copyPath), service.path, truth, { before, moments }, tally);
    console.log(name, tallyText(tally), '\n', tally.wrong.slice(0, 40).join('\n '), performance.now() - t0);
  }
});
