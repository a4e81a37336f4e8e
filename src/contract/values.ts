export const walletTypes = ['hot', 'cold', 'custodial', 'other'] as const;

export const walletStatuses = ['active', 'inactive'] as const;

/** The directions in which fees are taken. Source: interface. */
export const DIRECTIONS = ['onramp', 'offramp'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** The states in which an offramp of a user has failed, and those in which a payout of the account has. Source: public. */
export const OFFRAMP_FAILED = ['failed', 'cancelled'] as const;
export const PAYOUT_FAILED = [...OFFRAMP_FAILED, 'reversed'] as const;

/** A balance is one of the token that the response names, or else of the one that was asked for. */
export const OF_TOKEN = { field: 'token', byDefault: 'CNGN' } as const;
