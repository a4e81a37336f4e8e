/** What the program may touch outside itself. Types only: the one real World is in world-system.ts. */

/** An HTTP request as plain data. `body` is the exact text to send. Header names are lower case. */
export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** An HTTP answer as plain data. Header names are lower case. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Why the body, which is sealed, could not be opened, in words; it holds no secret. */
  readonly unreadable?: string;
}

/**
 * One request, one answer: over the network, or in this process (the embedded sandbox).
 * `isRead`: it changes nothing, so it may go over a connection that others went over before.
 * Rejects with ExchangeError (exchange-error.ts), which says whether anything was sent.
 */
export type Exchange = (request: HttpRequest, signal: AbortSignal, isRead?: boolean) => Promise<HttpResponse>;

export interface Clock {
  /** Milliseconds since the epoch, UTC. */
  now(): number;
  /** Resolves after `durationMs`; rejects with the signal's reason when it aborts first. */
  sleep(durationMs: number, signal: AbortSignal): Promise<void>;
}

export interface Ids {
  /** A new UUID (version 7), ordered by creation within this process. */
  uuid(): string;
  /** `length` bytes from the system's secure random source. */
  bytes(length: number): Uint8Array;
  /** HMAC-SHA256 of a text under a key, base64url: the same text gives the same digest, and tells nothing of itself. */
  digest(key: string, text: string): string;
}

export interface InputStream {
  readonly isTerminal: boolean;
  /** Everything up to the end of the stream, as UTF-8 text. Rejects past `maxBytes`. */
  readAll(maxBytes: number): Promise<string>;
}

export interface OutputStream {
  readonly isTerminal: boolean;
  /** Width in columns, or undefined off a terminal. */
  readonly columns: number | undefined;
  /** Resolves when the text was taken; rejects when the reader is gone or the disk is full. */
  write(text: string): Promise<void>;
}

export interface Prompter {
  confirm(message: string): Promise<boolean>;
  text(message: string, check: (value: string) => true | string): Promise<string>;
  secret(message: string, check: (value: string) => true | string): Promise<string>;
}

export interface World {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The network. The embedded sandbox does not use it. */
  readonly network: Exchange;
  /** Loads the prompt library on first use. */
  prompter(): Promise<Prompter>;
  /** Aborts on SIGINT and SIGTERM. */
  readonly interrupted: AbortSignal;
  readonly platform: string;
  readonly homeDir: string;
  /** The text of a file. Rejects past `maxBytes`. */
  readFile(path: string, maxBytes: number): Promise<string>;
  /** Creates a directory only its owner can enter, with its parents, when it is not there. */
  ensurePrivateDir(path: string): void;
  /** One turn of the event loop: what was asked for leaves before the work goes on. */
  turn(): Promise<void>;
  /** From here on memory stays small rather than fast: for a stream of unknown length. */
  steadyMemory(): void;
}
