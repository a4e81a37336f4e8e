import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../support/built.ts';
import {
  ahead,
  beforeBoth,
  box,
  CLAIMS,
  endOf,
  on,
  outcomeOf,
  own,
  rotated,
  signedBySelf,
  twoKeysOfOnePerson,
} from './attacker.ts';
import { ATTACKS } from './attacks.ts';
import { approvers, BASE_URL, joinTeam, openTeam, openTeamAfter, PAYOUT } from './support.ts';

/** The same on PostgreSQL: test/postgres/approvers.test.ts. */

test.each(ATTACKS.filter(({ sqlite }) => sqlite).map((attack) => [attack.what, attack] as const))(
  'one person alone cannot %s',
  async (_what, attack) => {
    const { team } = await openTeamAfter(beforeBoth);
    const { text, names, approvalThresholds, ...ended } = await outcomeOf(team, attack);
    expect(ended, text).toEqual({ end: attack.sqlite, sent: 0 });
    if (!attack.isAnotherJournal)
      expect({ names, approvalThresholds }).toEqual({ names: ['ada', 'bayo'], approvalThresholds: ['49,999.00 cNGN'] });
  },
);

describe('a plan that one person signs with two keys of theirs', () => {
  test.each(CLAIMS)('saying %s', async (_what, more, ...ends) => {
    const { team } = await openTeamAfter(twoKeysOfOnePerson);
    expect((await signedBySelf(team, more)).map(endOf)).toEqual(ends);
    expect(team.service.sent).toEqual([]);
  });
});

