/** The code of an error that says that a transition is not what it was. */
export const JOURNAL_CHANGED = 'JOURNAL_CHANGED';
