/** Returns the quantile for `share` (0 to 1), interpolated between values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const position = (sorted.length - 1) * share;
  const below = Math.floor(position);
  const low = sorted[below] ?? Number.NaN;
  const high = sorted[Math.ceil(position)] ?? low;
  return low + (high - low) * (position - below);
}

export const median = (values: readonly number[]) => quantile(values, 0.5);

/** Returns the ratio of each run to its paired run. */
export function ratios(values: readonly number[], beside: readonly number[]): number[] {
  return values.map((value, index) => value / (beside[index] ?? Number.NaN));
}
