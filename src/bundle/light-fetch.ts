/**
 * As much of fetch's classes as ky needs to carry a method, a status and two headers. The bundle puts them in the place
 * of Node's own in ky's files (build.ts), so that undici, which costs more than all the rest, is never loaded.
 * The request's text and the answer's travel beside ky, not through it (transport.ts).
 */

type HeadersInit =
  | LightHeaders
  | Record<string, string | undefined>
  | readonly (readonly [string, string])[]
  | undefined;

export class LightHeaders {
  #values = new Map<string, string>();

  constructor(init?: HeadersInit) {
    // What was joined before stays as it is: an empty last value leaves a blank at the end.
    if (init instanceof LightHeaders) {
      this.#values = new Map(init.#values);
      return;
    }
    const pairs = init === undefined ? [] : Symbol.iterator in init ? init : Object.entries(init);
    for (const [name, value] of pairs) if (value !== undefined) this.append(name, value);
  }

  append(name: string, value: string): void {
    const known = this.get(name);
    const text = String(value).trim();
    this.#values.set(name.toLowerCase(), known === null ? text : `${known}, ${text}`);
  }

  set(name: string, value: string): void {
    this.delete(name);
    this.append(name, value);
  }

  get(name: string): string | null {
    return this.#values.get(name.toLowerCase()) ?? null;
  }

  has(name: string): boolean {
    return this.#values.has(name.toLowerCase());
  }

  delete(name: string): void {
    this.#values.delete(name.toLowerCase());
  }

  entries(): IterableIterator<[string, string]> {
    return [...this.#values].sort(([a], [b]) => (a < b ? -1 : 1)).values();
  }

  [Symbol.iterator](): IterableIterator<[string, string]> {
    return this.entries();
  }
}

interface RequestInit {
  readonly method?: string;
  readonly headers?: HeadersInit;
  readonly signal?: AbortSignal | null;
}

export class LightRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: LightHeaders;
  readonly signal: AbortSignal;
  /** Always null: no body travels through ky. */
  readonly body = null;

  constructor(input: LightRequest | URL | string, init: RequestInit = {}) {
    const from = input instanceof LightRequest ? input : undefined;
    this.url = from ? from.url : String(input);
    this.method = (init.method ?? from?.method ?? 'GET').toUpperCase();
    this.headers = new LightHeaders(init.headers ?? from?.headers);
    this.signal = init.signal ?? from?.signal ?? new AbortController().signal;
  }

  clone(): LightRequest {
    return new LightRequest(this);
  }
}

export class LightResponse {
  readonly status: number;
  readonly headers: LightHeaders;
  readonly type = 'default';
  readonly body = null;

  constructor(_body: null, init: { readonly status?: number; readonly headers?: HeadersInit } = {}) {
    this.status = init.status ?? 200;
    this.headers = new LightHeaders(init.headers);
  }

  get ok(): boolean {
    return this.status >= 200 && this.status <= 299;
  }

  clone(): LightResponse {
    return new LightResponse(null, this);
  }

  async text(): Promise<string> {
    return '';
  }
}

/** The clock of ky's time limits: it does not jump when somebody sets the time of day, and loads nothing. */
export const LightPerformance = {
  now: (): number => Number(globalThis.process.hrtime.bigint()) / 1e6,
};
