/** The longest that a plan can hold: the two people who agreed to it may think otherwise a month later. */
export const LONGEST_PLAN_MS = 30 * 24 * 3_600_000;
