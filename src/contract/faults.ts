import { advice, type Hint } from '../base/advice.ts';

/** A kind of refusal: its two-digit code, HTTP status, general message, and what to do next. */
interface FaultEntry {
  /** The name in the specification, if it has a more general one. */
  readonly name?: string;
  /** The fault that is the same condition with another code. */
  readonly is?: string;
  readonly code: string;
  readonly http: number;
  readonly message: string;
  readonly remedy: Hint;
  /** `status` is `Failed` and the detail is in `data.error`. Source: public. */
  readonly isFailed?: boolean;
}

/** Remedy for an unknown user id. */
export const SEE_USERS = advice`list verified users with: [fiatrail users list]`;

/**
 * Every refusal the service can return. Codes and names: interface (Errors); HTTP status per code: public. Business
 * refusals documented as 500 are 400 here, because a 5xx response to a money request must mean an unknown outcome.
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
    remedy: advice`request a new quote with: [fiatrail fx quote --pair <pair> --side <side> --amount <cngn>]`,
  },
  INSUFFICIENT_BALANCE: {
    code: '01',
    http: 400,
    message: 'The balance is too low',
    remedy: advice`check the user's balances with: [fiatrail balances user <user id>]`,
    isFailed: true,
  },
  PENDING_TRANSACTIONS: {
    code: '01',
    http: 400,
    message: 'Payouts are pending',
    remedy: advice`wait until the payouts to this account finish; list them with: [fiatrail history payouts --status pending]`,
  },
  NOT_FOUND: {
    code: '02',
    http: 404,
    message: 'Not found',
    remedy: advice`find the id in a list, such as: [fiatrail ops list]; check the profile with: [fiatrail whoami]`,
  },
  USER_NOT_FOUND: { code: '02', http: 404, message: 'User not found', remedy: SEE_USERS },
  BANK_ACCOUNT_NOT_FOUND: {
    code: '02',
    http: 404,
    message: 'Bank account not found',
    remedy: advice`list payout accounts with: [fiatrail bank-accounts list]`,
  },
  NO_FUNDED_WALLET: {
    code: '02',
    http: 404,
    message: 'No funded wallet',
    remedy: advice`fund the user first with: [fiatrail onramp create <user id> --amount <naira>]`,
    isFailed: true,
  },
  NO_LIQUIDITY: {
    code: '02',
    http: 404,
    message: 'The order book cannot fill this amount',
    remedy: advice`check the order book with: [fiatrail fx book <pair>]`,
  },
  AUTHENTICATION_FAILED: {
    code: '03',
    http: 401,
    message: 'Authentication failed',
    remedy: advice`check FIATRAIL_API_KEY, or save the key with: [fiatrail profiles add NAME --key-stdin]`,
  },
  IP_BLOCKED: {
    code: '03',
    http: 403,
    message: 'The address is not on the allowlist',
    remedy: "add this address to the account's allowlist",
  },
  RATE_LIMIT_EXCEEDED: {
    code: '04',
    http: 429,
    message: 'Too many requests',
    remedy: 'wait, then run the command again',
  },
  INTERNAL_ERROR: {
    code: '05',
    http: 500,
    message: 'Internal error',
    remedy: advice`run a read again in a minute; what a change did is unknown: find out with: [fiatrail ops reconcile]`,
  },
  SHORT_BALANCE: {
    is: 'INSUFFICIENT_BALANCE',
    code: '05',
    http: 400,
    message: 'The balance is too low',
    remedy: advice`check the balances with: [fiatrail balances account], or [fiatrail balances user <user id>]`,
  },
  UNFUNDED_TRADE: {
    name: 'VALIDATION_ERROR',
    is: 'INSUFFICIENT_BALANCE',
    code: '01',
    http: 400,
    message: 'The balance is too low',
    remedy: advice`check the balances with: [fiatrail balances account]`,
  },
  INSUFFICIENT_LIQUIDITY: {
    code: '05',
    http: 400,
    message: 'The order book cannot fill this swap',
    remedy: advice`try a smaller amount, or check the order book with: [fiatrail fx book <pair>]`,
  },
  SELF_TRADE: {
    name: 'INTERNAL_ERROR',
    code: '05',
    http: 400,
    message: 'Cannot trade against your own orders',
    remedy: advice`pause or remove your own orders first; list them with: [fiatrail fx orders list]`,
  },
  UNDERFUNDED_ORDER: {
    name: 'INTERNAL_ERROR',
    code: '05',
    http: 400,
    message: 'The liquidity behind the order is insufficient',
    remedy: advice`fund the wallet or lower the order's maximum; check the balances with: [fiatrail balances account]`,
  },
} as const satisfies Readonly<Record<string, FaultEntry>>;

export type FaultName = keyof typeof FAULTS;

/** Returns the specification's name for a fault. */
export function faultName(fault: FaultName): string {
  const { name = conditionOf(fault) }: FaultEntry = FAULTS[fault];
  return name;
}

/**
 * Returns the name of the condition that a fault reports, which tells it from the others of its endpoint. Source: interface and public;
 * inferred for a trade with oneself, an order without funds
 * and a trade without funds, for which the specification has no name or only that of its response code.
 */
export function conditionOf(fault: FaultName): string {
  const { is = fault }: FaultEntry = FAULTS[fault];
  return is;
}

/** Whether the fault uses the envelope whose `status` is `Failed`. */
export function isFailedEnvelope(fault: FaultName): boolean {
  const { isFailed = false }: FaultEntry = FAULTS[fault];
  return isFailed;
}

/** A refusal by the service. `detail` becomes the envelope's `error` and must not contain secrets. */
export class Fault extends Error {
  override name = 'Fault';
  readonly fault: FaultName;
  readonly detail: string;
  /** Additional fields of the response's `data`. */
  readonly data: Readonly<Record<string, unknown>> | undefined;

  constructor(fault: FaultName, detail: string, data?: Readonly<Record<string, unknown>>) {
    super(detail);
    this.fault = fault;
    this.detail = detail;
    this.data = data;
  }
}
