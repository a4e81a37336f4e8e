import { contentOf, writeContent } from './folder-copy.ts';
import { onceInRun } from './once-in-run.ts';
import { countingIds, type FakeWorld, fakeClock, fakeWorld } from './world.ts';

/** Above the count of ids that any beginning takes. */
const IDS_AFTER = 1_000_000;

/**
 * Returns what opens a world that begins with a copy of all files that some commands left, at their time: they run once, for all tests of a
 * file, or with a name for all files of a run of the suite. `made` is what `begin` returned.
 */
export function worldAfter<T>(
  begin: (world: FakeWorld) => Promise<T>,
  startMs?: number,
  name?: string,
): () => Promise<{ world: FakeWorld; made: T }> {
  const begun = async () => {
    const first = fakeWorld({ clock: fakeClock(startMs) });
    const made = await begin(first);
    return { made, content: contentOf(first.homeDir), nowMs: first.clock.now() };
  };
  let beginning: ReturnType<typeof begun> | undefined;
  return async () => {
    beginning ??= name === undefined ? begun() : onceInRun(name, begun);
    const { made, content, nowMs } = await beginning;
    const world = fakeWorld({ clock: fakeClock(nowMs) });
    writeContent(content, world.homeDir);
    return { world: { ...world, ids: countingIds(IDS_AFTER) }, made };
  };
}
