import { copyFileSync } from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import { copyPath } from '../../src/account/paths.ts';
import { openCopyFile } from '../../src/copy/database.ts';
import { writeSetting } from '../../src/copy/list-state.ts';
import { BALANCE_CHECKS, BALANCES } from '../../src/copy/schema.ts';
import { noteUnlisted } from '../../src/copy/unlisted.ts';
import { insertion } from '../../src/store/table.ts';
import { journalRows } from '../support/journal.ts';
import { fakeWorld } from '../support/world.ts';
import { contentOf, exchangeKeys, openTeamAfter, type Team, twoPeople, yes } from './support.ts';

let team: Team;

/** A live account with two approvers, and a copy of it that saw 25 USDC arrive which no list shows. */
async function begin(started: Team): Promise<void> {
  await twoPeople(started);
  await exchangeKeys(started, 'ada', 'bayo');
  const world = fakeWorld({ env: { FIATRAIL_STATE_DIR: started.file('state') } });
  const copy = await openCopyFile(copyPath(world, { name: 'main', mode: 'live' }), world);
  const looks = [
    ['2026-01-03T09:00:00.000Z', 5_000_000n],
    ['2026-01-04T09:00:00.000Z', 30_000_000n],
  ] as const;
  const balances = looks.map(([at, minor]) => ({ source: 'wallet', place: 'base', asset: 'USDC', minor, at }));
  await copy.write(async (queries) => {
    await writeSetting(queries, 'owner', 'live e1080560-02a0-424a-ace1-28385ea1c5e5');
    await queries.run(
      ...insertion(
        BALANCE_CHECKS,
        looks.map(([at]) => ({ at })),
      ),
    );
    await queries.run(...insertion(BALANCES, balances));
    await noteUnlisted(queries);
  });
  await copy.close();
}

beforeEach(async () => {
  team = (await openTeamAfter(begin)).team;
});

const accept = (...more: string[]) => ['report', 'accept', 'USDC', '2026-01', '--reason', 'top-up', ...more];
const isAccepted = async () => (await team.run('ada', ['report', '2026-01'])).code === 0;
const decisions = () => journalRows(team.file('state')).filter(({ endpoint }) => endpoint === 'report.accept');

/** Writes a plan as ada. */
async function planned(...more: string[]): Promise<string> {
  const path = team.file(`decision-${more.length}.json`);
  const { code, stderr } = await team.run('ada', accept(...more, '--plan', path));
  expect(code, stderr).toBe(0);
  return path;
}

test('where there are two approvers, one person alone accepts nothing, and takes nothing back', async () => {
  for (const more of [['--yes'], ['--undo', '--yes']])
    expect((await team.run('ada', accept(...more))).code).not.toBe(0);
  const path = await planned();
  for (const argv of [accept('--yes'), ['plans', 'apply', path, '--yes']]) {
    const { code, stderr } = await team.run('ada', argv);
    expect({ code, stderr }).toMatchObject({
      code: 9,
      stderr: expect.stringContaining('a second person must approve, to accept 25.00 USDC that no list shows'),
    });
  }
  expect([await isAccepted(), decisions()]).toEqual([false, []]);
});

test('a second person approves it once, and taking it back needs one too', async () => {
  const path = await planned();
  const shown = await team.run('bayo', ['plans', 'approve', path], { answers: [yes('Approve the plan')] });
  expect(shown.code, shown.stderr).toBe(0);
  expect(shown.stderr).toMatch(/month +2026-01/);
  expect(shown.stderr).toMatch(/applied twice +records the same decision in each journal where it is applied/);
  const again = team.file('again.json');
  copyFileSync(path, again);
  expect((await team.run('ada', ['plans', 'apply', path], { answers: [yes('Continue?')] })).code).toBe(0);
  expect(await isAccepted()).toBe(true);
  expect(await team.run('ada', ['plans', 'apply', again])).toMatchObject({
    stderr: expect.stringMatching(/already done|there is nothing to accept/),
  });
  const [row] = decisions();
  expect(row).toMatchObject({ state: 'settled' });
  const { stdout } = await team.run('ada', ['ops', 'show', row?.id ?? '', '-o', 'json']);
  expect(JSON.parse(stdout).authority).toMatchObject({
    plan: contentOf(path).hash,
    author: { approver: 'ada' },
    signers: [
      { name: 'ada', role: 'author' },
      { name: 'bayo', role: 'signer' },
    ],
  });
  expect((await team.run('bayo', accept('--undo', '--yes'))).code).toBe(9);
  expect(await isAccepted()).toBe(true);
  const back = await planned('--undo');
  await team.run('bayo', ['plans', 'approve', back], { answers: [yes('Approve the plan')] });
  expect((await team.run('ada', ['plans', 'apply', back], { answers: [yes('Continue?')] })).code).toBe(0);
  expect(await isAccepted()).toBe(false);
});
