import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { CATALOGUE } from '../../src/commands/catalogue.ts';
import { main } from '../../src/main.ts';
import { parse } from '../../src/terminal/parse/program.ts';
import { fakeWorld } from '../support/world.ts';
import { type Account, newAccount } from './account.ts';
import { isTime, readCrontab } from './crontab.ts';
import { parseLine } from './shell.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const inFolder = (folder: string) =>
  readdirSync(new URL(folder, root))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`);

/** The guides show commands that their reader adds. */
const PAGES = [
  'README.md',
  'SECURITY.md',
  'CONTRIBUTING.md',
  ...inFolder('docs'),
  ...inFolder('docs/contributing').filter((page) => !page.startsWith('docs/contributing/add-')),
  ...inFolder('docs/decisions'),
];
const groups = new Set(CATALOGUE.map(({ name }) => name));

/** The command lines of fiatrail in a page: in code blocks, and in text between backticks. */
function linesIn(page: string): string[] {
  const blocks = [...page.matchAll(/^```\w*\n(.*?)^```$/gms)].flatMap(([, block = '']) =>
    block.replace(/\\\n\s*/g, ' ').split('\n'),
  );
  const spans = [...page.replace(/^```.*?^```$/gms, '').matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);
  return [...blocks, ...spans]
    .map((line) => line.replace(/^\$ /, ''))
    .flatMap((line) => /\((fiatrail [^)]*)\)/.exec(line)?.[1] ?? /(?:^|\s)(fiatrail .*)/.exec(line)?.[1] ?? [])
    .filter((line) => groups.has(line.split(/[\s`]/)[1] ?? ''));
}

/** A line that shows a choice or leaves something out, as something that can be typed. */
const typed = (line: string) =>
  line
    .replace(/ …$| \.\.\.$/, '')
    .replace('--completed|--not-done', '--completed')
    .replace('list, show, use, remove, export, import', 'list');

describe.each(PAGES)('%s', (page) => {
  const lines = linesIn(read(page));

  test('shows only command lines that fiatrail understands', async () => {
    const wrong: string[] = [];
    for (const line of lines) {
      const [program = []] = parseLine(typed(line)).programs;
      const words = program.slice(1);
      const isHalf = (await CATALOGUE.find(({ name }) => name === words[0])?.load())?.some(({ words: all }) =>
        all.join(' ').startsWith(`${words.join(' ')} `),
      );
      const error = isHalf ? undefined : await parse(words, CATALOGUE, fakeWorld()).catch((thrown: Error) => thrown);
      if (error instanceof Error) wrong.push(`${line}: ${error.message}`);
    }
    expect(wrong).toEqual([]);
  });
});

test('the pages show command lines', () => {
  expect(PAGES.flatMap((page) => linesIn(read(page))).length).toBeGreaterThan(50);
});

let account: Account | undefined;

describe('the crontab in docs/money.md', () => {
  const [, crontab = ''] = /^```crontab\n(.*?)^```$/ms.exec(read('docs/money.md')) ?? [];
  const lines = readCrontab(crontab);

  test('has lines that cron reads as they look', () => {
    expect(lines.length).toBeGreaterThan(1);
    for (const { fields, stdin } of lines)
      expect({ fields, isTime: isTime(fields), stdin }).toMatchObject({ isTime: true, stdin: undefined });
  });

  test('runs, and a second run of each line does nothing', async () => {
    account ??= await newAccount();
    const world = account.open();
    const withdrawals = async () => {
      const before = world.stdout.text().length;
      await main(['fees', 'withdrawals', 'list', '--all', '-o', 'json', '-q'], world);
      return (JSON.parse(world.stdout.text().slice(before)) as { withdrawals: unknown[] }).withdrawals.length;
    };
    const runs: number[] = [];
    const counts = [await withdrawals()];
    for (const { command } of [...lines, ...lines]) {
      const { programs } = parseLine(command.replace('BANK_ACCOUNT_ID', account.ids.bankAccount));
      for (const [, ...argv] of programs) runs.push(await main(argv, world));
      counts.push(await withdrawals());
    }
    expect({ runs, moved: (counts.at(-1) ?? 0) - (counts[0] ?? 0) }).toEqual({ runs: runs.map(() => 0), moved: 1 });
  });
});

test.each([
  ['50 23 * * * date +\\%F', 'date +%F', undefined],
  ['50 23 * * * date +%F', 'date +', 'F'],
])('cron reads %s', (line, command, stdin) => {
  expect(readCrontab(line)).toMatchObject([{ command, stdin }]);
});

test.each([
  ['50 23 * * *', true],
  ['*/15 * * * *', true],
  ['60 23 * * *', false],
  ['0 24 * * *', false],
  ['0 1-5,7 * * 1', true],
  ['0 1 * *', false],
  ['x 1 * * *', false],
])('%s is a time: %s', (fields, expected) => {
  expect(isTime(fields.split(' '))).toBe(expected);
});

test.each([
  ['fiatrail a || code=$?', ['fiatrail a', 'code=$?']],
  ['fiatrail a > out.json &', ['fiatrail a', '']],
  ['fiatrail a "b;c&d"; fiatrail b', ['fiatrail a b;c&d', 'fiatrail b']],
])('a shell runs the programs of %s', (line, programs) => {
  expect(parseLine(line).programs.map((words) => words.join(' '))).toEqual(programs);
});

test.each([
  [`fiatrail a "b c" 'd $e' $F "x$F" g\\ h`, ['fiatrail', 'a', 'b c', 'd $e', 'f', 'xf', 'g h']],
  ['fiatrail a > out.txt', ['fiatrail', 'a']],
  ['fiatrail a 2 2> "$ERRORS" 2>&1', ['fiatrail', 'a', '2']],
  ['fiatrail a#b # a comment', ['fiatrail', 'a#b']],
  ['fiatrail "$1,500"', ['fiatrail', ',500']],
])('a shell reads %s', (line, words) => {
  expect(parseLine(line, { F: 'f' }).programs).toEqual([words]);
});
