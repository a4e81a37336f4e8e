import { describe, expect, test } from 'vitest';
import { CATALOGUE } from '../../src/commands/catalogue.ts';
import { controls } from '../../src/contract/control.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { endpoints } from '../../src/contract/endpoints/index.ts';
import { main } from '../../src/main.ts';
import { ASKING, helpOf, optionsOf, pageNamed } from '../../src/terminal/help/help.ts';
import { GLOBAL_OPTIONS } from '../../src/terminal/parse/globals.ts';
import { fakeWorld } from '../support/world.ts';

const commands = (await Promise.all(CATALOGUE.map((group) => group.load()))).flat();

const nameOf = ({ words }: { readonly words: readonly string[] }) => words.join(' ');

const named = (name: string) => commands.find((each) => nameOf(each) === name);

const EFFECTS = new Map(
  ([...endpoints, ...Object.values(controls)] as readonly Endpoint[]).map(({ id, effect, effects }) => [
    id,
    [effect, ...Object.values(effects?.of ?? {})],
  ]),
);

const linesOf = (text: string) => text.trimEnd().split('\n');

describe('the first screen', () => {
  test('has 80 columns and 40 lines at most', async () => {
    const lines = linesOf(await helpOf([], CATALOGUE));
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(lines.length).toBeLessThanOrEqual(40);
  });

  test('has the commands by section, each on one line, before the options', async () => {
    const text = await helpOf([], CATALOGUE);
    const places = [...new Set(CATALOGUE.map(({ section }) => section))].map((section) =>
      text.indexOf(`\n${section} `),
    );
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places).not.toContain(-1);
    expect(Math.max(...places)).toBeLessThan(text.indexOf('\nOptions:\n'));
    for (const { name, summary, isSeldomUsed } of CATALOGUE)
      expect({ name, isShown: new RegExp(` ${name} +${summary}\n`).test(text) }).toEqual({
        name,
        isShown: !isSeldomUsed,
      });
  });

  test('names the page of all commands, which has each of them', async () => {
    expect(await helpOf([], CATALOGUE)).toContain('fiatrail help commands | options | topics');
    const page = (await pageNamed(['commands'], CATALOGUE)) ?? '';
    const listed = [...page.matchAll(/^ {2}([a-z][a-z -]*?)(?: {2,}|$)/gm)].map(([, name]) => name);
    expect(listed.toSorted()).toEqual(commands.map(nameOf).toSorted());
  });

  test('names the page of all global options, which has each of them', async () => {
    const page = (await pageNamed(['options'], CATALOGUE)) ?? '';
    for (const [flags] of GLOBAL_OPTIONS) expect(page).toContain(`\n  ${flags} `);
  });

  test('fits a narrow terminal', async () => {
    for (const columns of [30, 50, 60]) {
      const lines = linesOf(await helpOf([], CATALOGUE, columns));
      expect({ columns, long: lines.filter((line) => line.length > Math.max(columns, 36)) }).toEqual({
        columns,
        long: [],
      });
    }
  });
});

describe('the help of a command', () => {
  test.each([
    ['users show', 'Usage: fiatrail users show <user-id>', '  <user-id>  '],
    ['ip add', 'Usage: fiatrail ip add [address] [options]', '  [address]  '],
    ['users migrate-wallets', 'Usage: fiatrail users migrate-wallets <user-id>... [options]', '  <user-id>  '],
    ['schema', 'Usage: fiatrail schema [command]...', '  [command]  '],
  ])('of %s writes a required argument in <>, an optional one in []', async (name, usage, row) => {
    const text = await helpOf(name.split(' '), CATALOGUE);
    expect(linesOf(text)[0]).toBe(usage);
    expect(text).toContain(`\nArguments:\n${row}`);
  });

  test('has every option, and says which are required', async () => {
    for (const command of commands) {
      const text = await helpOf(command.words, CATALOGUE);
      for (const { kind, name, required } of Object.values(command.parameters)) {
        const [, rest = ''] = text.split(`\n  ${kind === 'argument' ? (required ? `<${name}>` : `[${name}]`) : name}`);
        expect({ name, isFound: rest !== '' }).toEqual({ name, isFound: true });
        const [own = ''] = rest.split(/\n(?: {2}\S|\n)/);
        if (kind === 'option')
          expect({ command: nameOf(command), name, isMarked: own.replace(/\s+/g, ' ').includes('(required)') }).toEqual(
            {
              command: nameOf(command),
              name,
              isMarked: required || own.includes('(required)'),
            },
          );
      }
    }
  });

  const optionsFor = async (name: string) => {
    const command = named(name);
    return command && (await optionsOf(command)).map(([flags]) => flags.replace(/.*(--[a-z-]+).*/, '$1'));
  };

  test.each([
    ['payout create', ['--profile', '--output', '--fields', '--query', '--yes', '--dry-run']],
    ['users list', ['--profile', '--output', '--fields', '--query', '--tz']],
    ['users activate', ['--profile', '--output', '--fields', '--query', '--yes', '--dry-run']],
    ['history deposits', ['--profile', '--output', '--fields', '--query', '--tz']],
    ['profiles remove', ['--output', '--fields', '--query', '--yes', '--dry-run']],
    ['ops list', ['--profile', '--output', '--fields', '--query', '--tz']],
    ['completion bash', []],
  ])('of %s has the global options that matter for it', async (name, options) => {
    expect(await optionsFor(name)).toEqual(options);
  });

  test.each([
    ['payout create', 'print the request without sending it'],
    ['bulk create', 'print the request without sending it'],
    ['report close', 'show what the command would do, without doing it'],
    ['profiles rules set', 'show what the command would do, without doing it'],
  ])('of %s says what a dry run shows', async (name, text) => {
    const command = named(name);
    expect(Object.fromEntries((command && (await optionsOf(command))) ?? [])['--dry-run']).toBe(text);
  });

  test('has --yes and --dry-run if the command moves money or does what cannot be undone', async () => {
    const reads = /(^| )(list|show|check|status)$/;
    const asking = commands.filter(
      (command) =>
        command.money ||
        (!reads.test(nameOf(command)) && command.endpoints.some((id) => EFFECTS.get(id)?.includes('destructive'))),
    );
    expect(asking.length).toBeGreaterThan(20);
    for (const command of asking.filter(({ words: [group] }) => !['doctor', 'init'].includes(group ?? '')))
      expect({ name: nameOf(command), options: await optionsFor(nameOf(command)) }).toEqual({
        name: nameOf(command),
        options: expect.arrayContaining(['--yes', '--dry-run']),
      });
  });

  test('the commands that ask exist', () => {
    expect(ASKING.filter((name) => !named(name))).toEqual([]);
  });
});

