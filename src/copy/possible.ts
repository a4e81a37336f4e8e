/**
 * What the part of a balance may be that no list explains. Nothing says at which moment a movement changes a balance: one that is under way at a
 * look may have changed it or not. A look that can be explained in that way shows no change, and a change lasts as long as no look contradicts it.
 * So a movement under way never makes a difference, and one that stays is seen once less is under way.
 */

/** A look: the part that no list explains, if money moves when the lists say, and the effects of what may have moved earlier or later. */
interface SeenPart {
  readonly at: string;
  readonly likely: bigint;
  readonly effects: readonly bigint[];
  /** The least and the most by which amounts that are not known have changed it since the first look. */
  readonly room: readonly [low: bigint, high: bigint];
}

/** A change of that part, between the look before and the one at which it was seen. */
interface PartChange {
  readonly since: string;
  readonly at: string;
  readonly minor: bigint;
}

/** The most different sums of what is under way at one look; with more, only the least and the greatest of them are known. */
const MOST_SUMS = 4_096;

/** Amounts of which a balance may have one: any from the lowest to the highest, or one of those listed. */
interface Possible {
  readonly low: bigint;
  readonly high: bigint;
  readonly values?: ReadonlySet<bigint>;
}

function possibleAt({ likely, effects, room }: SeenPart): Possible {
  // What they took is missing in the balance, so that without them the rest would be more.
  let [low, high] = [likely - room[1], likely - room[0]];
  let values: ReadonlySet<bigint> | undefined = low === high ? new Set([likely]) : undefined;
  for (const effect of effects) {
    if (effect < 0n) low += effect;
    else high += effect;
    values = values && new Set([...values].flatMap((value) => [value, value + effect]));
    if (values && values.size > MOST_SUMS) values = undefined;
  }
  return { low, high, ...(values ? { values } : {}) };
}

/** Whether lists and a look agree: what is under way at it, and amounts that are not known, can explain all of the rest. */
export function isExplained(look: SeenPart): boolean {
  const { low, high, values } = possibleAt(look);
  return values ? values.has(0n) : low <= 0n && 0n <= high;
}

/** What is possible in both; undefined if nothing is. */
function both(one: Possible, other: Possible): Possible | undefined {
  const low = one.low > other.low ? one.low : other.low;
  const high = one.high < other.high ? one.high : other.high;
  if (low > high) return undefined;
  const listed = one.values ?? other.values;
  if (!listed) return { low, high };
  const isIn = (value: bigint) => value >= low && value <= high && (other.values?.has(value) ?? true);
  const values = new Set([...listed].filter(isIn));
  return values.size === 0 ? undefined : { low, high, values };
}

/** A time in which the part that no list explains stayed as it was. */
interface Run {
  readonly since: string;
  readonly at: string;
  possible: Possible;
  readonly likely: bigint;
  /** Whether amounts that are not known may have changed it. */
  readonly isOpen: boolean;
}

/**
 * What a run is: what the lists say if that is possible, or what is nearest to it. Amounts that are not known are taken to explain as much as they
 * can of what changed since the run before.
 */
function likeliest({ possible: { low, high, values }, isOpen, ...run }: Run, before: bigint | undefined): bigint {
  const likely = isOpen && before !== undefined ? before : run.likely;
  if (!values) return likely < low ? low : likely > high ? high : likely;
  const far = (value: bigint) => (value > likely ? value - likely : likely - value);
  return [...values].reduce((best, value) => (far(value) < far(best) ? value : best));
}

/** Returns the changes between neighbouring looks; before the first one it was `before`, or whatever that one saw. */
export function changesOf(parts: readonly SeenPart[], before?: bigint): readonly PartChange[] {
  const runs: Run[] = [];
  for (const [index, look] of parts.entries()) {
    const possible = possibleAt(look);
    const run = runs.at(-1);
    const stays = run && both(run.possible, possible);
    if (run && stays) run.possible = stays;
    else
      runs.push({
        since: parts[index - 1]?.at ?? look.at,
        at: look.at,
        possible,
        likely: look.likely,
        isOpen: look.room.some((minor) => minor !== 0n),
      });
  }
  let last = before;
  return runs.flatMap((run) => {
    const now = likeliest(run, last);
    const minor = last === undefined ? 0n : now - last;
    last = now;
    return minor === 0n ? [] : [{ since: run.since, at: run.at, minor }];
  });
}
