import { expect, test } from 'vitest';
import { NO_PROTECTION } from '../../src/cli/money-options.ts';
import { CATALOGUE } from '../../src/commands/catalogue.ts';

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
  expect(options.map(({ command }) => command)).toEqual(expect.arrayContaining(['fees withdraw', 'transfer']));
});
