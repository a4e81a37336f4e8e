import type { Endpoint, NeedsConsent, RequestOf, RequestWithoutConsent } from '../contract/endpoint.ts';
import type { Account } from '../engine/account.ts';
import { type Outcome, outcomeOf } from '../engine/outcome.ts';
import type { Change } from '../engine/sending/change.ts';
import type { Amount } from '../money/amount.ts';
import type { Prints } from '../present/prints.ts';
import type { Column } from '../present/result.ts';
import { MONEY_OPTIONS, type Parameters, UNGUARDED_OPTIONS, type Values } from './parse/parameters.ts';
import type { Terminal } from './terminal.ts';
import { change } from './terminal.ts';

/** The result of a wizard: the values it asked for, and what it adds after the command. */
export interface Guided<V = object> {
  /** Values by parameter name; they replace the given ones. */
  readonly values: V;
  /** Continues after a successful command; its outcome is printed instead. */
  after?(outcome: Outcome): Promise<Outcome>;
  /** Called when everything has been printed. */
  end?(): Promise<void>;
}

/** A command group: enough for help and completion without loading its commands. */
export interface Group {
  readonly name: string;
  readonly summary: string;
  /** The section of help that lists it. */
  readonly section: string;
  /** Left out of the first screen of help, which has no room for everything. */
  readonly isSeldomUsed?: boolean;
  /** Summaries of subgroups: `orders` in `fx orders list`. */
  readonly parts?: Readonly<Record<string, string>>;
  load(): Promise<readonly Command[]>;
}

/** How a command reads a row of a file, for `bulk`: its columns are the parameters that it does not leave out. */
export interface RowsOfCommand {
  readonly endpoint: Endpoint;
  /** The names of parameters that no column gives: they are about one run, or a person. */
  readonly leavesOut?: readonly string[];
  /** The names of optional parameters that each row needs. */
  readonly needs?: readonly string[];
  /** What a file may have in place of the id of a saved bank account: its number and its bank. */
  readonly others?: Parameters;
  /** Returns the request of a row. A bank in the values is a code. Throws CliError usage. */
  request(values: never): unknown;
  /** Reads the fees that come on top of an amount; undefined if they are not known. Left out if none do. */
  fees?(account: Account, amount: Amount): Promise<Amount | undefined>;
}

/** A command: one record and one function. */
export interface Command {
  /** As typed: `['users', 'onboard']`. */
  readonly words: readonly string[];
  readonly summary: string;
  /** Help text after the summary. */
  readonly details?: string;
  readonly examples: readonly string[];
  /** The ids of the endpoints that it calls. */
  readonly endpoints: readonly string[];
  readonly parameters: Parameters;
  /** Another command is the one of its endpoint: this one prints a part or a sum of what that one prints. */
  readonly isView?: boolean;
  /** What it prints with -o json, for `fiatrail schema`. Undefined if that is not described, or is not one document. */
  readonly prints?: Prints;
  /** It moves money, so it takes --once. `guarded`: without an idempotency key or --again, an equal intent soon after stops. */
  readonly money?: 'guarded' | 'unguarded';
  /** The parameters that give request fields their values, where the names differ; for messages about these fields. */
  readonly fields?: Readonly<Record<string, string>>;
  /** It can be run for each row of a file. */
  readonly rows?: RowsOfCommand;
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
  guide?(account: Account, terminal: Terminal, given: never): Promise<Guided | undefined>;
  /** The names of optional parameters that are asked for on a terminal as required ones are, because these values need them. */
  asks?(given: never, account: Account, terminal: Terminal): readonly string[];
  /** The names of optional parameters that these values make required. */
  needs?(given: never): readonly string[];
  /** The form of what is said before it runs, for a command whose standard error is a log. */
  asNotice?(text: string, account: Account, terminal: Terminal, texts: Readonly<Record<string, unknown>>): string;
  run(account: Account, terminal: Terminal, input: never): Promise<Outcome>;
}

