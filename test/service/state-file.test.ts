import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { stateContent } from '../../src/service/state-file.ts';
import { openSandbox, temporaryFolder } from '../support/sandbox.ts';

test('a state that is too large for a snapshot is rejected, and leaves no copy', async () => {
  using folder = temporaryFolder();
  await using box = await openSandbox({ path: folder.file('sandbox.db') });
  const { store } = box.service;
  const { bytes } = stateContent(store, 'first');
  expect(stateContent(store, 'second', bytes).bytes).toBe(bytes);
  expect(() => stateContent(store, 'third', bytes - 1)).toThrow(`the state is larger than ${bytes - 1} bytes`);
  expect(readdirSync(folder.path).filter((name) => name.includes('snapshot'))).toEqual([]);
});
