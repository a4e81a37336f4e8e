import { writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import type { Prompter } from '../../src/base/world.ts';
import { main } from '../../src/main.ts';
import { temporaryFolder } from '../support/sandbox.ts';
import { fakeWorld } from '../support/world.ts';

test.each(['1.00', '4.00'])('what is sent is what was agreed to, whatever the file is later: %s', async (later) => {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const path = folder.file('pay.csv');
  const write = (amount: string) => writeFileSync(path, `reference,to,amount\nA,default,1.00\nB,default,${amount}\n`);
  write('2.00');
  const world = fakeWorld({ isTerminal: true });
  let question = '';
  const prompter = {
    confirm: async (text: string) => {
      question = text;
      write(later);
      return true;
    },
  } as Partial<Prompter> as Prompter;
  const words = ['bulk', 'create', path, '--as', 'payout create', '--once', 'nov', '-o', 'json'];
  const code = await main(words, { ...world, prompter: async () => prompter });
  expect(question).toBe('Send 2 rows as payout create. Continue?');
  expect(world.stderr.text()).toMatch(/sum +3\.00 cNGN/);
  expect([code, world.stderr.text()]).toEqual([2, expect.stringContaining('changed since it was checked')]);
  const listed = fakeWorld({ env: { FIATRAIL_STATE_DIR: world.stateDir } });
  await main(['ops', 'list', '-q', '-o', 'json'], listed);
  expect(JSON.parse(listed.stdout.text()).operations).toEqual([]);
});
