import { afterAll, beforeAll, expect, test } from 'vitest';
import { typedAs } from '../../src/copy/questions/typed.ts';
import { firstFound, worldInHand } from '../questions/in-hand.ts';
import { nameOf, QUESTIONS } from '../questions/things-in-hand.ts';
import { startPostgres, type TestServer } from '../support/postgres.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());

type Question = (typeof QUESTIONS)[number];

/** The thing that a question is about, and the ways in which it is looked for: a server does not know the spelling. */
function formOf([text, thing]: Question): string {
  const { keys, sums, equalSums, starts, words } = typedAs({ text, isPhone: false });
  const ends = starts.filter(({ end }) => end !== '');
  return [thing, ...[keys, sums, equalSums, starts, ends, words].map((each) => each.length > 0)].join();
}

/** Of each form the last question, which has a letter wrong if it is about a name. */
const asked = [...new Map(QUESTIONS.map((each) => [formOf(each), each])).values()];

test('what people have in hand finds in a local copy on a server what it finds in a file', async () => {
  expect(asked.length).toBeGreaterThanOrEqual(60);
  const world = await worldInHand({ FIATRAIL_COPY_URL: server.newDatabase() });
  const found = [];
  for (const [typed] of asked) found.push([typed, await firstFound(world, typed)]);
  expect(found).toEqual(asked.map(([typed, thing]) => [typed, nameOf(thing)]));
});
