import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { NEXT } from '../../src/journal/states.ts';

const page = readFileSync(new URL('../../docs/contributing/unknown-outcomes.md', import.meta.url), 'utf8');

test('the table of states in docs/contributing/unknown-outcomes.md says which state may follow', () => {
  const rows = [...page.matchAll(/^\| (\w+) \| [^|]+ \| ([a-z, ]+) \| [^|]+ \|$/gm)].flatMap(
    ([, state = '', next = '']) =>
      Object.hasOwn(NEXT, state) ? [[state, next === 'nothing' ? [] : next.split(', ')] as const] : [],
  );
  expect(Object.fromEntries(rows)).toEqual(NEXT);
});
