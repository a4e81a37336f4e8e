import type { Operations } from '../operation.ts';

export const bridgeOperations = {} satisfies Partial<Operations>;
