const HIDDEN = '[redacted]';

/**
 * A secret text, such as an API key or a BVN. Printing, logging, concatenating or serializing it produces `[redacted]`;
 * only `reveal` returns the text.
 */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return HIDDEN;
  }

  toJSON(): string {
    return HIDDEN;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return HIDDEN;
  }
}

export { HIDDEN };

/** The environment variables whose values are secrets: other programs must not see them, and no error repeats them. */
export const SECRET_VARIABLES: readonly string[] = [
  'FIATRAIL_API_KEY',
  'FIATRAIL_WEBHOOK_SECRET',
  'FIATRAIL_FORWARD_SECRET',
];
