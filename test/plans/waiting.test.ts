import { beforeEach, describe, expect, test } from 'vitest';
import { journalRows } from '../support/journal.ts';
import { agreeOn, approvers, exchangeKeys, joinTeam, openTeamAfter, type Team, yes } from './support.ts';

/** Bayo’s key is lost, so that nobody but Ada can sign. */

const HOUR_MS = 3_600_000;
const PENDING = 'a change of approvers without a second approval is pending: remove approver bayo, asked for by ada';

let team: Team;
const threePeople = async (all: Team) => {
  await joinTeam(all, 'ada', 'bayo', 'chidi');
  await exchangeKeys(all, 'ada', 'bayo');
};
beforeEach(async () => {
  ({ team } = await openTeamAfter(threePeople));
});

const ask = (person = 'ada', asked = 'Remove approver bayo') =>
  team.run(person, [...approvers('remove', 'bayo', '--without-approval'), '-o', 'json'], { answers: [yes(asked)] });
const pass = (ms: number) => team.clock.sleep(ms, new AbortController().signal);
const listed = async () => {
  const shown = JSON.parse((await team.run('chidi', [...approvers('list'), '-o', 'json'])).stdout);
  return { names: shown.approvers.map(({ name }: { name: string }) => name), pending: shown.pending };
};
const recorded = () =>
  journalRows(team.file('state'))
    .filter(({ endpoint }) => endpoint === 'profiles.approvers')
    .map(({ summary }) => summary)
    .slice(2);

describe('a change that nobody else can approve', () => {
  test('is announced, and made by the same command 48 hours later', async () => {
    const { code, stdout, stderr } = await ask();
    const endsAt = new Date(team.clock.now() + 48 * HOUR_MS).toISOString();
    expect({ code, printed: JSON.parse(stdout) }).toEqual({
      code: 0,
      printed: { name: 'bayo', removed: false, pendingUntil: endsAt },
    });
    expect(stderr).toContain(`can be made from ${endsAt}`);
    expect(await listed()).toMatchObject({
      names: ['ada', 'bayo'],
      pending: { change: 'remove approver bayo', askedBy: 'ada, ada on host-1', endsAt },
    });
    await pass(48 * HOUR_MS);
    // Time alone changes nothing.
    expect((await listed()).names).toEqual(['ada', 'bayo']);
    expect((await ask()).code).toBe(0);
    expect(await listed()).toEqual({ names: ['ada'], pending: null });
    expect(recorded()).toEqual([
      `announce a change without a second approval: remove approver bayo, from ${endsAt}`,
      'remove approver bayo after the waiting time',
    ]);
  });

  test.each([
    ['ops list', ['ops', 'list']],
    ['status', ['status']],
    ['a payout', ['payout', 'create', '--amount', '5', '--to', 'bank-1', '--yes']],
    ['a payout with -q', ['payout', 'create', '--amount', '5', '--to', 'bank-1', '--yes', '-q']],
    [
      'a request of fiatrail api',
      ['api', 'POST', '/initiateofframp', '-f', 'amount=5', '-f', 'bankAccountId=b', '--yes'],
    ],
  ])('is announced by %s on every machine, before and after its time', async (_what, argv) => {
    await ask();
    for (const waitMs of [0, 48 * HOUR_MS]) {
      await pass(waitMs);
      const { stderr } = await team.run('chidi', argv);
      expect(stderr.split(PENDING)).toHaveLength(2);
      expect(stderr).toContain('if it should not, run: fiatrail profiles approvers cancel');
    }
  });

  test('is announced once by a command that reads the approvers twice', async () => {
    await ask();
    const argv = ['payout', 'create', '--amount', '5', '--to', 'bank-1', '--plan', team.file('plan.json')];
    const { code, stderr } = await team.run('ada', argv);
    expect({ code, times: stderr.split(PENDING).length - 1 }).toEqual({ code: 0, times: 1 });
  });

  test('is no longer announced once an approver cancelled it, and its time starts again', async () => {
    await ask();
    await pass(48 * HOUR_MS);
    expect((await team.run('chidi', approvers('cancel'))).code).toBe(2);
    expect((await team.run('bayo', approvers('cancel'))).code).toBe(0);
    expect((await team.run('chidi', ['ops', 'list'])).stderr).not.toContain('pending');
    expect((await team.run('bayo', approvers('cancel'))).code).toBe(2);
    expect(JSON.parse((await ask()).stdout)).toMatchObject({ removed: false });
    expect(recorded().slice(1, 2)).toEqual(['cancel the pending change: remove approver bayo']);
  });

  test('can be asked for by an approver only', async () => {
    const { code, stderr } = await team.run('chidi', [...approvers('remove', 'bayo', '--without-approval')], {
      isTerminal: true,
    });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('an approver key of yours') });
    expect((await listed()).pending).toBeNull();
  });

  test('needs a person at a terminal on a live profile, twice', async () => {
    const argv = [...approvers('remove', 'bayo', '--without-approval'), '--yes'];
    expect((await team.run('ada', argv)).code).toBe(2);
    await ask();
    await pass(48 * HOUR_MS);
    expect((await team.run('ada', argv)).code).toBe(2);
    expect((await listed()).names).toEqual(['ada', 'bayo']);
  });

  test('does not stop a change that two approvers approved', async () => {
    await ask();
    await agreeOn(team, 'bayo', 'ada', ['approval-threshold', 'CNGN 5']);
    expect((await listed()).pending).not.toBeNull();
    await agreeOn(team, 'ada', 'bayo', ['remove', 'bayo']);
    await pass(48 * HOUR_MS);
    // The approver is gone, so nothing is left to do.
    const { code } = await team.run('ada', approvers('remove', 'bayo', '--without-approval'), { isTerminal: true });
    expect(code).toBe(2);
    expect((await team.run('ada', approvers('cancel'))).code).toBe(0);
  });

  test.each([
    [
      'with a plan',
      approvers('approval-threshold', 'off', '--without-approval', '--plan', 'change.json'),
      'cannot be combined',
    ],
    [
      'with nobody else in the list',
      approvers('approval-threshold', 'off', '--without-approval'),
      'no one else could approve',
    ],
  ])('is rejected %s', async (_what, argv, message) => {
    if (!argv.includes('--plan')) await agreeOn(team, 'ada', 'bayo', ['remove', 'bayo']);
    const { code, stderr } = await team.run('ada', argv, { isTerminal: true });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
  });
});
