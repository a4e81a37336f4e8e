import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PAGES as HELP_PAGES } from '../../scripts/help.ts';
import { CATEGORIES } from '../../src/base/errors.ts';
import { CATALOGUE } from '../../src/commands/catalogue.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

describe('docs/errors.md', () => {
  const rows = [...read('docs/errors.md').matchAll(/^\| (\d+) \| `([a-z-]+)` \|/gm)].map(([, exit, name]) => [
    name,
    Number(exit),
  ]);

  it('lists every category with its exit code, and nothing else', () => {
    const table = Object.entries(CATEGORIES).map(([name, { exit }]) => [name, exit]);
    expect(rows.toSorted()).toEqual(table.toSorted());
  });
});

describe('README.md', () => {
  const readme = read('README.md');

  it('shows both first commands on its first screen', () => {
    const firstScreen = readme.split('\n').slice(0, 30).join('\n');
    expect(firstScreen).toContain('npm ci && npm start -- tour');
    expect(firstScreen).toContain('npm ci && npm test');
  });

  it('names only commands that exist', async () => {
    const commands = (await Promise.all(CATALOGUE.map((group) => group.load()))).flat();
    const known = [...commands.map(({ words }) => words.join(' ')), ...HELP_PAGES.map((page) => `help ${page}`)];
    const named = [...readme.matchAll(/fiatrail ((?:[a-z][a-z-]*)(?: [a-z][a-z-]*)?)/g)].map(([, words = '']) => words);
    const unknown = named.filter(
      (words) =>
        !known.some(
          (name) =>
            words === name ||
            words.startsWith(`${name} `) ||
            name.startsWith(`${words} `) ||
            name === words.split(' ')[0],
        ),
    );
    expect(unknown).toEqual([]);
    expect(named.length).toBeGreaterThan(10);
  });
});

const DECISIONS = readdirSync(new URL('../../docs/decisions', import.meta.url)).toSorted();

const pagesIn = (folder: string) =>
  readdirSync(new URL(`../../${folder}`, import.meta.url))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`);

/** The pages that people wrote; docs/reference is generated. */
const PAGES = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...pagesIn('docs'),
  ...pagesIn('docs/contributing'),
  ...DECISIONS.map((page) => `docs/decisions/${page}`),
];

const linksOf = (text: string) =>
  [...text.matchAll(/\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g)].map(([, path = '']) => path);
const pathsOf = (text: string) =>
  [...text.matchAll(/`((?:src|bin|test|scripts|docs)\/[\w/.-]+)`/g)].map(([, path = '']) => path);

it.each(PAGES)('%s links only to files that exist', (page) => {
  const base = new URL(`../../${page}`, import.meta.url);
  expect(linksOf(read(page)).filter((path) => !existsSync(new URL(path, base)))).toEqual([]);
});

/** The guides name the files that their reader makes. */
const isGuide = (page: string) => page.startsWith('docs/contributing/add-');

it.each(PAGES.filter((page) => !isGuide(page)))('%s names only source files and folders that exist', (page) => {
  const root = new URL('../../', import.meta.url);
  expect(pathsOf(read(page)).filter((path) => !existsSync(new URL(path, root)))).toEqual([]);
});

it('finds the links and paths of the pages', () => {
  expect(linksOf(read('README.md')).length).toBeGreaterThan(4);
  expect(pathsOf(read('docs/contributing/architecture.md')).length).toBeGreaterThan(12);
});

describe('docs/decisions', () => {
  it('has a number, a title, a date and a status on each page, and an index of them', () => {
    const pages = DECISIONS.filter((page) => page !== 'README.md');
    const rows = pages.map((page) => {
      const [, number, title, status] =
        /^# (\d+)\. (.+)\n\n\d{4}-\d\d-\d\d\n\nStatus: (\w+)/.exec(read(`docs/decisions/${page}`)) ?? [];
      expect({ page, number }).toEqual({ page, number: String(Number(page.slice(0, 4))) });
      return `| ${number} | [${title}](${page}) | ${status} |`;
    });
    expect(
      read('docs/decisions/README.md')
        .split('\n')
        .filter((line) => /^\| \d/.test(line)),
    ).toEqual(rows);
  });
});
