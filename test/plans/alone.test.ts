import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { ROOT } from '../support/built.ts';
import { journalRows } from '../support/journal.ts';
import {
  addKey,
  agreeOn,
  approvers,
  BASE_URL,
  contentOf,
  exchangeKeys,
  joinTeam,
  LIVE_KEY,
  openTeam,
  openTeamAfter,
  PAYOUT,
  plan,
  rehashed,
  rewritten,
  type Team,
  yes,
} from './support.ts';

/** Two approvers, Ada and Bayo, and payouts above 49,999 cNGN that need both. What Ada tries alone. */

const KEY = '7c5b060f3da68214db34253df3444c55b38196011f5a122bfc7c2a5030347beb';

let team: Team;
const signingAbove = async (all: Team) => {
  await joinTeam(all, 'ada', 'bayo');
  await exchangeKeys(all, 'ada', 'bayo');
  await agreeOn(all, 'ada', 'bayo', ['approval-threshold', 'CNGN 49999']);
};
beforeEach(async () => {
  ({ team } = await openTeamAfter(signingAbove));
});

/** A person at a terminal who agrees to whatever is asked. */
const ada = (argv: readonly string[], more: Parameters<Team['run']>[2] = {}) =>
  team.run('ada', [...argv, '-o', 'json'], { isTerminal: true, ...more });
const applied = (path: string) => ada(['plans', 'apply', path, '--yes']);

/** Gives Ada a second configuration with a key, which she asks to be added. Bayo signs that. */
async function withPuppet(): Promise<void> {
  const as = { user: 'ada', isTerminal: true };
  await team.run('puppet', ['profiles', 'add', 'main', '--base-url', BASE_URL, '--mode', 'live', '--key-stdin'], {
    ...as,
    stdin: LIVE_KEY,
  });
  await team.run('puppet', ['profiles', 'use', 'main'], as);
  const made = await team.run('puppet', [...approvers('add', 'puppet', '--generate'), '-o', 'json'], as);
  await agreeOn(team, 'ada', 'bayo', ['add', 'puppet', '--public-key', JSON.parse(made.stdout).publicKey]);
}

/** Lets Ada's second key sign a plan that someone else wrote, and puts that signature on hers. */
async function signedByPuppet(): Promise<string> {
  await withPuppet();
  const path = await plan(team, 'ada');
  const { signingPairOf } = await import('../../src/crypto/signing.ts');
  const { Secret } = await import('../../src/base/secret.ts');
  const { withSignature } = await import('../../src/engine/plans/signatures.ts');
  const pair = await signingPairOf(
    new Secret(readFileSync(team.file('puppet/config/secrets/main.approver-key'), 'utf8').trim()),
  );
  const { plan: content, hash, signatures } = contentOf(path);
  const signed = await withSignature(
    { content, hash, signatures },
    { name: 'puppet', ...pair },
    'signer',
    team.clock.now(),
  );
  return rewritten(team, path, () => signed);
}

async function changePlan(...argv: readonly string[]): Promise<string> {
  const path = team.file('change.json');
  expect((await ada([...approvers(...argv), '--plan', path])).code).toBe(0);
  return path;
}

const withTimes = async (times: object) =>
  rewritten(team, await plan(team, 'ada'), ({ content, ...rest }) =>
    rehashed({ ...rest, content: { ...content, ...times } }),
  );

type Row = readonly [what: string, exit: number, code: string, run: () => ReturnType<Team['run']>];

