import type { Asset } from '../../money/amount.ts';

/** What a line of a confirmation says about a balance, so that nobody has to read its words. */
interface Balance {
  readonly asset: Asset;
  readonly beforeMinor: bigint;
  /** Negative if the balance does not cover the change; undefined if the change to it is not known. */
  readonly afterMinor: bigint | undefined;
}

/** A label and its value in a confirmation. */
export type ShownLine = readonly [label: string, value: string, balance?: Balance];
