import type { Outcome } from './outcome.ts';
import type { Parameters, Values } from './parameters.ts';
import type { Session } from './session.ts';

/** What a person at the terminal answered, and what their command does around its own work. */
export interface Guided<V = object> {
  /** Values by the parameters' names; they stand in the place of what was given. */
  readonly values: V;
  /** Goes on where the command ended well: what it gives back is what is printed. */
  after?(outcome: Outcome): Promise<Outcome>;
  /** When all is printed. */
  end?(): Promise<void>;
}

/** A first word and where its commands are: enough for help and completion without loading any of them. */
export interface Group {
  readonly name: string;
  readonly summary: string;
  /** Summaries of its parts that have commands of their own: `orders` of `fx orders list`. */
  readonly parts?: Readonly<Record<string, string>>;
  load(): Promise<readonly Command[]>;
}

/** One command: one record and one function. */
export interface Command {
  /** As typed: `['users', 'onboard']`. */
  readonly words: readonly string[];
  readonly summary: string;
  /** Lines of help beyond the summary. */
  readonly details?: string;
  readonly examples: readonly string[];
  /** The endpoint it calls, by id; several for a command that follows what it starts. */
  readonly endpoints: readonly string[];
  readonly parameters: Parameters;
  /** Needs no account: it speaks to nobody. */
  readonly isLocal?: boolean;
  /** It finds out itself which account is meant, and tells what is wrong with it. */
  readonly findsProfile?: boolean;
  /** It brings interrupted replacements of the key to their end itself; before any other command that is done for it. */
  readonly finishesRotations?: boolean;
  /**
   * Its wizard. Called when a person is there to be asked, with the values that were given, before anything else is asked;
   * undefined when enough was given. A required value that it leaves out is asked for by its parameter's question.
   */
  guide?(session: Session, given: never): Promise<Guided | undefined>;
  run(session: Session, input: never): Promise<Outcome>;
}

/** Some of a command's values. */
type Asked<P> = { readonly [K in keyof P]?: Values<P>[K] | undefined };

/** Declares a command, with its input typed by its parameters. */
export function command<P extends Parameters>(
  definition: Omit<Command, 'parameters' | 'guide' | 'run'> & {
    readonly parameters: P;
    guide?(session: Session, given: Asked<P>): Promise<Guided<Asked<P>> | undefined>;
    run(session: Session, input: Values<P>): Promise<Outcome>;
  },
): Command {
  return definition as Command;
}
