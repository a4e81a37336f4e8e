import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { approvalOf } from '../../src/commands/bulk/approval.ts';
import { fileClaimOf, queuedPlan, rowClaimOf } from '../../src/engine/plans/acts.ts';
import { planText } from '../../src/engine/plans/file.ts';
import { fakeWorld } from '../support/world.ts';
import {
  agreeing,
  amounts,
  approveWithout,
  filePlanCases,
  planned,
  ROWS,
  resume,
  SAVED,
  sent,
  start,
  status,
  words,
  written,
} from './file-cases.ts';
import { FILE_ENGINE } from './file-engine.ts';
import { apply, approve, endOf, json, jsonOf, opened, reject, shown } from './queue-cases.ts';
import { agreeOn, contentOf, PAYOUT, rehashed, rewritten, type Team } from './support.ts';

filePlanCases('a file', FILE_ENGINE);

const open = () => start(FILE_ENGINE);

/** The same rows under other references. */
const OTHERS = ROWS.map(([reference, each, to]) => [`${reference}b`, each, to] as const);

/** The entries about a plan, as the journal has them. */
const entriesOf = async (team: Team, id: string) => (await FILE_ENGINE.journal(team)).plans.entriesOf(id);

test('a row is recorded only once the plan of its file is applied, and not after a rejection', async () => {
  const team = await open();
  const [id, other] = [await planned(team), await planned(team, 'ada', [], OTHERS, 'dec')];
  await approve(team, 'bayo', id);
  const before = await entriesOf(team, id);
  await apply(team, 'ada', id);
  await reject(team, 'bayo', other);
  const after = await entriesOf(team, id);
  const { plan: own } = queuedPlan(id, before);
  const { isOpen, applied } = rowClaimOf(own);
  expect([isOpen([]), isOpen(before), isOpen(after), applied]).toEqual([false, false, true, undefined]);
  const rejected = await entriesOf(team, other);
  const { plan: ended } = queuedPlan(other, rejected);
  const applying = fileClaimOf(fakeWorld({}), queuedPlan(other, rejected.slice(0, 1)), 0).entry;
  expect(rowClaimOf(ended).isOpen([...rejected.slice(0, 1), applying])).toBe(true);
  expect(rowClaimOf(ended).isOpen([...rejected, applying])).toBe(false);
  expect(rowClaimOf({ ...own, hash: ended.hash }).isOpen(after)).toBe(false);
});

test('rows are sent until the plan expires, and then no more', async () => {
  const team = await open();
  const id = await planned(team, 'ada', ['--plan-expires', '30m']);
  await approve(team, 'bayo', id);
  team.service.meanwhile = async (path) => {
    if (path === '/initiateofframp' && team.service.sent.length === 3) await FILE_ENGINE.passAnHour(team);
  };
  expect(endOf(await apply(team, 'ada', id))).toEqual([9, 'PLAN_EXPIRED']);
  expect(sent(team)).toHaveLength(4);
  expect(endOf(await resume(team))).toEqual([9, 'PLAN_EXPIRED']);
  expect(await shown(team, id)).toMatchObject({ status: 'applied-in-part' });
});

test('an entry that says that a plan of one payment is applied by rows says nothing', async () => {
  const team = await opened(FILE_ENGINE);
  const id = jsonOf(await team.run('ada', json(...PAYOUT, '--plan'))).plan;
  const queued = queuedPlan(id, await entriesOf(team, id));
  const journal = await FILE_ENGINE.journal(team);
  expect(await journal.plans.add(id, fileClaimOf(fakeWorld({}), queued, team.clock.now()).entry, 1)).toBe(true);
  expect(await shown(team, id)).toMatchObject({ status: 'waiting' });
});

