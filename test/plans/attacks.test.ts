import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../support/built.ts';
import { ATTACKS, beforeBoth, CLAIMS, endOf, outcomeOf, signedBySelf, twoKeysOfOnePerson } from './attacks.ts';
import { openTeamAfter } from './support.ts';

/** The same on PostgreSQL: test/postgres/operators.test.ts. */

test.each(ATTACKS.filter(({ sqlite }) => sqlite).map((attack) => [attack.what, attack] as const))(
  'one person alone cannot %s',
  async (_what, attack) => {
    const { team } = await openTeamAfter(beforeBoth);
    const { text, names, signAbove, ...ended } = await outcomeOf(team, attack);
    expect(ended, text).toEqual({ end: attack.sqlite, sent: 0 });
    if (!attack.isAnotherJournal)
      expect({ names, signAbove }).toEqual({ names: ['ada', 'bayo'], signAbove: ['49,999.00 cNGN'] });
  },
);

describe('a plan that one person signs with two keys of theirs', () => {
  test.each(CLAIMS)('saying %s', async (_what, more, ...ends) => {
    const { team } = await openTeamAfter(twoKeysOfOnePerson);
    expect((await signedBySelf(team, more)).map(endOf)).toEqual(ends);
    expect(team.service.sent).toEqual([]);
  });
});

test('the documentation has the attacks, and how they end with both kinds of journal', () => {
  const page = readFileSync(join(ROOT, 'docs/security.md'), 'utf8');
  const [, section = ''] = page.split('### What one person alone cannot do\n');
  const rows = section.split('\n').filter((line) => /^\| [^|]+ \| (\d `\w+`|—) \| (\d `\w+`|—) \|$/.test(line));
  const shown = (end: readonly [number, string] | undefined) => (end ? `${end[0]} \`${end[1]}\`` : '—');
  expect(rows).toEqual(
    ATTACKS.filter(({ isDocumented }) => isDocumented).map(
      ({ what, sqlite, postgres }) => `| ${what} | ${shown(sqlite)} | ${shown(postgres)} |`,
    ),
  );
});
