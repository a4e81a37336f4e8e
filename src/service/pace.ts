/** How long the world outside takes, in milliseconds of sandbox time. Source: inferred, from the times public text and clients report. */
export const PACES = {
  instant: { verifyBvn: 0, openAccount: 0, mint: 0, deliver: 0, refund: 0, payout: 0 },
  quick: { verifyBvn: 300, openAccount: 100, mint: 250, deliver: 150, refund: 250, payout: 400 },
  real: { verifyBvn: 120_000, openAccount: 5_000, mint: 60_000, deliver: 15_000, refund: 300_000, payout: 120_000 },
} as const;

export type PaceName = keyof typeof PACES;
export type Pace = Readonly<Record<keyof (typeof PACES)['quick'], number>>;

export function isPaceName(text: string): text is PaceName {
  return Object.hasOwn(PACES, text);
}

/** A temporary virtual account can be paid for 30 minutes. Source: interface. */
export const TEMPORARY_ACCOUNT_MS = 30 * 60_000;
