import { beforeEach, expect, test } from 'vitest';
import { main } from '../../src/main.ts';
import { journalRows } from '../support/journal.ts';
import { type FakeWorld, fakeWorld } from '../support/world.ts';

let world: FakeWorld;
beforeEach(() => {
  world = fakeWorld();
});

const run = (line: string) => main([...line.split(' '), '--yes', '-q'], world);
const fault = (endpoint: string, kind: string) => run(`sandbox fault add --on ${endpoint} --kind ${kind}`);
const states = () => journalRows(world.stateDir).map(({ state }) => state);
const withdraw = (more: string) =>
  run(`fees withdraw --amount 500 --bank-code 000013 --account-number 0123456789 --account-name ADA ${more}`);

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
  expect(await withdraw('--no-tag --reference b')).toBe(6);
  expect(await run('ops reconcile')).toBe(6);
  expect(states()).toEqual(['unknown', 'unknown']);
});

test('a row with the tag of another request is given to that one', async () => {
  await fault('fees.withdraw', 'lost-request');
  expect(await withdraw('--no-tag')).toBe(6);
  await fault('fees.withdraw', 'lost-response');
  expect(await withdraw('--note b')).toBe(6);
  expect(await run('ops reconcile')).toBe(6);
  expect(states()).toEqual(['unknown', 'accepted']);
});

test('of two equal requests, one gets the row', async () => {
  await fault('fees.withdraw', 'lost-request');
  expect(await withdraw('--no-tag --once a')).toBe(6);
  await fault('fees.withdraw', 'lost-response');
  expect(await withdraw('--no-tag --once b')).toBe(6);
  expect(await run('ops reconcile')).toBe(6);
  expect(states().toSorted()).toEqual(['accepted', 'unknown']);
});
