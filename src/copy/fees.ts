import { offramp, payout } from '../things/bank-transfers.ts';
import { deposit, userDeposit } from '../things/deposits.ts';
import { endsOf, undoneStatesOf } from '../things/states.ts';
import type { Thing } from '../things/thing.ts';
import { hasFailed, stored } from './schema.ts';
import { type CopyTable, isOneOf, tableOf } from './tables.ts';

/** Why a fee of a row is not known. */
type FeeCode =
  /** No sync has asked for it yet. */
  | 'FEE_NOT_READ'
  /** The service does not state it, and what it states does not tell it. */
  | 'FEE_NOT_STATED'
  /** The amounts of the row contradict each other. */
  | 'FEE_PARTS'
  /** The row was made when no sync saw which fees applied, and the row does not tell them. */
  | 'FEE_SCHEDULE_NOT_SEEN';

/**
 * What was taken from a row: SQL expressions over the stored row of a thing, in both engines. Fees are in kobo, and those that it takes when it
 * ends well. What failed took none, except that the service keeps its fee of a payout that the bank sent back.
 */
interface RowFees {
  /** What the account earned; NULL if it is not known. */
  readonly own: string;
  /** What the service took; NULL if it is not known. */
  readonly platform: string;
  /** NULL if both are known, or else the code that says why one of them is not. */
  readonly known: string;
}

/** What says of a row that fees of it are not known: an SQL condition, the first of them that is true. */
interface FeeGap {
  readonly when: string;
  readonly code: FeeCode;
  /** The fee that is not known, if the other one is. */
  readonly of?: 'own' | 'platform';
}

interface RowParts {
  readonly own: string;
  readonly platform: string;
  /** Which rows took no fee: an SQL condition. */
  readonly isFree: string;
  readonly gaps: readonly FeeGap[];
}

const caseOf = (branches: readonly (readonly [when: string, then: string])[], otherwise: string) =>
  `(CASE ${branches.map(([when, then]) => `WHEN ${when} THEN ${then} `).join('')}ELSE ${otherwise} END)`;

function feesFrom({ own, platform, isFree, gaps }: RowParts): RowFees {
  const feeOf = (fee: 'own' | 'platform', sql: string) => {
    const unknown = gaps.flatMap(({ when, of = fee }) => (of === fee ? [[when, 'NULL'] as const] : []));
    return caseOf([[isFree, '0'], ...unknown], sql);
  };
  const codes = gaps.map(({ when, code }) => [when, `'${code}'`] as const);
  return {
    own: feeOf('own', own),
    platform: feeOf('platform', platform),
    known: caseOf([[isFree, 'NULL'], ...codes], 'NULL'),
  };
}

const DEPOSITS = stored(tableOf(deposit));
const PAYOUTS = stored(tableOf(payout));

const UNDONE = undoneStatesOf(payout);

/** A payout that the bank sent back after it was completed: the list shows it as failed, and not when it was completed. */
export const CAME_BACK = `${hasFailed(tableOf(payout))} AND (${isOneOf('status', UNDONE)} OR EXISTS (SELECT 1 FROM stored_status_changes s
  WHERE s.kind = '${tableOf(payout).name}' AND s.id = ${PAYOUTS}.id AND s.${isOneOf('status', [...endsOf(payout).done, ...UNDONE])}))`;

const inRow = (table: string) => (name: string) => `${table}.${name}_minor`;

const [ofDeposit, ofPayout] = [inRow(DEPOSITS), inRow(PAYOUTS)];

const DEPOSIT_FAILED = hasFailed(tableOf(deposit));
const PAYOUT_FAILED = hasFailed(tableOf(payout));

/** What the payer paid on top of what was minted and the platform's fee. */
const OVER = `(${ofDeposit('amount')} - ${ofDeposit('fee')} - ${ofDeposit('funding')})`;

/** A payment into a user's account: the row has what arrived, what was minted and what the service took. */
const USER_DEPOSIT = feesFrom({
  own: OVER,
  platform: ofDeposit('fee'),
  isFree: DEPOSIT_FAILED,
  gaps: [
    { when: `${ofDeposit('fee')} IS NULL`, code: 'FEE_NOT_STATED' },
    { when: `${OVER} IS NULL`, code: 'FEE_NOT_STATED', of: 'own' },
    { when: `(${OVER} < 0 OR ${ofDeposit('fee')} < 0)`, code: 'FEE_PARTS' },
  ],
});

const READ_FEE = `(SELECT f.fee_minor FROM stored_deposit_fees f WHERE f.amount_minor = ${ofDeposit('amount')})`;

const OWN_FEE_OF_DEPOSIT = `coalesce(${ofDeposit('fee')}, ${ofDeposit('amount')} - ${ofDeposit('funding')}, ${READ_FEE})`;

/** A payment into the account's own account, of which the list states no fee. The account takes none from itself. */
const DEPOSIT = feesFrom({
  own: '0',
  platform: OWN_FEE_OF_DEPOSIT,
  isFree: DEPOSIT_FAILED,
  gaps: [
    { when: `${OWN_FEE_OF_DEPOSIT} IS NULL`, code: 'FEE_NOT_READ', of: 'platform' },
    {
      when: `(${OWN_FEE_OF_DEPOSIT} < 0 OR ${OWN_FEE_OF_DEPOSIT} > ${ofDeposit('amount')})`,
      code: 'FEE_PARTS',
      of: 'platform',
    },
  ],
});

/** Both fees of what goes to a bank, of which the row states the sum. */
const WHOLE_FEE = `coalesce(${ofPayout('fee')}, ${ofPayout('deducted')} - ${ofPayout('amount')})`;

const WHOLE_FEE_GAPS: readonly FeeGap[] = [
  { when: `${WHOLE_FEE} IS NULL`, code: 'FEE_NOT_STATED' },
  { when: `(${WHOLE_FEE} < 0 OR ${WHOLE_FEE} <> ${ofPayout('deducted')} - ${ofPayout('amount')})`, code: 'FEE_PARTS' },
];

/** The account's own payout, from which it takes nothing. */
const PAYOUT = feesFrom({
  own: '0',
  platform: WHOLE_FEE,
  isFree: `(${PAYOUT_FAILED} AND NOT (${CAME_BACK}))`,
  gaps: WHOLE_FEE_GAPS.map((gap) => ({ ...gap, of: 'platform' })),
});

/** A user's offramp: the row states the sum of both fees. */
const OFFRAMP = feesFrom({
  own: 'NULL',
  platform: 'NULL',
  isFree: PAYOUT_FAILED,
  gaps: [...WHOLE_FEE_GAPS, { when: '1 = 1', code: 'FEE_NOT_READ' }],
});

/** The things that fees in Naira are taken from, by their kind. */
const FEES = [
  [userDeposit, USER_DEPOSIT],
  [deposit, DEPOSIT],
  [offramp, OFFRAMP],
  [payout, PAYOUT],
] as const satisfies readonly (readonly [Thing, RowFees])[];

/** The things of a list that fees in Naira are taken from, and their fees. */
export const feesIn = ({ name }: Pick<CopyTable, 'name'>): readonly (readonly [thing: Thing, fees: RowFees])[] =>
  FEES.filter(([{ list }]) => list?.name === name);
