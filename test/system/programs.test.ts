import { expect, test } from 'vitest';
import { runProgram } from '../../src/system/programs.ts';

test.each([
  ['a null character', 'a\0b'],
  ['more text than the system passes on', 'x'.repeat(1_000_000)],
])('a program whose environment has %s cannot be started', async (_what, value) => {
  const options = { timeoutMs: 10_000, isShell: true, env: { FIATRAIL_EVENT: value } };
  const end = await runProgram(['exit 0'], options, {}, new AbortController().signal);
  expect(end).toEqual({ kind: 'missing' });
});
