export const walletTypes = ['hot', 'cold', 'custodial', 'other'] as const;

export const walletStatuses = ['active', 'inactive'] as const;

/** The directions in which fees are taken. Source: interface. */
export const DIRECTIONS = ['onramp', 'offramp'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** A balance is one of the token that the response names, or else of the one that was asked for. */
export const OF_TOKEN = { field: 'token', byDefault: 'CNGN' } as const;
