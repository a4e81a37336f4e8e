import { describe, expect, test } from 'vitest';
import { rulesSchema } from '../../src/account/rules.ts';
import { RENAMED } from '../../src/contract/renamed.ts';
import { guardIn } from '../../src/engine/sending/once.ts';
import { main } from '../../src/main.ts';
import { fakeWorld } from '../support/world.ts';

const typed = async (command: string) =>
  (await guardIn({ words: command.split(' '), money: 'guarded' }, { amount: 5, once: 'k' }, async () => 0)).guard
    ?.input;

describe('a command with a new name', () => {
  test.each([...RENAMED])('%s is recognized as %s by what was typed', async (before, now) => {
    expect(await typed(now)).toBe(await typed(before));
    expect(await typed(now)).toContain(JSON.stringify(before));
  });

  test('has the limits that were set for it under its former name', () => {
    const amounts = [{ per: 'day', asset: 'NGN', amount: '500', command: 'fees withdraw' }];
    expect(rulesSchema().parse({ amounts }).amounts?.[0]?.command).toBe('fees withdrawals start');
  });

  test('is stopped by a limit that is typed with its former name', async () => {
    const world = fakeWorld();
    const run = (...argv: readonly string[]) => main([...argv, '--yes', '-q'], world);
    expect(await run('profiles', 'rules', 'set', '--max-per-call', 'NGN 400 fees withdraw')).toBe(0);
    expect(await run('fees', 'withdrawals', 'start', '--amount', '500', '--to', 'default')).toBe(9);
    expect(await run('fees', 'withdrawals', 'start', '--amount', '300', '--to', 'default')).toBe(0);
  });
});
