import * as z from 'zod/mini';
import { amountSchema } from '../../present/prints.ts';

/** What a sweep prints. */
export const sweptSchema = () =>
  z.object({
    withdrawals: z.array(
      z.object({
        withdrawalId: z.nullable(z.string()),
        amount: z.nullable(amountSchema()),
        status: z.nullable(z.string()),
        idempotencyKey: z.nullable(z.string()),
      }),
    ),
    total: amountSchema(),
    left: z.nullable(amountSchema()),
  });
