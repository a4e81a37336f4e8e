/** Matches a withdrawal that has not ended. */
export const IS_OPEN_WITHDRAWAL = `state NOT IN ('completed', 'failed')`;
