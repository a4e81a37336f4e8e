import type { Operations } from '../operation.ts';

export const fxTradesOperations = {} satisfies Partial<Operations>;
