import type { Operations } from '../operation.ts';

export const fxOrdersOperations = {} satisfies Partial<Operations>;
