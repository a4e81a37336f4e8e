import { main } from '../../src/main.ts';
import { refusal } from '../support/exchange.ts';
import { ACCOUNT, type FakeWorld, fakeWorld } from '../support/world.ts';
import { copied } from './copy.ts';
import { ROWS } from './things-in-hand.ts';

/** An account with things that people have in hand, whose service knows no id. */
export async function worldInHand(env: Readonly<Record<string, string>> = {}): Promise<FakeWorld> {
  const network = async () => refusal(404, '02', 'Not found');
  const world = fakeWorld({ env: { ...ACCOUNT, ...env }, network });
  await copied(world, ROWS);
  return world;
}

/** Returns `kind id` of the first thing that is found; undefined for nothing. */
export async function firstFound(world: FakeWorld, typed: string): Promise<string | undefined> {
  const [before, errors] = [world.stdout.text().length, world.stderr.text().length];
  const code = await main(['find', '-o', 'json', '-q', '--', typed], world);
  const out = world.stdout.text().slice(before);
  if (code !== 0) {
    const { error } = JSON.parse(world.stderr.text().slice(errors));
    if (code !== 3 || error.code !== 'NOT_FOUND') return `${code} ${error.message}`;
    return undefined;
  }
  const data = JSON.parse(out);
  const { kind, id } = data.matches?.[0] ?? data;
  return `${kind} ${id}`;
}
