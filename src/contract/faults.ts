/** One refusal: its two-digit code, the HTTP status, what the envelope says in general, and what a person does next. */
interface FaultEntry {
  /** The specification's name, where several refusals share one. */
  readonly name?: string;
  readonly code: string;
  readonly http: number;
  readonly message: string;
  readonly remedy: string;
  /** `status` reads `Failed` and the detail stands in `data.error`. Source: public. */
  readonly isFailed?: boolean;
}

/** What helps who named a user nobody has. */
export const SEE_USERS = 'see the verified users with: fiatrail users list';

/**
 * Everything the service refuses by name. Codes and names: interface (Errors); the status per code: public. Business
 * refusals that public text gives as 500 are 400 here, because a 5xx to a money request must mean "unknown".
 */
export const FAULTS = {
  VALIDATION_ERROR: {
    code: '01',
    http: 400,
    message: 'The request is not valid',
    remedy: 'correct the input and run the command again',
  },
  INVALID_QUOTE: {
    code: '01',
    http: 400,
    message: 'The quote is not valid',
    remedy: 'ask for a new quote with: fiatrail fx quote --pair <pair> --side <side> --amount <cngn>',
  },
  INSUFFICIENT_BALANCE: {
    code: '01',
    http: 400,
    message: 'The balance is too low',
    remedy: 'see what the user holds with: fiatrail balances user <user id>',
    isFailed: true,
  },
  PENDING_TRANSACTIONS: {
    code: '01',
    http: 400,
    message: 'Payouts are pending',
    remedy: 'wait for the payouts to this account to end: fiatrail history payouts --status pending',
  },
  NOT_FOUND: { code: '02', http: 404, message: 'Not found', remedy: 'check the id you gave' },
  USER_NOT_FOUND: { code: '02', http: 404, message: 'User not found', remedy: SEE_USERS },
  BANK_ACCOUNT_NOT_FOUND: {
    code: '02',
    http: 404,
    message: 'Bank account not found',
    remedy: 'see the payout accounts with: fiatrail bank-accounts list',
  },
  NO_FUNDED_WALLET: {
    code: '02',
    http: 404,
    message: 'No funded wallet',
    remedy: 'fund the user first with: fiatrail onramp start <user id> --amount <naira>',
    isFailed: true,
  },
  NO_LIQUIDITY: {
    code: '02',
    http: 404,
    message: 'The order book cannot fill this amount',
    remedy: 'see what the book holds with: fiatrail fx book <pair>',
  },
  AUTHENTICATION_FAILED: {
    code: '03',
    http: 401,
    message: 'Authentication failed',
    remedy: 'check FIATRAIL_API_KEY, or the key of the profile',
  },
  IP_BLOCKED: {
    code: '03',
    http: 403,
    message: 'The address is not on the allowlist',
    remedy: 'add this address to the allowlist of the account',
  },
  RATE_LIMIT_EXCEEDED: {
    code: '04',
    http: 429,
    message: 'Too many requests',
    remedy: 'wait as told and run the command again',
  },
  INTERNAL_ERROR: { code: '05', http: 500, message: 'Internal error', remedy: 'try again in a minute' },
  SHORT_BALANCE: {
    name: 'INSUFFICIENT_BALANCE',
    code: '05',
    http: 400,
    message: 'The balance is too low',
    remedy: 'see what is there with: fiatrail balances fintech, or fiatrail balances user <user id>',
  },
  INSUFFICIENT_LIQUIDITY: {
    code: '05',
    http: 400,
    message: 'The order book cannot fill this swap',
    remedy: 'try a smaller amount, or look at the book with: fiatrail fx book <pair>',
  },
  SELF_TRADE: {
    name: 'INTERNAL_ERROR',
    code: '05',
    http: 400,
    message: 'Cannot trade against your own orders',
    remedy: 'pause or remove your own orders first: fiatrail fx orders list',
  },
  UNDERFUNDED_ORDER: {
    name: 'INTERNAL_ERROR',
    code: '05',
    http: 400,
    message: 'The liquidity behind the order is insufficient',
    remedy: 'fund the wallet behind the order, or lower its maximum: fiatrail balances fintech',
  },
} as const satisfies Readonly<Record<string, FaultEntry>>;

export type FaultName = keyof typeof FAULTS;

/** What the specification calls a refusal. */
export function faultName(fault: FaultName): string {
  const { name = fault }: FaultEntry = FAULTS[fault];
  return name;
}

/** Whether the envelope of a refusal is the one that reads `Failed`. */
export function isFailedEnvelope(fault: FaultName): boolean {
  const { isFailed = false }: FaultEntry = FAULTS[fault];
  return isFailed;
}

/** A refusal the service gives. `detail` is the text of the envelope's `error`; it may not hold a secret. */
export class Fault extends Error {
  override name = 'Fault';
  readonly fault: FaultName;
  readonly detail: string;
  /** Extra fields of the answer's `data`. */
  readonly data: Readonly<Record<string, unknown>> | undefined;

  constructor(fault: FaultName, detail: string, data?: Readonly<Record<string, unknown>>) {
    super(detail);
    this.fault = fault;
    this.detail = detail;
    this.data = data;
  }
}

export const userNotVerified = {
  when: 'the user is unknown or not verified',
  fault: 'USER_NOT_FOUND',
  source: 'public',
} as const;

export const userUnknown = {
  when: 'the user is unknown or not verified',
  fault: 'NOT_FOUND',
  source: 'public',
  remedy: SEE_USERS,
} as const;
