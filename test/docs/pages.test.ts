import { readdirSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/built.ts';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** The pages for users: the README and what is directly in docs/. */
const PAGES = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

/** As `wc -w` counts them. */
const wordsIn = (text: string) => text.split(/\s+/).filter((word) => word !== '').length;

/** The pages that a page links to, as paths from the project's folder. */
const linkedFrom = (page: string) =>
  [...read(page).matchAll(/\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g)].map(([, path = '']) =>
    normalize(join(page, '..', path)),
  );

test('the pages for users have at most 45,000 words', () => {
  const words = Object.fromEntries(PAGES.map((page) => [page, wordsIn(read(page))]));
  const sum = Object.values(words).reduce((all, each) => all + each, 0);
  expect(sum, JSON.stringify(words, undefined, 2)).toBeLessThanOrEqual(45_000);
});

test('README.md has at most 90 lines of at most 100 characters', () => {
  const lines = read('README.md').trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(90);
  expect(lines.filter((line) => line.length > 100)).toEqual([]);
});

test('docs/README.md leads to every page, and to each folder of pages', () => {
  const linked = linkedFrom('docs/README.md');
  const pages = PAGES.filter((page) => page.startsWith('docs/') && page !== 'docs/README.md');
  const contributing = readdirSync(join(ROOT, 'docs', 'contributing')).map((name) => `docs/contributing/${name}`);
  const wanted = [...pages, ...contributing, 'docs/reference/', 'docs/decisions/', 'docs/openapi.json'];
  expect(wanted.filter((page) => !linked.includes(page))).toEqual([]);
});

/** The anchor that GitHub gives to a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

test('every link to a heading leads to one', () => {
  const pages = ['docs/contributing', 'docs/decisions', 'docs/reference'].flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  );
  const broken = [...PAGES, ...pages, 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'].flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:)([^)#]*\.md)?#([^)]+)\)/g)].flatMap(([link, path, anchor = '']) => {
      const target = path === undefined ? page : normalize(join(page, '..', path));
      const headings = [...read(target).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));
      return headings.includes(anchor) ? [] : [`${page}: ${link}`];
    }),
  );
  expect(broken).toEqual([]);
});
