import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { fiatrail, fiatrailJson, newHome, requireBuilt } from '../support/built.ts';

beforeAll(requireBuilt);

test('two processes that apply a plan at the same instant move the money once', async ({ onTestFinished }) => {
  const home = newHome(onTestFinished);
  const file = join(home.path, 'plan.json');
  const to = ['--bank-code', '000013', '--account-number', '0123456789', '--account-name', 'ADA'];
  await fiatrail(home, ['fees', 'withdraw', '--amount', '500', ...to, '--plan', file]);
  const both = await Promise.all([0, 1].map(() => fiatrail(home, ['plans', 'apply', file, '--yes', '-o', 'json'])));
  expect(both.map(({ code }) => code)).toEqual([0, 0]);
  const [one, other] = both.map(({ stdout }) => JSON.parse(stdout).withdrawalId);
  expect(one).toBe(other);
  const { withdrawals } = await fiatrailJson<{ withdrawals: object[] }>(home, [
    'fees',
    'withdrawals',
    'list',
    '-o',
    'json',
  ]);
  expect(withdrawals).toHaveLength(1);
});
