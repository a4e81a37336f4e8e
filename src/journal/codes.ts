/** The code of an error that says that a transition is not what it was. */
export const JOURNAL_CHANGED = 'JOURNAL_CHANGED';
/** The code of the error for a journal that lacks entries that it had. */
export const JOURNAL_CUT = 'JOURNAL_CUT';
