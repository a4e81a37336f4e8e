/** Matches an offramp that may still change. */
export const IS_OPEN_OFFRAMP = `state NOT IN ('completed', 'failed', 'cancelled')`;

/** Matches a payout of the fintech that has not ended. The bank may still reverse a completed one. */
export const IS_OPEN_PAYOUT = `state NOT IN ('completed', 'failed', 'cancelled', 'reversed')`;
