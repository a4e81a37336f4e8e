import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { PAGES } from '../../scripts/help.ts';
import { helpIndex } from '../../scripts/help-index.ts';
import { CATALOGUE } from '../../src/commands/catalogue.ts';
import { helpOf, pageNamed } from '../../src/terminal/help/help.ts';
import {
  copyProgram,
  fiatrail,
  newHome,
  ROOT,
  requireBuilt,
  sharedEnd,
  startProgram,
  temporaryFolder,
} from '../support/built.ts';
import * as here from '../support/in-process.ts';
import { fiatrailOnTerminal } from '../support/terminal.ts';

beforeAll(requireBuilt);

const HELP = join(ROOT, 'dist', 'help');
const SHIM = join(ROOT, 'bin', 'fiatrail.js');

const commands = (await Promise.all(CATALOGUE.map((group) => group.load()))).flat();
const all = [
  ...new Set(['', ...commands.flatMap(({ words }) => words.map((_, index) => words.slice(0, index + 1).join(' ')))]),
];

const rendered = (words: string, columns: number | undefined) =>
  helpOf(words.split(' ').filter(Boolean), CATALOGUE, columns);

test('there is a text for each command, group and page, and no other', () => {
  const expected = [...all.map((words) => words.replaceAll(' ', '.')), ...PAGES.map((name) => `help.${name}`)].map(
    (name) => `${name}.txt`,
  );
  expect(readdirSync(HELP).toSorted()).toEqual(expected.toSorted());
});

test.each(all)('the text for "%s" is what the program prints', async (words) => {
  expect(readFileSync(join(HELP, `${words.replaceAll(' ', '.')}.txt`), 'utf8')).toBe(await rendered(words, undefined));
});

test.each(PAGES)('the page "%s" is what the program prints', async (name) => {
  const page = await pageNamed([name], CATALOGUE);
  expect(readFileSync(join(HELP, `help.${name}.txt`), 'utf8')).toBe(page);
  const home = newHome(onTestFinished);
  const printed = { stdout: page, stderr: '', code: 0 };
  expect(await fiatrail(home, ['help', name])).toEqual(printed);
  expect(await here.fiatrail(home, ['help', name])).toEqual(printed);
});

test('a page is not the help of a command', async () => {
  const { code, stderr } = await fiatrail(newHome(onTestFinished), ['options', '--help']);
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining("unknown command 'options'") });
});

test.each([
  ['', ['--help']],
  ['', ['-h']],
  ['', []],
  ['fx', ['fx', '--help']],
  ['fx orders', ['fx', 'orders', '-h']],
  ['fx orders list', ['fx', 'orders', 'list', '--help']],
  // The program prints these: the help of a command does not have to be asked for last.
  ['fx', ['fx', '--help', '--quiet']],
  ['fees', ['help', 'fees']],
  ['fees withdrawals status', ['help', 'fees', 'withdrawals', 'status', 'FTW_1']],
])('"%s" is printed for %j', async (words, argv) => {
  const home = newHome(onTestFinished);
  expect(await fiatrail(home, argv)).toEqual({ stdout: await rendered(words, undefined), stderr: '', code: 0 });
});

/** bin/fiatrail.js looks for the text of these; the program itself gets the others. */
const FILES = ['users/../fx', 'fx.orders', 'fees'];

test.each([
  [['users/../fx'], 'run: fiatrail --help'],
  [['fx.orderings'], 'run: fiatrail --help'],
  [['nonsense'], 'run: fiatrail --help'],
  [['fes'], 'did you mean fiatrail fees?'],
  [['fees', 'nope'], 'run: fiatrail fees --help'],
  [['fees', 'withdrwals'], 'did you mean fiatrail fees withdrawals?'],
  [['users', '../users'], 'run: fiatrail users --help'],
  [['fx', 'ordrs', 'list'], 'did you mean fiatrail fx orders list?'],
])('%j is no command, and has no help', async (words, hint) => {
  for (const argv of [[...words, '--help'], words]) {
    const run = FILES.includes(words[0] ?? '') ? fiatrail : here.fiatrail;
    const { stdout, stderr, code } = await run(newHome(onTestFinished), argv);
    const isKnown = (word: string) => ['fees', 'users', 'fx'].includes(word) && words.length > 1;
    const unknown = words.slice(0, words.findIndex((word) => !isKnown(word)) + 1).join(' ');
    expect({ argv, stdout, stderr: stderr.replace(/^ {2}run: .*\n/m, ''), code }).toEqual({
      argv,
      stdout: '',
      code: 2,
      stderr: `error: unknown command '${unknown}'\n  hint: ${hint}\n`,
    });
  }
});

