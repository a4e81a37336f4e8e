import { offramp, payout } from '../things/bank-transfers.ts';
import { bridgeTransfer } from '../things/bridge-transfer.ts';
import { deposit, userDeposit } from '../things/deposits.ts';
import { feeWithdrawal } from '../things/fee-withdrawal.ts';
import { trade } from '../things/market.ts';
import { endsOf } from '../things/states.ts';
import { swap } from '../things/swap.ts';
import type { Thing } from '../things/thing.ts';
import { transfer, withdrawal } from '../things/token-transfers.ts';
import { CAME_BACK } from './fees.ts';
import { hasFailed, isDone, stored } from './schema.ts';
import { isOneOf, tableOf } from './tables.ts';

/** The accounts of the books. What users’ wallets hold, and what each user is owed for it, are beside the account’s own. */
export const ACCOUNTS = {
  'assets:wallet': 'the account wallet, on all networks',
  'assets:vault': 'stablecoins for trades',
  'assets:bank': 'bank accounts of the account: payouts and fee withdrawals end here',
  'assets:fees': 'fees that were earned and not withdrawn',
  'assets:transit:deposit': 'own deposits that arrived and are not minted',
  'assets:transit:payout': 'payouts under way',
  'assets:transit:transfer': 'transfers under way',
  'assets:transit:trade': 'what open trades give',
  'assets:transit:bridge': 'transfers to a bridge that has not released them',
  'assets:transit:fees': 'fee withdrawals under way',
  'assets:held':
    'what users’ wallets hold by the lists: without tokens that no list shows, and with those that went to wallets outside the service',
  'assets:held:transit': 'offramps, swaps and token withdrawals under way',
  'income:onramp': 'the account’s fees on deposits of users',
  'income:offramp': 'the account’s fees on offramps of users',
  'expenses:platform:deposit': 'the service’s fees on own deposits',
  'expenses:platform:payout': 'the service’s fees on payouts',
  'expenses:platform:trade': 'the service’s fees on trades',
  'expenses:platform:bridge': 'the service’s fees on bridge transfers',
  'equity:outside': 'who pays the account, and whom it sends tokens',
  'equity:conversion': 'both sides of a change of asset',
  'equity:opening': 'what there was when the balances were read for the first time',
  'equity:unlisted': 'changes of balances that no list shows',
  'liabilities:users': 'owed to one user: its id follows',
} as const;

type AccountName = keyof typeof ACCOUNTS;

/** Money that leaves one account for another. All are SQL expressions; both accounts are texts. A set of them cannot fail to sum to zero. */
export interface Move {
  readonly from: string;
  readonly to: string;
  /** In the smallest unit of the asset; NULL if it is not known. */
  readonly minor: string;
  readonly asset: string;
  /** The code for why it is not known, if it is not, and the most that it can be then: nothing is taken that was not there. */
  readonly unknown?: string;
  readonly most?: string;
}

/** What a set of entries says of a row: that it was taken from where it was, that it has ended well, that it went back, that it came back later. */
type EntryStep = 'taken' | 'done' | 'returned' | 'came-back';

/** A set of entries of a row. All are SQL expressions over it. */
export interface EntrySet {
  readonly step: EntryStep;
  /** Which rows have it. */
  readonly where: string;
  readonly at: string;
  /** The other end of the time in which it was; NULL if its time is exact. Left out if it always is. */
  readonly bound?: string;
  /** What else is to be said of it; never anything personal. */
  readonly note?: string;
  readonly moves: readonly Move[];
}

/** A kind of thing whose rows move money. */
export interface EntryKind {
  readonly thing: Thing;
  /** The user whose it is. */
  readonly user?: string;
  readonly sets: readonly EntrySet[];
}

/** cNGN is counted in millionths, Naira in kobo. */
const CNGN_OF_KOBO = 10_000;

const inCngn = (kobo: string) => `(${kobo}) * ${CNGN_OF_KOBO}`;

const quoted = (text: string) => `'${text}'`;
const account = (name: AccountName) => quoted(name);
/** One of two accounts, by an SQL condition. */
const either = (condition: string, one: AccountName, other: AccountName) =>
  `CASE WHEN ${condition} THEN ${account(one)} ELSE ${account(other)} END`;
const ofUser = (user: string) => `${quoted('liabilities:users:')} || coalesce(${user}, 'unknown')`;

type Side = AccountName | { readonly sql: string };
const sideOf = (side: Side) => (typeof side === 'string' ? account(side) : side.sql);

/** A move between two accounts. Its asset is a name, or an SQL expression. */
const move = (from: Side, to: Side, minor: string, asset: string, unknown?: string, most?: string): Move => ({
  from: sideOf(from),
  to: sideOf(to),
  minor,
  asset: /^[A-Z]+$/.test(asset) ? quoted(asset) : asset,
  ...(unknown === undefined ? {} : { unknown }),
  ...(most === undefined ? {} : { most }),
});