test('a rule that the rows break together blocks the plan, and one that was set since blocks applying it', async () => {
  const team = await open();
  const rules = (sum: string) =>
    team.run('ada', ['profiles', 'rules', 'set', 'main', '--max-per-day', `CNGN ${sum}`, '--yes', '-q'], agreeing);
  expect((await rules('50000')).code).toBe(0);
  expect(endOf(await team.run('ada', json(...words(written(team)), '--plan')))).toEqual([9, 'RULE_AMOUNT']);
  expect((await rules('60000')).code).toBe(0);
  const id = await planned(team);
  await approve(team, 'bayo', id);
  expect((await rules('50000')).code).toBe(0);
  expect(endOf(await apply(team, 'ada', id))).toEqual([9, 'RULE_AMOUNT']);
  expect(sent(team)).toEqual([]);
});

test('a threshold that was set while a file is half sent stops it, and says how to go on', async () => {
  const team = await open();
  await agreeOn(team, 'ada', 'bayo', ['approval-threshold', 'CNGN 90000']);
  const half = await team.run('ada', json(...words(written(team)), '--yes', '--first', '3'));
  expect([half.code, sent(team).length]).toEqual([8, 3]);
  await agreeOn(team, 'ada', 'bayo', ['approval-threshold', 'CNGN 49999']);
  const stopped = await resume(team);
  expect([endOf(stopped), sent(team).length]).toEqual([[9, 'APPROVAL_REQUIRED'], 3]);
  const { actions } = JSON.parse(stopped.stderr.trim().split('\n').at(-1) ?? '').error;
  expect(actions.map(({ argv }: { argv: readonly string[] }) => argv)).toEqual([
    ['bulk', 'cancel', 'nov'],
    ['bulk', 'report', 'nov', '--failed', '-o', 'csv'],
  ]);
  for (const { argv } of actions.slice(0, 1)) expect((await team.run('ada', json(...argv, '--yes'))).code).toBe(0);
  const left = jsonOf(await team.run('ada', json('bulk', 'report', 'nov', '--failed'))).rows;
  const again = left.map((row: Record<string, string>) => [`${row['was']}b`, row['amount'], row['to']]);
  expect(again).toEqual(OTHERS.slice(3));
  const id = await planned(team, 'ada', [], again, 'dec');
  await approve(team, 'bayo', id);
  await apply(team, 'ada', id);
  expect(sent(team)).toEqual(amounts());
});

test('a balance that no longer suffices keeps all rows from leaving, unless enough were struck out', async () => {
  const team = await open();
  const id = await planned(team);
  team.service.balance = '50000.000000';
  expect(endOf(await approve(team, 'bayo', id))).toEqual([9, 'BALANCE_TOO_LOW']);
  team.service.balance = '500000.000000';
  expect((await approveWithout(team, 'bayo', id, 'INV-1', 'INV-2')).code).toBe(0);
  team.service.balance = '40000.000000';
  expect(endOf(await apply(team, 'ada', id))).toEqual([9, 'BALANCE_TOO_LOW']);
  team.service.balance = '50000.000000';
  await apply(team, 'ada', id);
  expect(sent(team)).toEqual(amounts('INV-1', 'INV-2'));
});

test('a fee or a holder that changed since keeps all rows from leaving', async () => {
  const team = await open();
  const id = await planned(team);
  await approve(team, 'bayo', id);
  team.service.feeKobo = 9_000;
  expect(endOf(await apply(team, 'ada', id))).toEqual([9, 'PLAN_CHANGED']);
  team.service.feeKobo = 7_500;
  const moved = SAVED.map((each) => ({ ...each, accountName: 'SOMEBODY ELSE' }));
  const accounts = team.service.instead['/listbankaccounts'];
  const body = JSON.stringify({ ...JSON.parse(accounts?.body ?? ''), data: { accounts: moved } });
  if (accounts) team.service.instead['/listbankaccounts'] = { ...accounts, body };
  expect(endOf(await apply(team, 'ada', id))).toEqual([9, 'PLAN_CHANGED']);
  expect(sent(team)).toEqual([]);
});

