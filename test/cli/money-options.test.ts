import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CATALOGUE } from '../../src/commands/catalogue.ts';
import { NO_PROTECTION } from '../../src/terminal/parse/parameters.ts';
import { ROOT } from '../support/built.ts';

const money = (await Promise.all(CATALOGUE.map(({ load }) => load()))).flat().filter((command) => command.money);

/** Flags whose text only people read, although some of them sound like a key. */
const TEXTS = /^--(reference|note|narration|memo|description) /;
const options = money.flatMap(({ words, parameters }) =>
  Object.values(parameters)
    .filter(({ name }) => TEXTS.test(name))
    .map(({ name, help }) => ({ command: words.join(' '), name, help })),
);

test.each(options)('$command $name says that it does not prevent repeats', ({ help }) => {
  expect(help.endsWith(NO_PROTECTION)).toBe(true);
});

test('the commands that move money have such flags', () => {
  expect(options.map(({ command }) => command)).toEqual(expect.arrayContaining(['fees withdraw', 'transfers create']));
});

test.each(money.map(({ words, money: guard, parameters }) => [words.join(' '), guard, parameters['again']?.help]))(
  '%s, which is %s, has --again only if it does something',
  (_words, guard, help) => {
    expect(help?.slice(0, 25)).toBe(guard === 'guarded' ? 'repeat an equal operation' : undefined);
  },
);

test('docs/money.md names the commands that may be repeated without a key', () => {
  const page = readFileSync(join(ROOT, 'docs', 'money.md'), 'utf8');
  const sentence = /([^.]*) do not stop: without a key, they may be repeated/.exec(page)?.[1] ?? '';
  const named = [...sentence.matchAll(/`([^`-][^`]*)`/g)].map(([, name]) => name);
  expect(named).toEqual(money.filter((each) => each.money === 'unguarded').map(({ words }) => words.join(' ')));
});
