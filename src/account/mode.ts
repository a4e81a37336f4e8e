/** The kind of an account: the sandbox in this process, a sandbox over the network, or live money. */
export type Mode = 'embedded' | 'sandbox' | 'live';

const LABELS = {
  embedded: { short: 'embedded', long: 'embedded sandbox' },
  sandbox: { short: 'sandbox', long: 'sandbox' },
  live: { short: 'LIVE', long: 'LIVE' },
} as const;

/** A mode in a confirmation, where live money must stand out. */
export const modeForPeople = (mode: Mode): string => LABELS[mode].short;

/** A mode in the line above a command's output. */
export const modeInFull = (mode: Mode): string => LABELS[mode].long;
