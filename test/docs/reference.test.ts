import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FOLDER, generated } from '../../scripts/reference.ts';
import { ROOT } from '../support/built.ts';

const HINT = 'regenerate it with: npm run reference';
const pages = await generated();

test.each([...pages.keys()])('%s is up to date', (path) => {
  const written = readFileSync(join(ROOT, path), 'utf8');
  expect(written === pages.get(path), HINT).toBe(true);
});

test('there are no stale pages', () => {
  const below = readdirSync(join(ROOT, FOLDER), { recursive: true, encoding: 'utf8' });
  const files = below.filter((name) => name.endsWith('.md')).map((name) => `${FOLDER}/${name}`);
  expect(
    files.filter((name) => !pages.has(name)),
    HINT,
  ).toEqual([]);
});

test('every link in the index leads to a page', () => {
  const index = pages.get(`${FOLDER}/README.md`) ?? '';
  const links = [...index.matchAll(/\]\(([^)]+)\)/g)].map(([, path = '']) => join(FOLDER, path));
  expect(links.length).toBeGreaterThan(30);
  expect(links.filter((path) => !pages.has(path))).toEqual([]);
});
