/** Everything outside the program that it may use. Types only; system/world.ts makes the real World. */

/** An HTTP request. `body` is the exact text to send. Header names are lower case. */
export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** The exact bytes to send instead of a text. */
  readonly bytes?: Uint8Array;
  /**
   * Whether it is too late to send it: asked right before its first byte leaves. A process that was suspended must not send what
   * others have stopped waiting for. Left out, it is never too late.
   */
  readonly isLate?: () => boolean;
  /**
   * Whether a connection may go to this IP address: asked of everything that the host's name resolves to, and of the address of a
   * connection that is used again. Left out, every address is taken. Behind a proxy nothing is asked: there, the proxy resolves names.
   */
  readonly takesAddress?: (address: string) => boolean;
}

/** Why an encrypted body could not be opened. */
export interface Unopened {
  /** Continues "its body is encrypted, but". Contains no secret. */
  readonly why: string;
  /** Whether the profile has no private key, so that no response can be opened until it has one. */
  readonly lacksKey: boolean;
}

/** An HTTP response. Header names are lower case. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Why the encrypted body could not be opened. */
  readonly unreadable?: Unopened;
  /** The account requires encrypted responses, and this one is not, so it may not come from the service. */
  readonly isUnencrypted?: true;
}

/**
 * Sends a request and returns its response, over the network or in this process (the embedded sandbox).
 * `isRead` requests change nothing, so they may reuse a connection.
 * Rejects with ExchangeError, which says whether anything was sent.
 */
export type Exchange = (request: HttpRequest, signal: AbortSignal, isRead?: boolean) => Promise<HttpResponse>;

export interface Clock {
  /** Milliseconds since the epoch, UTC. */
  now(): number;
  /** Milliseconds since some moment, by a clock that nobody sets. It may stand still while the machine sleeps. Left out if nobody sets `now`. */
  steadyMs?(): number;
  /** Resolves after `durationMs`; rejects with the signal's reason if it aborts first. */
  sleep(durationMs: number, signal: AbortSignal): Promise<void>;
  /** Runs something again and again until it is disposed of, without keeping the process alive. Undefined if time only passes in sleeps. */
  every?(durationMs: number, run: () => void): Disposable;
}

export interface Ids {
  /** Returns a new UUID (version 7), ordered by creation within this process. */
  uuid(): string;
  /** Returns `length` cryptographically secure random bytes. */
  bytes(length: number): Uint8Array;
  /** Returns the HMAC-SHA256 of a text under a key, in base64url. Equal texts have equal digests, which do not reveal the text. */
  digest(key: string, text: string): string;
}

export interface InputStream {
  readonly isTerminal: boolean;
  /** Reads the whole stream as UTF-8 text. Rejects if it is longer than `maxBytes`. */
  readAll(maxBytes: number): Promise<string>;
}

export interface OutputStream {
  readonly isTerminal: boolean;
  /** Width in columns at this moment: a terminal can be resized. Undefined if it is not a terminal, or its size is not known. */
  readonly columns: number | undefined;
  /** Resolves when the text or the bytes are written; rejects if the reader is gone or the disk is full. */
  write(text: string | Uint8Array): Promise<void>;
  /** Set if it masks what is written. */
  readonly masking?: Masking;
}

/** How a stream masks what is written. */
interface Masking {
  /** The stream as it is, for what someone is asked. */
  readonly unmasked: OutputStream;
  /** Masks a text before it is grouped or wrapped: after that, nobody would find a name in it. */
  text(text: string): string;
}

/** An entry of a list prompt: its label and its value. */
export interface Choice<T> {
  readonly name: string;
  readonly value: T;
}

/** Validates input: returns true, or an error message of one sentence. */
export type Check = (value: string) => true | string;

/** A question of several. */
export interface Asking<T = unknown> {
  /** The answer of Enter alone. */
  readonly preset?: T | undefined;
  /** What has been typed into a search already. */
  readonly typed?: string | undefined;
  /** Esc and Ctrl-B reject with StepBack (base/errors.ts). */
  readonly hasBack?: boolean;
}

