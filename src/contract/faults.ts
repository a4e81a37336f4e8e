/**
 * Everything the service refuses by name: the two-digit code, the HTTP status, and what a person does next.
 * Codes and names: interface (Errors); the status per code: public. Business refusals that public text gives
 * as 500 are 400 here, because a 5xx to a money request must mean "unknown".
 */
export const FAULTS = {
  VALIDATION_ERROR: { code: '01', http: 400, remedy: 'correct the input and run the command again' },
  INSUFFICIENT_BALANCE: {
    code: '01',
    http: 400,
    remedy: 'see what the user holds with: fiatrail balances user <user id>',
  },
  NOT_FOUND: { code: '02', http: 404, remedy: 'check the id you gave' },
  USER_NOT_FOUND: { code: '02', http: 404, remedy: 'see the verified users with: fiatrail users list' },
  NO_FUNDED_WALLET: {
    code: '02',
    http: 404,
    remedy: 'fund the user first with: fiatrail onramp start <user id> --amount <naira>',
  },
  AUTHENTICATION_FAILED: { code: '03', http: 401, remedy: 'check FIATRAIL_API_KEY, or the key of the profile' },
  IP_BLOCKED: { code: '03', http: 403, remedy: 'add this address to the allowlist of the account' },
  RATE_LIMIT_EXCEEDED: { code: '04', http: 429, remedy: 'wait as told and run the command again' },
  INTERNAL_ERROR: { code: '05', http: 500, remedy: 'try again in a minute' },
} as const;

export type FaultName = keyof typeof FAULTS;

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
