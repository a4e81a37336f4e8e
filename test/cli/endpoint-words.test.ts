import { describe, expect, test } from 'vitest';
import { CATALOGUE } from '../../src/commands/catalogue.ts';
import { endpoints } from '../../src/contract/endpoints/index.ts';
import { main } from '../../src/main.ts';
import { commandFor } from '../../src/terminal/command.ts';
import { HARMFUL } from '../../src/terminal/parse/nearest.ts';
import { fakeWorld } from '../support/world.ts';

const commands = (await Promise.all(CATALOGUE.map((group) => group.load()))).flat();
const names = commands.map(({ words }) => words.join(' '));

/** What is printed for words that are no command. */
async function printed(words: readonly string[]) {
  const world = fakeWorld();
  const code = await main(words, world);
  return { code, text: world.stderr.text() };
}

/** The commands that a hint names. */
const hinted = (text: string) =>
  [...(/hint: (.*)/.exec(text)?.[1] ?? '').matchAll(/fiatrail ([a-z-]+(?: [a-z-]+)*)/g)].map(([, name = '']) => name);

/** The path of an endpoint without what stands for an id. */
const wordOf = (path: string) => path.replace(/\/:.*$/, '').slice(1);

/** The commands that are right for a path: of each endpoint that has it, by whatever method. */
const rightFor = (path: string) =>
  endpoints
    .filter((each) => each.path === path)
    .flatMap(({ id, moves }) => [commandFor(id, commands), moves?.command ?? '']);

/** Words of a path that are a command, or mean more than the endpoint. */
const MEANS_MORE = [
  'deposits',
  'payouts',
  'transactions',
  'withdrawals',
  'swap',
  'balance/user',
  'bridge/status',
  'fx/trades',
];

const paths = [...new Set(endpoints.map(({ path }) => wordOf(path)))].filter((word) => !MEANS_MORE.includes(word));

describe('the path of an endpoint, typed as a command', () => {
  test.each(paths)('%s', async (path) => {
    const [first] = endpoints.filter((each) => wordOf(each.path) === path);
    const right = rightFor(first?.path ?? '');
    for (const typed of [[path], [`/v1/${path}`], [first?.method ?? '', `/${path}`]]) {
      const { code, text } = await printed(typed);
      const [found = ''] = hinted(text);
      expect({ typed, code, isRight: right.includes(found), text }).toMatchObject({ code: 2, isRight: true });
    }
  });

  test('and so is its id', async () => {
    const wrong: string[] = [];
    for (const { id, path } of endpoints) {
      const { text } = await printed([id]);
      if (!rightFor(path).includes(hinted(text)[0] ?? '')) wrong.push(`${id}: ${text}`);
    }
    expect(wrong).toEqual([]);
  });
});

describe('a verb that a group does not have', () => {
  const groups = [
    ...new Set(
      names.flatMap((name) =>
        name
          .split(' ')
          .slice(0, -1)
          .map((_, at, all) => all.slice(0, at + 1).join(' ')),
      ),
    ),
  ];

  test.each(groups)('%s', async (group) => {
    for (const verb of ['create', 'get', 'ls', 'delete', 'add', 'remove', 'cancel']) {
      const typed = [...group.split(' '), verb];
      if (names.includes(typed.join(' '))) continue;
      const { code, text } = await printed(typed);
      // An alias runs another command, or asks for its argument.
      if (verb === 'get' || verb === 'ls') continue;
      const found = hinted(text);
      const taken = ['delete', 'remove', 'cancel'].includes(verb);
      const harmful = found.filter((name) => names.includes(name) && HARMFUL.includes(name.split(' ').at(-1) ?? ''));
      expect({ typed, code, harmful: taken ? [] : harmful, text }).toMatchObject({ code: 2, harmful: [] });
      expect(found.length, `${typed.join(' ')}: ${text}`).toBeGreaterThan(0);
    }
  });
});

describe('an alias of a verb', () => {
  test.each([
    [['users', 'ls'], 'users list'],
    [['payout', 'get', 'x'], 'payout status'],
    [['profiles', 'get'], 'profiles show'],
    [['fx', 'orders', 'ls'], 'fx orders list'],
  ])('%j is %s', async (typed, name) => {
    const world = fakeWorld();
    await main([...typed, '--help'], world);
    expect(world.stdout.text()).toContain(`Usage: fiatrail ${name}`);
  });

  test.each(['constructor', 'toString'])('is not %s', async (word) => {
    expect((await printed(['onramp', 'create', word, '--dry-run'])).text).not.toContain('internal error');
    expect(await printed(['users', word])).toMatchObject({ code: 2, text: expect.stringContaining('unknown command') });
  });

  test('is no command where nothing can be shown', async () => {
    expect(await printed(['banks', 'ls'])).toMatchObject({ code: 2, text: expect.stringContaining('fiatrail banks') });
  });
});
