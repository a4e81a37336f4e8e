import type { FaultName } from './faults.ts';

/**
 * The documented forms of the service's answers besides the specification's, as data: how each endpoint's answer differs from
 * the contract. The sandbox answers in them on request, so that a client can be tried against each. Source: public.
 */
export type AnswerFormName = 'interface' | 'public' | 'public-older';

/**
 * How the keys around `data` are spelled. lower-case: `status` is `success`. code-in-status: `status` is the code, without
 * `response_code`. camel-only: `responseCode` and `responseMessage`. code: `code` in place of `status` and `response_code`.
 * http-code: `status` in lower case, and `response_code` is the HTTP status.
 */
export type EnvelopeForm = 'lower-case' | 'code-in-status' | 'camel-only' | 'code' | 'http-code';

/**
 * How a value is written. base: a decimal text in millionths. seconds: a time as an object of seconds and nanoseconds.
 * no-zone: a time without zone and milliseconds. net-in-stablecoin: a trade whose net amount is one of stablecoin on both sides.
 * An object has other words for some of the values.
 */
export type Writing = 'base' | 'seconds' | 'no-zone' | 'net-in-stablecoin' | Readonly<Record<string, string>>;

/** How one endpoint answers in a form. Paths are dotted, and `[]` stands for every item of a list. */
export interface AnswerForm {
  /** The form is for requests with this field, or with one of these values in it; other requests take the next form. */
  readonly when?: { readonly field: string; readonly is?: readonly string[] };
  readonly envelope?: EnvelopeForm;
  readonly hasNoMessage?: true;
  /** `data` is missing, or this list alone. */
  readonly data?: 'missing' | { readonly list: string };
  /** Values that are written differently. */
  readonly writes?: Readonly<Record<string, Writing>>;
  /** Fields that the request's value replaces. */
  readonly echoes?: readonly string[];
  /** Fields by their name in the form, with their path in the contract. */
  readonly names?: Readonly<Record<string, string>>;
  /** The fields that the form has, by their names in it, or the fields of the contract that it lacks. */
  readonly only?: readonly string[];
  readonly without?: readonly string[];
  /** Work that has failed is answered as a refusal with this HTTP status. */
  readonly failedAs?: number;
}

/** How an endpoint refuses in a form. */
export interface RefusalForm {
  /** The only fault that is documented like this; every fault if there is none. */
  readonly fault?: FaultName;
  readonly envelope?: EnvelopeForm;
  readonly http?: number;
  readonly lacksError?: true;
  /** `status` is `Failed`, and the detail is in `data.error`. */
  readonly isFailed?: true;
  /** What `error` is: the name of the condition, or an object with a reason. */
  readonly error?: 'name' | 'object';
  /** The name of the condition, if the form has another one, and whether it is all that the message says. */
  readonly name?: string;
  readonly isMessage?: true;
  /** The details of a rate limit are in `data.details`. */
  readonly hasNestedDetails?: true;
}

/** By the id of the endpoint. An endpoint that is not listed answers as the contract says. */
export interface AnswerForms {
  readonly answers: Readonly<Record<string, readonly AnswerForm[]>>;
  readonly refusals: Readonly<Record<string, readonly RefusalForm[]>>;
}

/** Further documented forms of single endpoints, by the id of the endpoint and a name. */
const ENDPOINT_FORMS: Readonly<Record<string, Readonly<Record<string, AnswerForm>>>> = {
  'virtual-accounts.get': {
    // A walkthrough of the specification's own names.
    flat: {
      hasNoMessage: true,
      names: Object.fromEntries(
        ['accountNumber', 'bankName', 'accountName', 'amount', 'totalAmountWithFee'].map((name) => [
          name,
          `virtualAccount.${name}`,
        ]),
      ),
      only: ['accountNumber', 'bankName', 'accountName', 'amount', 'totalAmountWithFee', 'expiresAt'],
    },
  },
  // Seen by a public client: an onboarding that has failed looks like a refusal.
  'users.onboard-status': { 'failed-400': { failedAs: 400 }, 'failed-422': { failedAs: 422 } },
};

