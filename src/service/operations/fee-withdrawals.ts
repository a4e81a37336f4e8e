import type { Operations } from '../operation.ts';

export const feeWithdrawalsOperations = {} satisfies Partial<Operations>;
