/** The kind of an account: the sandbox in this process, a sandbox over the network, or live money. */
export type Mode = 'embedded' | 'sandbox' | 'live';

/** A mode as confirmations show it; live stands out. */
export const modeForPeople = (mode: Mode): string => (mode === 'live' ? 'LIVE' : mode);
