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

/** A change of that part, after one look and until the one at which it was seen. */
interface PartChange {
  readonly since: string;
  readonly at: string;
  readonly minor: bigint;
  /** Why nothing says how large it was; null if it is known. */
  readonly known: 'UNLISTED' | null;
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
  /** The number of its first look, and of the first one that has few amounts to choose from; undefined if none has. */
  readonly first: number;
  sure: number | undefined;
  possible: Possible;
}

/**
 * What a run is: what the lists say if that is possible, or what is nearest to it. Amounts that are not known are taken to explain as much as they
 * can of what changed since the run before.
 */
function likeliest({ low, high, values }: Possible, likely: bigint): bigint {
  if (!values) return likely < low ? low : likely > high ? high : likely;
  const far = (value: bigint) => (value > likely ? value - likely : likely - value);
  return [...values].reduce((best, value) => (far(value) < far(best) ? value : best));
}

const isPossible = ({ low, high, values }: Possible, value: bigint): boolean =>
  values ? values.has(value) : low <= value && value <= high;

/**
 * Returns the changes between looks; before the first one it was `before`, or whatever that one saw. How large a change was is known if what is
 * under way at looks leaves one amount before it and one after it. A look that may have seen any of a range only shows that there was a change: it
 * is the next one that tells its likely amount which has few to choose from.
 */
export function changesOf(parts: readonly SeenPart[], before?: bigint): readonly PartChange[] {
  const seen = parts.map(possibleAt);
  const runs: Run[] = [];
  for (const [index, possible] of seen.entries()) {
    const run = runs.at(-1);
    const stays = run && both(run.possible, possible);
    const sure = possible.values ? index : undefined;
    if (run && stays) {
      run.possible = stays;
      run.sure ??= sure;
    } else runs.push({ first: index, sure, possible });
  }
  let last = before;
  return runs.flatMap((run, number): PartChange[] => {
    const { first, sure, possible } = run;
    const look = parts[sure ?? first];
    if (!look) return [];
    const isOpen = sure === undefined && look.room.some((minor) => minor !== 0n);
    const [was, now] = [last, likeliest(possible, isOpen && last !== undefined ? last : look.likely)];
    last = now;
    const minor = was === undefined ? 0n : now - was;
    if (was === undefined || minor === 0n) return [];
    const isSure = [...(first > 0 ? [runs[number - 1]] : []), run].every((each) => each?.possible.values?.size === 1);
    // Of what was there before the first look, only that one tells.
    if (first === 0 && isSure) return [{ since: look.at, at: look.at, minor, known: null }];
    const by = seen.findIndex((each, index) => index >= first && !isPossible(each, was));
    const since = seen.findLastIndex((each, index) => index < by && !isPossible(each, now));
    const [from, to] = [parts[Math.max(since, 0)], parts[by]];
    return from && to ? [{ since: from.at, at: to.at, minor, known: isSure ? null : 'UNLISTED' }] : [];
  });
}
