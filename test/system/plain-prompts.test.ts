import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { Prompter } from '../../src/base/world.ts';
import { plainPrompter } from '../../src/system/plain-prompts.ts';

/** A terminal that types the next chunk whenever a prompt waits for input. */
function scriptedTerminal(chunks: readonly string[], controller = new AbortController()) {
  const written: string[] = [];
  const modes: boolean[] = [];
  let given = 0;
  const input = Object.assign(new PassThrough(), { setRawMode: (isRaw: boolean) => void modes.push(isRaw) });
  const resume = input.resume.bind(input);
  const type = () => {
    const chunk = chunks[given++];
    if (chunk === undefined) controller.abort();
    else if (chunk === '') input.end();
    else input.write(chunk);
  };
  const terminal = {
    input: Object.assign(input, {
      resume: () => {
        setImmediate(type);
        return resume();
      },
    }),
    output: { write: (text: string) => written.push(text) },
    signal: controller.signal,
  };
  return {
    prompter: plainPrompter(terminal as unknown as Parameters<typeof plainPrompter>[0]),
    modes,
    screen: () => written.join(''),
    unread: () => chunks.length - given,
  };
}

const digits = (text: string) => /^\d+$/.test(text) || 'only digits';
const FRUIT = ['apple', 'apricot', 'Banana'].map((name) => ({ name, value: name.length }));
const found = async (typed: string) => FRUIT.filter(({ name }) => name.toLowerCase().includes(typed));

type Row = readonly [
  what: string,
  ask: (prompter: Prompter) => Promise<unknown>,
  chunks: readonly string[],
  answer: unknown,
  says: string,
];

const CONFIRM = (prompter: Prompter) => prompter.confirm('go?');
const SELECT = (prompter: Prompter) => prompter.select('which?', FRUIT);
const SEARCH = (prompter: Prompter) => prompter.search('which?', found);
const SECRET = (prompter: Prompter) => prompter.secret('key:', digits);
const LIST = 'which?\n  1. apple\n  2. apricot\n  3. Banana\n';
const NUMBER = 'Type a number or the start of a name (1): ';

const ROWS: readonly Row[] = [
  ['no by default', CONFIRM, ['\n'], false, 'go? (y/N) '],
  ['yes', CONFIRM, ['YES\n'], true, 'go? (y/N) '],
  ['neither', CONFIRM, ['perhaps\n', 'n\n'], false, 'go? (y/N) Type y for yes or n for no.\ngo? (y/N) '],
  ['a text', (prompter) => prompter.text('how many?', digits), [' 12 \n'], '12', 'how many? '],
  ['a text in parts', (prompter) => prompter.text('how many?', digits), ['1', '2\n'], '12', 'how many? '],
  [
    'an invalid text',
    (prompter) => prompter.text('how many?', digits),
    ['x\n', '3\r\n'],
    '3',
    'how many? only digits\nhow many? ',
  ],
  [
    'a long question',
    (prompter) => prompter.text(`Send to 0x52908400098527886E0F7030069857D2E4169EE7 on base:`, () => true),
    ['x\n'],
    'x',
    'Send to 0x5290 8400 0985 2788 6E0F 7030 0698 57D2 E416 9EE7 on base: ',
  ],
  ['a preset', (prompter) => prompter.text('how many?', digits, { preset: '7' }), ['\n'], '7', 'how many? (7) '],
  ['the first', SELECT, ['\n'], 5, LIST + NUMBER],
  ['a number', SELECT, ['2\n'], 7, LIST + NUMBER],
  ['a prefix', SELECT, ['ban\n'], 6, LIST + NUMBER],
  [
    'an ambiguous prefix',
    SELECT,
    ['ap\n', 'apr\n'],
    7,
    `${LIST}${NUMBER}2 matches. Type more of the name, or a number.\n${NUMBER}`,
  ],
  [
    'a choice that does not exist',
    SELECT,
    ['4\n', '1\n'],
    5,
    `${LIST}${NUMBER}No match. Type a number from 1 to 3.\n${NUMBER}`,
  ],
  [
    'a search',
    SEARCH,
    ['ap\n', 'ban\n', '1\n'],
    6,
    'which?\nType text to search for:   1. apple\n  2. apricot\nType a number, or other text:   1. Banana\nType a number, or other text: ',
  ],
  [
    'a search without matches',
    SEARCH,
    ['x\n', 'ban\n', '1\n'],
    6,
    'which?\nType text to search for: No matches.\nType other text:   1. Banana\nType a number, or other text: ',
  ],
  ['a secret', SECRET, ['12', '3\r'], '123', 'key: \n'],
  ['a pasted secret with a line end', SECRET, ['123\nrest'], '123', 'key: \n'],
  ['a corrected secret', SECRET, ['129\u007f', '3\u001b[D\r'], '123', 'key: \n'],
  ['a secret typed again after Ctrl-U', SECRET, ['999\u0015', '123\n'], '123', 'key: \n'],
  ['an invalid secret', SECRET, ['x\r', '1\r'], '1', 'key: \nonly digits\nkey: \n'],
];

describe('a plain prompt', () => {
  test('ends the line of a question that Ctrl-C interrupts', async () => {
    const { prompter, screen } = scriptedTerminal([]);
    await expect(CONFIRM(prompter)).rejects.toMatchObject({ category: 'interrupted' });
    expect(screen()).toBe('go? (y/N) \n');
  });

  test.each(ROWS)('accepts %s', async (_, ask, chunks, answer, says) => {
    const { prompter, screen, unread } = scriptedTerminal(chunks);
    expect({ ask: await ask(prompter), screen: screen(), unread: unread() }).toEqual({
      ask: answer,
      screen: says,
      unread: 0,
    });
  });

  const KINDS = { confirm: CONFIRM, select: SELECT, search: SEARCH, secret: SECRET };
  const ENDS = [
    ['the input has ended', ''],
    ['the program is interrupted', undefined],
  ] as const;

  test.each(
    Object.entries(KINDS).flatMap(([kind, ask]) => ENDS.map(([why, chunk]) => [kind, why, ask, chunk] as const)),
  )('for %s ends the command when %s', async (_kind, _why, ask, chunk) => {
    const { prompter } = scriptedTerminal(chunk === undefined ? [] : [chunk]);
    await expect(ask(prompter)).rejects.toMatchObject({ category: 'interrupted' });
  });

  test.each(['\u0003', '\u0004'])('for a secret ends the command on %j and turns the echo on again', async (key) => {
    const { prompter, modes } = scriptedTerminal([`12${key}`]);
    await expect(SECRET(prompter)).rejects.toMatchObject({ category: 'interrupted' });
    expect(modes).toEqual([true, false]);
  });

  test('is not shown after an interruption', async () => {
    const controller = new AbortController();
    controller.abort();
    await expect(CONFIRM(scriptedTerminal([], controller).prompter)).rejects.toMatchObject({ category: 'interrupted' });
  });
});