/** Further documented forms of refusals, which any endpoint can be given. */
const REFUSAL_FORMS: Readonly<Record<string, readonly RefusalForm[]>> = {
  /** `error` is the name of the condition; an address that is not allowed has a name that is in no table. */
  named: [{ fault: 'IP_BLOCKED', error: 'name', name: 'AUTHORIZATION_FAILED' }, { error: 'name' }],
  /** `response_code` is the HTTP status. */
  'http-code': [{ envelope: 'http-code' }],
  /** `error` is an object. */
  object: [{ error: 'object' }],
  /** An address that is not allowed gets HTTP 400, `Failed` and a name as its message. */
  'ip-400': [{ fault: 'IP_BLOCKED', http: 400, isFailed: true, name: 'IP_NOT_ALLOWED', isMessage: true }],
  /** HTTP 200 with `Failed`. */
  'failed-200': [{ http: 200, isFailed: true }],
};

const orderInBase = (at: string): Readonly<Record<string, Writing>> =>
  Object.fromEntries(['price', 'minAmount', 'maxAmount', 'availableLiquidity'].map((name) => [at + name, 'base']));

/** The public example of a sale: 37.04 USDC, a fee of 20 percent, 29.63 net. */
const TRADES: AnswerForms['answers'] = {
  'fx.trade-status': [{ writes: { trade: 'net-in-stablecoin' } }],
  'fx.list-trades': [{ writes: { 'trades[]': 'net-in-stablecoin' } }],
};

/** The newest pages. */
const newest = (): AnswerForms => ({
  answers: {
    ...TRADES,
    'users.onboard-status': [{ without: ['verified'] }],
    'users.get-details': [{ without: ['virtualAccounts[].status', 'deactivationReason'] }],
    'users.list': [{ without: ['pagination.hasMore'] }],
    'virtual-accounts.get': [{ without: ['expiresAt'] }],
    'virtual-accounts.get-fintech': [{ without: ['virtualAccounts', 'virtualAccount.accountType'] }],
    'transactions.onramp-status': [
      {
        when: { field: 'walletAddress' },
        without: [
          'walletAddress',
          'amount',
          'swapCompleted',
          'finalAsset',
          'txHash',
          'completedAt',
          'metadata',
          'wallet.virtualAccountDetails.vaId',
        ],
      },
      { hasNoMessage: true, without: ['version', 'metadata', 'wallet', 'fxQuote'] },
    ],
    'transactions.offramp': [{ only: ['requestId', 'status', 'stage', 'tokenAddress', 'vaultAddress'] }],
    'transactions.offramp-status': [{ without: ['userWalletAddress', 'vaultAddress', 'fintechUserId'] }],
    'management.update-onramp-asset': [{ envelope: 'code-in-status' }],
    'banks.list-codes': [
      { without: ['banks[].bankCode', 'banks[].bankName', 'totalCount', 'operationId', 'requestId'] },
    ],
    'banks.update': [{ data: 'missing' }],
    'banks.delete': [{ data: 'missing' }],
    'bridge.status': [{ without: ['reference'] }],
    'fees.withdraw': [{ without: ['message'] }],
    'fees.manage': [{ without: ['feeConfiguration.metadata', 'timestamp', 'version'] }],
    'fx.create-limit-order': [{ writes: orderInBase(''), without: ['spread'] }],
    'fx.update-limit-order': [{ writes: orderInBase('order.'), without: ['order.spread'] }],
    'fx.list-limit-orders': [{ writes: orderInBase('orders[].'), without: ['orders[].spread'] }],
    'fx.orderbook': [
      {
        writes: { ...orderInBase('buyOrders[].'), ...orderInBase('sellOrders[].') },
        without: ['buyOrders[].spread', 'sellOrders[].spread', 'note'],
      },
    ],
    'fx.orderbook-stats': [
      {
        writes: {
          'stats.totalBuyLiquidity': 'base',
          'stats.totalSellLiquidity': 'base',
          'stats.bestBidPrice': 'base',
          'stats.bestAskPrice': 'base',
        },
      },
    ],
    'fx.orderbook-token': [{ envelope: 'camel-only' }],
    'fx.quote': [{ without: ['quote.spread', 'quote.matchedOrders[].spread'] }],
    'fx.market-order': [{ envelope: 'camel-only' }],
    'fx.settings': [{ without: ['fintechId'] }],
    'transactions.list-payouts': [{ without: ['payouts[].initiatedAt', 'payouts[].updatedAt'] }],
    'transactions.list': [{ without: ['transactions[].mintTxHash'] }],
    'wallets.get-fintech': [{ envelope: 'lower-case', without: ['smartWallet.previousAddress'] }],
  },
  refusals: {
    'transactions.fintech-transfer': [{ envelope: 'code' }],
    'virtual-accounts.get-fintech': [{ fault: 'RATE_LIMIT_EXCEEDED', lacksError: true }],
  },
});

