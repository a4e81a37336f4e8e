import { contentOf, writeContent } from './folder-copy.ts';
import { onceInRun } from './once-in-run.ts';
import { countingIds, type FakeWorld, fakeClock, fakeWorld, type WorldOptions } from './world.ts';

/** Above the count of ids that any beginning takes. */
const IDS_AFTER = 1_000_000;

/**
 * Returns what opens a world that begins with a copy of all files that some commands left, at their time: they run once, for all tests of a
 * file, or with a name for all files of a run of the suite. `made` is what `begin` returned.
 */
export function worldAfter<T>(
  begin: (world: FakeWorld) => Promise<T>,
  startMs?: number,
  { name, ...options }: WorldOptions & { readonly name?: string } = {},
): () => Promise<{ world: FakeWorld; made: T }> {
  const begun = async () => {
    const world = fakeWorld({ ...options, clock: fakeClock(startMs) });
    return left(world, await begin(world));
  };
  return copiesOf(() => (name === undefined ? begun() : onceInRun(name, begun)), IDS_AFTER, options);
}

/** The same for what more commands leave in a world that `open` opened. */
export function worldThen<T>(
  open: () => Promise<{ world: FakeWorld }>,
  more: (world: FakeWorld) => Promise<T>,
): () => Promise<{ world: FakeWorld; made: T }> {
  const begun = async () => {
    const { world } = await open();
    return left(world, await more(world));
  };
  return copiesOf(begun, 2 * IDS_AFTER);
}

const left = <T>({ homeDir, clock }: FakeWorld, made: T) => ({
  made,
  content: contentOf(homeDir),
  nowMs: clock.now(),
});

function copiesOf<T>(begun: () => Promise<ReturnType<typeof left<T>>>, firstId: number, options: WorldOptions = {}) {
  let beginning: ReturnType<typeof begun> | undefined;
  return async () => {
    beginning ??= begun();
    const { made, content, nowMs } = await beginning;
    const world = fakeWorld({ ...options, clock: fakeClock(nowMs) });
    writeContent(content, world.homeDir);
    return { world: { ...world, ids: countingIds(firstId) }, made };
  };
}
