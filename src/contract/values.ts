export const walletTypes = ['hot', 'cold', 'custodial', 'other'] as const;

export const walletStatuses = ['active', 'inactive'] as const;

/** The directions in which fees are taken. Source: interface. */
export const DIRECTIONS = ['onramp', 'offramp'] as const;
export type Direction = (typeof DIRECTIONS)[number];
