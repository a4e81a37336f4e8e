/** What an account is: the sandbox in this process, one over the network, or money. */
export type Mode = 'embedded' | 'sandbox' | 'live';

/** A mode as confirmations show it: live money is to be seen at once. */
export const modeForPeople = (mode: Mode): string => (mode === 'live' ? 'LIVE' : mode);