const ROWS: readonly Row[] = [
  ['send a payout above the amount', 9, 'APPROVAL_REQUIRED', () => ada([...PAYOUT, '--yes'])],
  [
    'send it with `fiatrail api`',
    9,
    'APPROVAL_REQUIRED',
    () => ada(['api', 'POST', '/initiateofframp', '-f', 'amount=50000000000', '-f', 'bankAccountId=bank-1', '--yes']),
  ],
  [
    'send it with FIATRAIL_BASE_URL and FIATRAIL_API_KEY',
    9,
    'APPROVAL_REQUIRED',
    () => ada([...PAYOUT, '--yes'], { env: { FIATRAIL_BASE_URL: BASE_URL, FIATRAIL_API_KEY: LIVE_KEY } }),
  ],
  ['apply a plan that only its author signed', 9, 'APPROVAL_REQUIRED', async () => applied(await plan(team, 'ada'))],
  [
    'approve a plan of their own',
    9,
    'APPROVED_BY_AUTHOR',
    async () => ada(['plans', 'approve', await plan(team, 'ada')]),
  ],
  [
    'approve it with a key that they added',
    9,
    'APPROVER_ADDED_BY_AUTHOR',
    async () => {
      await withPuppet();
      const path = await plan(team, 'ada');
      return team.run('puppet', ['plans', 'approve', path, '-o', 'json'], { user: 'ada', isTerminal: true });
    },
  ],
  [
    'apply a plan approved with a key that its author added',
    9,
    'APPROVER_ADDED_BY_AUTHOR',
    async () => applied(await signedByPuppet()),
  ],
  [
    'apply a plan whose expiry is no time',
    9,
    'INVALID_EXPIRY',
    async () => applied(await withTimes({ expiresAt: '2020-13-01T00:00:00.000Z' })),
  ],
  [
    'apply a plan that holds for more than 30 days',
    9,
    'INVALID_EXPIRY',
    async () => applied(await withTimes({ expiresAt: new Date(team.clock.now() + 31 * 86_400_000).toISOString() })),
  ],
  [
    'write a plan that holds for more than 30 days',
    2,
    'VALIDATION_ERROR',
    () => ada([...PAYOUT, '--plan', team.file('long.json'), '--plan-expires', '31d']),
  ],
  ['add an approver', 9, 'APPROVAL_REQUIRED', () => ada(approvers('add', 'mallory', '--public-key', KEY))],
  ['remove an approver', 9, 'APPROVAL_REQUIRED', () => ada(approvers('remove', 'bayo'))],
  ['raise an amount', 9, 'APPROVAL_REQUIRED', () => ada(approvers('approval-threshold', 'CNGN 9000000'))],
  ['remove every amount', 9, 'APPROVAL_REQUIRED', () => ada(approvers('approval-threshold', 'off'))],
  [
    'apply such a change from a plan that only they signed',
    9,
    'APPROVAL_REQUIRED',
    async () => applied(await changePlan('approval-threshold', 'off')),
  ],
  [
    'approve such a change of their own',
    9,
    'APPROVED_BY_AUTHOR',
    async () => ada(['plans', 'approve', await changePlan('remove', 'bayo')]),
  ],
  [
    'make such a change before 48 hours have passed',
    9,
    'CHANGE_PENDING',
    async () => {
      const argv = approvers('remove', 'bayo', '--without-approval');
      await team.run('ada', argv, { answers: [yes('Remove approver bayo')] });
      await team.clock.sleep(48 * 3_600_000 - 1, new AbortController().signal);
      return ada(argv);
    },
  ],
  [
    'make another change while one is pending',
    9,
    'CHANGE_PENDING',
    async () => {
      await team.run('ada', approvers('remove', 'bayo', '--without-approval'), {
        answers: [yes('Remove approver bayo')],
      });
      await team.clock.sleep(48 * 3_600_000, new AbortController().signal);
      return ada(approvers('approval-threshold', 'off', '--without-approval'));
    },
  ],
];

const keptText = async () => {
  const { openJournal } = await import('../../src/journal/open.ts');
  const { fakeWorld } = await import('../support/world.ts');
  const journal = await openJournal(team.file('state/journal.db'), fakeWorld());
  const [text = '{}'] = (await journal.approverLists()).values();
  const kept = JSON.parse(text);
  await journal.close();
  return {
    names: kept.approvers.map(({ name }: { name: string }) => name),
    approvalThresholds: kept.approvalThresholds,
  };
};

test.each(ROWS)('one person alone cannot %s: exit %i, %s', async (_what, exit, code, run) => {
  const { code: ended, stdout, stderr } = await run();
  expect({ exit: ended, code: /"code": *"(\w+)"/.exec(`${stdout}${stderr}`)?.[1] }, stderr).toEqual({ exit, code });
  expect(team.service.sent).toEqual([]);
  const { names, approvalThresholds } = await keptText();
  expect(names.slice(0, 2)).toEqual(['ada', 'bayo']);
  expect(approvalThresholds).toEqual([{ asset: 'CNGN', minor: '49999000000' }]);
});

test('the documentation has the same table', () => {
  const page = readFileSync(join(ROOT, 'docs/contributing/approvals.md'), 'utf8');
  const [, section = ''] = page.split('## What one person alone cannot do\n');
  const [own = ''] = section.split('\n## ');
  const rows = own.split('\n').filter((line) => /^\| [^|]+ \| \d \| `\w+` \|$/.test(line));
  expect(rows).toEqual(ROWS.map(([what, exit, code]) => `| ${what} | ${exit} | \`${code}\` |`));
});