/** The older pages, saved answers and the older request collection. */
const older = (): AnswerForms => ({
  answers: {
    ...TRADES,
    'users.onboard': [
      {
        envelope: 'lower-case',
        writes: { status: { processing: 'pending_verification' } },
        names: { userId: 'userHash' },
        only: ['userId', 'status', 'requestId'],
      },
    ],
    'users.onboard-status': [
      {
        envelope: 'lower-case',
        hasNoMessage: true,
        writes: { status: { processing: 'pending_verification', completed: 'verified' } },
        names: { bvnVerified: 'verified' },
        only: ['userId', 'status', 'bvnVerified', 'createdAt', 'details', 'retryable'],
      },
    ],
    'users.get-details': [
      {
        writes: { 'virtualAccounts[].createdAt': 'no-zone' },
        names: { virtualAccountDetails: 'virtualAccounts' },
        only: [
          'userId',
          'personalDetails',
          'virtualAccountDetails[].accountNumber',
          'virtualAccountDetails[].accountName',
          'virtualAccountDetails[].createdAt',
          'virtualAccountDetails[].status',
        ],
      },
    ],
    'transactions.offramp': [{ without: ['status', 'stage', 'message', 'vaultAddress'] }],
    'wallets.get-fintech': [
      {
        envelope: 'lower-case',
        names: { smartWallet: 'smartWallet.address', managedWallet: 'smartWallet.owner' },
        only: ['smartWallet', 'managedWallet'],
      },
    ],
    'wallets.list-user': [
      {
        writes: { 'wallets[].createdAt': 'seconds' },
        without: ['wallets[].tokenBuy', 'wallets[].blockchain', 'wallets[].balances'],
      },
    ],
    'banks.list-codes': [
      {
        envelope: 'lower-case',
        hasNoMessage: true,
        data: { list: 'banks' },
        only: ['banks[].bankCode', 'banks[].bankName'],
      },
    ],
    'banks.list': [
      {
        envelope: 'code-in-status',
        without: ['defaultAccount.accountNumber', 'defaultAccount.bankName', 'defaultAccount.bankCode'],
      },
    ],
    'fees.accumulated': [{ envelope: 'code-in-status' }],
    'fees.manage': [{ envelope: 'code-in-status', without: ['exampleCalculation'] }],
    'fx.create-order': [
      {
        envelope: 'lower-case',
        hasNoMessage: true,
        writes: orderInBase(''),
        only: ['orderId', 'status', 'price', 'availableLiquidity'],
      },
    ],
    'fx.settings': [{ without: ['fintechId'] }],
    'transactions.list': [{ without: ['transactions[].mintTxHash'] }],
    'management.ip-allowlist': [
      {
        when: { field: 'action', is: ['add', 'remove'] },
        envelope: 'http-code',
        echoes: ['ipAddress'],
        only: ['ipAddress', 'action'],
      },
    ],
  },
  refusals: {
    'transactions.list': [
      { fault: 'RATE_LIMIT_EXCEEDED', envelope: 'http-code', lacksError: true, hasNestedDetails: true },
    ],
    'fx.trade-status': [{ fault: 'NOT_FOUND', lacksError: true }],
  },
});

/** One endpoint that answers in one of the further forms. */
export interface EndpointForm {
  readonly endpoint: string;
  readonly form: string;
}

/** Returns the names of the further forms that an endpoint can answer in. */
export const formsFor = (endpoint: string): readonly string[] => [
  ...Object.keys(ENDPOINT_FORMS[endpoint] ?? {}),
  ...Object.keys(REFUSAL_FORMS),
];

/** Returns the forms of this name, with the further forms of single endpoints before them; undefined for the specification's alone. */
export function answerFormsOf(name: AnswerFormName, further: readonly EndpointForm[] = []): AnswerForms | undefined {
  const forms = name === 'public' ? newest() : name === 'public-older' ? older() : { answers: {}, refusals: {} };
  if (further.length === 0) return name === 'interface' ? undefined : forms;
  const answers = { ...forms.answers };
  const refusals = { ...forms.refusals };
  for (const { endpoint, form } of further) {
    const answer = ENDPOINT_FORMS[endpoint]?.[form];
    if (answer) answers[endpoint] = [answer];
    else refusals[endpoint] = [...(REFUSAL_FORMS[form] ?? []), ...(refusals[endpoint] ?? [])];
  }
  return { answers, refusals };
}