const ENDED = { at: 'ended_at', bound: 'end_bound' } as const;
const taken = (moves: readonly Move[], where = '1 = 1'): EntrySet => ({
  step: 'taken',
  where,
  at: 'created_at',
  moves,
});
const done = (thing: Thing, moves: readonly Move[]): EntrySet => ({
  step: 'done',
  where: isDone(tableOf(thing)),
  ...ENDED,
  moves,
});
const returned = (thing: Thing, moves: readonly Move[], where = hasFailed(tableOf(thing))): EntrySet => ({
  step: 'returned',
  where,
  ...ENDED,
  moves,
});

/** Nothing of a deposit has moved before the bank confirms it, or if the bank cancels it. */
const HAS_ARRIVED = `coalesce(status, '') NOT IN ('pending', 'cancelled')`;

/** Whether a wallet is the account’s own. */
const isOwn = (address: string) => `lower(${address}) IN (SELECT address FROM stored_account_wallets)`;

/** Where the account's deposits arrive: in its wallet, unless it has chosen another one. */
const IS_RECEIVED = `wallet_address IS NULL OR ${isOwn('wallet_address')} OR NOT EXISTS (SELECT 1 FROM stored_account_wallets)`;
const RECEIVER = { sql: either(IS_RECEIVED, 'assets:wallet', 'equity:outside') };

/** Where a fee is from that no row states. */
const FEE_NOTE = `CASE WHEN fee_rule = 'schedule' THEN 'fee computed from the fee schedule' END`;

/** All of it arrives and then the fee leaves, so that what arrived is known where the fee is not. */
const OWN_DEPOSIT: EntryKind = {
  thing: deposit,
  sets: [
    taken([move('equity:outside', 'assets:transit:deposit', 'amount_minor', 'NGN')], HAS_ARRIVED),
    {
      ...done(deposit, [
        move('assets:transit:deposit', 'equity:conversion', 'amount_minor', 'NGN'),
        move('equity:conversion', RECEIVER, inCngn('amount_minor'), 'CNGN'),
        move(RECEIVER, 'equity:conversion', inCngn('platform_fee_minor'), 'CNGN', 'fee_known', inCngn('amount_minor')),
        move('equity:conversion', 'expenses:platform:deposit', 'platform_fee_minor', 'NGN', 'fee_known'),
      ]),
      note: FEE_NOTE,
    },
    returned(
      deposit,
      [move('assets:transit:deposit', 'equity:outside', 'amount_minor', 'NGN')],
      `${hasFailed(tableOf(deposit))} AND ${HAS_ARRIVED}`,
    ),
  ],
};

/** What was paid and is neither minted nor the service's fee. */
const REST = 'amount_minor - coalesce(funding_minor, 0) - coalesce(fee_minor, 0)';

const USER_DEPOSIT: EntryKind = {
  thing: userDeposit,
  user: 'user_id',
  sets: [
    done(userDeposit, [
      move({ sql: ofUser('user_id') }, 'assets:held', inCngn('funding_minor'), 'CNGN'),
      move('income:onramp', 'assets:fees', 'own_fee_minor', 'NGN', 'fee_known', REST),
    ]),
  ],
};

/** The user of a row that has only a wallet: an onramp has one of its own. */
const ownerOf = (thing: Thing) => {
  const wallet = `${stored(tableOf(thing))}.wallet_address`;
  return `coalesce((SELECT min(u.id) FROM stored_users u WHERE u.evm_wallet = ${wallet}),
    (SELECT min(d.user_id) FROM stored_deposits d WHERE d.wallet_address = ${wallet} AND d.user_id IS NOT NULL))`;
};

const BOTH_FEES = 'coalesce(deducted_minor - amount_minor, fee_minor, amount_minor)';
const OFFRAMP_TOTAL = inCngn('coalesce(deducted_minor, amount_minor + fee_minor)');
/** The row's wallet may be that of an onramp, and its user may not have been read. */
const OFFRAMP_USER = `coalesce(user_id, ${ownerOf(offramp)})`;

const OFFRAMP: EntryKind = {
  thing: offramp,
  user: OFFRAMP_USER,
  sets: [
    taken([move('assets:held', 'assets:held:transit', OFFRAMP_TOTAL, 'CNGN')]),
    {
      ...done(offramp, [
        move('assets:held:transit', { sql: ofUser(OFFRAMP_USER) }, OFFRAMP_TOTAL, 'CNGN'),
        move('income:offramp', 'assets:fees', 'own_fee_minor', 'NGN', 'fee_known', BOTH_FEES),
      ]),
      note: FEE_NOTE,
    },
    returned(offramp, [move('assets:held:transit', 'assets:held', OFFRAMP_TOTAL, 'CNGN')]),
  ],
};

