import type { Hint } from '../../base/advice.ts';
import type { Asset } from '../../money/amount.ts';

/** What a line of a confirmation says about a balance, so that nobody has to read its words. */
export interface BalanceChange {
  readonly asset: Asset;
  readonly beforeMinor: bigint;
  /** Negative if the balance does not cover the change; undefined if the change to it is not known. */
  readonly afterMinor: bigint | undefined;
  /** Whether the change to it is only estimated, so that the balance may cover it although it does not look so. */
  readonly isEstimate?: boolean;
  /** Whether a part of it could not be read. */
  readonly isPartial?: boolean;
  /** The wallets of the user, if the one that should pay is none of them. */
  readonly otherWallets?: readonly string[] | undefined;
  /** The smallest amount that the service takes at once. */
  readonly minimumMinor?: bigint | undefined;
}

/** Why the service would refuse a change, as far as it was read before. */
export interface Obstacle {
  readonly code: string;
  readonly message: string;
  readonly hint: Hint;
}

/** A balance of which the service says something, but not in a unit or an asset that is known. */
export interface UncertainBalance {
  /** Why it is no amount: `the balance is "84210334500", whose unit is not known`. */
  readonly uncertainty: string;
}

/** Whether what was read of a balance is uncertain, so that it is no amount. */
export const isUncertain = (balance: object | undefined): balance is UncertainBalance =>
  balance !== undefined && 'uncertainty' in balance;

/** A label and its value in a confirmation. */
export type ShownLine = readonly [
  label: string,
  value: string,
  balance?: BalanceChange | UncertainBalance | undefined,
  obstacle?: Obstacle | undefined,
];
