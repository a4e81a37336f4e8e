import type { Operations } from '../operation.ts';

export const externalWalletsOperations = {} satisfies Partial<Operations>;
