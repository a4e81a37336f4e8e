import { afterAll, beforeAll, expect, test } from 'vitest';
import { firstFound, worldInHand } from '../questions/in-hand.ts';
import { nameOf, QUESTIONS } from '../questions/things-in-hand.ts';
import { startPostgres, type TestServer } from '../support/postgres.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());

test('what people have in hand finds in a local copy on a server what it finds in a file', async () => {
  const world = await worldInHand({ FIATRAIL_COPY_URL: server.newDatabase() });
  const found = [];
  for (const [typed] of QUESTIONS) found.push([typed, await firstFound(world, typed)]);
  expect(found).toEqual(QUESTIONS.map(([typed, thing]) => [typed, nameOf(thing)]));
});
