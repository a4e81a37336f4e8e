import type { Operations } from '../operation.ts';

export const payoutsOperations = {} satisfies Partial<Operations>;
