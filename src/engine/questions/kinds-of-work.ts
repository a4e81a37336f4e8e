/** A title, and where the forms of a row have its value: the first one that has it counts. */
type Fact = readonly [title: string, ...fields: string[]];

/**
 * A kind of thing that has an id: where it is, what is shown of it, and what its statuses mean. Fields are those of a row of its list, and of the
 * answer of `read`.
 */
export interface Kind {
  /** As printed: `payout`. */
  readonly name: string;
  /** The table of the mirror that has it; of several kinds in one table, `types` says which. */
  readonly table?: string;
  readonly types?: readonly string[];
  /** The endpoints that start it. */
  readonly starts?: readonly string[];
  /** The endpoint that looks its id up directly, and the field of its request. */
  readonly read?: { readonly load: () => Promise<unknown>; readonly field: string };
  /** The sum that it moves. */
  readonly amount?: readonly string[];
  /** Whose name tells it from others. */
  readonly who?: readonly string[];
  readonly facts: readonly Fact[];
  /** What happened at which of its times. */
  readonly times: readonly Fact[];
  /** The statuses in which it has ended; everything else goes on. Without them, it is a thing and no work. */
  readonly ends?: { readonly done: readonly string[]; readonly failed: readonly string[] };
  /** Where its list or its status says why it failed. */
  readonly reason?: readonly string[];
  /** Why it fails if the service does not say it. */
  readonly usualReason?: string;
  /** What becomes of it after it failed, and the commands that help then. */
  readonly afterFailure?: string;
  readonly ifFailed?: readonly string[];
  /** Where the values are that other rows have too: what these rows move belongs to it. */
  readonly links?: readonly string[];
  /** The command that shows it; ID follows. */
  readonly shows?: string;
  /** Whether that command follows it with --wait. */
  readonly isFollowed?: true;
  /** Other commands, with ID in place of its id. */
  readonly more?: readonly string[];
}

const USUAL = { done: ['completed'], failed: ['failed', 'cancelled'] } as const;
const FOLLOWED = { isFollowed: true } as const;

/** What is shown of every transfer to a bank account. */
const PAYEE: readonly Fact[] = [
  ['To', 'bankAccount.accountName', 'accountName'],
  ['Account number', 'bankAccount.accountNumber', 'bankAccountNumber', 'accountNumber'],
  ['Bank', 'bankAccount.bankName', 'bankCode'],
];
const PAYOUT_FACTS: readonly Fact[] = [
  ...PAYEE,
  ['Fee', 'processingFee'],
  ['From wallet', 'sourceWalletAddress', 'wallet.address', 'userWalletAddress'],
  ['Tx hash', 'transferTxHash', 'transferDetails.txHash', 'tokenTransfer.transactionHash'],
  ['Bank reference', 'payoutReference', 'payoutDetails.reference', 'payout.reference'],
];
const PAYOUT_TIMES: readonly Fact[] = [
  ['requested', 'createdAt', 'initiatedAt'],
  ['the tokens moved', 'tokenTransfer.timestamp'],
  ['the bank was asked to pay', 'payout.timestamp'],
  ['completed', 'completedAt'],
];
const WITHDRAWAL = {
  table: 'withdrawals',
  amount: ['amount'],
  facts: [
    ['To', 'destinationAddress', 'destinationWallet'],
    ['Network', 'network'],
    ['From wallet', 'smartWalletAddress'],
    ['Tx hash', 'transactionHash'],
  ],
  times: [
    ['requested', 'createdAt'],
    ['completed', 'completedAt'],
  ],
  ends: USUAL,
  who: ['destinationAddress'],
} as const;

