/** The earlier of two times: an SQL expression. If nothing says the second, it is the first. */
export const earlierOf = (time: string, other: string): string =>
  `CASE WHEN ${other} < ${time} THEN ${other} ELSE ${time} END`;

/** The later of two times: an SQL expression. If nothing says the second, it is the first. */
export const laterOf = (time: string, other: string): string =>
  `CASE WHEN ${other} > ${time} THEN ${other} ELSE ${time} END`;

/** Times that may stand in a statement as they are. */
const IN_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Returns the number of the first of some times, in their order, that is not before another one, from 0 on: what `bucketOf` says of a column. */
export function bucketIn(times: readonly string[], at: string): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? '') < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Returns an SQL expression for the first of some times, in their order, that is not before a column: its number, from 0 on. It compares a few of
 * them for each row, however many they are. Throws for a text that is no time.
 */
export function bucketOf(column: string, times: readonly string[]): string {
  const between = (low: number, high: number): string => {
    if (high <= low) return String(low);
    const middle = (low + high) >> 1;
    const time = times[middle] ?? '';
    if (!IN_UTC.test(time)) throw new Error(`${time} is no time`);
    return `CASE WHEN ${column} <= '${time}' THEN ${between(low, middle)} ELSE ${between(middle + 1, high)} END`;
  };
  return between(0, times.length);
}