/** Some of a command's values. */
type SomeValues<P> = { readonly [K in keyof P]?: Values<P>[K] | undefined };

/** How a command reads a row, typed by its parameters. */
type DeclaredRows<P extends Parameters> = Omit<RowsOfCommand, 'leavesOut' | 'needs' | 'request'> & {
  readonly leavesOut?: readonly (keyof P & string)[];
  readonly needs?: readonly (keyof P & string)[];
  request(values: Values<P>): unknown;
};

/** A command whose input is typed by its parameters. */
export type Declaration<P extends Parameters> = Omit<
  Command,
  'parameters' | 'fields' | 'rows' | 'guide' | 'asks' | 'needs' | 'run'
> & {
  readonly parameters: P;
  readonly fields?: Readonly<Record<string, keyof P & string>>;
  readonly rows?: DeclaredRows<P>;
  guide?(account: Account, terminal: Terminal, given: SomeValues<P>): Promise<Guided<SomeValues<P>> | undefined>;
  asks?(given: SomeValues<P>, account: Account, terminal: Terminal): readonly (keyof P & string)[];
  needs?(given: SomeValues<P>): readonly (keyof P & string)[];
  run(account: Account, terminal: Terminal, input: Values<P>): Promise<Outcome>;
};

/** Declares a command. */
export function command<P extends Parameters>(definition: Declaration<P>): Command {
  const { money } = definition;
  const options = money && (money === 'guarded' ? MONEY_OPTIONS : UNGUARDED_OPTIONS);
  return { ...definition, parameters: { ...definition.parameters, ...options } } as Command;
}

/** A command that makes one request and prints the response. */
type Call<E extends Endpoint, P extends Parameters> = Omit<Declaration<P>, 'endpoints' | 'prints' | 'run'> & {
  readonly columns?: readonly Column[];
  request(input: Values<P>, account: Account, terminal: Terminal): RequestOf<E> | Promise<RequestOf<E>>;
  /** Describes the change to whoever is asked for consent. */
  confirms?(request: RequestOf<E>, account: Account, terminal: Terminal): Change;
};

/** Lets no command call an endpoint that needs consent without saying what is asked. */
type Described<E extends Endpoint> = NeedsConsent<E> extends 'yes' ? { readonly confirms: unknown } : unknown;

/** Declares a command that makes one request and prints the response. */
export function callCommand<E extends Endpoint, P extends Parameters>(
  endpoint: E,
  { request, columns, confirms, ...definition }: Call<E, P> & Described<E>,
): Command {
  return command({
    ...definition,
    endpoints: [endpoint.id],
    prints: { response: endpoint },
    run: async (account, terminal, input: Values<P>) => {
      const wanted = await request(input, account, terminal);
      const reply = confirms
        ? await change(account, terminal, endpoint, wanted, confirms(wanted, account, terminal))
        : await account.call(endpoint, wanted as RequestWithoutConsent<E>);
      return outcomeOf(account, endpoint, reply, columns && { columns });
    },
  } as Declaration<P>);
}

/** Local commands that read the profile: its journal, its inbox or its settings. */
const USES_PROFILE = /^(doctor|explain|ops|webhooks)\b/;

/** Whether a command is about the account of the chosen profile. */
export const usesProfile = ({ words, isLocal = false }: Pick<Command, 'words' | 'isLocal'>): boolean =>
  !isLocal || USES_PROFILE.test(words.join(' '));

/**
 * Returns the command for an endpoint: of the commands that call it, the one that calls the fewest others before it, and then the
 * fewest at all; `api`, which calls any, if there is none. Local commands, which only probe the service, and views of a list do
 * not count.
 */
export function commandFor(endpointId: string, commands: readonly Command[]): string {
  const place = ({ endpoints }: Command) => endpoints.indexOf(endpointId);
  const [found] = commands
    .filter((each) => place(each) !== -1 && !each.isLocal && !each.isView)
    .toSorted((a, b) => place(a) - place(b) || a.endpoints.length - b.endpoints.length);
  return found?.words.join(' ') ?? 'api';
}
