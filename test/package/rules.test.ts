import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { fiatrail, newHomeWithCache, requireBuilt } from '../support/built.ts';
import { withdraw } from '../support/fee-withdrawal.ts';

beforeAll(requireBuilt);

const PAY = withdraw('500', '-q');

/** Runs a command, and returns the code of the program that it loaded. */
async function codeOf(argv: readonly string[], rules?: readonly string[]): Promise<string> {
  const home = newHomeWithCache(onTestFinished);
  if (rules) await fiatrail(home, ['profiles', 'rules', 'set', ...rules, '--yes']);
  expect((await fiatrail(home, argv)).code).toBe(0);
  const folder = join(home.env['XDG_CACHE_HOME'] ?? '', 'fiatrail');
  const [name = ''] = readdirSync(folder).filter((each) => each.endsWith(`-${argv[0]}.code`));
  return readFileSync(join(folder, name), 'latin1');
}

/** A text of the code that checks rules, and one of every program. */
const [OF_RULES, OF_ALL] = ['only reads are allowed', 'suppress notices on stderr'];

test.each([[['banks', '-q']], [PAY]])('%j without rules loads none of the code that checks them', async (argv) => {
  const code = await codeOf(argv);
  expect(code).toContain(OF_ALL);
  expect(code.includes(OF_RULES)).toBe(false);
});

test('money with rules loads it', async () => {
  expect((await codeOf(PAY, ['--max-per-call', 'NGN 500'])).includes(OF_RULES)).toBe(true);
});