test('an approval by a key that the author added does not count', async () => {
  const team = await open();
  const made = team.file('chidi.json');
  await team.run('chidi', ['profiles', 'approvers', 'add', 'chidi', '--generate', '--plan', made]);
  const { publicKey } = contentOf(made).plan.request;
  await agreeOn(team, 'ada', 'bayo', ['add', 'chidi', '--public-key', publicKey]);
  const id = await planned(team);
  expect(endOf(await approve(team, 'chidi', id))).toEqual([9, 'APPROVER_ADDED_BY_AUTHOR']);
  expect(endOf(await apply(team, 'ada', id))).toEqual([9, 'APPROVAL_REQUIRED']);
});

test('the plan of another account, and a plan whose rows the journal does not have', async () => {
  const team = await open();
  const id = await planned(team);
  const added = ['profiles', 'add', 'other', '--base-url', 'https://other.test/v1', '--mode', 'live', '--key-stdin'];
  await team.run('bayo', added, { stdin: 'another-live-key' });
  const other = (...argv: readonly string[]) => team.run('bayo', json(...argv, '--profile', 'other'), agreeing);
  await other('ops', 'journal', 'verify', '--accept');
  for (const verb of ['approve', 'apply']) expect(endOf(await other('plans', verb, id))).toEqual([2, 'OTHER_ACCOUNT']);
  // On a host with a journal of its own.
  await team.run('bayo', ['ops', 'journal', 'verify', '--accept', '--yes', '-q'], { host: 'host-2' });
  const there = await team.run('bayo', json('plans', 'apply', id, '--yes'), { host: 'host-2' });
  expect(endOf(there)).toEqual([2, 'PLAN_NOT_FOUND']);
  // A plan of rows as a file, which anyone can write.
  const [first = ''] = await entriesOf(team, id);
  const { plan: content, hash } = JSON.parse(first);
  const base = team.file('base.json');
  writeFileSync(base, planText({ content, hash, signatures: [] }), { mode: 0o600 });
  const path = rewritten(team, base, () =>
    rehashed({
      content: {
        ...content,
        id: '01900000-0000-7000-8000-0000000000ff',
        author: { ...content.author, approver: null },
      },
      hash,
      signatures: [],
    }),
  );
  expect(endOf(await team.run('chidi', json('plans', 'apply', path, '--yes')))).toEqual([2, 'ROWS_MISSING']);
  expect(sent(team)).toEqual([]);
});

const applyAsAgent = (team: Team, id: string) =>
  team.run('ada', json('plans', 'apply', id, '--yes'), { env: { AI_AGENT: 'claude-code' } });

test('an agent applies a plan of a file only if a second person approved it', async () => {
  const team = await open();
  await agreeOn(team, 'ada', 'bayo', ['approval-threshold', 'CNGN 499999']);
  const id = await planned(team);
  expect(endOf(await applyAsAgent(team, id))).toEqual([9, 'APPROVAL_REQUIRED']);
  await approve(team, 'bayo', id);
  await applyAsAgent(team, id);
  expect(sent(team)).toEqual(amounts());
});

test('below the threshold, a plan needs no approval, and pausing or resuming does not open it', async () => {
  const team = await open();
  await agreeOn(team, 'ada', 'bayo', ['approval-threshold', 'CNGN 499999']);
  const id = await planned(team);
  expect(endOf(await team.run('ada', json('bulk', 'pause', 'nov')))).toEqual([9, 'FILE_PLANNED']);
  expect(endOf(await team.run('chidi', json('bulk', 'cancel', 'nov', '--yes')))).toEqual([9, 'FILE_PLANNED']);
  expect(await status(team)).toMatchObject({ status: 'planned' });
  expect(endOf(await resume(team))).toEqual([9, 'FILE_PLANNED']);
  // Someone lowers it before the plan is applied.
  await agreeOn(team, 'ada', 'bayo', ['approval-threshold', 'CNGN 49999']);
  expect(endOf(await apply(team, 'ada', id))).toEqual([9, 'APPROVAL_REQUIRED']);
  await agreeOn(team, 'ada', 'bayo', ['approval-threshold', 'CNGN 499999']);
  await apply(team, 'ada', id);
  expect(sent(team)).toEqual(amounts());
});

