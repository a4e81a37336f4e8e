import type { Machine } from '../../service/machine.ts';
import { MACHINES } from '../../service/machines.ts';

/** SQL of what a row of a state machine says, for lists: what it moves and for whom. A column that is left out says nothing. */
interface WorkColumns {
  /** The sum that it moves, in the smallest unit, and its asset. */
  readonly minor?: string;
  readonly asset?: string;
  /** The row of the user whose it is. */
  readonly user?: string;
  /** The name of a person or a company. */
  readonly who?: string;
  /** The code of a bank, and what is paid target: an account, an address. */
  readonly bank?: string;
  readonly target?: string;
  /** The assets or networks between which something moves. */
  readonly route?: string;
  readonly endedAt?: string;
  /** Other sums: the title of each, its column, its asset. */
  readonly amounts?: readonly (readonly [title: string, column: string, asset: string])[];
  /** What else it can be found by. */
  readonly found?: readonly string[];
}

const NGN = `'NGN'`;
const USER_NAME = `(SELECT concat_ws(' ', first_name, last_name) FROM user WHERE user.id = w.user)`;
const ENDED = `CASE WHEN state IN ('completed', 'failed', 'cancelled', 'expired', 'reversed') THEN updated_at END`;
const FEES = [
  ['Fee', 'fintech_fee_kobo + platform_fee_kobo', NGN],
  ['Your fee', 'fintech_fee_kobo', NGN],
  ['Platform fee', 'platform_fee_kobo', NGN],
] as const;
const INTO_BANK = { who: 'account_name', bank: 'bank_code', target: 'account_number' } as const;

/** By the name of the machine. */
export const WORK_COLUMNS: Readonly<Record<string, WorkColumns>> = {
  onramp: {
    ...{ minor: 'base_kobo', asset: NGN, user: 'user', who: USER_NAME, endedAt: 'completed_at' },
    ...{
      target: '(SELECT number FROM virtual_account WHERE virtual_account.onramp = w.id)',
      route: `'NGN → ' || target_asset`,
    },
    amounts: [['To pay', 'base_kobo + platform_fee_kobo + fintech_fee_kobo', NGN], ...FEES],
    found: ['tx_hash', 'destination', '(SELECT address FROM wallet WHERE wallet.id = w.wallet)'],
  },
  offramp: {
    ...{ minor: 'amount_kobo', asset: NGN, user: 'user', ...INTO_BANK, endedAt: ENDED },
    amounts: FEES,
    found: ['tx_hash', 'payout_reference', USER_NAME],
  },
  payout: {
    ...{ minor: 'amount_kobo', asset: NGN, ...INTO_BANK, endedAt: `coalesce(completed_at, ${ENDED})` },
    amounts: [['Platform fee', 'platform_fee_kobo', NGN]],
    found: ['tx_hash', 'payout_reference'],
  },
  swap: {
    ...{ minor: 'amount_in_base', asset: 'sell_asset', user: 'user', who: USER_NAME, endedAt: ENDED },
    ...{ target: 'destination', route: `sell_asset || ' → ' || buy_asset` },
    amounts: [
      ['Expected', 'expected_out_base', 'buy_asset'],
      ['Arrived', 'amount_out_base', 'buy_asset'],
    ],
    found: ['tx_hash', 'error_code'],
  },
  bridge: {
    ...{ minor: 'amount_base', asset: 'asset', endedAt: 'completed_at' },
    ...{ target: 'to_address', route: `from_network || ' → ' || to_network` },
    amounts: [
      ['Received', 'received_base', 'asset'],
      ['Arrived', 'released_base', 'asset'],
    ],
    found: ['tx_hash', 'transaction_id', 'reference', 'sender', 'from_address', 'receivable_address'],
  },
  withdrawal: {
    ...{ minor: 'amount_base', asset: 'asset', user: 'user', who: USER_NAME, endedAt: 'completed_at' },
    ...{ target: 'destination', route: 'network' },
    amounts: [['Platform fee', 'fee_base', 'asset']],
    found: ['tx_hash', 'note'],
  },
  deposit: {
    ...{ minor: 'amount_kobo', asset: NGN, user: 'user', who: 'sender_name', endedAt: 'ended_at' },
    ...{ route: `'into'`, target: '(SELECT number FROM virtual_account WHERE virtual_account.id = w.virtual_account)' },
    amounts: FEES,
    found: ['tx_hash', 'reference', 'sender_account', 'refund_reference', 'refund_reason', 'delivered_to', USER_NAME],
  },
  'fee-withdrawal': {
    ...{ minor: 'amount_kobo', asset: NGN, ...INTO_BANK, endedAt: 'processed_at' },
    found: ['narration', 'reference', 'notes', 'failure_reason'],
  },
  trade: {
    ...{ minor: 'cngn_base', asset: `'CNGN'`, route: `side || ' ' || pair`, target: 'destination', endedAt: ENDED },
    amounts: [['Other side', 'token_base', `substr(pair, instr(pair, '-') + 1)`]],
    found: ['target_order', 'lock_id', 'idempotency_key', 'error_message'],
  },
  vault: { route: `'trading vault'` },
  onboarding: {
    ...{ who: `concat_ws(' ', first_name, last_name)`, endedAt: 'ended_at' },
    ...{ user: '(SELECT id FROM user WHERE user.onboarding = w.id)', found: ['user_id', 'middle_name'] },
  },
};

export const idColumnOf = ({ idColumn = 'request_id' }: Pick<Machine<never>, 'idColumn'>): string => idColumn;

/** SQL that selects the rows of a machine with the columns that all have. */
export function selected(machine: Machine<never>): string {
  const {
    minor,
    asset,
    user,
    who,
    bank,
    target,
    route,
    endedAt,
    amounts = [],
    found = [],
  } = WORK_COLUMNS[machine.name] ?? {};
  const columns = { minor, asset, user, who, bank, target, route, ended_at: endedAt };
  const shown = Object.entries(columns).map(([name, sql = 'NULL']) => `${sql} AS ${name}`);
  const texts = [who, bank, target, route, ...found].filter((each) => each !== undefined);
  const text = texts.length === 0 ? `''` : `lower(concat_ws(' ', ${texts.join(', ')}))`;
  const sums = amounts.map(([, column, of]) => `' ' || ${of} || ':' || (${column}) || ' '`);
  return `SELECT id AS subject, '${machine.name}' AS kind, ${idColumnOf(machine)} AS id, state, created_at, fintech, ${shown.join(', ')},
    ${text} AS found, ${sums.length === 0 ? `''` : `concat(${sums.join(', ')})`} AS sums FROM ${machine.table} AS w`;
}

export const machineNamed = (kind: string) => MACHINES.find(({ name }) => name === kind);

export const TABLES = MACHINES.map((machine) => ({ table: machine.table, name: idColumnOf(machine) }));
