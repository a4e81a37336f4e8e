import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { CATALOGUE } from '../../src/commands/catalogue.ts';
import { agrees } from '../../src/contract/compare.ts';
import { controls } from '../../src/contract/control.ts';
import { endpoints } from '../../src/contract/endpoints/index.ts';
import { workStartedBy } from '../../src/engine/evidence/find-work.ts';
import { parse } from '../../src/terminal/parse/program.ts';
import { hasTag } from '../../src/things/likeness.ts';
import { fakeWorld } from '../support/world.ts';

/** Every request that the journal records: what moves money, cannot be undone, or onboards. */
const JOURNALED = [...endpoints, ...controls].filter(
  ({ effect, effects, starts }) =>
    [effect, ...Object.values(effects?.of ?? {})].some((each) => each === 'money' || each === 'destructive') ||
    starts === 'onboarding',
);

test.each(JOURNALED.map(({ id }) => id))('%s has a work that says where its outcome shows', async (id) => {
  const work = await workStartedBy(id);
  expect(work?.starts.map((start) => start.id)).toContain(id);
  expect(work?.evidence).toMatch(/^fiatrail /);
});

describe('the table in docs/contributing/unknown-outcomes.md', () => {
  const page = readFileSync(new URL('../../docs/contributing/unknown-outcomes.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| (`[^|]+) \| `([A-Z]+ \/[^`]+)` \| ([^|]+) \| ([^|]+) \| `([^`]+)` \|$/gm)].map(
    ([, commands = '', request = '', , enough = '', look = '']) => ({ commands, request, enough, look }),
  );

  test('has a row for each request that the journal records, and no other', () => {
    const all = JOURNALED.map(({ method, path }) => `${method} ${path}`);
    expect(rows.map(({ request }) => request).toSorted()).toEqual(all.toSorted());
  });

  test.each(rows)(
    'says of $request what the code believes, and where a person looks',
    async ({ request, enough, look }) => {
      const endpoint = JOURNALED.find(({ method, path }) => `${method} ${path}` === request);
      const work = await workStartedBy(endpoint?.id ?? '');
      const isTagged = endpoint?.id === 'fees.withdraw' || endpoint?.id === 'transactions.fintech-transfer';
      const one = isTagged ? 'tag, or one row' : 'one row';
      expect({ enough, look }).toEqual({
        enough: work?.find || work?.list ? one : work?.check ? 'its current state' : 'none',
        look: work?.evidence,
      });
    },
  );

  test.each(rows)('names the commands that send $request', async ({ request, commands }) => {
    const all = (await Promise.all(CATALOGUE.map((group) => group.load()))).flat();
    const endpoint = JOURNALED.find(({ method, path }) => `${method} ${path}` === request);
    const named = commands.split(', ').map((name) => name.replaceAll('`', ''));
    const senders = named.filter((name) => {
      const command = all.find(({ words }) => words.join(' ') === name.replace(/ --\w+$/, ''));
      return name === 'api' || command?.endpoints.includes(endpoint?.id ?? '') === true;
    });
    expect(senders).toEqual(named);
  });

  test.each(rows)('says what to type: $look', async ({ look }) => {
    const world = fakeWorld();
    const parsed = await parse(look.split(' ').slice(1), CATALOGUE, world);
    expect(parsed.kind).toBe('command');
  });
});

test.each([
  ['0xAB', '0xab', true],
  ['0123456789', '******6789', true],
  ['0123456789', '******6780', false],
  ['0123456789', '****6789', true],
  ['0123456789', '****6780', false],
  ['0123456789', '01****', true],
  ['0123456789', '11****', false],
  ['012345****', '*6789', true],
  ['012*45', '0*9*45', false],
  ['a', 'b', false],
  ['a', undefined, true],
  [null, 'b', true],
])('%s agrees with %s: %s', (one, other, expected) => {
  expect(agrees(one, other)).toBe(expected);
});

test.each([
  ['[fr-1a2b3c4d]', true],
  ['Fees FR 1A2B 3C4D', true],
  ['[fr-1a2b3c4', false],
  ['[fr-1a2b3c4e]', false],
  ['', false],
  [null, false],
])('the text %j has the tag [fr-1a2b3c4d]: %s', (text, expected) => {
  expect(hasTag(text, '[fr-1a2b3c4d]')).toBe(expected);
});

test.each(['[-]', '', undefined])('no text has the tag %j', (tag) => {
  expect(hasTag('any text', tag)).toBe(false);
});
