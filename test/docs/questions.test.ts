import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { ROOT, requireBuilt } from '../support/built.ts';
import { answers, SECTIONS } from './questions.ts';

beforeAll(requireBuilt);

const PAGE = join(ROOT, 'docs', 'how-to.md');

const MARK = '<!-- questions, from test/docs/questions.ts -->';

/** What stands in front of the first question. */
function introduction(page: string): string {
  const [before = '', after = ''] = page.split(MARK);
  return `${before}${MARK}${after.slice(0, after.indexOf('\n## ') + 1)}`;
}

test('docs/how-to.md has what each command prints', async () => {
  const page = readFileSync(PAGE, 'utf8');
  const now = `${introduction(page)}${await answers()}\n`;
  if (process.env['UPDATE_QUESTIONS']) writeFileSync(PAGE, now);
  expect(readFileSync(PAGE, 'utf8')).toBe(now);
}, 120_000);

test('there are at least twenty-five questions', () => {
  expect(SECTIONS.flatMap(({ questions }) => questions).length).toBeGreaterThanOrEqual(25);
});
