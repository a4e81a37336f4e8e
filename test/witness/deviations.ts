/** An intentional difference between the contract and the witness. `row` has the format of Difference. */
export interface Deviation {
  readonly endpoint: string;
  readonly row: string;
  readonly reason: string;
}

const BUSINESS_REFUSAL =
  'A business refusal that public documentation lists with status 500. It keeps its code but has status 400, because a 5xx response to a money request must mean that the outcome is unknown.';

const NAMES = ['type', 'userId', 'status', 'startDate', 'endDate'];

const SENT_FILTERS = [
  ...NAMES.map((name) => ['transactions.list-deposits', name] as const),
  ...NAMES.map((name) => ['transactions.list-payouts', name] as const),
  ...['direction', ...NAMES].map((name) => ['transactions.list', name] as const),
].map(([endpoint, name]) => ({
  endpoint,
  row: `response.filters.${name}`,
  reason:
    'Public documentation has the object filters, and does not say what is in it. ' +
    'The sandbox repeats the filters of the request under their names, as the list of bridge transactions does.',
}));

export const deviations: readonly Deviation[] = [
  {
    endpoint: 'users.onboard-status',
    row: 'errors.BVN_VALIDATION_FAILED',
    reason:
      'Known from one client only, without an HTTP status or code, so there is no refusal to declare. ' +
      'A failed onboarding has the status failed, with the details that this client expects.',
  },
  {
    endpoint: 'users.get-details',
    row: 'response.deactivationReason',
    reason:
      'The specification records the reason in an audit log that nothing reads. The sandbox shows it with the user.',
  },
  {
    endpoint: 'bridge.status',
    row: 'response.reference',
    reason: 'The public example lacks it; the interface lists it among the fields of a bridge transaction.',
  },
  ...['virtualAccount', 'virtualAccounts[]'].map((at) => ({
    endpoint: 'virtual-accounts.get-fintech',
    row: `response.${at}.accountType`,
    reason:
      'The public example lacks it; the interface lists it among the fields of a virtual account, with one of its values, user_permanent.',
  })),
  ...SENT_FILTERS,
  {
    endpoint: 'fx.quote',
    row: 'request.cngnAmount',
    reason:
      'The newest public page takes cngnAmount or tokenAmount, so that neither is always required; the interface does not know tokenAmount.',
  },
  {
    endpoint: 'fx.market-order',
    row: 'errors.VALIDATION_ERROR',
    reason:
      'The interface asks for a sufficient balance and no data file has its refusal. ' +
      'The sandbox refuses as it does for a trade, with 01.',
  },
  {
    endpoint: 'transactions.recover-status-post',
    row: 'errors.NOT_FOUND',
    reason:
      'No data file has a refusal of this form of recovery. The sandbox refuses an unknown request id as it does by GET.',
  },
  ...(
    [
      ['transactions.fintech-offramp', 'INSUFFICIENT_BALANCE'],
      ['transactions.withdraw-asset', 'INSUFFICIENT_BALANCE'],
      ['transactions.fintech-transfer', 'INSUFFICIENT_BALANCE'],
      ['swaps.create', 'INSUFFICIENT_BALANCE'],
      ['swaps.trigger', 'INSUFFICIENT_LIQUIDITY'],
      ['fx.create-order', 'INTERNAL_ERROR'],
      ['fx.create-limit-order', 'INTERNAL_ERROR'],
      ['fx.quote', 'INTERNAL_ERROR'],
      ['fx.trade', 'INTERNAL_ERROR'],
      ['fx.market-order', 'INTERNAL_ERROR'],
    ] as const
  ).map(([endpoint, name]) => ({ endpoint, row: `errors.${name}`, reason: BUSINESS_REFUSAL })),
];

/** A documented answer that is read otherwise than its page means it. */
interface AnswerDeviation {
  readonly endpoint: string;
  readonly answer: string;
  /** The exit code of a command that gets it. */
  readonly exit: number;
  readonly reason: string;
}

const NO_NAME =
  'Code 05 is also that of an internal error, and no field names another refusal. For a request that moves money the outcome is unknown.';

export const answerDeviations: readonly AnswerDeviation[] = (
  [
    ['fx.trade', 'fx-trade-self'],
    ['swaps.trigger', 'swap-trigger-liquidity'],
    ['transactions.fintech-offramp', 'payout-insufficient'],
    ['transactions.withdraw-asset', 'withdraw-insufficient'],
  ] as const
).map(([endpoint, answer]) => ({ endpoint, answer, exit: 6, reason: NO_NAME }));

/** Endpoints that appear in two data files under different ids. */
export const overlaps: Readonly<Record<string, string>> = { 'wallets.get-fx-settings': 'fx.settings' };
