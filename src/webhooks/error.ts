/** Why a delivery is refused. `MISSING_HEADER` and the like mean that it is none; `WRONG_SIGNATURE` that someone else sent it. */
type WebhookProblem =
  | 'MISSING_HEADER'
  | 'DOUBLED_HEADER'
  | 'AMBIGUOUS_SERVICE'
  | 'INVALID_TIMESTAMP'
  | 'INVALID_SIGNATURE'
  | 'WRONG_SIGNATURE'
  | 'TOO_OLD'
  | 'FROM_THE_FUTURE'
  | 'CANNOT_BE_DECRYPTED'
  | 'NOT_AN_EVENT'
  | 'TOO_LARGE'
  | 'TOO_SLOW'
  | 'INCOMPLETE';

/** The HTTP status to answer each problem with. A receiver that cannot read a delivery with a valid signature did not receive it. */
const STATUS = {
  MISSING_HEADER: 400,
  DOUBLED_HEADER: 400,
  AMBIGUOUS_SERVICE: 400,
  INVALID_TIMESTAMP: 400,
  INVALID_SIGNATURE: 401,
  WRONG_SIGNATURE: 401,
  TOO_OLD: 400,
  FROM_THE_FUTURE: 400,
  CANNOT_BE_DECRYPTED: 500,
  NOT_AN_EVENT: 422,
  TOO_LARGE: 413,
  TOO_SLOW: 408,
  INCOMPLETE: 400,
} as const satisfies Readonly<Record<WebhookProblem, number>>;

/**
 * Thrown for a request that is not a delivery of the service, or that cannot be read. Its message has no secret and nothing of the body.
 *
 * @example
 * ```ts
 * import assert from 'node:assert/strict';
 * import { receive, WebhookError } from 'fiatrail/webhooks';
 *
 * try {
 *   await receive({ headers: {}, body: Buffer.from('{}') }, { secret: 'a-secret' });
 * } catch (error) {
 *   if (error instanceof WebhookError) {
 *     assert.equal(error.code, 'MISSING_HEADER');
 *     assert.equal(error.status, 400);
 *   }
 * }
 * ```
 */
export class WebhookError extends Error {
  override name = 'WebhookError';
  /** Why it is rejected. */
  readonly code: WebhookProblem;
  /** The HTTP status to respond with. */
  readonly status: (typeof STATUS)[WebhookProblem];

  constructor(code: WebhookProblem, message: string) {
    super(message);
    this.code = code;
    this.status = STATUS[code];
  }
}
