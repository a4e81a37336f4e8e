import type { Direction } from '../contract/values.ts';
import { HUNDRED_PERCENT } from '../money/rates.ts';
import { offramp, payout } from '../things/bank-transfers.ts';
import { deposit, userDeposit } from '../things/deposits.ts';
import { endsOf, undoneStatesOf } from '../things/states.ts';
import type { Thing } from '../things/thing.ts';
import { hasFailed, IS_NEW, isDone, isThing, stored } from './schema.ts';
import { type CopyTable, isOneOf, tableOf } from './tables.ts';

/** Why a fee of a row is not known. */
type FeeCode =
  /** No sync has asked for it yet. */
  | 'FEE_NOT_READ'
  /** The service does not state it, and what it states does not tell it. */
  | 'FEE_NOT_STATED'
  /** An amount of the row is not in Naira. */
  | 'FEE_OTHER_ASSET'
  /** What is said of the row contradicts itself. */
  | 'FEE_PARTS'
  /** The row was made when no sync saw which fees applied, and the row does not tell them. */
  | 'FEE_SCHEDULE_NOT_SEEN';

/**
 * What says what the fees of a row are. `row`: its amounts. `list`: the service's list of all transfers, for the platform's part. `schedule`: the
 * fees that were seen in force when it was made.
 */
type FeeRule = 'row' | 'list' | 'schedule';

/**
 * The fees of a row: SQL expressions over the stored row of a thing, in both engines. Fees are in kobo, and those that it takes when it ends well;
 * `isFree` says which rows took none.
 */
export interface RowFees {
  /** What the account earns; NULL if it is not known. */
  readonly own: string;
  /** What the service takes; NULL if it is not known. */
  readonly platform: string;
  /** NULL if both are known, or else the code that says why one of them is not. */
  readonly known: string;
  /** The rule that they follow; NULL if one is not known. */
  readonly rule: string;
  /** What failed took nothing, except that the service keeps its fee of a payout that the bank sent back. */
  readonly isFree: string;
}

/** What says of a row that fees of it are not known: an SQL condition. The first one that is true counts. */
interface FeeGap {
  readonly when: string;
  readonly code: FeeCode;
  /** The fee that is not known, if the other one is. */
  readonly of?: 'own' | 'platform';
}

interface RowParts extends Pick<RowFees, 'own' | 'platform' | 'isFree'> {
  readonly gaps: readonly FeeGap[];
  readonly rules: readonly (readonly [when: string, rule: FeeRule])[];
}

type Branch = readonly [when: string, then: string];

const caseOf = (branches: readonly Branch[], otherwise: string) =>
  branches.length === 0
    ? otherwise
    : `(CASE ${branches.map(([when, then]) => `WHEN ${when} THEN ${then} `).join('')}ELSE ${otherwise} END)`;