/** Returns the choices for the text typed so far. */
export type Find<T> = (typed: string, signal: AbortSignal) => Promise<readonly Choice<T>[]>;

/** Prompts the user. Every prompt rejects with CliError `interrupted` on Ctrl-C and Ctrl-D. */
export interface Prompter {
  /** The default is no: Enter alone changes nothing. */
  confirm(message: string, asking?: Asking): Promise<boolean>;
  text(message: string, check: Check, asking?: Asking<string>): Promise<string>;
  /** Hides the input: shows only its length, or nothing at all on a terminal without cursor control. */
  secret(message: string, check: Check, asking?: Asking): Promise<string>;
  /** The first choice is the default. */
  select<T>(message: string, choices: readonly Choice<T>[], asking?: Asking<T>): Promise<T>;
  /** Offers the choices that `find` returns. */
  search<T>(message: string, find: Find<T>, asking?: Asking<T>): Promise<T>;
}

export interface ProgramOptions {
  /** Text for standard input, which is then closed. */
  readonly input?: string;
  /** Bytes for standard input instead of a text. */
  readonly inputBytes?: Uint8Array;
  readonly timeoutMs: number;
  /** The only word is a command line for the system's shell. */
  readonly isShell?: boolean;
  /** Variables added to its environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Passes its standard error on. */
  readonly showsErrors?: boolean;
  /** Keeps the end of its standard error. */
  readonly capturesErrors?: boolean;
  /** The only variables of ours that it gets; without this, all but our secrets. */
  readonly variables?: readonly string[];
  /**
   * Ends it on this signal instead of on an interrupt, and like after `timeoutMs`: with SIGTERM, and for good after `graceMs`. If it then exits
   * with 0, it has ended and is not late. It is killed at once when the user interrupts this program a second time.
   */
  readonly ending?: { readonly signal: AbortSignal; readonly graceMs: number };
  /** Runs it detached: it outlives this process and does not receive the terminal's signals. */
  readonly isDetached?: boolean;
}

/** How another program ended. `stdout` is truncated to 64 KiB; `stderr` is its last whole lines, at most 4 KiB, if they are kept. */
export type ProgramEnd =
  | { readonly kind: 'ended'; readonly code: number | null; readonly stdout: string; readonly stderr?: string }
  | { readonly kind: 'late'; readonly stderr?: string }
  | { readonly kind: 'missing' };

/** A program that runs, and whose output is read while it does. */
export interface RunningProgram {
  /** What it writes to its standard output; it waits for whoever reads. Ends early if the program is ended. */
  readonly output: AsyncIterable<Uint8Array>;
  /** Resolves once it has ended and its output was read; `stdout` is empty. */
  readonly ended: Promise<ProgramEnd>;
  /** Ends it and its child processes, unless it has ended. */
  end(): void;
}

/** A server's certificate, and whether this machine trusts it. */
export interface Certificate {
  /** Node's code for why it is not trusted, such as `CERT_HAS_EXPIRED`; undefined if it is trusted. */
  readonly distrust: string | undefined;
  /** Milliseconds since the epoch; undefined if the server presents no certificate. */
  readonly validToMs: number | undefined;
  readonly issuer: string;
}

/** Diagnoses the connection to a server without sending a request. Each method rejects after its own timeout, or `limitMs` if that is shorter. */
export interface Probe {
  /** Resolves a host name with the system resolver. */
  lookUp(host: string, limitMs: number): Promise<readonly string[]>;
  /** Completes a TLS handshake with the server of an https URL, through the proxy that a request would use. Rejects with ExchangeError. */
  certificate(url: string, limitMs: number): Promise<Certificate>;
}

/** The machine and the process, as the journal records them. */
export interface Host {
  /** The machine's name. */
  readonly name: string;
  /** The name of the user who runs this program. */
  readonly user: string;
  readonly processId: number;
  /** Whether a process with this id runs on this machine. Another program may have taken over the id. */
  isRunning(processId: number): boolean;
  /** What only this run of a process has, of all that ever had its id; undefined if the system does not say it. */
  runOf?(processId: number): string | undefined;
}

