/**
 * The parts of the fetch classes that ky needs for a method, a status and headers. In the bundle they replace Node's own
 * (scripts/build.ts), which load undici: loading ky takes 2 to 4 ms of CPU time with these and 65 ms with Node's.
 * Bodies do not pass through ky (client/transport.ts).
 */

type HeadersInit =
  | LightHeaders
  | Record<string, string | undefined>
  | readonly (readonly [string, string])[]
  | undefined;

export class LightHeaders {
  #values = new Map<string, string>();

  constructor(init?: HeadersInit) {
    // Copied without trimming: joining an empty last value leaves a trailing space.
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
  /** Always null: bodies do not pass through ky. */
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

/** The clock of ky's time limits. It is monotonic and, unlike Node's `performance`, loads nothing. */
export const LightPerformance = {
  now: (): number => Number(globalThis.process.hrtime.bigint()) / 1e6,
};
