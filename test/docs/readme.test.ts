import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { newHome, ROOT, requireBuilt, startProgram } from '../support/built.ts';
import { programForShells } from '../support/shell.ts';

beforeAll(requireBuilt);

const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

/** Returns the first code block below a heading. Throws if there is none. */
function blockBelow(heading: string): string {
  const [, section = ''] = README.split(`\n## ${heading}\n`);
  const [, block] = /^```\w+\n(.*?)^```$/ms.exec(section) ?? [];
  if (block === undefined) throw new Error(`README.md has no code block below "${heading}"`);
  return block;
}

/** The first line of the quick start, which gives the program its name, and the lines after it. */
const [ALIAS = '', ...QUICK_START] = blockBelow('Quick start').split('\n');

/** Runs lines as an interactive bash would, from the project's folder and in a new home; stops at the first failure. */
function runInShell(script: string, home = newHome(onTestFinished), env = {}) {
  const argv = ['-e', '-o', 'pipefail', '-O', 'expand_aliases', '-c', script];
  return startProgram(home, 'bash', argv, { cwd: ROOT, env }).end;
}

/** Runs lines in which `fiatrail` runs in this process. */
async function runHere(script: string) {
  const home = newHome(onTestFinished);
  const path = join(home.path, 'fiatrail');
  writeFileSync(path, await programForShells(onTestFinished));
  chmodSync(path, 0o755);
  return runInShell(script, home, { PATH: `${home.path}:${home.env['PATH']}` });
}

const withoutAccountNumber = (text: string) => text.replace(/^(Account number +)\d{10}$/m, '$1…');

test('the quick start names the program', async () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const script = `${ALIAS.replace('$ ', '')}\nfiatrail version\nfiatrail banks --search access --query 'banks[0].bankCode'`;
  expect(await runInShell(script)).toEqual({ stdout: `${version}\n000014\n`, stderr: expect.anything(), code: 0 });
});

test('the quick start prints what the README shows', async () => {
  const script = QUICK_START.filter((line) => line.startsWith('$ ')).map((line) => line.slice(2));
  const shown = QUICK_START.filter((line) => !line.startsWith('$ ') && line !== '');
  const { stdout, stderr, code } = await runHere(script.join('\n'));
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.anything() });
  expect(withoutAccountNumber(stdout)).toBe(withoutAccountNumber(`${shown.join('\n')}\n`));
  expect(script.length).toBeGreaterThan(6);
});

test('the examples run as they stand', async () => {
  const { code, stderr } = await runHere(blockBelow('More examples'));
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('error') });
});
