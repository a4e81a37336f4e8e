import { existsSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { contentOf, joinTeam, openTeam, PAYOUT, plan, type Team, yes } from './support.ts';

let team: Team;
beforeEach(async () => {
  team = openTeam();
  await joinTeam(team, 'ada');
});

const set = async (...flags: readonly string[]) => {
  const answers = [yes('the rules of profile main')];
  const { code, stderr } = await team.run('ada', ['profiles', 'rules', 'set', ...flags], { answers });
  expect(code, stderr).toBe(0);
};

describe('the rules of a profile', () => {
  test('that a plan meets are in it', async () => {
    await set('--max-per-day', 'CNGN 80000', '--require-once');
    expect(contentOf(await plan(team, 'ada')).plan.rules).toEqual(['require-once on', 'max-per-day CNGN 80000']);
  });

  test('let no plan be written that breaks one', async () => {
    await set('--max-per-call', 'CNGN 49999');
    const ran = await team.run('ada', [...PAYOUT, '--plan', team.file('plan.json')]);
    expect({ ...ran, isThere: existsSync(team.file('plan.json')) }).toMatchObject({
      code: 9,
      isThere: false,
      stderr: expect.stringContaining('rule max-per-call of profile main'),
    });
  });

  test('count when a plan is applied, as they are then', async () => {
    const path = await plan(team, 'ada');
    await set('--max-per-day', 'CNGN 49999');
    const ran = await team.run('ada', ['plans', 'apply', path, '--yes']);
    expect(ran).toMatchObject({ code: 9, stderr: expect.stringContaining('rule max-per-day of profile main') });
    expect([team.service.sent.length, team.operations()]).toEqual([0, []]);
    await set('--max-per-day', 'CNGN 50000');
    expect((await team.run('ada', ['plans', 'apply', path, '--yes'])).code).toBe(0);
    expect(team.service.sent).toHaveLength(1);
  });
});
