import { expect, test } from 'vitest';
import { answerCall, type Calling } from '../../src/agent/calls.ts';
import type { CommandRecord } from '../../src/agent/commands.ts';
import { type Permission, toolsFor } from '../../src/agent/tools.ts';
import { createTurns } from '../../src/agent/turns.ts';
import { agreeOn, BASE_URL, exchangeKeys, joinTeam, openTeamAfter, PAYOUT_ID, type Team } from '../plans/support.ts';
import { success } from '../support/exchange.ts';

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
  const run = (argv: readonly string[]) => team.run('ada', argv, { env: { AI_AGENT: 'tested' } });
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
  const { data } = await call('operations', { command: 'plans list', arguments: { status: 'waiting' } });
  expect(data.plans).toMatchObject([{ plan, status: 'waiting' }]);
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
  for (const other of ['/etc/passwd', './plan.json', '0198', '--yes', ['0198c1f2']])
    expect((await call('plan_apply', { plan: other })).error).toMatchObject({ code: 'INVALID_ARGUMENTS' });
  const unknown = '0198c1f2-5d0e-7cc3-98a1-0a54b2f0b1de';
  expect((await call('plan_apply', { plan: unknown })).error).toMatchObject({ code: 'PLAN_NOT_FOUND' });
  expect(team.service.sent).toHaveLength(0);
});

test('an agent applies and shows no plan of another account', async () => {
  const { team } = await openTeamAfter(approving);
  const added = ['profiles', 'add', 'other', '--base-url', BASE_URL, '--mode', 'live', '--key-stdin'];
  expect((await team.run('ada', added, { stdin: 'another-live-key-of-another-account' })).code).toBe(0);
  await team.run('ada', ['ops', 'journal', 'verify', '--accept', '--yes', '-q', '--profile', 'other']);
  const planned = [
    'payout',
    'create',
    '--amount',
    '10',
    '--to',
    'bank-1',
    '--plan',
    '--profile',
    'other',
    '-o',
    'json',
  ];
  const written = await team.run('ada', planned);
  expect(written.code, written.stderr).toBe(0);
  const call = await agentOf(team, ALL);
  for (const name of ['plan_show', 'plan_apply'])
    expect((await call(name, { plan: JSON.parse(written.stdout).plan })).error).toMatchObject({
      code: 'OTHER_ACCOUNT',
    });
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

/** Ada's agents may pay out 20,000 cNGN a day without an approval. */
const allowing = async (team: Team) => {
  await approving(team);
  const set = ['profiles', 'rules', 'set', 'main', '--agent-allowance', 'NGN 20000 a day', '--yes'];
  const { code, stderr } = await team.run('ada', set, { agrees: true, isTerminal: true });
  expect(code, stderr).toBe(0);
};

const HOUR_MS = 3_600_000;

/** Lets the service answer each payout with an id of its own. */
function answerAnew({ service }: Team): void {
  const { payout } = service;
  service.payout = async (request) => {
    const answer = await payout(request);
    const id = `0198c1f2-5d0e-7cc3-98a1-${String(service.sent.length).padStart(12, '0')}`;
    return { ...answer, body: answer.body.replace(PAYOUT_ID, id) };
  };
}

/** Lets the service list a bank account that was added some hours ago, or that does not say when. */
function savedAgo(team: Team, hours: number | undefined): void {
  const createdAt =
    hours === undefined ? {} : { createdAt: new Date(team.clock.now() - hours * HOUR_MS).toISOString() };
  answerAnew(team);
  const account = { accountId: 'bank-1', accountName: 'ADA OBI', accountNumber: '0123456789', bankCode: '000013' };
  team.service.instead['/listbankaccounts'] = success({ accounts: [{ ...account, ...createdAt }] });
}

const pay = (amount: string) => ({ command: 'payout create', arguments: { amount, to: 'bank-1' } });

/** Plans a payment, and has it applied. Returns the code of the error, if there is one. */
async function paid(call: Awaited<ReturnType<typeof agentOf>>, amount: string): Promise<string | undefined> {
  const { plan } = (await call('plan', pay(amount))).data;
  return (await call('plan_apply', { plan })).error?.code;
}

test('an allowance is one sum a day, also for what has an unknown outcome', async () => {
  const { team } = await openTeamAfter(allowing);
  savedAgo(team, 49);
  const call = await agentOf(team, ALL);
  expect(await paid(call, '8000')).toBeUndefined();
  const payout = team.service.payout;
  team.service.payout = () => {
    throw new Error('the connection is gone');
  };
  await paid(call, '9000');
  team.service.payout = payout;
  expect(team.service.sent).toHaveLength(2);
  // 17,000 are gone, if one does not know.
  expect(await paid(call, '3000.01')).toBe('RULE_AMOUNT');
  expect(await paid(call, '20000.01')).toBe('RULE_AMOUNT');
  expect(team.service.sent).toHaveLength(2);
  expect(await paid(call, '3000')).toBeUndefined();
  expect(await paid(call, '0.01')).toBe('RULE_AMOUNT');
  expect(team.service.sent).toHaveLength(3);
  await team.clock.sleep(24 * HOUR_MS, new AbortController().signal);
  expect(await paid(call, '20000')).toBeUndefined();
  expect(team.service.sent).toHaveLength(4);
});

test.each<[string, number | undefined]>([
  ['was added 47 hours ago', 47],
  ['is of tomorrow', -24],
  ['does not say when it was added', undefined],
])('an allowance is not for a bank account that %s', async (_, hours) => {
  const { team } = await openTeamAfter(allowing);
  savedAgo(team, hours);
  expect(await paid(await agentOf(team, ALL), '100')).toBe('APPROVAL_REQUIRED');
  expect(team.service.sent).toHaveLength(0);
});

test('what a person sends, and what was approved, does not count for the allowance', async () => {
  const { team } = await openTeamAfter(allowing);
  savedAgo(team, 100);
  const call = await agentOf(team, ALL);
  expect((await team.run('ada', ['payout', 'create', '--amount', '19000', '--to', 'bank-1', '--yes'])).code).toBe(0);
  const { plan } = (await call('plan', pay('18000'))).data;
  await team.run('bayo', ['plans', 'approve', plan], { agrees: true, isTerminal: true });
  expect((await call('plan_apply', { plan })).error).toBeUndefined();
  expect(await paid(call, '20000')).toBeUndefined();
  expect(team.service.sent).toHaveLength(3);
});

test('an allowance is for payouts and offramps alone, and ends with off', async () => {
  const { team } = await openTeamAfter(allowing);
  savedAgo(team, 100);
  const call = await agentOf(team, ALL);
  const off = ['profiles', 'rules', 'set', 'main', '--agent-allowance', 'off', '--yes'];
  await team.run('ada', off, { agrees: true, isTerminal: true });
  expect(await paid(call, '100')).toBe('APPROVAL_REQUIRED');
  for (const wrong of ['20000', 'NGN', 'USDC 5 a day', 'NGN 5 a week', 'NGN -5 a day', ''])
    expect(
      (await team.run('ada', ['profiles', 'rules', 'set', 'main', '--agent-allowance', wrong, '--yes'])).code,
    ).toBe(2);
  expect(team.service.sent).toHaveLength(0);
});
