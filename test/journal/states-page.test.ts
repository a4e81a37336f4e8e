import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { NEXT } from '../../src/journal/states.ts';
import { ROOT } from '../support/built.ts';

const page = readFileSync(join(ROOT, 'docs/contributing/unknown-outcomes.md'), 'utf8');

test('the table of states in docs/contributing/unknown-outcomes.md says which state may follow', () => {
  const rows = [...page.matchAll(/^\| (\w+) \| [^|]+ \| ([a-z, ]+) \| [^|]+ \|$/gm)].flatMap(
    ([, state = '', next = '']) =>
      Object.hasOwn(NEXT, state) ? [[state, next === 'nothing' ? [] : next.split(', ')] as const] : [],
  );
  expect(Object.fromEntries(rows)).toEqual(NEXT);
});
