import type { Hint } from '../base/advice.ts';
import { CliError, withDetails } from '../base/errors.ts';
import type { Endpoint, ResponseOf } from '../contract/endpoint.ts';
import type { Account, AccountReply } from '../engine/account.ts';
import { followWork, outcomeOfStart, printedWork, startedShape } from '../engine/evidence/started.ts';
import type { FollowedWork } from '../engine/evidence/work.ts';
import type { Outcome } from '../engine/outcome.ts';
import type { RequestOptions } from '../engine/requests.ts';
import type { Thing } from '../things/thing.ts';
import { type Command, command, type Declaration } from './command.ts';
import { waitOption } from './parse/field-options.ts';
import { argument, id, type Parameter, type Parameters, picked, type Values } from './parse/parameters.ts';
import type { Terminal } from './terminal.ts';

type Waiting<P extends Parameters> = P & { readonly wait: Parameter<number | undefined> };

/** A command that starts work: what it sends, and what it says about the response. */
type Start<E extends Endpoint, P extends Parameters, O extends Endpoint> = Omit<
  Declaration<Waiting<P>>,
  'parameters' | 'endpoints' | 'prints' | 'run'
> & {
  readonly parameters: P;
  /** Another endpoint that starts the same work, and the input that it takes. */
  readonly or?: { readonly start: O; takes(input: Values<P>): boolean };
  /** The ids of endpoints that it calls besides the start and the status. */
  readonly calls?: readonly string[];
  /** Sends the request; `options` say which fields are printed. */
  send(
    account: Account,
    terminal: Terminal,
    input: Values<P>,
    options: RequestOptions,
  ): Promise<AccountReply<ResponseOf<E> | ResponseOf<O>>>;
  /** Says what to do next, and returns what is printed with the response. */
  begun?(
    account: Account,
    terminal: Terminal,
    input: Values<Waiting<P>>,
    data: ResponseOf<E> | ResponseOf<O>,
  ): Promise<object | undefined>;
  /** Names of tokens that the status lacks. */
  names?(input: Values<P>): object;
};

/** Declares a command that starts work, and with --wait follows it to its end. */
export function startCommand<E extends Endpoint, P extends Parameters, O extends Endpoint = E>(
  work: FollowedWork,
  start: E,
  { or, calls = [], send, begun, names, ...definition }: Start<E, P, O>,
): Command {
  const prints = printedWork(work, start);
  const run = async (account: Account, terminal: Terminal, input: Values<Waiting<P>>) => {
    const given = input as Values<P>;
    const sent = or?.takes(given) ? or.start : start;
    const reply = await send(account, terminal, given, { prints: startedShape(printedWork(work, sent)) });
    const also = await begun?.(account, terminal, input, reply.data);
    const { wait } = input as { readonly wait: number | undefined };
    return outcomeOfStart(account, work, sent, reply, { wait, also, names: names?.(given) });
  };
  return command({
    ...definition,
    endpoints: [start.id, ...(or ? [or.start.id] : []), work.status.endpoint.id, ...calls],
    prints: or ? { either: [prints, printedWork(work, or.start)] } : prints,
    run,
    parameters: { ...definition.parameters, wait: waitOption },
  } as unknown as Declaration<P>);
}

/** The command that shows the status of some work. */
interface WorkStatusTexts {
  /** The help of its argument, if not `request id, from offramp create`. */
  readonly id?: string;
  /** What follows the words of the command in its examples. */
  readonly examples?: readonly string[];
  /** The ids of endpoints that it calls besides the status. */
  readonly calls?: readonly string[];
  /** What to do when the service knows no work with this id; undefined: the remedy of the service’s rejection. */
  readonly missing?: Hint;
  /** Called with what is going to be printed. */
  read?(account: Account, terminal: Terminal, outcome: Outcome): Promise<void>;
}

/** Declares the command that shows the status of some work, and with --wait follows it to its end. */
export function statusCommand(
  work: FollowedWork,
  { calls = [], missing, read, ...shown }: WorkStatusTexts = {},
): Command {
  const { endpoint, command: words, idField, what: named } = work.status;
  const thing = idField.replace('Id', '');
  const start = work.starts[0]?.moves?.command ?? words.replace(/status$/, 'create');
  const from = shown.id ?? `${thing} id, from ${start}`;
  const what = argument(`${thing}-id`, from, id, `Which ${thing}?`);
  const sample = `${thing}_ID`.toUpperCase();
  const examples = shown.examples ?? [sample, `${sample} --wait 5m -o json`];
  return command({
    words: words.split(' '),
    summary: `Show the status of ${named.replace(/^the (?=[aeio])/, 'an ').replace(/^the /, 'a ')}`,
    examples: examples.map((rest) => `fiatrail ${words} ${rest}`),
    endpoints: [endpoint.id, ...calls],
    prints: { response: endpoint },
    parameters: {
      // Trades can be picked from the list of the service, other work only if this machine started it.
      [idField]: picked(thing === 'trade' ? 'trade' : 'request', what),
      wait: waitOption,
    },
    run: async (account, terminal, { wait, [idField]: named }) => {
      const waitMs = (wait as number | undefined) ?? 0;
      const outcome = await followWork(account, work, named as string, waitMs).catch((error: unknown) => {
        const isMissing = error instanceof CliError && error.code === 'NOT_FOUND';
        throw isMissing && missing !== undefined ? withDetails(error, { hint: missing }) : error;
      });
      await read?.(account, terminal, outcome);
      return outcome;
    },
  });
}

/** Declares the command that shows the status of work that only a list of the service shows. */
export const listedStatus = (group: string, thing: Thing): Command =>
  command({
    words: [group, 'status'],
    summary: `Show the status of a ${thing.name}`,
    details: `The service cannot look up one ${thing.name}, so fiatrail searches the list, newest first.`,
    examples: [`fiatrail ${group} status REQUEST_ID`, `fiatrail ${group} status REQUEST_ID -o json --query status`],
    endpoints: [listedBy(thing).endpoint.id],
    isView: true,
    prints: { response: listedBy(thing).endpoint, isRow: true },
    parameters: {
      requestId: picked('request', argument('request-id', `request id, from ${group} create`, id, 'Which request?')),
    },
    run: async (account, _terminal, { requestId }) => {
      const { found } = await import('../engine/lists/listed.ts');
      const { listingOf } = await import('../engine/lists/listing-of.ts');
      return found(account, listingOf(listedBy(thing)), requestId as string, thing.name);
    },
  });

function listedBy({ list, name }: Thing) {
  if (!list) throw new Error(`no list shows a ${name}`);
  return list;
}