test('the help of a group lists what can be typed next', async () => {
  for (const group of CATALOGUE) {
    const members = (await group.load()).filter(({ words }) => words.length > 1);
    const text = await helpOf([group.name], CATALOGUE);
    for (const { words } of members) expect(text).toMatch(new RegExp(`^ {2}${words[1]}\\b`, 'm'));
  }
  expect(await helpOf(['fx', 'orders'], CATALOGUE)).toContain('\n  update <order-id>  ');
  expect(await helpOf(['fx'], CATALOGUE)).toContain('(create, list,');
});

test('every group, and every group in a group, has a summary of its own', () => {
  const summaries = CATALOGUE.map(({ name, summary }) => [name, summary] as const);
  const nested = CATALOGUE.flatMap(({ name, parts = {} }) => {
    const below = commands
      .filter(({ words }) => words[0] === name)
      .flatMap(({ words }) => words.slice(1, -1).join(' '));
    return [...new Set(below)].filter(Boolean).map((part) => [`${name} ${part}`, parts[part] ?? ''] as const);
  });
  const all = [...summaries, ...nested];
  expect(
    all.filter(([, summary], at) => summary === '' || all.findIndex((each) => each[1] === summary) !== at),
  ).toEqual([]);
});

test('a list in a text stays a list', async () => {
  const lines = linesOf(await helpOf(['sandbox', 'fault', 'add'], CATALOGUE));
  expect(lines).toContain('  http-500-after  HTTP 500, but the request is processed');
  expect(lines).toContain('  lost-webhook             it is never delivered');
  const narrow = linesOf(await helpOf(['sandbox', 'fault', 'add'], CATALOGUE, 40));
  expect(narrow).toContain('  slow');
  const [from, to] = [narrow.indexOf('Kinds:'), narrow.indexOf('Options:')];
  expect(narrow.slice(from, to).filter((line) => line.length > 40)).toEqual([]);
});

describe('a group alone', () => {
  test.each(['keys', 'fx orders', 'webhooks inbox', 'plans'])('%s prints its help on a terminal', async (name) => {
    const world = fakeWorld({ isTerminal: true });
    const code = await main(name.split(' '), world);
    expect({ code, stdout: world.stdout.text(), stderr: world.stderr.text() }).toEqual({
      code: 0,
      stdout: await helpOf(name.split(' '), CATALOGUE),
      stderr: '',
    });
  });

  test.each([
    ['nothing else is typed, but there is no terminal', ['keys'], {}],
    ['a build has a terminal', ['keys'], { isTerminal: true, env: { CI: '1' } }],
    ['an option follows', ['keys', '--json'], { isTerminal: true }],
    ['an option precedes', ['--profile', 'sandbox', 'keys'], { isTerminal: true }],
    ['an unknown word follows', ['keys', 'xyzzy'], { isTerminal: true }],
  ])('is an error if %s', async (_, argv, options) => {
    const world = fakeWorld(options);
    expect(await main(argv, world)).toBe(2);
    expect(world.stdout.text()).toBe('');
  });

  test.each(['stdin', 'stdout', 'stderr'] as const)('is an error if %s is no terminal', async (stream) => {
    const world = fakeWorld({ isTerminal: true });
    const piped = { ...world, [stream]: { ...world[stream], isTerminal: false } };
    expect(await main(['keys'], piped)).toBe(2);
  });

  test('is an error where another command runs it', async () => {
    const world = fakeWorld({ isTerminal: true });
    expect(await main(['profiles', 'rules', 'test', '--', 'keys'], world)).toBe(2);
    expect(world.stderr.text()).toContain('incomplete command: fiatrail keys');
  });
});
