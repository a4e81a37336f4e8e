import { describe, expect, test } from 'vitest';
import type { World } from '../../src/base/world.ts';
import { liveLine } from '../../src/terminal/show/progress.ts';
import { fakeClock } from '../support/sandbox.ts';

async function written(
  env: Record<string, string>,
  isTerminal: boolean,
  isQuiet = false,
  hasTime = false,
): Promise<string> {
  let text = '';
  const clock = fakeClock();
  const stderr = {
    isTerminal,
    columns: 30,
    write: async (more: string) => {
      text += more;
    },
  };
  const line = liveLine({ clock, env, stderr } as unknown as World, { quiet: isQuiet, color: 'auto' }, hasTime);
  for (const state of ['pending', 'pending', 'completed']) {
    await line.show(`the trade is ${state}`);
    clock.pass(1500);
  }
  await line.show('a line that is much too long for this terminal');
  await line.end();
  await line.end();
  return text;
}

describe('a live line', () => {
  test('is overwritten on a terminal, with the elapsed time, and truncated to its width', async () => {
    expect(await written({}, true)).toBe(
      '\rthe trade is pending · 0 s\u001b[K\rthe trade is pending · 2 s\u001b[K\rthe trade is completed · 3 s\u001b[K' +
        '\ra line that is much too long…\u001b[K\n',
    );
  });

  test('is cut by columns, so that it stays on one line', async () => {
    const texts: string[] = [];
    const write = async (text: string) => void texts.push(text);
    const stderr = { isTerminal: true, columns: 20, write };
    const line = liveLine(
      { clock: fakeClock(), env: {}, stderr } as unknown as World,
      { quiet: false, color: 'never' },
      true,
    );
    for (const text of ['日本語の名前は長いです', 'https://service.test/very/long']) await line.show(text);
    expect(texts).toEqual(['\r日本語の名前は長い…\u001b[K', '\rhttps://service.te…\u001b[K']);
  });

  test('shows no elapsed time for a text that contains a time', async () => {
    expect(await written({}, true, false, true)).toContain('\rthe trade is pending\u001b[K\r');
  });

  const plain = 'the trade is pending\nthe trade is completed\na line that is much too long for this terminal\n';

  test.each([
    ['without a terminal', {}, false],
    ['on a dumb terminal', { TERM: 'dumb' }, true],
  ] as const)('prints a line for each change %s', async (_where, env, isTerminal) => {
    expect(await written(env, isTerminal)).toBe(plain);
  });

  test('prints nothing with --quiet', async () => {
    expect(await written({}, true, true)).toBe('');
    expect(await written({}, false, true)).toBe('');
  });

  test.each([
    ['auto', {}, true, true],
    ['auto', { NO_COLOR: '1' }, true, false],
    ['auto', {}, false, false],
    ['auto', { TERM: 'dumb' }, true, false],
    ['always', { NO_COLOR: '1' }, true, true],
    ['always', {}, false, true],
    ['never', {}, true, false],
  ] as const)(
    'shows a bad state in red as --color %s says, with %o and terminal %s: %s',
    async (color, env, isTerminal, isRed) => {
      const texts: string[] = [];
      const write = async (text: string) => void texts.push(text);
      const world = { clock: fakeClock(), env, stderr: { isTerminal, columns: 60, write } } as unknown as World;
      await liveLine(world, { quiet: false, color }, true).show('nothing can arrive', true);
      expect(texts.join('').includes('\u001b[31mnothing can arrive\u001b[39m')).toBe(isRed);
    },
  );
});
