/** The code of an error that says that a transition is not what it was. */
export const JOURNAL_CHANGED = 'JOURNAL_CHANGED';
/** The same for a journal on a server. */
export const JOURNAL_DAMAGED = 'JOURNAL_DAMAGED';
/** The code of the error for a journal that lacks entries that it had. */
export const JOURNAL_CUT = 'JOURNAL_CUT';
