import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { failureOf, withdrawalOf, withdrawalsAt } from '../postgres/hosts.ts';
import type { Served } from '../support/accounts.ts';
import type { Home } from '../support/built.ts';
import { withdraw } from '../support/fee-withdrawal.ts';
import { accountOf, fiatrail, must, serveSandbox } from '../support/in-process.ts';

/** Two machines with a journal each: the idempotency key of a plan is in one of them only. */

let served: Served;
let machines: readonly [Home, Home];
let plans: readonly [string, string];
let planned: readonly string[];

beforeEach(async () => {
  served = await serveSandbox(onTestFinished);
  machines = [await accountOf(served, onTestFinished), await accountOf(served, onTestFinished)];
  plans = [join(machines[0].path, 'plan.json'), join(machines[1].path, 'plan.json')];
  planned = [...withdraw('500').filter((word) => word !== '--yes'), '--plan', plans[0]];
});

const apply = (machine: 0 | 1) =>
  fiatrail(machines[machine], ['plans', 'apply', plans[machine], '--yes', '-o', 'json']);

test('a plan that one machine applied is not applied by another one', async () => {
  // An equal withdrawal is not the plan's.
  await must(machines[1], withdraw('500'));
  await must(machines[0], planned);
  copyFileSync(plans[0], plans[1]);
  const id = withdrawalOf(await apply(0));
  const other = await apply(1);
  expect(failureOf(other)).toEqual({ exit: 9, code: 'PLAN_APPLIED' });
  expect(other.stderr).toContain(id);
  // The one that applied it prints what was recorded.
  expect(withdrawalOf(await apply(0))).toBe(id);
  expect(withdrawalsAt(served)).toHaveLength(2);
});

test('a plan of a profile with approvers says each time that another machine could apply it too', async () => {
  const said = 'another machine could apply it too; share a journal: fiatrail profiles journal set main --url URL';
  await must(machines[0], planned);
  expect((await apply(0)).stderr).not.toContain(said);
  await must(machines[0], ['profiles', 'approvers', 'add', 'ada', '--generate', '--yes']);
  for (let time = 0; time < 2; time++) expect((await apply(0)).stderr).toContain(said);
});