const PAYOUT_FEE = inCngn('coalesce(deducted_minor - amount_minor, fee_minor)');
const NO_FEE = "'FEE_NOT_STATED'";

/** The amount and the fee of a payout, from one account to another. */
const bothOf = (from: Side, to: Side): readonly Move[] => [
  move(from, to, inCngn('amount_minor'), 'CNGN'),
  move(from, to, PAYOUT_FEE, 'CNGN', NO_FEE, inCngn('amount_minor')),
];

const PAYOUTS = tableOf(payout);

/** When a payout that has failed was first seen as completed: an SQL expression. */
const COMPLETED_BEFORE = `(SELECT min(c.seen_at) FROM stored_status_changes c WHERE c.kind = '${PAYOUTS.name}'
  AND c.id = stored_payouts.id AND c.${isOneOf('status', endsOf(payout).done)})`;

/** When a payout was completed that came back, as far as is known: an SQL expression. */
export const CAME_BACK_AFTER = `coalesce(completed_at, ${COMPLETED_BEFORE}, created_at)`;

const PAID_OUT: readonly Move[] = [
  ...bothOf('assets:transit:payout', 'equity:conversion'),
  move('equity:conversion', 'assets:bank', 'amount_minor', 'NGN'),
  move('equity:conversion', 'expenses:platform:payout', 'platform_fee_minor', 'NGN', 'fee_known'),
];

const PAYOUT: EntryKind = {
  thing: payout,
  sets: [
    taken(bothOf('assets:wallet', 'assets:transit:payout')),
    done(payout, PAID_OUT),
    {
      step: 'done',
      where: CAME_BACK,
      at: CAME_BACK_AFTER,
      bound: `CASE WHEN coalesce(completed_at, ${COMPLETED_BEFORE}) IS NULL AND ended_at <> created_at THEN ended_at END`,
      moves: PAID_OUT,
    },
    {
      step: 'came-back',
      where: CAME_BACK,
      ...ENDED,
      moves: [
        move('assets:bank', 'equity:conversion', 'amount_minor', 'NGN'),
        move('equity:conversion', 'assets:wallet', inCngn('amount_minor'), 'CNGN'),
      ],
    },
    returned(payout, bothOf('assets:transit:payout', 'assets:wallet'), `${hasFailed(PAYOUTS)} AND NOT (${CAME_BACK})`),
  ],
};

const FEE_WITHDRAWAL: EntryKind = {
  thing: feeWithdrawal,
  sets: [
    taken([move('assets:fees', 'assets:transit:fees', 'amount_minor', 'NGN')]),
    done(feeWithdrawal, [move('assets:transit:fees', 'assets:bank', 'amount_minor', 'NGN')]),
    {
      ...returned(feeWithdrawal, [move('assets:transit:fees', 'assets:fees', 'amount_minor', 'NGN')]),
      note: 'failure_reason',
    },
  ],
};

/** Who buys gives cNGN from the wallet for stablecoin in the vault. */
const BUYS = `side = 'buy'`;
const IS_USDC = `lower(pair) LIKE '%usdc'`;
const STABLECOIN = `CASE WHEN ${IS_USDC} THEN 'USDC' ELSE 'USDT' END`;
const STABLE_MINOR = `CASE WHEN ${IS_USDC} THEN usdc_minor ELSE usdt_minor END`;
const GIVEN = {
  minor: `CASE WHEN ${BUYS} THEN cngn_minor ELSE ${STABLE_MINOR} END`,
  asset: `CASE WHEN ${BUYS} THEN 'CNGN' ELSE ${STABLECOIN} END`,
};
const GOT = {
  minor: `CASE WHEN ${BUYS} THEN ${STABLE_MINOR} ELSE cngn_minor END`,
  asset: `CASE WHEN ${BUYS} THEN ${STABLECOIN} ELSE 'CNGN' END`,
};
const GIVING = { sql: either(BUYS, 'assets:wallet', 'assets:vault') };
const GETTING = { sql: either(BUYS, 'assets:vault', 'assets:wallet') };
/** What arrives of a trade. Some responses state it in the asset that is given, which does not say what was deducted. */
const NET = `CASE WHEN net_asset = ${GOT.asset} THEN net_minor END`;
const OTHER_NET = `CASE WHEN net_minor IS NULL THEN 'FEE_NOT_STATED' ELSE 'FEE_OTHER_ASSET' END`;

