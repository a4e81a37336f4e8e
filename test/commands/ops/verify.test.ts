import { copyFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, test } from 'vitest';
import { main } from '../../../src/main.ts';
import { withdraw } from '../../support/fee-withdrawal.ts';
import { journalRows } from '../../support/journal.ts';
import { type FakeWorld, fakeWorld } from '../../support/world.ts';

let world: FakeWorld;
beforeEach(() => {
  world = fakeWorld();
});

const run = (argv: readonly string[], given = world) => main([...argv, '-q'], given);
const journal = () => join(world.stateDir, 'journal.db');
const wasPaid = (amount: number) => journalRows(world.stateDir).some(({ request }) => request.includes(`${amount}`));

/** Replaces the journal with the copy that was made before the last withdrawal. */
async function restoreBackup() {
  expect(await run(withdraw('500'))).toBe(0);
  const copy = join(world.stateDir, 'copy.db');
  const database = new DatabaseSync(journal());
  database.prepare('VACUUM INTO ?').run(copy);
  database.close();
  expect(await run(withdraw('600'))).toBe(0);
  for (const name of readdirSync(world.stateDir))
    if (name.startsWith('journal.db-')) rmSync(join(world.stateDir, name));
  copyFileSync(copy, journal());
}

describe('after a backup was restored', () => {
  test('money commands stop until it is accepted', async () => {
    await restoreBackup();
    expect(await run(withdraw('700'))).toBe(2);
    expect(world.stderr.text()).toContain('it was cut, deleted or restored from an older copy; nothing was sent');
    expect(wasPaid(70_000)).toBe(false);
    expect(await run(['ops', 'journal', 'verify'])).toBe(3);
    expect(await run(['ops', 'journal', 'verify', '--accept'])).toBe(2);
    expect(await run(withdraw('700'))).toBe(2);
    expect(await run(['ops', 'journal', 'verify', '--accept', '--yes'])).toBe(0);
    expect(await run(withdraw('700'))).toBe(0);
    expect(wasPaid(70_000)).toBe(true);
    expect(await run(['ops', 'journal', 'verify'])).toBe(0);
  });

  test.each([
    [true, 0],
    [false, 9],
  ])('a person is told what is lost, and decides: %s', async (says, exit) => {
    await restoreBackup();
    const answers = [{ kind: 'confirm', asks: 'Accept the journal as it is. Continue?', says }] as const;
    const terminal = { ...fakeWorld({ isTerminal: true, answers }), env: world.env, homeDir: world.homeDir };
    expect(await run(['ops', 'journal', 'verify', '--accept'], terminal)).toBe(exit);
    expect(terminal.stderr.text()).toContain('fiatrail may do it again');
    expect(await run(withdraw('700'))).toBe(says ? 0 : 2);
  });

  test('reads and lists go on', async () => {
    await restoreBackup();
    expect(await run(['ops', 'list'])).toBe(0);
    expect(await run(['fees', 'withdrawals', 'list'])).toBe(0);
  });
});

test('there is nothing to accept in a whole journal, and nothing is asked', async () => {
  await run(withdraw('500'));
  const terminal = { ...fakeWorld({ isTerminal: true, answers: [] }), env: world.env, homeDir: world.homeDir };
  expect(await run(['ops', 'journal', 'verify', '--accept'], terminal)).toBe(0);
});
