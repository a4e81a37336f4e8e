import { test } from 'vitest';
import { chances } from '../served.ts';
import { served } from './rig.ts';
import { DAY_MS, working } from './work.ts';

test('try', async () => {
  const t0 = performance.now();
  const service = await served(Date.UTC(2026, 9, 15, 22));
  const account = await working(service, chances(3));
  const one = service.machine();
  console.log('furnished', performance.now() - t0);
  for (let day = 0; day < 10; day++) {
    await account.work(service.now() + DAY_MS, 20);
  }
  console.log('worked', performance.now() - t0, account.done);
  const r = await one.run('sync');
  console.log(r.code, r.stderr, performance.now() - t0);
  for (const argv of [['report', '2026-10'], ['report', 'balance', '2026-10', '--help']]) console.log((await one.run(...argv)).stdout);
});
