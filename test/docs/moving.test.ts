import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { requireBuilt } from '../support/built.ts';
import { serveSandbox } from '../support/in-process.ts';
import { blocksOf, type CronHome, cronHome } from './scripts.ts';

beforeAll(requireBuilt);

const BLOCKS = blocksOf('docs/stored-where.md', 'sh');

/** Runs the lines of the block that begins with a comment, in a home, as someone who agrees to the change of the rules. */
async function follow(home: CronHome, comment: string) {
  const block = BLOCKS.find((each) => each.startsWith(`# ${comment}\n`));
  if (block === undefined) throw new Error(`the page has no block that begins with "# ${comment}"`);
  const script = `set -eu\nPATH=$HOME/.local/bin:$PATH\ncd "$HOME"\n${block.replace('fiatrail profiles rules set', 'fiatrail --yes profiles rules set')}`;
  const ran = await home.run('/bin/sh', ['-c', script]);
  expect({ comment, code: ran.code, stderr: ran.stderr }).toEqual({ comment, code: 0, stderr: expect.anything() });
  return ran;
}

/** A machine with a profile of a served sandbox, that has paid once; and the key of the sandbox. */
async function machine() {
  const { url, apiKey } = await serveSandbox(onTestFinished);
  const home = await cronHome();
  await home.fiatrail(['profiles', 'add', 'main', '--base-url', url, '--key-stdin'], `${apiKey}\n`);
  const pay = (to: CronHome) =>
    to.json<{ withdrawalId?: string }>(
      ...'fees withdraw --amount 1000 --bank-code 000013 --account-number 0123456789 --account-name ADA'.split(' '),
      ...'--once rent-2026-11 --yes --profile main'.split(' '),
    );
  return { home, apiKey, pay };
}

const give = (from: CronHome, to: CronHome, file: string) => copyFileSync(join(from.path, file), join(to.path, file));

test('a profile that was moved to another machine keeps its idempotency keys', { timeout: 120_000 }, async () => {
  const { home, apiKey, pay } = await machine();
  await pay(home);
  await follow(home, 'on the old machine');
  const other = await cronHome();
  for (const file of ['journal.ndjson', 'main.json']) give(home, other, file);
  writeFileSync(join(other.path, 'key.txt'), `${apiKey}\n`, { mode: 0o600 });
  await follow(other, 'on the new machine');
  await pay(other);
  const { withdrawals } = await other.json<{ withdrawals: unknown[] }>(
    ...'fees withdrawals list --profile main'.split(' '),
  );
  expect(withdrawals).toHaveLength(1);
});

test('a colleague can look, and change nothing', { timeout: 120_000 }, async () => {
  const { home, apiKey, pay } = await machine();
  await follow(home, 'on your machine');
  const colleague = await cronHome();
  give(home, colleague, 'main.json');
  writeFileSync(join(colleague.path, 'key.txt'), `${apiKey}\n`, { mode: 0o600 });
  const { stdout } = await follow(colleague, 'on your colleague’s machine');
  expect(stdout).toMatch(/^Reachable +yes$/m);
  await expect(pay(colleague)).rejects.toThrow('RULE_READ_ONLY');
});
