/**
 * How long external systems take, in milliseconds of sandbox time. Source: inferred, from times in public text and
 * client reports.
 */
export const PACES = {
  instant: {
    ...{ verifyBvn: 0, openAccount: 0, mint: 0, deliver: 0, refund: 0, payout: 0, step: 0 },
    ...{ swap: 0, bridgeDetected: 0, bridge: 0, lock: 0, sign: 0, confirm: 0, approveVault: 0 },
  },
  quick: {
    ...{ verifyBvn: 300, openAccount: 100, mint: 250, deliver: 150, refund: 250, payout: 400, step: 100 },
    ...{ swap: 250, bridgeDetected: 150, bridge: 300, lock: 100, sign: 200, confirm: 250, approveVault: 400 },
  },
  real: {
    ...{ verifyBvn: 120_000, openAccount: 5_000, mint: 60_000, deliver: 15_000, refund: 300_000, payout: 120_000 },
    ...{ step: 10_000, swap: 30_000, bridgeDetected: 30_000, bridge: 170_000, lock: 2_000, sign: 30_000 },
    ...{ confirm: 60_000, approveVault: 86_400_000 },
  },
} as const;

export type PaceName = keyof typeof PACES;
export type Pace = Readonly<Record<keyof (typeof PACES)['quick'], number>>;

export function isPaceName(text: string): text is PaceName {
  return Object.hasOwn(PACES, text);
}

/** How long a temporary virtual account can be paid: 30 minutes. Source: interface. */
export const TEMPORARY_ACCOUNT_MS = 30 * 60_000;

/** How long a quote and the lock of a trade are valid: 5 minutes. Source: interface. */
export const FX_WINDOW_MS = 5 * 60_000;

/** How long each state lasts for a test value that shows every state, at any pace. */
export const SHOWN_STATE_MS = 60_000;

/** How long after its completion a payout to the test account is reversed. */
export const REVERSAL_MS = 60 * 60_000;

/** How long a manual review may take before the payout fails. */
export const REVIEW_MS = 3 * 86_400_000;