describe('what two people, or the owner of a sandbox, can do', () => {
  test('two people pay with a key of the account that the journal does not know', async () => {
    const { team } = await openTeamAfter(beforeBoth);
    for (const person of ['ada', 'bayo']) await rotated(team, BASE_URL, person);
    const path = team.file('plan.json');
    const run = (person: string, ...argv: string[]) =>
      team.run(person, on('rotated', argv), { isTerminal: true, agrees: true });
    expect((await run('ada', ...PAYOUT, '--plan', path)).code).toBe(0);
    expect((await run('ada', 'profiles', 'journal', 'set', 'rotated', '--sole-host')).code).toBe(0);
    expect(endOf(await run('ada', 'plans', 'apply', path, '-o', 'json'))).toEqual([9, 'APPROVAL_REQUIRED']);
    const signed = await run('bayo', 'plans', 'approve', path);
    expect(signed.code, signed.stderr).toBe(0);
    const applied = await run('ada', 'plans', 'apply', path);
    expect(applied.code, applied.stderr).toBe(0);
    expect(team.service.sent).toHaveLength(1);
  });

  test('two people give another live account its own list, and that of the first one stays', async () => {
    const { team } = await openTeamAfter(beforeBoth);
    for (const person of ['ada', 'bayo']) await rotated(team, BASE_URL, person);
    const path = team.file('change.json');
    const run = (person: string, ...argv: string[]) =>
      team.run(person, [...argv, '-o', 'json'], { isTerminal: true, agrees: true });
    const shown = async (profile: string) => {
      const { stdout } = await run('bayo', ...on(profile, approvers('list')));
      const { approvers: listed, approvalThresholds, isOwn } = JSON.parse(stdout);
      return { names: listed.map(({ name }: { name: string }) => name), approvalThresholds, isOwn };
    };
    const before = { names: ['ada', 'bayo'], approvalThresholds: ['49,999.00 cNGN'] };
    expect(await shown('rotated')).toEqual({ ...before, isOwn: false });
    const said = async (profile: string) => (await team.run('bayo', on(profile, approvers('list')))).stderr;
    expect(await said('rotated')).toMatch(
      /^this account has no approvers of its own, so those of https:\/\/service\.test\/v1, key \w{12} count for it$/m,
    );
    expect(await said('main')).toMatch(/^approvers of https:\/\/service\.test\/v1, key \w{12}$/m);
    for (const [person, argv] of [
      ['ada', [...approvers('approval-threshold', 'CNGN 7'), '--plan', path]],
      ['bayo', ['plans', 'approve', path]],
      ['ada', ['plans', 'apply', path]],
    ] as const)
      expect((await run(person, ...on('rotated', argv))).code).toBe(0);
    expect(await shown('rotated')).toEqual({ ...before, approvalThresholds: ['7.00 cNGN'], isOwn: true });
    expect(await shown('main')).toEqual({ ...before, isOwn: true });
    // Nobody applied it to the account of the other profile.
    expect((await run('ada', ...on('main', ['plans', 'apply', path]))).code).toBe(2);
  });

  test('the owner of a sandbox waits by its clock, whatever that of the host says', async () => {
    const { team } = await openTeamAfter(beforeBoth);
    await box(team);
    const run = (argv: readonly string[]) =>
      team.run('ada', [...on('box', argv), '-o', 'json'], { isTerminal: true, agrees: true });
    await run(approvers('add', 'ada', '--generate'));
    await run(
      approvers('add', 'test', '--public-key', '7c5b060f3da68214db34253df3444c55b38196011f5a122bfc7c2a5030347beb'),
    );
    const remove = [...approvers('remove', 'test'), '--without-approval'];
    expect(JSON.parse((await run(remove)).stdout)).toMatchObject({ removed: false });
    expect(endOf(await run(remove))).toEqual([9, 'CHANGE_PENDING']);
    ahead(team, 'box.test', 49 * 3_600_000);
    expect(JSON.parse((await run(remove)).stdout)).toMatchObject({ removed: true });
  });

  test('the wait of a live account ends when both its service and the host say so', async () => {
    const { team } = await openTeamAfter(beforeBoth);
    const run = (aheadMs = 0) =>
      team.run('ada', [...approvers('remove', 'bayo'), '--without-approval', '-o', 'json'], {
        isTerminal: true,
        agrees: true,
        aheadMs,
      });
    expect((await run()).code).toBe(0);
    ahead(team, 'service.test', 48 * 3_600_000 + 1_000);
    expect(endOf(await run())).toEqual([9, 'CHANGE_PENDING']);
    expect(endOf(await run(48 * 3_600_000 - 1))).toEqual([9, 'CHANGE_PENDING']);
    expect(JSON.parse((await run(48 * 3_600_000)).stdout)).toMatchObject({ removed: true });
  });

  test('a list that was begun at a server of someone’s own is not continued at the service, and says whose it is', async () => {
    const team = openTeam();
    await joinTeam(team, 'ada');
    await own(team);
    const run = (argv: readonly string[]) =>
      team.run('ada', [...argv, '-o', 'json'], { isTerminal: true, agrees: true });
    expect((await run(on('own', approvers('add', 'ada', '--generate')))).code).toBe(0);
    expect(endOf(await run(on('main', approvers('approval-threshold', 'CNGN 5'))))).toEqual([9, 'OTHER_SERVICE']);
    const { stdout } = await run(on('main', approvers('list')));
    expect(JSON.parse(stdout).accounts).toEqual([
      { mode: 'live', baseUrl: 'https://own.test/v1', keyFingerprint: expect.stringMatching(/^[0-9a-f]{12}$/) },
    ]);
  });
});

test('the documentation has the attacks, and how they end with both kinds of journal', () => {
  const page = readFileSync(join(ROOT, 'docs/contributing/approvals.md'), 'utf8');
  const [, section = ''] = page.split('## What one person alone cannot do\n');
  const rows = section.split('\n').filter((line) => /^\| [^|]+ \| (\d `\w+`|—) \| (\d `\w+`|—) \|$/.test(line));
  const shown = (end: readonly [number, string] | undefined) => (end ? `${end[0]} \`${end[1]}\`` : '—');
  expect(rows).toEqual(
    ATTACKS.filter(({ isDocumented }) => isDocumented).map(
      ({ what, sqlite, postgres }) => `| ${what} | ${shown(sqlite)} | ${shown(postgres)} |`,
    ),
  );
});
