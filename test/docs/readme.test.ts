import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { newHome, ROOT, requireBuilt, startProgram } from '../support/built.ts';

beforeAll(requireBuilt);

const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

/** Returns the first code block below a heading. Throws if there is none. */
function blockBelow(heading: string): string {
  const [, section = ''] = README.split(`\n## ${heading}\n`);
  const [, block] = /^```\w+\n(.*?)^```$/ms.exec(section) ?? [];
  if (block === undefined) throw new Error(`README.md has no code block below "${heading}"`);
  return block;
}

/** Runs lines as an interactive bash would, from the project's folder and in a new home; stops at the first failure. */
function runInShell(script: string) {
  const argv = ['-e', '-o', 'pipefail', '-O', 'expand_aliases', '-c', script];
  return startProgram(newHome(onTestFinished), 'bash', argv, { cwd: ROOT }).end;
}

const withoutAccountNumber = (text: string) => text.replace(/^(Account number +)\d{10}$/m, '$1…');

test('the quick start prints what the README shows', async () => {
  const lines = blockBelow('Quick start').split('\n');
  const script = lines.filter((line) => line.startsWith('$ ')).map((line) => line.slice(2));
  const shown = lines.filter((line) => !line.startsWith('$ ') && line !== '');
  const { stdout, stderr, code } = await runInShell(script.join('\n'));
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.anything() });
  expect(withoutAccountNumber(stdout)).toBe(withoutAccountNumber(`${shown.join('\n')}\n`));
  expect(script.length).toBeGreaterThan(7);
});

test('the examples run as they stand', async () => {
  const [alias = ''] = blockBelow('Quick start').split('\n');
  const { code, stderr } = await runInShell(`${alias.slice(2)}\n${blockBelow('More examples')}`);
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('error') });
});