function feesFrom({ own, platform, isFree, gaps, rules }: RowParts): RowFees {
  const feeOf = (fee: 'own' | 'platform', sql: string) =>
    caseOf(
      gaps.flatMap(({ when, of = fee }) => (of === fee ? [[when, 'NULL'] as const] : [])),
      sql,
    );
  return {
    own: feeOf('own', own),
    platform: feeOf('platform', platform),
    known: caseOf(
      gaps.map(({ when, code }) => [when, `'${code}'`]),
      'NULL',
    ),
    rule: caseOf(
      [...gaps.map(({ when }): Branch => [when, 'NULL']), ...rules.map(([when, rule]): Branch => [when, `'${rule}'`])],
      'NULL',
    ),
    isFree,
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

/** Sums of several assets say nothing. */
const inNaira = (table: string, names: readonly string[]): FeeGap => ({
  when: `(${names.map((name) => `${table}.${name}_asset <> 'NGN'`).join(' OR ')})`,
  code: 'FEE_OTHER_ASSET',
});

const DEPOSIT_IN_NAIRA = inNaira(DEPOSITS, ['amount', 'funding', 'fee']);
const PAYOUT_IN_NAIRA = inNaira(PAYOUTS, ['amount', 'fee', 'deducted']);

const DEPOSIT_FAILED = hasFailed(tableOf(deposit));
const PAYOUT_FAILED = hasFailed(tableOf(payout));

/** A schedule's fee on an amount in kobo: its percentage rounded half up, at most its cap. In parts, so that no number is too large for a database. */
function feeOn(amount: string): string {
  const whole = `(${amount} / ${HUNDRED_PERCENT}) * s.percent_millionths`;
  const rest = `(2 * (${amount} % ${HUNDRED_PERCENT}) * s.percent_millionths + ${HUNDRED_PERCENT}) / ${2n * HUNDRED_PERCENT}`;
  const fee = `(${whole} + ${rest})`;
  return `(CASE WHEN s.enabled = 0 THEN 0 WHEN ${fee} > s.cap_minor THEN s.cap_minor ELSE ${fee} END)`;
}

/** Whose fee, and in which direction. */
type Taken = readonly [taker: 'own' | 'platform', direction: Direction];

const schedules = ([taker, direction]: Taken) =>
  `stored_fee_schedules s WHERE s.taker = '${taker}' AND s.direction = '${direction}'`;

const coversAmount = (amount: string) =>
  `s.from_minor <= ${amount} AND (s.below_minor IS NULL OR ${amount} < s.below_minor)`;

/** The fee on an amount by the schedule in force at a time; NULL if none was seen, or if two were that differ. */
const scheduledFee = (taken: Taken, amount: string, at: string) =>
  `(SELECT CASE WHEN min(${feeOn(amount)}) = max(${feeOn(amount)}) THEN min(${feeOn(amount)}) END AS fee
    FROM ${schedules(taken)} AND ${coversAmount(amount)} AND s.since <= ${at} AND ${at} <= s.seen_at)`;

/** Why no schedule has a fee at a time: a later sync sees it, or none ever will. */
const noSchedule = (taken: Taken, at: string, when: string): readonly FeeGap[] => [
  {
    when: `(${when} AND coalesce((SELECT max(s.seen_at) AS seen_at FROM ${schedules(taken)}), '') < ${at})`,
    code: 'FEE_NOT_READ',
    of: taken[0],
  },
  { when, code: 'FEE_SCHEDULE_NOT_SEEN', of: taken[0] },
];

const DEPOSIT_AT = `${DEPOSITS}.created_at`;

/** What the payer paid on top of what was minted and the platform's fee. */
const OVER = `(${ofDeposit('amount')} - ${ofDeposit('fee')} - ${ofDeposit('funding')})`;

/** Whether it was paid into the user's permanent account, which has no other fees. Source: inferred. */
const IS_PERMANENT = `EXISTS (SELECT 1 FROM stored_users u WHERE u.id = ${DEPOSITS}.user_id
  AND (u.account_number = ${DEPOSITS}.account_number OR u.evm_wallet = ${DEPOSITS}.wallet_address))`;

const OWN_ONRAMP: Taken = ['own', 'onramp'];

/** An onramp's account has the fee of the time at which it was opened, and may add one of the bank, which no list states. */
const IS_SCHEDULED = `EXISTS (SELECT 1 FROM ${schedules(OWN_ONRAMP)}
  AND s.since <= ${DEPOSIT_AT} AND ${DEPOSIT_AT} <= s.payable_until AND ${feeOn(ofDeposit('funding'))} = ${OVER})`;

const IS_UNSETTLED = `(${OVER} <> 0 AND NOT ${IS_PERMANENT} AND NOT ${IS_SCHEDULED})`;

/** Whether its account was certainly opened under a fee that was seen: what was opened before a change can be paid after it. */
const IS_SEEN = `EXISTS (SELECT 1 FROM ${schedules(OWN_ONRAMP)} AND s.opened_from <= ${DEPOSIT_AT} AND ${DEPOSIT_AT} <= s.seen_at)`;

/** A payment into a user's account: the row has what arrived, what was minted and what the service took. */
const USER_DEPOSIT = feesFrom({
  own: OVER,
  platform: ofDeposit('fee'),
  isFree: DEPOSIT_FAILED,
  gaps: [
    DEPOSIT_IN_NAIRA,
    { when: `${ofDeposit('fee')} IS NULL`, code: 'FEE_NOT_STATED' },
    { when: `${OVER} IS NULL`, code: 'FEE_NOT_STATED', of: 'own' },
    { when: `(${OVER} < 0 OR ${ofDeposit('fee')} < 0)`, code: 'FEE_PARTS' },
    { when: `(${IS_UNSETTLED} AND ${IS_SEEN})`, code: 'FEE_PARTS', of: 'own' },
    ...noSchedule(OWN_ONRAMP, DEPOSIT_AT, IS_UNSETTLED),
  ],
  rules: [['1 = 1', 'row']],
});

const PLATFORM_ONRAMP: Taken = ['platform', 'onramp'];

const STATED_FEE = `coalesce(${ofDeposit('fee')}, ${ofDeposit('amount')} - ${ofDeposit('funding')})`;

const OWN_FEE_OF_DEPOSIT = `coalesce(${STATED_FEE}, ${scheduledFee(PLATFORM_ONRAMP, ofDeposit('amount'), DEPOSIT_AT)})`;

/** A payment into the account's own bank account, of which the list states no fee. The account takes none from itself. */
const DEPOSIT = feesFrom({
  own: '0',
  platform: OWN_FEE_OF_DEPOSIT,
  isFree: DEPOSIT_FAILED,
  gaps: [
    { ...DEPOSIT_IN_NAIRA, of: 'platform' },
    ...noSchedule(PLATFORM_ONRAMP, DEPOSIT_AT, `${OWN_FEE_OF_DEPOSIT} IS NULL`),
    { when: `(${STATED_FEE} < 0 OR ${STATED_FEE} > ${ofDeposit('amount')})`, code: 'FEE_PARTS', of: 'platform' },
    {
      when: `${ofDeposit('fee')} <> ${ofDeposit('amount')} - ${ofDeposit('funding')}`,
      code: 'FEE_PARTS',
      of: 'platform',
    },
  ],
  rules: [
    [`${STATED_FEE} IS NOT NULL`, 'row'],
    ['1 = 1', 'schedule'],
  ],
});

/** Both fees of what goes to a bank, of which the row states the sum. */
const WHOLE_FEE = `coalesce(${ofPayout('fee')}, ${ofPayout('deducted')} - ${ofPayout('amount')})`;

const WHOLE_FEE_GAPS: readonly FeeGap[] = [
  PAYOUT_IN_NAIRA,
  { when: `${WHOLE_FEE} IS NULL`, code: 'FEE_NOT_STATED' },
  { when: `(${WHOLE_FEE} < 0 OR ${WHOLE_FEE} <> ${ofPayout('deducted')} - ${ofPayout('amount')})`, code: 'FEE_PARTS' },
];

/** The offramps of which the service was not asked yet what its list leaves out, with the amounts that they have: what follows a SELECT. */
export const UNASKED_OFFRAMPS = `FROM ${PAYOUTS} WHERE ${isThing(offramp)} AND ${IS_NEW} AND ${PAYOUTS}.digest IS NOT NULL AND ${PAYOUTS}.deleted_at IS NULL
  AND NOT EXISTS (SELECT 1 FROM stored_offramp_parts p WHERE p.id = ${PAYOUTS}.id
    AND p.amount_minor IS NOT DISTINCT FROM ${ofPayout('amount')} AND p.fee_minor IS NOT DISTINCT FROM ${WHOLE_FEE})`;

/** Notes what the service said of offramps at a time, by id, with the amounts that their rows have. `parts` are rows of an id and a fee. */
export const noteParts = (parts: string) => `WITH part (part_id, part_fee) AS (${parts})
  INSERT INTO stored_offramp_parts (id, amount_minor, fee_minor, platform_fee_minor, at)
  SELECT ${PAYOUTS}.id, ${ofPayout('amount')}, ${WHOLE_FEE}, (SELECT part_fee FROM part WHERE part_id = ${PAYOUTS}.id), ?
  ${UNASKED_OFFRAMPS} AND ${PAYOUTS}.id IN (SELECT part_id FROM part)
  ON CONFLICT (id) DO UPDATE SET amount_minor = excluded.amount_minor, fee_minor = excluded.fee_minor,
    platform_fee_minor = excluded.platform_fee_minor, at = excluded.at`;

/** The account's own payout, from which it takes nothing. */
const PAYOUT = feesFrom({
  own: '0',
  platform: WHOLE_FEE,
  isFree: `(${PAYOUT_FAILED} AND NOT (${CAME_BACK}))`,
  gaps: WHOLE_FEE_GAPS.map((gap) => ({ ...gap, of: 'platform' })),
  rules: [['1 = 1', 'row']],
});

const PAYOUT_AT = `${PAYOUTS}.created_at`;

/** What the service said of the offramp besides, when its row had the amounts that it has now. */
const partOf = (what: string) => `(SELECT ${what} FROM stored_offramp_parts p WHERE p.id = ${PAYOUTS}.id
  AND p.amount_minor = ${ofPayout('amount')} AND p.fee_minor = ${WHOLE_FEE})`;

const LISTED_PART = partOf('p.platform_fee_minor');

const OWN_OFFRAMP: Taken = ['own', 'offramp'];

const SCHEDULED_PART = scheduledFee(OWN_OFFRAMP, ofPayout('amount'), PAYOUT_AT);

const OWN_PART = `coalesce(${WHOLE_FEE} - ${LISTED_PART}, ${SCHEDULED_PART})`;

/** A user's offramp: the row states the sum of both fees. */
const OFFRAMP = feesFrom({
  own: OWN_PART,
  platform: `(${WHOLE_FEE} - ${OWN_PART})`,
  isFree: PAYOUT_FAILED,
  gaps: [
    ...WHOLE_FEE_GAPS,
    { when: `(${OWN_PART} IS NULL AND ${partOf('1 AS found')} IS NULL)`, code: 'FEE_NOT_READ' },
    ...noSchedule(OWN_OFFRAMP, PAYOUT_AT, `${OWN_PART} IS NULL`).map(({ when, code }) => ({ when, code })),
    { when: `(${OWN_PART} < 0 OR ${OWN_PART} > ${WHOLE_FEE} OR ${OWN_PART} <> ${SCHEDULED_PART})`, code: 'FEE_PARTS' },
  ],
  rules: [
    [`${LISTED_PART} IS NOT NULL`, 'list'],
    ['1 = 1', 'schedule'],
  ],
});

const KEYED = `s.taker = ? AND s.direction = ? AND s.from_minor = ? AND s.since = ?`;

const between = (from: string, to: string) => `${DEPOSIT_AT} > ${from} AND ${DEPOSIT_AT} < ${to}`;

/** Payments of users between two times that meet a condition: when the first or the last was made. */
const witness = (when: 'min' | 'max', condition: string) =>
  `SELECT ${when}(${DEPOSIT_AT}) AS at FROM ${DEPOSITS}, stored_fee_schedules s WHERE ${KEYED} AND ${isThing(userDeposit)}
  AND ${isDone(tableOf(userDeposit))} AND ${between('?', '?')} AND ${condition}`;

/** Deposits after a time that need a schedule, and were made before it was seen. */
const older = (thing: Thing, condition: string) =>
  `SELECT 1 AS found FROM ${DEPOSITS}, stored_fee_schedules s WHERE ${KEYED} AND ${isThing(thing)} AND NOT ${DEPOSIT_FAILED}
  AND ${between('?', 's.first_seen_at')} AND ${condition} LIMIT 1`;

/** Finds a deposit that is new or has changed, and was made before a time. */
export const CHANGED_BEFORE = `SELECT 1 AS found FROM ${DEPOSITS} WHERE ${IS_NEW} AND ${DEPOSIT_AT} < ? LIMIT 1`;

const hasFeeOn = (base: 'amount' | 'funding') =>
  `(${coversAmount(ofDeposit(base))} AND ${ofDeposit('fee')} = ${feeOn(ofDeposit(base))})`;

/** What shows that a schedule was in force before it was seen: payments of which the rows state its fee. Questions for a schedule, by its key. */
interface Witness {
  /** Finds a row that needs to know it, after a time. */
  readonly older: string;
  /** When the first payment between two times had its fee, and when the last one had another one. */
  readonly agrees: string;
  readonly contradicts: string;
}

export const WITNESSES: Readonly<Record<'own' | 'platform', Witness>> = {
  // The rows of permanent accounts say what the account took, and those of others do not.
  own: {
    older: older(userDeposit, IS_UNSETTLED),
    agrees: witness('min', `${IS_PERMANENT} AND ${OVER} = ${feeOn(ofDeposit('amount'))}`),
    contradicts: witness('max', `${IS_PERMANENT} AND ${OVER} <> ${feeOn(ofDeposit('amount'))}`),
  },
  // The service takes its fee from what arrives, or from what was asked for.
  platform: {
    older: older(deposit, `${STATED_FEE} IS NULL AND ${coversAmount(ofDeposit('amount'))}`),
    agrees: witness('min', `(${hasFeeOn('amount')} OR ${hasFeeOn('funding')})`),
    contradicts: witness(
      'max',
      `${coversAmount(ofDeposit('amount'))} AND ${coversAmount(ofDeposit('funding'))}
      AND ${ofDeposit('fee')} <> ${feeOn(ofDeposit('amount'))} AND ${ofDeposit('fee')} <> ${feeOn(ofDeposit('funding'))}`,
    ),
  },
};

/** The things that fees in Naira are taken from, by their kind. */
const FEES = [
  [userDeposit, USER_DEPOSIT],
  [deposit, DEPOSIT],
  [offramp, OFFRAMP],
  [payout, PAYOUT],
] as const satisfies readonly (readonly [Thing, RowFees])[];

/** The fees of a thing. Throws for a thing that has none in Naira. */
export function feesOf({ of, name }: Pick<Thing, 'of' | 'name'>): RowFees {
  const found = FEES.find(([thing]) => thing.of === of && thing.name === name);
  if (!found) throw new Error(`no fees of ${name}`);
  return found[1];
}

/** The things of a list that fees in Naira are taken from. */
export const thingsWithFees = ({ name }: Pick<CopyTable, 'name'>): readonly Thing[] =>
  FEES.flatMap(([thing]) => (thing.list?.name === name ? [thing] : []));
