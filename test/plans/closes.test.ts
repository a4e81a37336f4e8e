import { beforeEach, expect, test } from 'vitest';
import { copyPath } from '../../src/account/paths.ts';
import { openCopyFile } from '../../src/copy/database.ts';
import { writeKnownUntil, writeSetting } from '../../src/copy/list-state.ts';
import { BALANCE_CHECKS, BALANCES } from '../../src/copy/schema.ts';
import { noteUnlisted } from '../../src/copy/unlisted.ts';
import { insertion } from '../../src/store/table.ts';
import { allRead } from '../questions/copy.ts';
import { journalRows } from '../support/journal.ts';
import { fakeWorld } from '../support/world.ts';
import { contentOf, exchangeKeys, openTeamAfter, type Team, twoPeople, yes } from './support.ts';

let team: Team;

/** A live account with two approvers, and a copy of it that has read all of December 2025. */
async function begin(started: Team): Promise<void> {
  await twoPeople(started);
  await exchangeKeys(started, 'ada', 'bayo');
  const world = fakeWorld({ env: { FIATRAIL_STATE_DIR: started.file('state') } });
  const copy = await openCopyFile(copyPath(world, { name: 'main', mode: 'live' }), world);
  const looks = ['2025-11-29T09:00:00.000Z', '2026-01-04T09:00:00.000Z'];
  const balances = looks.map((at) => ({ source: 'wallet', place: 'base', asset: 'USDC', minor: 5_000_000n, at }));
  await copy.write(async (queries) => {
    await writeSetting(queries, 'owner', 'live e1080560-02a0-424a-ace1-28385ea1c5e5');
    await writeKnownUntil(queries, looks[1] ?? '');
    await queries.run(
      ...insertion(
        BALANCE_CHECKS,
        looks.map((at) => ({ at })),
      ),
    );
    await queries.run(...insertion(BALANCES, balances));
    await allRead(queries);
    await noteUnlisted(queries);
  });
  await copy.close();
}

beforeEach(async () => {
  team = (await openTeamAfter(begin)).team;
});

const close = (...more: string[]) => ['report', 'close', '2025-12', ...more];
const reopen = (...more: string[]) => ['report', 'reopen', '2025-12', '--reason', 'wrong', ...more];
const decisions = () => journalRows(team.file('state')).filter(({ endpoint }) => endpoint.startsWith('report.'));
const isClosed = async () => {
  const { stdout } = await team.run('bayo', ['report', '2025-12', '-o', 'json', '-q']);
  return JSON.parse(stdout).closed as { by: string } | null;
};

async function planned(line: readonly string[], name: string): Promise<string> {
  const path = team.file(name);
  const { code, stderr } = await team.run('ada', [...line, '--plan', path]);
  expect(code, stderr).toBe(0);
  return path;
}

const approve = (path: string) => team.run('bayo', ['plans', 'approve', path], { answers: [yes('Approve the plan')] });
const apply = (path: string) => team.run('ada', ['plans', 'apply', path], { answers: [yes('Continue?')] });

test('where there are two approvers, one person alone closes nothing', async () => {
  const path = await planned(close(), 'close.json');
  for (const argv of [close('--yes'), ['plans', 'apply', path, '--yes']]) {
    const { code, stderr } = await team.run('ada', argv);
    expect({ code, stderr }).toMatchObject({
      code: 9,
      stderr: expect.stringContaining('a second person must approve, to close 2025-12'),
    });
  }
  expect([await isClosed(), decisions()]).toEqual([null, []]);
});

test('a second person approves what they see, the close names who asked and who approved, and reopening needs one, too', async () => {
  const path = await planned(close(), 'close.json');
  const shown = await approve(path);
  expect(shown.code, shown.stderr).toBe(0);
  expect(shown.stderr).toMatch(/assets:wallet +5\.00 USDC/);
  expect(shown.stderr).toMatch(/entries +0 sets, digest [0-9a-f]{64}/);
  expect((await apply(path)).code).toBe(0);
  expect(await isClosed()).toMatchObject({ by: expect.stringContaining('ada') });
  const [row] = decisions();
  expect(row).toMatchObject({ state: 'settled', endpoint: 'report.close' });
  const { stdout } = await team.run('ada', ['ops', 'show', row?.id ?? '', '-o', 'json']);
  expect(JSON.parse(stdout).authority).toMatchObject({
    plan: contentOf(path).hash,
    signers: [
      { name: 'ada', role: 'author' },
      { name: 'bayo', role: 'signer' },
    ],
  });
  expect((await team.run('bayo', reopen('--yes'))).code).toBe(9);
  expect(await isClosed()).not.toBeNull();
  const back = await planned(reopen(), 'reopen.json');
  await approve(back);
  expect((await apply(back)).code).toBe(0);
  expect(await isClosed()).toBeNull();
});

test('a plan of a month whose rows changed since it was approved closes nothing', async () => {
  const path = await planned(close(), 'close.json');
  await approve(path);
  const world = fakeWorld({ env: { FIATRAIL_STATE_DIR: team.file('state') } });
  const copy = await openCopyFile(copyPath(world, { name: 'main', mode: 'live' }), world);
  await copy.write((queries) =>
    queries.run(
      `INSERT INTO stored_unlisted (at, account, asset, user_id, step, minor, since, known)
       VALUES ('2025-12-10T09:00:00.000Z', 'assets:wallet', 'USDC', '', 'unlisted', 7, '2025-12-10T09:00:00.000Z', NULL)`,
    ),
  );
  await copy.close();
  const { code, stderr } = await team.run('ada', ['plans', 'apply', path, '--yes']);
  expect({ code, stderr }).toMatchObject({ code: expect.any(Number), stderr: expect.stringMatching(/changed|plan/) });
  expect(code).not.toBe(0);
  expect([await isClosed(), decisions()]).toEqual([null, []]);
});
