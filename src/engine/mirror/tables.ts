import type { Endpoint } from '../../contract/endpoint.ts';
import type { Listing } from '../lists/resume.ts';

/**
 * A column of a table: the field of a row that it copies, where a dot selects a nested field. An amount has two columns, `NAME_minor` (an
 * integer in the smallest unit) and `NAME_asset`; a time is ISO 8601 in UTC; a flag is 0 or 1.
 */
export interface MirrorColumn {
  readonly name: string;
  readonly field: string;
  readonly kind: 'text' | 'time' | 'amount' | 'flag';
  /** Rows are looked up by it: an id, a hash, an address, an account number. */
  readonly isKey?: true;
  /** Saved only as long as personal data is. */
  readonly isPersonal?: true;
  /** The name of a person or a company, of which people remember a part. */
  readonly isName?: true;
}

/** How new and changed rows are found without reading the whole list. */
type ReadBy =
  /** The service filters by period: the newest rows, and the time of each row that is not final. */
  | 'dated'
  /** Newest first without a period: from the start back to the oldest row that is not final. */
  | 'newest'
  /** Rows are things that change at any age: from the start until the count agrees, and the whole list once a day. */
  | 'count'
  /** A short list, each time to its end. */
  | 'whole';

/** A kind of row that is copied, and the list that has it. */
export interface MirrorTable {
  readonly name: string;
  /** What it has, for docs/data.md. */
  readonly about: string;
  readonly readBy: ReadBy;
  /** The field with the id of a row, and those with its status and the time it was made. */
  readonly id: string;
  readonly status: string;
  readonly createdAt: string;
  /** The statuses in which a row is final; a row with any other one is read again until it is. Without it, no row is awaited. */
  readonly ends?: readonly string[];
  /** The rows that change the account's own balances, and not those of a user's wallet: an SQL condition. */
  readonly own?: string;
  readonly columns: readonly MirrorColumn[];
  /** The list in the response whose rows these are. */
  readonly rows: string;
  readonly list: () => Promise<Listing<Endpoint, unknown>>;
}

type Marks = Omit<MirrorColumn, 'name' | 'field' | 'kind'>;

const column =
  (kind: MirrorColumn['kind'], marks: Marks = {}) =>
  (name: string, field: string): MirrorColumn => ({ name, field, kind, ...marks });

const text = column('text');
const time = column('time');
const amount = column('amount');
/** An amount that people look rows up by. */
const sum = column('amount', { isKey: true });
const flag = column('flag');
const key = column('text', { isKey: true });
const personalKey = column('text', { isKey: true, isPersonal: true });
const personName = column('text', { isName: true, isPersonal: true });
const personal = column('text', { isPersonal: true });

/** The statuses in which most work is final. */
const ENDED = ['completed', 'failed', 'cancelled'] as const;

const listing = (load: () => Promise<unknown>) => load as MirrorTable['list'];

const history = () => import('../lists/history.ts');

