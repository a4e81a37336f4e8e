import { expect, test } from 'vitest';
import { answerCall, type Calling } from '../../src/agent/calls.ts';
import type { CommandRecord } from '../../src/agent/commands.ts';
import { type Permission, toolsFor } from '../../src/agent/tools.ts';
import { createTurns } from '../../src/agent/turns.ts';
import { agreeOn, exchangeKeys, joinTeam, openTeamAfter, type Team } from '../plans/support.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever was answered
type Json = any;

/** Ada and Bayo are approvers of a live account; what Ada pays above 49,999 cNGN needs Bayo. */
const approving = async (team: Team) => {
  await joinTeam(team, 'ada', 'bayo');
  await exchangeKeys(team, 'ada', 'bayo');
  await agreeOn(team, 'ada', 'bayo', ['approval-threshold', 'CNGN 49999']);
};

/** What Ada's server answers to an agent. */
async function agentOf(team: Team, allowed: readonly Permission[]) {
  const run = (argv: readonly string[]) => team.run('ada', argv);
  const { stdout } = await run(['help', 'commands', '-o', 'json']);
  const { commands } = JSON.parse(stdout) as { commands: readonly CommandRecord[] };
  const calling: Calling = {
    tools: toolsFor(allowed),
    commands,
    run,
    turns: createTurns(),
    isMasked: true,
    globals: ['--profile=main', '--output=json', '--no-input', '--quiet', '--mask'],
  };
  return async (name: string, given: object = {}): Promise<Json> => {
    const tool = calling.tools.find((each) => each.name === name);
    if (!tool) throw new Error(`no tool ${name}`);
    return answerCall(calling, tool, given, new AbortController().signal);
  };
}

const ALL: readonly Permission[] = ['read', 'plan', 'apply'];
const PAY = { command: 'payout create', arguments: { amount: '1000', to: 'bank-1' } };

test('an agent plans a payment, a second person approves it, and the agent applies it once', async () => {
  const { team } = await openTeamAfter(approving);
  const call = await agentOf(team, ALL);
  const planned = await call('plan', PAY);
  expect(planned.error).toBeUndefined();
  expect(planned.data).toMatchObject({ status: 'waiting', holds: true, amounts: [{ value: '1000.000000' }] });
  expect(JSON.stringify(planned.data.facts)).toMatch(/fees.*balance.*before.*after/);
  const { plan } = planned.data;
  // Below the threshold, Ada could send it herself. An agent cannot.
  expect((await call('plan_apply', { plan })).error).toMatchObject({ code: 'APPROVAL_REQUIRED', category: 'declined' });
  expect(team.service.sent).toHaveLength(0);
  const approved = await team.run('bayo', ['plans', 'approve', plan], { agrees: true, isTerminal: true });
  expect(approved.code, approved.stderr).toBe(0);
  expect((await call('plan_show', { plan })).data).toMatchObject({ status: 'approved' });
  expect((await call('plan_apply', { plan })).error).toBeUndefined();
  expect((await call('plan_apply', { plan })).error).toBeUndefined();
  expect(team.service.sent).toHaveLength(1);
});

test('an agent applies no plan that was rejected, has expired, or is of another kind or account', async () => {
  const { team } = await openTeamAfter(approving);
  const call = await agentOf(team, ALL);
  const { plan } = (await call('plan', PAY)).data;
  await team.run('bayo', ['plans', 'reject', plan, '--reason', 'no']);
  expect((await call('plan_apply', { plan })).error).toMatchObject({ category: 'declined' });
  const change = ['profiles', 'approval-threshold', 'set', 'CNGN 60000', '--plan', '-o', 'json'];
  const written = await team.run('ada', change);
  const { plan: settings } = JSON.parse(written.stdout);
  await team.run('bayo', ['plans', 'approve', settings], { agrees: true, isTerminal: true });
  expect((await call('plan_apply', { plan: settings })).error).toMatchObject({ code: 'NOT_FOR_AGENTS' });
  for (const other of ['/etc/passwd', './plan.json', '0198', '--yes', '0198c1f2-5d0e-7cc3-98a1-0a54b2f0b1de'])
    expect((await call('plan_apply', { plan: other })).error).toMatchObject({ category: 'usage' });
  expect(team.service.sent).toHaveLength(0);
});

test('the approval of an approver who left does not count', async () => {
  const { team } = await openTeamAfter(approving);
  const call = await agentOf(team, ALL);
  const { plan } = (await call('plan', PAY)).data;
  await team.run('bayo', ['plans', 'approve', plan], { agrees: true, isTerminal: true });
  await agreeOn(team, 'ada', 'bayo', ['remove', 'bayo']);
  expect((await call('plan_apply', { plan })).error).toMatchObject({ category: 'declined' });
  expect(team.service.sent).toHaveLength(0);
});
