/** The reason of a request that had to leave earlier. */
export const TOO_LATE = 'this process was suspended, and its time to send the request has passed';

/** Thrown when an exchange gets no response. */
export class ExchangeError extends Error {
  override name = 'ExchangeError';
  /** False only if it is certain that no byte of the request was sent. */
  readonly sent: boolean;

  constructor(message: string, sent: boolean, cause?: unknown) {
    super(message, { cause });
    this.sent = sent;
  }
}