/** Every list that is copied, small ones first, so that a long one does not hold up the others. */
export const TABLES: readonly MirrorTable[] = [
  {
    name: 'bank_accounts',
    about: 'the saved bank accounts that payouts go to',
    ...{ readBy: 'whole', id: 'accountId', status: '', createdAt: 'createdAt', rows: 'accounts' },
    columns: [
      personName('account_name', 'accountName'),
      personalKey('account_number', 'accountNumber'),
      text('bank_name', 'bankName'),
      text('bank_code', 'bankCode'),
      personal('label', 'label'),
      flag('is_default', 'isDefault'),
      time('updated_at', 'updatedAt'),
    ],
    list: listing(async () => (await import('../lists/things.ts')).bankAccounts),
  },
  {
    name: 'external_wallets',
    about: 'the registered external wallets',
    ...{ readBy: 'whole', id: 'address', status: 'status', createdAt: 'addedAt', rows: 'externalWallets' },
    columns: [
      key('address', 'address'),
      personal('label', 'label'),
      text('blockchain', 'blockchain'),
      text('type', 'type'),
      flag('is_default', 'isDefault'),
    ],
    list: listing(async () => (await import('../lists/things.ts')).externalWallets),
  },
  {
    name: 'fx_orders',
    about: 'the account’s orders in the order book',
    ...{ readBy: 'whole', id: 'orderId', status: 'status', createdAt: 'createdAt', rows: 'orders' },
    columns: [
      text('pair', 'pair'),
      text('side', 'side'),
      amount('price', 'price'),
      amount('min', 'minAmount'),
      amount('max', 'maxAmount'),
      time('updated_at', 'updatedAt'),
    ],
    list: listing(async () => (await import('../operations/fx.ts')).ordersBy({})),
  },
  {
    name: 'fee_withdrawals',
    about: 'earned fees that were sent to a bank account',
    ...{ readBy: 'newest', id: 'withdrawalId', status: 'status', createdAt: 'createdAt', rows: 'withdrawals' },
    ends: ENDED,
    columns: [
      sum('amount', 'amount'),
      personName('account_name', 'accountName'),
      personalKey('account_number', 'bankAccountNumber'),
      text('bank_code', 'bankCode'),
      personal('narration', 'narration'),
      text('failure_reason', 'failureReason'),
      time('completed_at', 'processedAt'),
    ],
    list: listing(async () => (await import('../operations/fees.ts')).feeWithdrawalsBy({})),
  },
  {
    name: 'fx_trades',
    about: 'the account’s trades on the order book',
    ...{ readBy: 'newest', id: 'tradeId', status: 'status', createdAt: 'createdAt', rows: 'trades' },
    ends: ['completed', 'failed', 'expired'],
    columns: [
      text('pair', 'pair'),
      text('side', 'side'),
      sum('cngn', 'cngnAmount'),
      sum('usdc', 'usdcAmount'),
      sum('usdt', 'usdtAmount'),
      amount('price', 'price'),
      amount('net', 'fintechNetAmount'),
    ],
    list: listing(async () => (await import('../operations/fx.ts')).tradesBy({})),
  },
  {
    name: 'bridge_transfers',
    about: 'cNGN moved between networks',
    ...{ readBy: 'dated', id: 'requestId', status: 'status', createdAt: 'createdAt', rows: 'transactions' },
    ends: ENDED,
    columns: [
      key('transaction_id', 'transactionId'),
      key('reference', 'reference'),
      text('from_network', 'fromNetwork'),
      text('to_network', 'toNetwork'),
      sum('amount', 'amount'),
      sum('arrived', 'actualAmount'),
      key('from_address', 'fromAddress'),
      key('to_address', 'toAddress'),
      key('receivable_address', 'receivableAddress'),
      key('tx_hash', 'txHash'),
      time('completed_at', 'completedAt'),
    ],
    list: listing(async () => (await import('../operations/bridge.ts')).bridgesBy({})),
  },
  {
    name: 'swaps',
    about: 'tokens swapped for other tokens',
    ...{ readBy: 'dated', id: 'requestId', status: 'status', createdAt: 'createdAt', rows: 'swaps' },
    ends: ENDED,
    columns: [
      text('type', 'type'),
      text('trigger', 'triggerType'),
      sum('sold', 'amountIn'),
      sum('bought', 'amountOut'),
      amount('rate', 'executionRate'),
      key('wallet_address', 'smartWalletAddress'),
      key('tx_hash', 'txHash'),
      time('updated_at', 'updatedAt'),
    ],
    list: listing(async () => (await import('../operations/swaps.ts')).swapsBy({})),
  },
  {
    name: 'users',
    about: 'the verified users',
    ...{ readBy: 'count', id: 'userId', status: '', createdAt: 'createdAt', rows: 'users' },
    columns: [
      personName('first_name', 'firstName'),
      personName('last_name', 'lastName'),
      flag('is_active', 'isActive'),
      key('evm_wallet', 'wallets.evm'),
      key('solana_wallet', 'wallets.solana'),
      key('bantu_wallet', 'wallets.bantu'),
      personalKey('account_number', 'virtualAccount.accountNumber'),
      personName('account_name', 'virtualAccount.accountName'),
      text('bank_name', 'virtualAccount.bankName'),
      time('verified_at', 'verifiedAt'),
    ],
    list: listing(async () => (await import('../lists/things.ts')).users),
  },
  {
    name: 'withdrawals',
    about: 'tokens sent to external addresses, by users and by the account',
    ...{ readBy: 'dated', id: 'requestId', status: 'status', createdAt: 'createdAt', rows: 'withdrawals' },
    ends: ENDED,
    own: "type = 'fintech_self_transfer'",
    columns: [
      text('type', 'type'),
      key('user_id', 'userId'),
      sum('amount', 'amount'),
      text('network', 'network'),
      key('wallet_address', 'smartWalletAddress'),
      key('to_address', 'destinationAddress'),
      key('tx_hash', 'transactionHash'),
      time('completed_at', 'completedAt'),
    ],
    list: listing(async () => (await history()).withdrawalsBy({})),
  },
  {
    name: 'payouts',
    about: 'Naira sent to bank accounts, for users and for the account',
    ...{ readBy: 'dated', id: 'id', status: 'status', createdAt: 'createdAt', rows: 'payouts' },
    ends: ENDED,
    own: "type = 'fintech_offramp'",
    columns: [
      text('type', 'type'),
      text('payout_status', 'payoutStatus'),
      sum('amount', 'amount'),
      amount('fee', 'processingFee'),
      sum('deducted', 'totalDeducted'),
      key('wallet_address', 'sourceWalletAddress'),
      text('network', 'sourceNetwork'),
      personName('account_name', 'bankAccount.accountName'),
      personalKey('account_number', 'bankAccount.accountNumber'),
      text('bank_name', 'bankAccount.bankName'),
      text('bank_code', 'bankAccount.bankCode'),
      key('tx_hash', 'transferTxHash'),
      key('reference', 'payoutReference'),
      time('initiated_at', 'initiatedAt'),
      time('completed_at', 'completedAt'),
      time('updated_at', 'updatedAt'),
    ],
    list: listing(async () => (await history()).payoutsBy({})),
  },
  {
    name: 'deposits',
    about: 'Naira that arrived by bank transfer, for users and for the account',
    ...{ readBy: 'dated', id: 'id', status: 'status', createdAt: 'createdAt', rows: 'deposits' },
    ends: ENDED,
    own: "type = 'fintech_deposit'",
    columns: [
      text('type', 'type'),
      key('user_id', 'userId'),
      sum('amount', 'amount'),
      sum('funding', 'fundingAmount'),
      amount('fee', 'platformFee'),
      personalKey('account_number', 'virtualAccountNumber'),
      personName('account_name', 'virtualAccountName'),
      personName('sender_name', 'depositor.name'),
      personalKey('sender_account_number', 'depositor.accountNumber'),
      text('sender_bank', 'depositor.bankName'),
      key('reference', 'transactionReference'),
      key('wallet_address', 'walletAddress'),
      key('tx_hash', 'mintTxHash'),
      time('completed_at', 'completedAt'),
    ],
    list: listing(async () => (await history()).depositsBy({})),
  },
];
