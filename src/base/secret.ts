const HIDDEN = '[redacted]';

/**
 * A text that must not be seen: an API key, a BVN. Printing, logging, joining or serialising it gives `[redacted]`;
 * only `reveal` gives the text, at the one place that sends it.
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
