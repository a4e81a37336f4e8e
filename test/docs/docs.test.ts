import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CATEGORIES } from '../../src/base/errors.ts';
import { CATALOGUE } from '../../src/commands/catalogue.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

describe('docs/exit-codes.md', () => {
  const rows = [...read('docs/exit-codes.md').matchAll(/^\| (\d+) \| `([a-z-]+)` \|/gm)].map(([, exit, name]) => [
    name,
    Number(exit),
  ]);

  it('lists exactly the categories and their exit codes', () => {
    const table = Object.entries(CATEGORIES).map(([name, { exit }]) => [name, exit]);
    expect(rows.toSorted()).toEqual(table.toSorted());
  });
});

describe('README.md', () => {
  const readme = read('README.md');

  it('shows the two commands for newcomers on the first screen', () => {
    const firstScreen = readme.split('\n').slice(0, 15).join('\n');
    expect(firstScreen).toContain('npm ci && npm start -- tour');
    expect(firstScreen).toContain('npm ci && npm test');
  });

  it('names only commands that exist', async () => {
    const known = (await Promise.all(CATALOGUE.map((group) => group.load())))
      .flat()
      .map(({ words }) => words.join(' '));
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
    const operating = unknown.filter((words) => !['operates a'].includes(words));
    expect(operating).toEqual([]);
    expect(named.length).toBeGreaterThan(10);
  });

  it('links only to existing files', () => {
    const links = [...readme.matchAll(/\]\(([^)#]+)\)/g)].map(([, path = '']) => path);
    expect(links.length).toBeGreaterThan(4);
    for (const path of links)
      expect(
        path.endsWith('/') ? readdirSync(new URL(`../../${path}`, import.meta.url)).length : read(path).length,
      ).toBeGreaterThan(0);
  });
});

describe('docs/architecture.md', () => {
  it('names only existing files', () => {
    const paths = [...read('docs/architecture.md').matchAll(/`((?:src|bin)\/[\w/.-]+\.(?:ts|js))`/g)].map(
      ([, path = '']) => path,
    );
    expect(paths.length).toBeGreaterThan(12);
    for (const path of paths) expect(read(path).length).toBeGreaterThan(0);
  });
});

describe('docs/decisions', () => {
  it('has dated pages, numbered without gaps', () => {
    const pages = readdirSync(new URL('../../docs/decisions', import.meta.url)).toSorted();
    expect(pages.map((page) => Number(page.slice(0, 4)))).toEqual(pages.map((_page, index) => index + 1));
    for (const page of pages) expect(read(`docs/decisions/${page}`)).toMatch(/^# \d+\. .+\n\n\d{4}-\d\d-\d\d\n/);
  });
});
