import type { Operations } from '../operation.ts';

export const historyOperations = {} satisfies Partial<Operations>;
