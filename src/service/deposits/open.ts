/** Matches a deposit that may still change. SQLite uses the index of such deposits only for a query that has the same condition. */
export const IS_OPEN_DEPOSIT = `state IN ('pending', 'processing', 'refunding')`;