test('two people can do all of it, and the journal records who', async () => {
  const path = await plan(team, 'ada');
  await team.run('bayo', ['plans', 'approve', path], { answers: [yes('Approve the plan')] });
  expect((await applied(path)).code).toBe(0);
  const [sent] = team.operations();
  const { stdout } = await ada(['ops', 'show', sent?.id ?? '']);
  const signer = (name: string, role: string) => ({ name, role, keyFingerprint: expect.stringMatching(/^SHA256:/) });
  expect(JSON.parse(stdout).authority).toMatchObject({
    plan: contentOf(path).hash,
    author: { user: 'ada', host: 'host-1', approver: 'ada' },
    signers: [signer('ada', 'author'), signer('bayo', 'signer')],
  });
  await agreeOn(team, 'bayo', 'ada', ['approval-threshold', 'off']);
  await agreeOn(team, 'ada', 'bayo', ['remove', 'bayo']);
  expect(await keptText()).toEqual({ names: ['ada'], approvalThresholds: [] });
  const changes = journalRows(team.file('state')).filter(({ endpoint }) => endpoint === 'profiles.approvers');
  expect(changes.map(({ summary, state }) => [summary, state])).toEqual([
    ['let approver ada approve plans', 'settled'],
    ['let approver bayo approve plans', 'settled'],
    ['change when a second person must approve', 'settled'],
    ['change when a second person must approve', 'settled'],
    ['remove approver bayo', 'settled'],
  ]);
});

test('a change that was applied is not made again from the same plan', async () => {
  const path = await changePlan('approval-threshold', 'CNGN 70000');
  await team.run('bayo', ['plans', 'approve', path], { answers: [yes('Approve the plan')] });
  const again = team.file('again.json');
  copyFileSync(path, again);
  expect((await ada(['plans', 'apply', path], { answers: [yes('Continue?')] })).code).toBe(0);
  await agreeOn(team, 'ada', 'bayo', ['approval-threshold', 'CNGN 49999']);
  const { code, stderr } = await ada(['plans', 'apply', again]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('already done') });
  expect((await keptText()).approvalThresholds).toEqual([{ asset: 'CNGN', minor: '49999000000' }]);
});

test('an approved change is not made once the list is another one', async () => {
  const path = await changePlan('approval-threshold', 'off');
  await team.run('bayo', ['plans', 'approve', path], { answers: [yes('Approve the plan')] });
  await agreeOn(team, 'ada', 'bayo', ['add', 'chidi', '--public-key', KEY]);
  const { code, stderr } = await ada(['plans', 'apply', path]);
  expect({ code, stderr }).toEqual({ code: 9, stderr: expect.stringContaining('PLAN_CHANGED') });
});

test('the first approver alone may add the second one, and approve nothing with that key', async () => {
  const other = openTeam();
  await joinTeam(other, 'ada');
  await exchangeKeys(other, 'ada');
  await addKey(other, 'ada', 'bayo', KEY);
  const { stdout } = await other.run('ada', [...approvers('list'), '-o', 'json']);
  expect(JSON.parse(stdout).approvers.map(({ name, addedBy }: Record<string, string>) => [name, addedBy])).toEqual([
    ['ada', 'anyone who was ada on host-1'],
    ['bayo', 'ada, ada on host-1'],
  ]);
});

test('whoever applies an unapproved change has made it, whatever its author says', async () => {
  const other = openTeam();
  await joinTeam(other, 'ada');
  await exchangeKeys(other, 'ada');
  const path = other.file('change.json');
  await other.run('ada', [...approvers('add', 'bayo', '--public-key', KEY), '--plan', path]);
  const author = { user: 'bayo', host: 'host-2', approver: null };
  const claimed = rewritten(other, path, ({ content }) =>
    rehashed({ content: { ...content, author }, hash: '', signatures: [] }),
  );
  expect((await other.run('ada', ['plans', 'apply', claimed], { answers: [yes('Let approver bayo')] })).code).toBe(0);
  const { stdout } = await other.run('ada', [...approvers('list'), '-o', 'json']);
  expect(JSON.parse(stdout).approvers[1]).toMatchObject({ name: 'bayo', addedBy: 'ada, ada on host-1' });
});
