/** Why an exchange gave no answer. */
export class ExchangeError extends Error {
  override name = 'ExchangeError';
  /** False only when it is certain that no byte of the request left. */
  readonly sent: boolean;

  constructor(message: string, sent: boolean, cause?: unknown) {
    super(message, { cause });
    this.sent = sent;
  }
}
