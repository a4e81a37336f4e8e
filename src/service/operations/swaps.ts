import type { Operations } from '../operation.ts';

export const swapsOperations = {} satisfies Partial<Operations>;
