/** Part of a wallet's balance on one network. */
export interface Source {
  readonly wallet: bigint;
  readonly network: string;
  readonly base: bigint;
}

/** Returns the total of all sources in base units. */
export function totalOf(sources: readonly Source[]): bigint {
  return sources.reduce((sum, { base }) => sum + base, 0n);
}

/** Takes `neededBase` from the sources in order; together they must hold enough. */
export function takeInOrder(sources: readonly Source[], neededBase: bigint): Source[] {
  let left = neededBase;
  return sources.flatMap((source) => {
    const base = source.base < left ? source.base : left;
    left -= base;
    return base > 0n ? [{ ...source, base }] : [];
  });
}
