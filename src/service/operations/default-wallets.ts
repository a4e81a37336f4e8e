import type { Operations } from '../operation.ts';

export const defaultWalletsOperations = {} satisfies Partial<Operations>;
