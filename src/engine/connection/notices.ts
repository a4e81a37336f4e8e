import type { PresentOptions } from '../../present/result.ts';

/** What the user said about every request of a command. */
export interface AccountOptions {
  /** What is printed decides what is read. */
  readonly present: PresentOptions;
  /** The agent that runs the command, by the name that it gives itself; undefined for a person or a job. */
  readonly agent?: string | undefined;
  readonly dryRun: boolean;
  /** For a dry run that `profiles rules test` makes: it ends with what the rules say, instead of with the request. */
  readonly testsRules?: boolean;
  readonly verbose: boolean;
  /** The limit for all attempts of a request together. */
  readonly timeoutMs: number;
}

/** Where notices go, and whether someone answers questions. */
export interface Notices {
  /** Whether a user can answer prompts. */
  readonly isInteractive: boolean;
  /** Shows a random code, which must be typed. Throws CliError declined if anything else is typed. */
  askCode(summary: string): Promise<void>;
  /** Prints a line to stderr, even with --quiet: warnings, and the details of a prompt. */
  say(text: string): Promise<void>;
  /** Prints a line to stderr, unless --quiet is given. */
  note(text: string): Promise<void>;
  /** What a command that takes long says. */
  readonly progress: Progress;
}

/** One line on stderr that is overwritten on a terminal, or a line for each change elsewhere. */
export interface LiveLine {
  /** Whether the line is overwritten. */
  readonly isLive: boolean;
  /** `isBad` shows it in red where colors are wanted. */
  show(text: string, isBad?: boolean): Promise<void>;
  /** Removes the line from a terminal, so that other output can take its place. */
  clear(): Promise<void>;
  /** Keeps the last text and moves the cursor below it. */
  end(): Promise<void>;
}

/** What a command that takes long says on standard error, unless --quiet is given. */
export interface Progress {
  /** Says how many rows were read. `total` is undefined if nobody knows; `leastLeftMs` is how long the rest takes at least under the rate limit. */
  rows(done: number, total: number | undefined, what: string, leastLeftMs?: number): Promise<void>;
  /** Says that the service, or room left for others, makes this command wait. */
  waits(waitMs: number): Promise<void>;
  /** Does work that may take long, and says on a terminal that the service has not answered yet. */
  answering<T>(work: () => Promise<T>): Promise<T>;
  /** Whether the rate limit made this command wait. */
  isLimited(): boolean;
  /** Makes a line for work that is being followed. It shows the elapsed time unless the text already shows a time. */
  line(hasTime?: boolean): LiveLine;
  /** Removes what was shown from a terminal. */
  end(): Promise<void>;
}
