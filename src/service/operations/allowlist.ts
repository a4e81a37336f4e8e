import type { Operations } from '../operation.ts';

export const allowlistOperations = {} satisfies Partial<Operations>;
