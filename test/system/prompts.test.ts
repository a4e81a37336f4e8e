import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { StepBack } from '../../src/base/errors.ts';
import { loadPrompter } from '../../src/system/prompts.ts';

/** A terminal that never echoes. */
function terminal(columns = 80) {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => input });
  // Like standard error, it cannot be ended.
  const output = Object.assign(new PassThrough(), { isTTY: true, columns, end: () => output });
  const written: string[] = [];
  output.on('data', (chunk) => written.push(String(chunk)));
  /** Resolves once it has shown a text as many times as given. */
  const shows = async (text: string, times = 1) => {
    while (written.join('').split(text).length <= times) await sleep(5);
    // The library listens once it has written.
    await sleep(0);
  };
  const streams = { input, output, signal: new AbortController().signal, suspend: () => {} };
  type Streams = Parameters<typeof loadPrompter>[0] & { readonly input: PassThrough };
  return { ...(streams as unknown as Streams), written, shows };
}

test('a paste that arrives slowly is read to its end, so that the shell gets nothing of it', async () => {
  const { input, ...rest } = terminal();
  const prompter = await loadPrompter({ input, ...rest });
  let isOver = false;
  const refused = expect(prompter.text('Amount:', () => true)).rejects.toMatchObject({ category: 'usage' });
  const over = refused.finally(() => {
    isOver = true;
  });
  input.write('\u001b[200~5000\r');
  await sleep(700);
  expect(isOver).toBe(false);
  input.write('y\r\u001b[201~');
  await over;
  expect(input.readableLength).toBe(0);
});

const EVM = '0x52908400098527886E0F7030069857D2E4169EE7';
const USER = '01a1ffd0cd2798b1c2d3e4f5061728394a5b6c7d8e9f0a1b2c3d4e5f60718293';
const GROUPS = EVM.slice(2).match(/.{4}/g) ?? [];

/** Moves of the cursor: what follows is not behind what came before. */
const MOVES = new RegExp(`${'\u001b'}\\[\\d*[ABGK]`, 'g');

/** A terminal of this width, and what it shows: the lines as the library writes them, without escape codes. */
function screenOf(columns: number) {
  const { written, ...streams } = terminal(columns);
  const lines = () =>
    stripVTControlCharacters(written.join('').replaceAll(MOVES, '\n'))
      .split('\n')
      .map((line) => line.trimEnd());
  return { lines, ...streams };
}

describe.each([80, 60, 20])('at %i columns', (columns) => {
  test('a question is wrapped at words, and not inside an id or a group of an address', async () => {
    const screen = screenOf(columns);
    const prompter = await loadPrompter(screen);
    const answer = prompter.confirm(`Send 50.00 cNGN of user ${USER} to ${EVM}. Continue?`);
    await screen.shows('Continue?');
    screen.input.write('y\r');
    expect(await answer).toBe(true);
    const lines = screen.lines();
    expect(lines.filter((line) => line.length > columns)).toEqual([]);
    const words = lines.join(' ').split(/\s+/);
    expect(GROUPS.filter((group) => !words.some((word) => word.replace(/^0x|\.$/g, '') === group))).toEqual([]);
    expect(words).toEqual(expect.arrayContaining(['Continue?', '(y/N)', 'cNGN']));
    expect(words.filter((word) => word.startsWith('01a1ffd0'))[0]).toMatch(/(0718293|…8293)$/);
  });

  test('rows of a list and what is wrong with an answer are wrapped at words', async () => {
    const screen = screenOf(columns);
    const prompter = await loadPrompter(screen);
    const picked = prompter.select('Which wallet?', [{ name: `cold vault · ${EVM} on base`, value: 1 }]);
    await screen.shows('base');
    screen.input.write('\r');
    expect(await picked).toBe(1);
    const typed = prompter.text('Amount:', (text) => text === '5' || `invalid amount for ${EVM} on base`);
    await screen.shows('Amount:');
    screen.input.write('x\r');
    await screen.shows('invalid');
    screen.input.write('\u00155\r');
    expect(await typed).toBe('5');
    const words = screen.lines().join(' ').split(/\s+/);
    const twice = GROUPS.filter((group) => words.filter((word) => word.replace(/^0x/, '') === group).length < 2);
    expect({ twice, long: screen.lines().filter((line) => line.length > columns) }).toEqual({ twice: [], long: [] });
  });
});

test.each([
  ['Esc', '\u001b'],
  ['Ctrl-B', '\u0002'],
])('%s goes back if there is a previous question, and else does nothing', async (_key, key) => {
  const { input, shows, ...rest } = terminal();
  const prompter = await loadPrompter({ input, ...rest });
  const second = expect(prompter.text('Amount:', () => true, { hasBack: true })).rejects.toThrow(StepBack);
  await shows('Amount:');
  input.write(key);
  await second;
  const first = prompter.text('Account:', () => true);
  await shows('Account:');
  input.write(key);
  await sleep(600);
  input.write('7\r');
  expect(await first).toBe('7');
});

test('Ctrl-Z stops the job, and the question is asked again when it continues', async () => {
  let stops = 0;
  const { input, written, shows, ...rest } = terminal();
  let shownBefore = 0;
  const suspend = () => {
    stops += 1;
    shownBefore = written.join('').split('Amount:').length - 1;
  };
  const prompter = await loadPrompter({ input, ...rest, suspend });
  const answer = prompter.text('Amount:', () => true);
  await shows('Amount:');
  input.write('\u001a');
  while (stops === 0) await sleep(5);
  await shows('Amount:', shownBefore + 1);
  input.write('7\r');
  expect({ answer: await answer, stops }).toEqual({ answer: '7', stops: 1 });
});
