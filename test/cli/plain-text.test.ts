import { expect, test } from 'vitest';
import { commands as accounts } from '../../src/commands/bank-accounts.ts';
import { commands as banks } from '../../src/commands/banks.ts';
import { CATALOGUE } from '../../src/commands/catalogue.ts';
import { commandsOf } from '../../src/commands/sandbox/index.ts';
import { commands as transfers } from '../../src/commands/transfers.ts';
import { commands as users } from '../../src/commands/users/index.ts';
import { plainText } from '../../src/terminal/parse/parameters.ts';

test.each([
  ['a bidirectional control', 'fees\u202egnp', '"fees\\u{202e}gnp" has a control or invisible character'],
  ['an escape sequence', '\u001b[2Kfees', '"\\u{1b}[2Kfees" has a control or invisible character'],
  ['a line break', 'fees\nto: me', '"fees\\u{a}to: me" has a control or invisible character'],
  ['a character without width', 'fe\u200bes', '"fe\\u{200b}es" has a control or invisible character'],
])('a label with %s is rejected in one sentence', (_what, text, message) => {
  expect(() => plainText(text)).toThrow(expect.objectContaining({ category: 'usage', message }));
});

test('the message about a long text is short', () => {
  expect(() => plainText(`${'a'.repeat(300)}\u202e`)).toThrow(/^"a{60}…" has/);
});

test.each(['Ọlá Ńkẹ́chí', 'fees, August', '₦ 👩\u200d💻'])('%s is a label', (text) => {
  expect(plainText(text)).toBe(text);
});

test.each([
  ['bank-accounts add', accounts, 'label'],
  ['bank-accounts update', accounts, 'label'],
  ['transfers create', transfers, 'note'],
  ['users list', users, 'search'],
  ['banks', banks, 'search'],
  ['sandbox pay', commandsOf(CATALOGUE), 'from'],
])('%s takes no such text', (words, commands, key) => {
  const found = commands.find((each) => each.words.join(' ') === words);
  expect(() => found?.parameters[key]?.parse('a\u202eb')).toThrow(/control or invisible/);
});
