import { expect, test } from 'vitest';
import { firstFound, worldInHand } from './in-hand.ts';
import { nameOf, QUESTIONS } from './things-in-hand.ts';

test('what people have in hand finds the thing that they mean first', async () => {
  expect(QUESTIONS.length).toBeGreaterThanOrEqual(120);
  const world = await worldInHand();
  const found = [];
  for (const [typed] of QUESTIONS) found.push([typed, await firstFound(world, typed)]);
  expect(found).toEqual(QUESTIONS.map(([typed, thing]) => [typed, nameOf(thing)]));
});
