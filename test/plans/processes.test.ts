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

test('four processes that apply a plan of the journal, while others reject and withdraw it, end as one of them', async ({
  onTestFinished,
}) => {
  const home = newHome(onTestFinished);
  const line = ['fees', 'withdraw', '--amount', '500', '--to', 'default', '--plan', '-o', 'json'];
  const { plan } = await fiatrailJson<{ plan: string }>(home, line);
  const applies = [1, 2, 3, 4].map(() => fiatrail(home, ['plans', 'apply', plan, '--yes', '-o', 'json']));
  const withdraws = [1, 2].map(() => fiatrail(home, ['plans', 'withdraw', plan, '--reason', 'paid by hand']));
  const [applied, withdrawn] = await Promise.all([Promise.all(applies), Promise.all(withdraws)]);
  const done = (ends: readonly { readonly code: number | null }[]) => ends.filter(({ code }) => code === 0).length;
  const { status } = await fiatrailJson<{ status: string }>(home, ['plans', 'show', plan, '-o', 'json']);
  const list = ['fees', 'withdrawals', 'list', '-o', 'json'];
  const { withdrawals } = await fiatrailJson<{ withdrawals: object[] }>(home, list);
  const ends = { status, applied: done(applied), withdrawn: done(withdrawn), sent: withdrawals.length };
  expect([
    { status: 'applied', applied: 4, withdrawn: 0, sent: 1 },
    { status: 'withdrawn', applied: 0, withdrawn: 1, sent: 0 },
  ]).toContainEqual(ends);
});
