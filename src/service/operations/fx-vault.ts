import type { Operations } from '../operation.ts';

export const fxVaultOperations = {} satisfies Partial<Operations>;