/** The program's own files, as its launcher reads them (bin/files.js). */
export interface ProgramFiles {
  /** The folder that has them, or the single binary that contains them. */
  readonly root: string;
  readonly isBinary: boolean;
  /** Returns the bytes of a file as characters. */
  read(name: string): string;
}

/** What a comparison of the program's own files with their digests found. */
export interface FilesCheck {
  /** How many files were compared. */
  readonly count: number;
  /** The files that differ from their digest, or are missing. */
  readonly damaged: readonly string[];
}

/** Another thread of this program, which exchanges messages with this one in order. */
export interface Thread {
  post(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
  /** Calls back when the thread has ended, by itself or by an error. */
  onEnd(listener: () => void): void;
  end(): Promise<void>;
}

export interface World {
  readonly host: Host;
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
  /** Interactive prompts, or plain lines with TERM=dumb. Loaded on first use. */
  prompter(): Promise<Prompter>;
  /** Aborts on SIGINT, SIGTERM and SIGHUP, and on Windows on SIGBREAK. */
  readonly interrupted: AbortSignal;
  /** Aborts on a second such signal, if the first one has not ended the program within a second. */
  readonly abandoned: AbortSignal;
  readonly platform: string;
  /** `24.15.0`. */
  readonly nodeVersion: string;
  /** The user id this program runs as; undefined on systems without user ids. */
  readonly userId: number | undefined;
  /** The working directory. */
  readonly cwd: string;
  /** The command line that starts this program again. */
  readonly self: readonly string[];
  /** Returns where one of the program's own files is: its path, or its bytes in a single binary. */
  ownFile(name: string): string | Uint8Array;
  /** Compares the program's own files with the digests that its build recorded. */
  checkFiles(): Promise<FilesCheck>;
  /**
   * Runs another program until it exits, discarding its standard error unless asked for it. Its environment contains none of our secrets.
   * It and its child processes are killed after `timeoutMs` and on an interrupt.
   */
  runProgram(words: readonly string[], options: ProgramOptions): Promise<ProgramEnd>;
  /**
   * Starts another program as `runProgram` does, for input and output of any length. Parts of the input are asked for as the program reads them;
   * if one fails, the input ends there.
   */
  startProgram(words: readonly string[], input: AsyncIterable<string>, options: ProgramOptions): RunningProgram;
  /** Yields the whole standard input as it arrives. */
  inputParts(): AsyncIterable<Uint8Array>;
  /** Finds a program on the PATH, as a shell would; undefined if there is none. */
  findProgram(name: string): string | undefined;
  readonly homeDir: string;
  /** Reads a text file, or a pipe to its end. Rejects if it is longer than `maxBytes`, and with CliError `interrupted`. */
  readFile(path: string, maxBytes: number): Promise<string>;
  /**
   * Creates a folder that only its owner can access, and its parents, or restricts an existing one. Throws CliError usage for a
   * link or another user's folder.
   */
  ensurePrivateDir(path: string): void;
  /** Waits for one turn of the event loop, so that pending requests are sent before work continues. */
  turn(): Promise<void>;
  /** Starts the part of this program that `word` names on another thread; undefined where all work is done on one. */
  readonly startThread: ((word: string) => Promise<Thread>) | undefined;
  /**
   * Ends this process by a signal when the one that started it has ended, or when it takes more memory than this, whatever it is doing: also
   * in the middle of a call that never returns.
   */
  limitProcess(memoryBytes: number): void;
  /** Returns what this process takes of the machine's memory, in bytes. */
  usedMemoryBytes(): number;
  /** Returns what tells which part of the time since it was last asked this process has worked: from 0 to 1. */
  meterLoad(): () => number;
  /** Ends the process at once, whatever it still waits for. */
  exit(code: number): void;
  /**
   * Trades speed for low memory use from here on, for streams of unknown length. Whoever can afford a young generation of some size, in
   * which less is copied, calls it again and again until it has grown to that.
   */
  steadyMemory(youngBytes?: number): void;
}
