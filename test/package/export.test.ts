import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { fiatrail, newHome, requireBuilt } from '../support/built.ts';

beforeAll(requireBuilt);

test('an export of a whole history contains every row once, and nothing else', async () => {
  const home = newHome(onTestFinished);
  await fiatrail(home, ['sandbox', 'seed', '--history', '730', '--rate-limits', 'off']);
  const { stdout, stderr, code } = await fiatrail(home, ['history', 'transactions', '--all', '-o', 'ndjson', '-q']);
  // The settings of V8 that keep its memory small are known to this Node, or it would complain.
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const ids = stdout
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { id: string }).id);
  expect([ids.length, new Set(ids).size]).toEqual([730, 730]);
});
