import { offramp, payout } from '../things/bank-transfers.ts';
import { deposit, userDeposit } from '../things/deposits.ts';
import type { Thing } from '../things/thing.ts';

/** SQL expressions over the stored row of a thing, in kobo. */
interface RowFees {
  /** What the account earned; NULL if it is not known. */
  readonly own: string;
  /** What the service took; NULL if it is not known. */
  readonly platform: string;
  /** NULL if both are known, or else the code that says why one is not. */
  readonly known: string;
}

const FEES: Readonly<Record<string, RowFees>> = {
  [`${deposit.of} ${deposit.name}`]: {
    own: '0',
    platform: `coalesce(fee_minor, amount_minor - funding_minor,
      (SELECT f.fee_minor FROM stored_deposit_fees f WHERE f.amount_minor = stored_deposits.amount_minor))`,
    known: `'FEE_NOT_READ'`,
  },
  [`${userDeposit.of} ${userDeposit.name}`]: {
    own: 'amount_minor - fee_minor - funding_minor',
    platform: 'fee_minor',
    known: `'FEE_NOT_STATED'`,
  },
  [`${payout.of} ${payout.name}`]: {
    own: '0',
    platform: 'coalesce(fee_minor, deducted_minor - amount_minor)',
    known: `'FEE_NOT_STATED'`,
  },
  [`${offramp.of} ${offramp.name}`]: {
    own: 'CAST(NULL AS BIGINT)',
    platform: 'CAST(NULL AS BIGINT)',
    known: `'FEE_PARTS'`,
  },
};

/** The fees of a row of a thing. Throws for a thing that has none. */
export function feesOf({ of, name }: Pick<Thing, 'of' | 'name'>): RowFees {
  const found = FEES[`${of} ${name}`];
  if (!found) throw new Error(`no fees of ${name}`);
  return found;
}
