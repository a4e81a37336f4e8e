import { join } from 'node:path';
import fc from 'fast-check';
import { expect } from 'vitest';
import { main } from '../../src/main.ts';
import { ACCOUNT, type FakeWorld, fakeClock, fakeWorld } from '../support/world.ts';
import { LISTS, type MovingService, movingService } from './moving-service.ts';

export const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;

/** A service that moves, and a machine that copies it. */
export function rig() {
  const clock = fakeClock();
  const service = movingService(clock.now);
  const world = fakeWorld({ clock, network: (...given) => service.exchange(...given), env: ACCOUNT });
  return { clock, service, world };
}

export const path = ({ stateDir }: FakeWorld) => join(stateDir, 'copy-environment.db');

export async function sync(world: FakeWorld, ...more: string[]): Promise<number> {
  const code = await main(['sync', '-o', 'json', ...more], world);
  return code;
}

/** Something that happens to a list. */
export type Action = {
  readonly list: string;
  readonly kind: 'add' | 'late' | 'move' | 'remove' | 'back';
  readonly at: number;
};

const action = (kinds: readonly Action['kind'][]): fc.Arbitrary<Action> =>
  fc.record({
    list: fc.constantFrom(...Object.keys(LISTS)),
    kind: fc.constantFrom(...kinds),
    at: fc.nat(400),
  });

export function act(service: MovingService, { list, kind, at }: Action): void {
  const place = at % Math.max(1, service.rows[list]?.length ?? 1);
  if (kind === 'add') service.add(list);
  if (kind === 'late') service.add(list, (at % 9) * MINUTE_MS);
  if (kind === 'move') service.move(list, place);
  if (kind === 'remove') service.remove(list, place);
  if (kind === 'back') service.move(list, place, LISTS[list]?.ends.at(-1));
}

/** A step of a history: some actions, then time passes, or a sync that may be killed, while the service goes on. */
export interface Step {
  readonly before: readonly Action[];
  readonly passesMs: number;
  readonly meanwhile: readonly Action[];
  readonly killedAfter: number | undefined;
}

export const step = (kinds: readonly Action['kind'][], longestMs: number): fc.Arbitrary<Step> =>
  fc.record({
    before: fc.array(action(kinds), { maxLength: 40 }),
    passesMs: fc.nat(longestMs),
    meanwhile: fc.array(action(kinds), { maxLength: 20 }),
    killedAfter: fc.option(fc.nat(30), { nil: undefined, freq: 2 }),
  });

/** Fills the lists with more than a page. */
export function fill(
  { add, rows, move }: MovingService,
  clock: ReturnType<typeof fakeClock>,
  count: number,
): Promise<void> {
  return (async () => {
    for (const list of Object.keys(LISTS))
      for (let each = 0; each < count; each++) {
        await clock.sleep(7 * MINUTE_MS, new AbortController().signal);
        add(list);
        move(list, 0);
        move(list, Math.min(each, 3));
        move(list, Math.min(each, 3));
      }
    expect(rows['users']).toHaveLength(count);
  })();
}

export async function play({ clock, service, world }: ReturnType<typeof rig>, steps: readonly Step[]): Promise<void> {
  for (const { before, passesMs, meanwhile, killedAfter } of steps) {
    for (const each of before) act(service, each);
    await clock.sleep(passesMs, new AbortController().signal);
    let requests = 0;
    const left = [...meanwhile];
    service.onRequest = () => {
      requests += 1;
      const next = left.shift();
      if (next) act(service, next);
      if (killedAfter !== undefined && requests > killedAfter) throw new Error('killed');
    };
    await sync(world);
    service.onRequest = undefined;
  }
}
