import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { savedQuote, saveQuote } from '../../src/account/saved-quotes.ts';
import { fakeWorld } from '../support/world.ts';

const TERMS = { pair: 'CNGN-USDC', side: 'buy', cngnAmount: '5000', price: '1395.71385' };

const worldWith = (content: string) => {
  const world = fakeWorld();
  world.ensurePrivateDir(world.stateDir);
  writeFileSync(join(world.stateDir, 'quotes.json'), content, { mode: 0o600 });
  return world;
};

test('a quote is kept for the trade on it, in a private file', () => {
  const world = fakeWorld();
  expect(savedQuote(world, 'q-1')).toBeUndefined();
  saveQuote(world, 'q-1', TERMS);
  saveQuote(world, 'q-2', { ...TERMS, side: 'sell' });
  expect(savedQuote(world, 'q-1')).toEqual(TERMS);
  expect(savedQuote(world, 'q-2')).toEqual({ ...TERMS, side: 'sell' });
  expect(statSync(join(world.stateDir, 'quotes.json')).mode & 0o777).toBe(0o600);
});

test('only the last 50 quotes are kept', () => {
  const world = fakeWorld();
  for (let count = 1; count <= 51; count++) saveQuote(world, `q-${count}`, TERMS);
  expect(savedQuote(world, 'q-1')).toBeUndefined();
  expect(savedQuote(world, 'q-2')).toEqual(TERMS);
  expect(savedQuote(world, 'q-51')).toEqual(TERMS);
});

test.each([
  ['no JSON', '{"q-1":'],
  ['null', 'null'],
  ['a list', JSON.stringify([TERMS])],
  ['a quote without terms', JSON.stringify({ 'q-1': null })],
  ...Object.keys(TERMS).map((name) => [`no ${name}`, JSON.stringify({ 'q-1': { ...TERMS, [name]: undefined } })]),
  ['an amount as a number', JSON.stringify({ 'q-1': { ...TERMS, cngnAmount: 5000 } })],
])('a file with %s is worth nothing, and stops no quote', (_what, content) => {
  const world = worldWith(content);
  expect(savedQuote(world, 'q-1')).toBeUndefined();
  saveQuote(world, 'q-2', TERMS);
  expect(savedQuote(world, 'q-2')).toEqual(TERMS);
});

test('what else an edited file says of a quote is not taken', () => {
  const world = worldWith(JSON.stringify({ 'q-1': { ...TERMS, idempotencyKey: 'k', amount: '1' } }));
  expect(savedQuote(world, 'q-1')).toEqual(TERMS);
});
