import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, test } from 'vitest';
import { main } from '../../src/main.ts';
import { journalRows } from '../support/journal.ts';
import { prepared, testJournal } from '../support/journal-intent.ts';
import { type FakeWorld, fakeWorld } from '../support/world.ts';

let world: FakeWorld;
beforeEach(() => {
  world = fakeWorld();
});

const run = (line: string) => main([...line.split(' '), '--yes', '-q'], world);
const fault = (endpoint: string, kind: string) => run(`sandbox fault add --on ${endpoint} --fault ${kind}`);
const states = () => journalRows(world.stateDir).map(({ state }) => state);
const withdraw = (more: string) =>
  run(`fees withdraw --amount 500 --bank-code 000013 --account-number 0123456789 --account-name ADA ${more}`);

/**
 * Withdraws although the outcome of an equal withdrawal is unknown, which is not sent any more: the journal hides the first one meanwhile. Requests to
 * different endpoints can still compete for one row.
 */
async function withdrawToo(more: string): Promise<number> {
  const turn = (from: string, to: string) => {
    const journal = new DatabaseSync(join(world.stateDir, 'journal.db'));
    const [trigger] = journal.prepare("SELECT sql FROM sqlite_schema WHERE name = 'operation_update'").all();
    journal.exec(`DROP TRIGGER operation_update; UPDATE operation SET state = '${to}' WHERE state = '${from}'`);
    journal.exec(String(trigger?.['sql']));
    journal.close();
  };
  // The operation of the last entry is compared with its entries before money is sent.
  const journal = await testJournal({ path: join(world.stateDir, 'journal.db') });
  const account = { keyFingerprint: 'ffff', profile: 'another', baseUrl: 'https://another.invalid' };
  await journal.learnFintech(account, { id: 'another', isLive: false });
  journal.close();
  turn('unknown', 'accepted');
  const exit = await withdraw(more);
  turn('accepted', 'unknown');
  return exit;
}

test.each(['buy', 'sell'])('an order to %s whose response was lost is found', async (side) => {
  await fault('fx.create-order', 'lost-response');
  expect(await run(`fx orders create --pair CNGN-USDC --side ${side} --price 1300 --min 1000 --max 5000`)).toBe(6);
  expect(await run('ops reconcile')).toBe(0);
  expect(states()).toEqual(['settled']);
});

test('a row that may be the work of two different requests is given to neither', async () => {
  await fault('fees.withdraw', 'lost-request');
  expect(await withdraw('--no-tag --reference a')).toBe(6);
  await fault('fees.withdraw', 'lost-response');
  expect(await withdrawToo('--no-tag --reference b')).toBe(6);
  expect(await run('ops reconcile')).toBe(6);
  expect(states()).toEqual(['unknown', 'unknown']);
});

test('a row with the tag of another request is given to that one', async () => {
  await fault('fees.withdraw', 'lost-request');
  expect(await withdraw('--no-tag')).toBe(6);
  await fault('fees.withdraw', 'lost-response');
  expect(await withdrawToo('--note b')).toBe(6);
  expect(await run('ops reconcile')).toBe(6);
  expect(states()).toEqual(['unknown', 'accepted']);
});

test('an older request takes its row before a later one is looked for', async () => {
  await fault('fees.withdraw', 'lost-response');
  expect(await withdraw('--no-tag')).toBe(6);
  await world.clock.sleep(90_000, new AbortController().signal);
  await fault('fees.withdraw', 'lost-request');
  expect(await withdrawToo('--note b')).toBe(6);
  expect(await run('ops reconcile')).toBe(6);
  // The later one has had its first look, and was not mistaken for the maker of a row that is not its own.
  expect(world.stdout.text()).toContain('unseen');
  expect(states()).toEqual(['accepted', 'unknown']);
});

test('a row that was found by two at once is given to one', async () => {
  const journal = await testJournal();
  const found = { requestId: 'FTW_1', detail: 'found' };
  const ids: string[] = [];
  for (const idempotencyKey of ['a', 'b']) {
    const id = await prepared(journal, { idempotencyKey });
    await journal.append(id, 'sent');
    await journal.append(id, 'unknown');
    ids.push(id);
  }
  const [one = '', other = ''] = ids;
  const taken: boolean[] = [];
  for (const id of [one, other, one]) taken.push(await journal.take(id, found));
  expect(taken).toEqual([true, false, false]);
  expect((await journal.list({ requestId: 'FTW_1', limit: 10 })).map(({ operationId }) => operationId)).toEqual([one]);
  journal.close();
});