test('a threshold that was lowered after a file was staged counts for the rows that are left', async () => {
  const team = await open();
  await agreeOn(team, 'ada', 'bayo', ['approval-threshold', 'CNGN 499999']);
  const path = written(team);
  await team.run('ada', json(...words(path), '--yes', '--first', '1', '--wait', '1ms'));
  expect(sent(team)).toHaveLength(1);
  await agreeOn(team, 'ada', 'bayo', ['approval-threshold', 'CNGN 49999']);
  expect(endOf(await resume(team))).toEqual([9, 'APPROVAL_REQUIRED']);
  expect(sent(team)).toHaveLength(1);
});

test.each<[string, readonly string[], string]>([
  ['a plan in a file', ['--plan', './rows.json'], 'the plan of a file is in the journal with its rows'],
  ['a pilot', ['--plan', '--first', '2'], '--plan and --first cannot be combined'],
  ['a dry run', ['--plan', '--dry-run'], '--plan and --dry-run cannot be combined'],
  ['a number of errors', ['--plan', '--stop-after', '2'], '--plan and --stop-after cannot be combined'],
  ['an expiry alone', ['--plan-expires', '2h'], '--plan-expires is given without --plan'],
])('%s is rejected', async (_, more, message) => {
  const team = await open();
  const { code, stderr } = await team.run('ada', [...words(written(team)), ...more]);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
  expect(jsonOf(await team.run('ada', json('bulk', 'status'))).files).toEqual([]);
});

test('rows that pay the default account, which can be changed, or that move nothing cannot be planned', async () => {
  const team = await open();
  const path = team.file('default.csv');
  writeFileSync(path, 'reference,amount,to\nA,10,default\n');
  const accounts = SAVED.map((each, at) => ({ ...each, isDefault: at === 0 }));
  for (const each of ['/getbankaccounts', '/listbankaccounts']) {
    const found = team.service.instead[each];
    if (found)
      team.service.instead[each] = {
        ...found,
        body: JSON.stringify({ ...JSON.parse(found.body), data: { accounts } }),
      };
  }
  const ran = await team.run('ada', [...words(path), '--plan']);
  expect({ code: ran.code, stderr: ran.stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining('line 2: the row A pays the default bank account'),
  });
  const other = team.file('accounts.csv');
  writeFileSync(other, 'reference,account number,bank code\nA,0123456785,000013\n');
  const adding = ['bulk', 'create', other, '--as', 'bank-accounts add', '--once', 'k', '--plan'];
  expect((await team.run('ada', adding)).stderr).toContain('moves no money, so its rows cannot be planned');
  expect(jsonOf(await team.run('ada', json('bulk', 'status'))).files).toEqual([]);
});

test('of a plan that is not that of a file, no row can be struck out', async () => {
  const team = await opened(FILE_ENGINE);
  const id = jsonOf(await team.run('ada', json(...PAYOUT, '--plan'))).plan;
  expect(endOf(await approveWithout(team, 'bayo', id, 'INV-1'))).toEqual([2, 'NO_SUCH_ROW']);
});

test('a file whose plan was withdrawn while the question was open is not opened', async () => {
  const team = await open();
  const id = await planned(team);
  await approve(team, 'bayo', id);
  const asked = async () => {
    expect((await team.run('ada', json('plans', 'withdraw', id, '--reason', 'paid by hand'))).code).toBe(0);
  };
  expect(endOf(await team.run('ada', json('plans', 'apply', id), { ...agreeing, asked }))).toEqual([
    9,
    'FILE_CANCELLED',
  ]);
  expect(await status(team)).toMatchObject({ status: 'cancelled' });
  expect(endOf(await apply(team, 'ada', id))).toEqual([9, 'PLAN_WITHDRAWN']);
  expect(sent(team)).toEqual([]);
});

