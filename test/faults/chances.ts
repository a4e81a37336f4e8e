/** Random choices that a seed repeats. */
export interface Chances {
  /** A whole number from 0 to `limit - 1`. */
  below(limit: number): number;
  one<T>(choices: readonly T[]): T;
  /** True in so many percent of the cases. */
  percent(share: number): boolean;
}

/** Returns the choices of a seed (mulberry32). */
export function chancesOf(seed: number): Chances {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const below = (limit: number) => next() % limit;
  return { below, one: (choices) => choices[below(choices.length)] as never, percent: (share) => below(100) < share };
}
