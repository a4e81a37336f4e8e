import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { main } from '../../src/main.ts';
import { journalRows } from '../support/journal.ts';
import { ACCOUNT, fakeWorld } from '../support/world.ts';

const COMMAND = /^\$ (?:printf "\$BVN" \| )?fiatrail (\S+ \S+|\S+)/gm;

test('the tour goes from a BVN to money in a bank account', async () => {
  const world = fakeWorld();
  expect({ code: await main(['tour'], world), stderr: world.stderr.text() }).toEqual({
    code: 0,
    stderr: '',
  });
  const shown = world.stdout.text();
  expect([...shown.matchAll(COMMAND)].map(([, words]) => words)).toEqual([
    'users onboard',
    'users show',
    'onramp create',
    'onramp account',
    'sandbox pay',
    'onramp status',
    'balances user',
    'balances account',
    'offramp create',
    'balances user',
    'fees earned',
    'ops list',
    'sandbox status',
  ]);
  for (const part of ['5,000.00 cNGN', 'Balanced', 'completed', 'That is the tour.']) expect(shown).toContain(part);
});

test('its steps are numbered consecutively', async () => {
  const world = fakeWorld();
  await main(['tour'], world);
  const numbers = [...world.stdout.text().matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number));
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
});

test('its money operations are in the journal', async () => {
  const world = fakeWorld();
  await main(['tour'], world);
  const rows = journalRows(join(world.stateDir, 'tour')).map(({ endpoint, state }) => [endpoint, state]);
  expect(rows).toEqual([
    ['users.onboard', 'settled'],
    ['transactions.onramp', 'settled'],
    ['transactions.offramp', 'settled'],
  ]);
});

test('it can be repeated on the same sandbox, and always prints tables', async () => {
  const world = fakeWorld();
  await main(['tour'], world);
  expect(await main(['tour', '-q', '-o', 'csv', '--csv-raw'], world)).toBe(0);
});

test('it prints no BVN', async () => {
  const world = fakeWorld();
  await main(['tour'], world);
  expect(world.stdout.text()).not.toMatch(/(?<![0-9a-z])2\d{10}(?![0-9a-z])/);
});

test('it has a sandbox of its own with a real account in use, and leaves the journal of that account alone', async () => {
  const world = fakeWorld({ env: ACCOUNT });
  expect(await main(['tour'], world)).toBe(0);
  expect(journalRows(join(world.stateDir, 'tour'))).toHaveLength(3);
  expect(existsSync(join(world.stateDir, 'journal.db'))).toBe(false);
});
