import type { Operations } from '../operation.ts';

export const managementOperations = {} satisfies Partial<Operations>;
