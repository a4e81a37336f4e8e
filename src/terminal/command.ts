import type { Outcome } from '../engine/outcome.ts';
import type { Prints } from '../present/prints.ts';
import { MONEY_OPTIONS, UNGUARDED_OPTIONS } from './parse/money-options.ts';
import type { Parameters, Values } from './parse/parameters.ts';
import type { Session } from './session.ts';

/** The result of a wizard: the values it asked for, and what it adds after the command. */
export interface Guided<V = object> {
  /** Values by parameter name; they replace the given ones. */
  readonly values: V;
  /** Continues after a successful command; its outcome is printed instead. */
  after?(outcome: Outcome): Promise<Outcome>;
  /** Called when everything has been printed. */
  end?(): Promise<void>;
}

/** The sections of the first screen of help, in order. */
export const SECTIONS = [
  'Money in and out',
  'Users',
  'Market',
  'Account and keys',
  'Look and search',
  'Automation',
  'Sandbox',
  'For developers',
] as const;

export type Section = (typeof SECTIONS)[number];

/** A command group: enough for help and completion without loading its commands. */
export interface Group {
  readonly name: string;
  readonly summary: string;
  readonly section: Section;
  /** Left out of the first screen of help, which has no room for everything. */
  readonly isSeldomUsed?: boolean;
  /** Summaries of subgroups: `orders` in `fx orders list`. */
  readonly parts?: Readonly<Record<string, string>>;
  load(): Promise<readonly Command[]>;
}

/** A command: one record and one function. */
export interface Command {
  /** As typed: `['users', 'onboarding', 'start']`. */
  readonly words: readonly string[];
  readonly summary: string;
  /** Help text after the summary. */
  readonly details?: string;
  readonly examples: readonly string[];
  /** The ids of the endpoints that it calls. */
  readonly endpoints: readonly string[];
  readonly parameters: Parameters;
  /** It prints a part of what the command of its endpoint prints. */
  readonly isView?: boolean;
  /** What it prints with -o json, for `fiatrail schema`. Undefined if that is not described, or is not one document. */
  readonly prints?: Prints;
  /** It moves money, so it takes --once. `guarded`: without an idempotency key or --again, an equal intent soon after stops. */
  readonly money?: 'guarded' | 'unguarded';
  /** The parameters that give request fields their values, where the names differ; for messages about these fields. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Needs no account, because it sends nothing. */
  readonly isLocal?: boolean;
  /** Resolves the profile itself, in order to report what is wrong with it. */
  readonly findsProfile?: boolean;
  /** Finishes interrupted key rotations itself; before any other command, fiatrail does it. */
  readonly finishesRotations?: boolean;
  /**
   * The command's wizard. Called on an interactive terminal with the given values, before any other prompt. Returns undefined if
   * nothing needs to be asked. Required values that it does not return are asked for with the parameter's question.
   */
  guide?(session: Session, given: never): Promise<Guided | undefined>;
  run(session: Session, input: never): Promise<Outcome>;
}

/** Some of a command's values. */
type SomeValues<P> = { readonly [K in keyof P]?: Values<P>[K] | undefined };

/** Declares a command whose input is typed by its parameters. */
export function command<P extends Parameters>(
  definition: Omit<Command, 'parameters' | 'fields' | 'guide' | 'run'> & {
    readonly parameters: P;
    readonly fields?: Readonly<Record<string, keyof P & string>>;
    guide?(session: Session, given: SomeValues<P>): Promise<Guided<SomeValues<P>> | undefined>;
    run(session: Session, input: Values<P>): Promise<Outcome>;
  },
): Command {
  const { money } = definition;
  const options = money && (money === 'guarded' ? MONEY_OPTIONS : UNGUARDED_OPTIONS);
  return { ...definition, parameters: { ...definition.parameters, ...options } } as Command;
}
