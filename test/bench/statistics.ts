/** The value below which `share` (0 to 1) of the values lie, between two of them in proportion. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const position = (sorted.length - 1) * share;
  const below = Math.floor(position);
  const low = sorted[below] ?? Number.NaN;
  const high = sorted[Math.ceil(position)] ?? low;
  return low + (high - low) * (position - below);
}

export const median = (values: readonly number[]) => quantile(values, 0.5);

/** The ratio of each run to the run beside it. */
export function ratios(values: readonly number[], beside: readonly number[]): number[] {
  return values.map((value, index) => value / (beside[index] ?? Number.NaN));
}
