import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { newHome, ROOT, requireBuilt, startProgram } from '../support/built.ts';
import { programForShells } from '../support/shell.ts';
import { blocksOf } from './scripts.ts';

beforeAll(requireBuilt);

const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

/** Returns the first code block below a heading. Throws if there is none. */
function blockBelow(heading: string): string {
  const [, section = ''] = README.split(`\n## ${heading}\n`);
  const [, block] = /^```\w+\n(.*?)^```$/ms.exec(section) ?? [];
  if (block === undefined) throw new Error(`README.md has no code block below "${heading}"`);
  return block;
}

const ALIAS = /^alias fiatrail=.*$/m.exec(README)?.[0] ?? '';

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

test('the alias names the program', async () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const script = `${ALIAS}\nfiatrail version\nfiatrail banks --search access --query 'banks[0].bankCode'`;
  expect(await runInShell(script)).toEqual({ stdout: `${version}\n000014\n`, stderr: expect.anything(), code: 0 });
});

test('the lines from a BVN to money in a bank account run as they stand', async () => {
  const block = blockBelow('From a BVN to money in a bank account');
  const { stdout, stderr, code } = await runHere(
    `${block}fiatrail balances user "$USER_ID" --query totalBalance.value`,
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.anything() });
  // The page says what each step leads to: 5,000 arrive, and 2,000 of them, with their fees, are in the bank.
  expect(stdout).toMatch(/^Outcome +accepted$/m);
  expect(stdout.match(/^Status +completed$/gm)).toHaveLength(2);
  expect(stdout).toMatch(/^2982\.000000$/m);
});

test('the lines at the top of docs/how-to.md run as they stand', async () => {
  const [block = ''] = blocksOf('docs/how-to.md', 'sh');
  const { code, stderr } = await runHere(block);
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('error') });
  expect(block.split('\n').length).toBeGreaterThan(10);
});

test('the version is that of the package', () => {
  const { version, license } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<string, string>;
  expect(README).toContain(`Version ${version}, not released yet`);
  expect(README).toContain(`${license}.`);
});
