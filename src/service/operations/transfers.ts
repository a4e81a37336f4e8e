import type { Operations } from '../operation.ts';

export const transfersOperations = {} satisfies Partial<Operations>;
