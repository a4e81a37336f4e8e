import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { journalRows } from '../support/journal.ts';
import { agreeOn, exchangeKeys, openTeamAfter, type Ran, rewritten, type Team, yes } from './support.ts';

const TRADE = 'fx trade --pair CNGN-USDC --side buy --amount 4000000';

const at = (team: Team, line: string, person = 'ada', asked: readonly string[] = []): Promise<Ran> =>
  team.run(person, line.split(' '), { answers: asked.map(yes) });

/** Runs a command line that must end well. */
async function well(...line: Parameters<typeof at>): Promise<string> {
  const { code, stdout, stderr } = await at(...line);
  if (code !== 0) throw new Error(`${line[1]}: ${stderr}`);
  return stdout;
}

const planOf = (team: Team) => team.file('plan.json');

/** A plan of a trade that two people signed, and that did not arrive when it was applied. */
async function lost(team: Team): Promise<string> {
  for (const person of ['ada', 'bayo']) {
    await well(team, 'profiles add box --mode embedded -q', person);
    await well(team, 'profiles use box -q', person);
  }
  await exchangeKeys(team, 'ada', 'bayo');
  await agreeOn(team, 'ada', 'bayo', ['approval-threshold', 'CNGN 3000000']);
  await well(team, `${TRADE} --plan ${planOf(team)} --plan-expires 5m`);
  await well(team, `plans approve ${planOf(team)}`, 'bayo', ['Approve the plan']);
  await well(team, 'sandbox fault add --on fx.trade --fault lost-request');
  expect((await apply(team)).code).toBe(6);
  return (operation(team) ?? { id: '' }).id;
}

const apply = (team: Team, path = planOf(team)) => at(team, `plans apply ${path} --yes -o json`);
const operation = ({ folder }: Team) =>
  journalRows(join(folder, 'state')).find(({ endpoint }) => endpoint === 'fx.trade');
const trades = async (team: Team) => JSON.parse(await well(team, 'fx trades list -q -o json')).trades;

/** Such a plan of less, which needs no approval. */
async function lostBelow(team: Team): Promise<void> {
  await well(team, 'profiles add box --mode embedded -q');
  await well(team, 'profiles use box -q');
  await well(team, `fx trade --pair CNGN-USDC --side buy --amount 5000 --plan ${planOf(team)}`);
  await well(team, 'sandbox fault add --on fx.trade --fault lost-request');
  expect((await apply(team)).code).toBe(6);
}

const opened = () => openTeamAfter(lost);

describe('an approved plan of a trade that was lost', () => {
  test('is sent again by applying it again, once', async () => {
    const { team, made: id } = await opened();
    const { code, stdout } = await apply(team);
    const [made] = await trades(team);
    expect({ code, tradeId: JSON.parse(stdout).tradeId }).toEqual({ code: 0, tradeId: made?.tradeId });
    expect(operation(team)).toMatchObject({ id, state: 'accepted', request_id: made?.tradeId });
    expect((await apply(team)).code).toBe(0);
    expect(await trades(team)).toHaveLength(1);
  });

  test.each<[what: string, reason: string, before: (team: Team) => Promise<string>]>([
    [
      'expired',
      'the plan expired',
      async (team) => {
        await well(team, 'sandbox advance 6m');
        return planOf(team);
      },
    ],
    [
      'is not as it was: the balance is too low now',
      'the plan no longer holds: balance: 1,000,999.00 cNGN short now',
      async (team) => {
        await well(team, 'payout create --amount 1999999 --to default --yes');
        return planOf(team);
      },
    ],
    [
      'lacks the other signature',
      'approval',
      async (team) =>
        rewritten(team, planOf(team), (plan) => ({
          ...plan,
          signatures: plan.signatures.filter(({ role }) => role === 'author'),
        })),
    ],
  ])('is not sent if it %s, and its outcome stays unknown', async (_what, reason, before) => {
    const { team, made: id } = await opened();
    const { code, stderr } = await apply(team, await before(team));
    const { error } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '');
    expect({ code, error }).toMatchObject({
      code: 6,
      error: { code: 'OUTCOME_UNKNOWN', operationId: id, message: expect.stringContaining(reason) },
    });
    expect(error.message).toContain('it was not sent again');
    expect(await trades(team)).toEqual([]);
  });

  test('is not sent again for an agent if no one else approved it', async () => {
    const { team } = await openTeamAfter(lostBelow);
    const again = await team.run('ada', ['plans', 'apply', planOf(team), '--yes'], {
      env: { AI_AGENT: 'claude-code' },
    });
    expect([again.code, JSON.parse(again.stderr).error.message]).toEqual([
      6,
      expect.stringContaining('no one has approved the plan'),
    ]);
    expect(await trades(team)).toEqual([]);
    expect((await apply(team)).code).toBe(0);
    expect(await trades(team)).toHaveLength(1);
  });

  test('is not sent by ops retry, which has no signatures and says where they are', async () => {
    const { team, made: id } = await opened();
    const { code, stderr } = await at(team, `ops retry ${id} --yes -q`);
    expect({ code, stderr }).toEqual({ code: 9, stderr: expect.stringContaining('fiatrail plans apply FILE') });
    expect(stderr).not.toContain('--plan');
    expect(await trades(team)).toEqual([]);
  });
});
