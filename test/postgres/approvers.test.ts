import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { beforeBoth, CLAIMS, endOf, outcomeOf, signedBySelf, twoKeysOfOnePerson } from '../plans/attacker.ts';
import { ATTACKS } from '../plans/attacks.ts';
import { openTeamAfter } from '../plans/support.ts';
import { startPostgres, type TestServer } from '../support/postgres.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());

test.each(ATTACKS.filter(({ postgres }) => postgres).map((attack) => [attack.what, attack] as const))(
  'one person alone cannot %s, with a shared journal',
  async (_what, attack) => {
    const { team } = await openTeamAfter(beforeBoth, server);
    const { text, ...ended } = await outcomeOf(team, attack);
    expect(ended, text).toEqual({
      end: attack.postgres,
      sent: 0,
      names: ['ada', 'bayo'],
      approvalThresholds: ['49,999.00 cNGN'],
    });
  },
);

describe('a plan that one person signs with two keys of theirs, in a shared journal', () => {
  test.each(CLAIMS)('saying %s', async (_what, more, _signed, applied) => {
    const { team } = await openTeamAfter(twoKeysOfOnePerson, server);
    const [, ran] = await signedBySelf(team, more);
    expect(endOf(ran), ran.stderr).toEqual(applied);
    expect(team.service.sent).toEqual([]);
  });
});
