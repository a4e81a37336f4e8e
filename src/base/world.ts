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

/** One of several answers: what stands in the list, and what it means. */
export interface Choice<T> {
  readonly name: string;
  readonly value: T;
}

/** Says true of an answer that will do, else why not, in one sentence. */
export type Check = (value: string) => true | string;

/** Asks the person at the terminal. Each rejects with CliError `interrupted` on Ctrl-C and Ctrl-D. */
export interface Prompter {
  /** Default no, unless `preset` says yes. */
  confirm(message: string, preset?: boolean): Promise<boolean>;
  /** An empty answer means `preset`, where there is one. */
  text(message: string, check: Check, preset?: string): Promise<string>;
  /** Shows nothing of what is typed but its length, and not even that where lines cannot be written over. */
  secret(message: string, check: Check): Promise<string>;
  /** The first choice is the preset. */
  select<T>(message: string, choices: readonly Choice<T>[]): Promise<T>;
  /** Choices for what has been typed so far. */
  search<T>(message: string, find: (typed: string, signal: AbortSignal) => Promise<readonly Choice<T>[]>): Promise<T>;
}

export interface ProgramOptions {
  /** Text for its standard input, which is closed after it. */
  readonly input?: string;
  readonly timeoutMs: number;
  /** The one word is a command line for the system's shell. */
  readonly isShell?: boolean;
  /** It outlives this process, and no signal of the terminal reaches it. */
  readonly isDetached?: boolean;
}

/** How another program ended. `stdout` is cut off after 64 KiB. */
export type ProgramEnd =
  | { readonly kind: 'ended'; readonly code: number | null; readonly stdout: string }
  | { readonly kind: 'missing' | 'late' };

/** The certificate a server shows, and whether this machine trusts it. */
export interface Certificate {
  /** Why it is not trusted, as Node calls it: `CERT_HAS_EXPIRED`; undefined when it is. */
  readonly distrust: string | undefined;
  /** Milliseconds since the epoch; undefined when the server shows no certificate. */
  readonly validToMs: number | undefined;
  readonly issuer: string;
}

/** Looks at the way to a server, without any request. Each gives up by itself and then rejects. */
export interface Probe {
  /** The addresses of a host, as the system looks them up. */
  lookUp(host: string): Promise<readonly string[]>;
  /** The handshake with the server of an https URL, through the proxy that a request would take. Rejects with ExchangeError. */
  certificate(url: string): Promise<Certificate>;
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
  /** Loaded on first use. */
  probe(): Promise<Probe>;
  /** Questions that are written over, or plain lines with TERM=dumb. Loaded on first use. */
  prompter(): Promise<Prompter>;
  /** Aborts on SIGINT and SIGTERM. */
  readonly interrupted: AbortSignal;
  readonly platform: string;
  /** `24.15.0`. */
  readonly nodeVersion: string;
  /** The number of the user this program runs as; undefined on systems without such numbers. */
  readonly userId: number | undefined;
  /** The folder the program was started in. */
  readonly cwd: string;
  /** The words that start this program once more. */
  readonly self: readonly string[];
  /**
   * Runs another program to its end; what it says on standard error is dropped. Its environment has none of our secrets.
   * It is killed, with what it started, after `timeoutMs` and when the program is interrupted.
   */
  runProgram(words: readonly string[], options: ProgramOptions): Promise<ProgramEnd>;
  /** The file that a program's name stands for, as a shell would find it; undefined when there is none. */
  findProgram(name: string): string | undefined;
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