test('a terminal gets help for its width', async () => {
  const home = newHome(onTestFinished);
  const { screen, code } = await fiatrailOnTerminal(home, ['fx', '--help'], [], { columns: 60 });
  expect({ text: screen.replaceAll('\r\n', '\n'), code }).toEqual({ text: await rendered('fx', 60), code: 0 });
});

test.each([
  ['exits with 0 when the reader closes the pipe', '"$@" | true; exit 0', { code: 0, stderr: '' }],
  ['reports a full disk', '"$@" > /dev/full', { code: 2, stderr: expect.stringMatching(/^error: the disk is full\n/) }],
])('help %s', async (_, script, expected) => {
  const home = newHome(onTestFinished);
  const words = ['-c', script, 'sh', process.execPath, SHIM, 'fx', '--help'];
  const { code, stderr } = await startProgram(home, 'sh', words).end;
  expect({ code, stderr }).toEqual(expected);
});

test('loads nothing of the program', async () => {
  const home = newHome(onTestFinished);
  const argv = ['--require', join(ROOT, 'test', 'support', 'loaded.cjs'), SHIM, 'fx', '--help'];
  const { stderr } = await startProgram(home, process.execPath, argv).end;
  expect(stderr.split('\n').filter((path) => path.startsWith(ROOT) && !path.includes('support'))).toEqual([
    SHIM,
    join(ROOT, 'bin', 'files.js'),
  ]);
});

/** What looks for words, what makes help for programs, and the index. */
const OF_HELP_WORDS = ['terminal-help-asked.cjs', 'terminal-help-found.cjs', 'terminal-help-map.cjs', 'help.db'];

describe('a program without what only help WORDS and help as JSON need', () => {
  const atEnd = sharedEnd();
  const root = temporaryFolder(atEnd);

  beforeAll(() => {
    copyProgram(root);
    for (const name of OF_HELP_WORDS) rmSync(join(root, 'dist', name));
  });

  const run = (argv: readonly string[]) =>
    startProgram(newHome(onTestFinished), process.execPath, [join(root, 'bin', 'fiatrail.js'), ...argv]).end;

  test.each([
    [['--version']],
    [['version']],
    [['--help']],
    [['fx', '--help', '--quiet']],
    [['help', 'fees', 'withdrawals', 'status']],
    [['completion', 'complete', '--', 'fx', '']],
    [['banks', '--search', 'access', '-q', '-o', 'json']],
    [['endpoints', '-o', 'json']],
  ])('runs %j', async (argv) => {
    const { code, stderr, stdout } = await run(argv);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).not.toBe('');
  });

  test('has help on a terminal', async () => {
    const home = newHome(onTestFinished);
    const { screen, code } = await fiatrailOnTerminal(home, ['fx', '--help'], [], {
      columns: 60,
      shim: join(root, 'bin', 'fiatrail.js'),
    });
    expect({ text: screen.replaceAll('\r\n', '\n'), code }).toEqual({ text: await rendered('fx', 60), code: 0 });
  });

  test.each([[['help', 'payroll']], [['fx', '--help', '--json']]])('does not run %j', async (argv) => {
    const { code, stdout } = await run(argv);
    expect({ isDone: code === 0, stdout }).toEqual({ isDone: false, stdout: '' });
  });
});

test('the built program finds words in its own index, which is that of the pages as they are', async () => {
  expect(readFileSync(join(ROOT, 'dist', 'help.db')).equals(await helpIndex(ROOT, CATALOGUE))).toBe(true);
  const home = newHome(onTestFinished);
  const { stdout, code } = await fiatrail(home, ['help', 'wehbook', 'signatrue', '--json']);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual(
    JSON.parse((await here.fiatrail(home, ['help', 'wehbook', 'signatrue', '--json'])).stdout),
  );
});