test('a plan that expired while the question was open is not applied', async () => {
  const team = await open();
  const id = await planned(team, 'ada', ['--plan-expires', '30m']);
  await approve(team, 'bayo', id);
  const asked = () => FILE_ENGINE.passAnHour(team);
  expect(endOf(await team.run('ada', json('plans', 'apply', id), { ...agreeing, asked }))).toEqual([9, 'PLAN_EXPIRED']);
  expect(await status(team)).toMatchObject({ status: 'planned' });
});

test('the references of a file of which something was sent stay used when it is cancelled', async () => {
  const team = await open();
  await agreeOn(team, 'ada', 'bayo', ['approval-threshold', 'CNGN 499999']);
  await team.run('ada', json(...words(written(team)), '--yes', '--first', '1', '--wait', '1ms'));
  await team.run('ada', json('bulk', 'cancel', 'nov', '--yes'));
  expect(endOf(await team.run('ada', json(...words(written(team), 'dec'), '--yes')))).toEqual([2, 'BAD_ROWS']);
  const id = await planned(team, 'ada', [], OTHERS, 'jan');
  team.service.meanwhile = async (path) => {
    if (path === '/initiateofframp') await team.run('bayo', json('bulk', 'cancel', 'jan', '--yes'));
  };
  expect(endOf(await apply(team, 'ada', id))).toEqual([9, 'FILE_CANCELLED']);
  expect(sent(team)).toHaveLength(2);
  expect(endOf(await team.run('ada', json(...words(team.file('jan.csv'), 'feb'), '--yes')))).toEqual([2, 'BAD_ROWS']);
});

test('a file is sent only by the plan of its own rows, without just the rows that were struck out', async () => {
  const team = await open();
  const id = await planned(team);
  await approveWithout(team, 'bayo', id, 'INV-3');
  const journal = await FILE_ENGINE.journal(team);
  const { keyFingerprint, baseUrl } = queuedPlan(id, await entriesOf(team, id)).plan.content.account;
  const file = await journal.files.find({ keyFingerprint, baseUrl, profile: 'main' }, 'nov');
  if (!file) throw new Error('the journal has no file');
  const account = { journal: async () => journal } as never;
  const struck = (...references: readonly string[]) => ({ references, sums: { CNGN: '0' } });
  const right = { ...file, plan: { id, struck: struck('INV-3') } };
  await approvalOf(account, right);
  const wrong = [
    { ...right, digest: 'x' },
    { ...right, key: 'dec' },
    { ...right, plan: { id, struck: struck() } },
    { ...right, plan: { id, struck: struck('INV-3', 'INV-4') } },
  ];
  for (const each of wrong) await expect(approvalOf(account, each)).rejects.toMatchObject({ code: 'PLAN_ALTERED' });
});

test('an approver sees that the holder of an account is not whom the row names', async () => {
  const team = await open();
  const path = team.file('named.csv');
  writeFileSync(path, 'reference,amount,to,supplier\nA,10,acc-1,Supplier 1\nB,11,acc-2,Chinedu Ltd\n');
  const id = jsonOf(await team.run('ada', json(...words(path), '--plan'))).plan;
  const { facts } = jsonOf(await team.run('bayo', json('plans', 'show', id)));
  expect(
    facts.flatMap((each: { label: string; value: string }) => (each.label === 'warning' ? [each.value] : [])),
  ).toEqual(['line 3: the account belongs to SUPPLIER 2, and the row names Chinedu Ltd']);
  await team.run('ada', json('plans', 'apply', id, '--yes', '--wait', '1ms'));
  expect(
    jsonOf(await team.run('bayo', json('plans', 'show', await planned(team, 'ada', [], OTHERS, 'dec')))).facts,
  ).toContainEqual({ label: 'new payees', value: '1 of 3: never paid before by payout create, as this journal knows' });
});
