/** The directions in which fees are taken. Source: interface. */
export const DIRECTIONS = ['onramp', 'offramp'] as const;
export type Direction = (typeof DIRECTIONS)[number];
