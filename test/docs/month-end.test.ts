import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { ACCOUNTS } from '../../src/copy/entry-kinds.ts';
import { ACCEPTABLE } from '../../src/copy/questions/books/acceptable.ts';
import { accountAfter, type Life, ran } from '../questions/books/life.ts';
import { ROOT } from '../support/built.ts';

const page = readFileSync(join(ROOT, 'docs/month-end.md'), 'utf8');

/** A November of which everything is known. */
const NOVEMBER: Life = {
  seed: 1,
  users: 6,
  from: '10-30',
  until: '12-01',
  syncedFrom: '10-30',
  quiet: ['11-04', '11-27'],
};

test('the lines of the page run in their order, and close a month', { timeout: 120_000 }, async () => {
  const [, section = ''] = page.split('\n## Close a month\n');
  const lines = [...(section.split('\n## ')[0] ?? '').matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block = '']) =>
    block.trimEnd().split('\n'),
  );
  const world = await accountAfter(NOVEMBER);
  const inHome = (word: string) => (/\.(?:csv|json|zip|journal)$/.test(word) ? join(world.homeDir, word) : word);
  const run = async (line: string) => {
    const [, argv = '', file] = /^fiatrail (.*?)(?: > (\S+))?$/.exec(line) ?? [];
    const words = [...argv.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word = '']) => quoted ?? inHome(word));
    const found = await ran(world, ...words);
    if (file) writeFileSync(inHome(file), found.stdout);
    return found;
  };
  // The checkpoint of the month before.
  await run('fiatrail ops journal head -o json > before.json');
  expect(lines.length).toBe(12);
  for (const line of lines) {
    const { code, stderr } = await run(line);
    // This account has nothing to accept.
    const wanted = line.startsWith('fiatrail report accept') ? 2 : 0;
    expect({ line, code, stderr }).toEqual({ line, code: wanted, stderr: expect.anything() });
  }
  expect((await ran(world, 'report', '2025-11')).stdout).toMatch(/Closed +2025-12-0\d .* by ada on web-1/);
  const archive = unzipSync(readFileSync(inHome('month.zip')));
  expect(Object.keys(archive)).toEqual(expect.arrayContaining(['README.txt', 'books.csv', 'payouts.csv']));
  expect(Buffer.from(archive['books.csv'] ?? '').toString()).toBe(readFileSync(inHome('books.csv'), 'utf8'));
  expect(existsSync(inHome('checkpoint.json'))).toBe(true);
});

test('the page has each account of the books', () => {
  const [, section = ''] = page.split('\n## The books\n');
  const named = [...section.matchAll(/`((?:assets|liabilities|income|expenses|equity)[a-zA-Z:…]*)`/g)].map(
    ([, name = '']) => name.replace(/:?(?:…|USER)$/, ''),
  );
  const missing = Object.keys(ACCOUNTS).filter(
    (account) => !named.some((name) => account === name || account.startsWith(`${name}:`)),
  );
  expect(missing).toEqual([]);
});

test('the page has each code that a person can accept', () => {
  const codes = Object.keys(ACCEPTABLE);
  const errors = readFileSync(join(ROOT, 'docs/errors.md'), 'utf8');
  expect(codes.length).toBe(7);
  expect(codes.filter((code) => !`${errors}${page}`.includes(`\`${code}\``))).toEqual([]);
});
