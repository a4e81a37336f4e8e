import { copyOf } from './folder-copy.ts';
import { countingIds, type FakeWorld, fakeClock, fakeWorld, type WorldOptions } from './world.ts';

/** Above the count of ids that any beginning takes. */
const IDS_AFTER = 1_000_000;

/**
 * Returns what opens a world that begins with a copy of all files that some commands left, at their time: they run once, for all tests of a
 * file. `made` is what `begin` returned.
 */
export function worldAfter<T>(
  begin: (world: FakeWorld) => Promise<T>,
  startMs?: number,
  options: WorldOptions = {},
): () => Promise<{ world: FakeWorld; made: T }> {
  const begun = async () => {
    const first = fakeWorld({ ...options, clock: fakeClock(startMs) });
    const made = await begin(first);
    return { made, restore: copyOf(first.homeDir), nowMs: first.clock.now() };
  };
  let beginning: ReturnType<typeof begun> | undefined;
  return async () => {
    beginning ??= begun();
    const { made, restore, nowMs } = await beginning;
    const world = fakeWorld({ ...options, clock: fakeClock(nowMs) });
    restore(world.homeDir);
    return { world: { ...world, ids: countingIds(IDS_AFTER) }, made };
  };
}