/** Every kind of work, which is started and ends. */
export const WORK: readonly Kind[] = [
  {
    name: 'onboarding',
    starts: ['users.onboard'],
    read: {
      load: async () => (await import('../../contract/endpoints/users.ts')).onboardStatus,
      field: 'requestId',
    },
    facts: [],
    times: [['requested', 'createdAt']],
    ends: { done: ['completed', 'verified'], failed: ['failed'] },
    reason: ['details.userMessage', 'details.error.message', 'message'],
    shows: 'users onboarding status',
    ...FOLLOWED,
  },
  {
    name: 'onramp',
    starts: ['transactions.onramp'],
    read: {
      load: async () => (await import('../../contract/endpoints/onramp.ts')).onrampStatus,
      field: 'requestId',
    },
    amount: ['wallet.virtualAccountDetails.amount', 'amount'],
    who: ['wallet.virtualAccountDetails.accountName'],
    facts: [
      ['Account to pay', 'wallet.virtualAccountDetails.accountNumber', 'accountNumber'],
      ['Bank', 'wallet.virtualAccountDetails.bankName', 'bankName'],
      ['Account status', 'wallet.virtualAccountStatus'],
      ['Wallet', 'walletAddress', 'wallet.walletAddress'],
      ['Asset', 'finalAsset'],
      ['Tx hash', 'txHash', 'wallet.transactionHash'],
    ],
    times: [
      ['started', 'wallet.createdAt', 'createdAt'],
      ['paid', 'wallet.fundingRequestedAt'],
      ['the wallet was funded', 'wallet.fundedAt'],
      ['completed', 'completedAt'],
    ],
    ends: { done: ['completed'], failed: ['failed'] },
    reason: ['wallet.virtualAccountStatus'],
    links: ['walletAddress', 'wallet.virtualAccountDetails.accountNumber', 'accountNumber'],
    shows: 'onramp status',
    ...FOLLOWED,
  },
  {
    name: 'deposit',
    table: 'deposits',
    amount: ['amount'],
    who: ['depositor.name'],
    facts: [
      ['From', 'depositor.name'],
      ['Sender’s account', 'depositor.accountNumber'],
      ['Sender’s bank', 'depositor.bankName'],
      ['Into account', 'virtualAccountNumber'],
      ['Account name', 'virtualAccountName'],
      ['Minted', 'fundingAmount'],
      ['Fee', 'platformFee'],
      ['Wallet', 'walletAddress'],
      ['Bank reference', 'transactionReference'],
      ['Tx hash', 'mintTxHash'],
    ],
    times: [
      ['arrived', 'createdAt'],
      ['completed', 'completedAt'],
    ],
    ends: USUAL,
    usualReason: 'its sum, its time or the name of its sender was not accepted',
    afterFailure: 'the service returns it to the bank account that it came from',
    ifFailed: ['help refund'],
  },
  {
    name: 'offramp',
    table: 'payouts',
    types: ['user_offramp'],
    starts: ['transactions.offramp'],
    read: {
      load: async () => (await import('../../contract/endpoints/offramp.ts')).offrampStatus,
      field: 'requestId',
    },
    amount: ['amount'],
    who: ['bankAccount.accountName'],
    facts: PAYOUT_FACTS,
    times: PAYOUT_TIMES,
    ends: USUAL,
    shows: 'offramp status',
    ...FOLLOWED,
  },
  {
    name: 'payout',
    table: 'payouts',
    starts: ['transactions.fintech-offramp'],
    read: {
      load: async () => (await import('../../contract/endpoints/payouts.ts')).payoutStatus,
      field: 'requestId',
    },
    amount: ['amount'],
    who: ['bankAccount.accountName'],
    facts: PAYOUT_FACTS,
    times: PAYOUT_TIMES,
    ends: { done: USUAL.done, failed: [...USUAL.failed, 'reversed'] },
    shows: 'payout status',
    ...FOLLOWED,
  },
  {
    name: 'withdrawal',
    ...WITHDRAWAL,
    types: ['user_withdrawal', 'fintech_user_withdrawal'],
    starts: ['transactions.withdraw-asset'],
    shows: 'withdrawals status',
  },
  { name: 'transfer', ...WITHDRAWAL, starts: ['transactions.fintech-transfer'], shows: 'withdrawals status' },
  {
    name: 'swap',
    table: 'swaps',
    starts: ['swaps.create', 'swaps.trigger'],
    read: {
      load: async () => (await import('../../contract/endpoints/swaps.ts')).swapStatus,
      field: 'requestId',
    },
    amount: ['amountIn'],
    who: ['buyToken'],
    facts: [
      ['Sold', 'amountIn'],
      ['Bought', 'amountOut'],
      ['Rate', 'executionRate'],
      ['Wallet', 'smartWalletAddress'],
      ['Tx hash', 'txHash'],
    ],
    times: [['requested', 'createdAt']],
    ends: USUAL,
    shows: 'swaps status',
    ...FOLLOWED,
  },
  {
    name: 'bridge transfer',
    table: 'bridge_transfers',
    starts: ['bridge.initiate'],
    read: {
      load: async () => (await import('../../contract/endpoints/bridge.ts')).bridgeStatus,
      field: 'requestId',
    },
    amount: ['amount'],
    who: ['toNetwork'],
    facts: [
      ['From network', 'fromNetwork'],
      ['To network', 'toNetwork'],
      ['Arrived', 'actualAmount'],
      ['From', 'fromAddress'],
      ['To', 'toAddress'],
      ['Send the tokens to', 'receivableAddress'],
      ['Transaction', 'transactionId'],
      ['Reference', 'reference'],
      ['Tx hash', 'txHash'],
    ],
    times: [
      ['started', 'createdAt'],
      ['completed', 'completedAt'],
    ],
    ends: USUAL,
    shows: 'bridge status',
    ...FOLLOWED,
  },
  {
    name: 'fee withdrawal',
    table: 'fee_withdrawals',
    starts: ['fees.withdraw'],
    read: {
      load: async () => (await import('../../contract/endpoints/fee-withdrawals.ts')).verifyWithdrawal,
      field: 'withdrawalId',
    },
    amount: ['amount'],
    who: ['accountName'],
    facts: [...PAYEE, ['Narration', 'narration']],
    times: [
      ['requested', 'createdAt'],
      ['ended', 'processedAt'],
    ],
    ends: USUAL,
    reason: ['failureReason'],
    shows: 'fees withdrawals status',
    ...FOLLOWED,
  },
  {
    name: 'trade',
    table: 'fx_trades',
    starts: ['fx.trade', 'fx.market-order'],
    read: {
      load: async () => (await import('../../contract/endpoints/fx-trades.ts')).tradeStatus,
      field: 'tradeId',
    },
    amount: ['cngnAmount'],
    who: ['pair'],
    facts: [
      ['Pair', 'pair'],
      ['Side', 'side'],
      ['cNGN', 'cngnAmount'],
      ['USDC', 'usdcAmount'],
      ['USDT', 'usdtAmount'],
      ['Price', 'price'],
    ],
    times: [
      ['started', 'createdAt'],
      ['the price is locked until', 'priceLockExpiresAt'],
      ['failed', 'failedAt'],
    ],
    ends: { done: ['completed'], failed: ['failed', 'expired'] },
    reason: ['errorMessage'],
    shows: 'fx trades status',
    ...FOLLOWED,
  },
  {
    name: 'order',
    table: 'fx_orders',
    starts: ['fx.create-order', 'fx.create-limit-order'],
    amount: ['availableLiquidity'],
    who: ['pair'],
    facts: [
      ['Pair', 'pair'],
      ['Side', 'side'],
      ['Price', 'price'],
      ['Minimum', 'minAmount'],
      ['Maximum', 'maxAmount'],
      ['Available', 'availableLiquidity'],
    ],
    times: [
      ['added', 'createdAt'],
      ['changed', 'updatedAt'],
    ],
    more: ['fx orders list', 'fx orders update ID --price <cngn>', 'fx orders remove ID'],
  },
];
