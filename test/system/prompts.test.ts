import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { loadPrompter } from '../../src/system/prompts.ts';

/** A terminal that never echoes. */
function terminal() {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => input });
  // Like standard error, it cannot be ended.
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80, end: () => output });
  const streams = { input, output, signal: new AbortController().signal };
  return streams as unknown as Parameters<typeof loadPrompter>[0] & { readonly input: PassThrough };
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