const TRADE: EntryKind = {
  thing: trade,
  sets: [
    taken([move(GIVING, 'assets:transit:trade', GIVEN.minor, GIVEN.asset)]),
    done(trade, [
      move('assets:transit:trade', 'equity:conversion', GIVEN.minor, GIVEN.asset),
      move('equity:conversion', GETTING, GOT.minor, GOT.asset),
      move(GETTING, 'expenses:platform:trade', `(${GOT.minor}) - (${NET})`, GOT.asset, OTHER_NET, GOT.minor),
    ]),
    returned(trade, [move('assets:transit:trade', GIVING, GIVEN.minor, GIVEN.asset)]),
  ],
};

/** What the account itself sent to a bridge transfer; NULL if someone else pays it. */
const SENT = `(SELECT sum(w.amount_minor) FROM stored_withdrawals w WHERE w.to_address = stored_bridge_transfers.receivable_address
  AND w.${isOneOf('type', transfer.types ?? [])} AND w.${isDone(tableOf(transfer))})`;
const SENT_MINOR = `CAST(${SENT} AS BIGINT)`;
const BRIDGED_FROM = { sql: either(`${SENT} IS NULL`, 'equity:outside', 'assets:transit:bridge') };
const BRIDGED_TO = { sql: either(isOwn('to_address'), 'assets:wallet', 'equity:outside') };
const IS_CONCERNED = `(${isOwn('to_address')} OR ${SENT} IS NOT NULL)`;

/** The tokens that the account pays leave with a transfer to the address of the bridge, which has a row of its own. */
const BRIDGE: EntryKind = {
  thing: bridgeTransfer,
  sets: [
    {
      ...done(bridgeTransfer, [
        move(BRIDGED_FROM, BRIDGED_TO, 'arrived_minor', 'CNGN'),
        move(
          BRIDGED_FROM,
          { sql: either(`${SENT} IS NULL`, 'equity:outside', 'expenses:platform:bridge') },
          `CASE WHEN ${SENT} IS NULL THEN 0 ELSE ${SENT_MINOR} - arrived_minor END`,
          'CNGN',
        ),
      ]),
      where: `${isDone(tableOf(bridgeTransfer))} AND ${IS_CONCERNED}`,
    },
    returned(
      bridgeTransfer,
      [move('assets:transit:bridge', 'assets:wallet', SENT_MINOR, 'CNGN')],
      `${hasFailed(tableOf(bridgeTransfer))} AND ${SENT} IS NOT NULL`,
    ),
  ],
};

const TO_BRIDGE = `EXISTS (SELECT 1 FROM stored_bridge_transfers b WHERE b.receivable_address = stored_withdrawals.to_address)`;

const TRANSFER: EntryKind = {
  thing: transfer,
  sets: [
    taken([move('assets:wallet', 'assets:transit:transfer', 'amount_minor', 'amount_asset')]),
    done(transfer, [
      move(
        'assets:transit:transfer',
        { sql: either(TO_BRIDGE, 'assets:transit:bridge', 'equity:outside') },
        'amount_minor',
        'amount_asset',
      ),
    ]),
    returned(transfer, [move('assets:transit:transfer', 'assets:wallet', 'amount_minor', 'amount_asset')]),
  ],
};

/** What its bridge deducts is the user’s. */
const WITHDRAWAL: EntryKind = {
  thing: withdrawal,
  user: 'user_id',
  sets: [
    taken([move('assets:held', 'assets:held:transit', 'amount_minor', 'amount_asset')]),
    done(withdrawal, [move('assets:held:transit', { sql: ofUser('user_id') }, 'amount_minor', 'amount_asset')]),
    returned(withdrawal, [move('assets:held:transit', 'assets:held', 'amount_minor', 'amount_asset')]),
  ],
};

const SWAP_USER = ownerOf(swap);

const SWAP: EntryKind = {
  thing: swap,
  user: SWAP_USER,
  sets: [
    taken([move('assets:held', 'assets:held:transit', 'sold_minor', 'sold_asset')]),
    done(swap, [
      move('assets:held:transit', { sql: ofUser(SWAP_USER) }, 'sold_minor', 'sold_asset'),
      move({ sql: ofUser(SWAP_USER) }, 'assets:held', 'bought_minor', 'bought_asset'),
    ]),
    returned(swap, [move('assets:held:transit', 'assets:held', 'sold_minor', 'sold_asset')]),
  ],
};

/** Every kind of thing that moves money, and how. */
export const ENTRY_KINDS: readonly EntryKind[] = [
  OWN_DEPOSIT,
  USER_DEPOSIT,
  PAYOUT,
  OFFRAMP,
  FEE_WITHDRAWAL,
  TRADE,
  BRIDGE,
  TRANSFER,
  WITHDRAWAL,
  SWAP,
];
