import { modeForPeople } from '../account/mode.ts';
import { journalPath, stateDir } from '../account/paths.ts';
import type { Profile } from '../account/profile.ts';
import { CliError } from '../base/errors.ts';
import { Secret } from '../base/secret.ts';
import type { World } from '../base/world.ts';
import type { CallOptions, Client, Reply } from '../client/client.ts';
import { requestIdOf, requireValid } from '../client/client.ts';
import { type Effect, type Endpoint, effectOf, type RequestOf, type ResponseOf } from '../contract/endpoint.ts';
import { redact } from '../contract/redact.ts';
import type { Journal } from '../journal/journal.ts';
import { parseExactJson } from '../money/decimal.ts';
import { checkOptions } from '../present/present.ts';
import type { Column, Result } from '../present/result.ts';
import { plainLines } from '../present/text.ts';
import { type Connection, connect } from './connect.ts';
import type { Globals } from './globals.ts';
import { sendJournaled } from './journaled.ts';
import { printLines } from './lines.ts';
import type { Outcome } from './outcome.ts';

export interface SessionCallOptions extends CallOptions {
  /** What is printed in the end, where that is not the answer itself: a status that is waited for, or fields by their names. */
  readonly prints?: Endpoint | readonly string[];
  /** A read that a change needs first: it is made in a dry run too, which shows the change. */
  readonly isBeforehand?: boolean;
}

/** What a change is, for the person who confirms it and for the journal. */
export interface Change {
  /** A verb phrase such as `start an onramp of ₦5,000.00 for user 4f…`. Contains no secret. */
  readonly summary: string;
  /** What will be sent: label and value, the amount in both units. */
  readonly lines: readonly (readonly [label: string, value: string])[];
  /** More lines, read only when somebody is there to read them: the balance. */
  readonly look?: () => Promise<readonly (readonly [label: string, value: string])[]>;
  /** Done once the change may go ahead, right before it is sent; what it throws stops it. */
  readonly before?: () => Promise<void>;
}

/** Thrown to end a `--dry-run` where something would have been sent; carries what. */
export class DryRun extends Error {
  override name = 'DryRun';
  readonly result: Result;

  constructor(result: Result) {
    super('dry run');
    this.result = result;
  }
}

/** Ends a dry run of a command that changes this machine alone, showing what would be kept. */
export function endDryRun({ globals }: Session, change: Readonly<Record<string, unknown>>): void {
  if (globals.dryRun) throw new DryRun({ data: { dryRun: true, ...change } });
}

type SessionOptions = Pick<Session, 'world' | 'profile' | 'globals' | 'commandLine' | 'runLine'>;

/** A change the service accepted; with the journal's id, and the service's own, where there is one. */
export interface Changed {
  readonly operationId: string | undefined;
  readonly requestId: string | undefined;
}

/** What a command runs in: the world, the account it speaks to, and the ways to speak to it. */
export interface Session {
  readonly world: World;
  readonly profile: Profile;
  readonly globals: Globals;
  /** The words the command was called by, without values: for the journal. */
  readonly commandLine: string;
  /** Runs another command line to what it leaves behind. */
  runLine(argv: readonly string[], world: World): Promise<Outcome>;
  /** True when a person is there to be asked. */
  readonly isInteractive: boolean;
  /** Set once the service has changed something: from then on no failure of ours may look as if nothing was sent. */
  changed(): Changed | undefined;
  /** A line on stderr, with --quiet too: what is asked, and what went wrong. */
  say(text: string): Promise<void>;
  /** A line on stderr, unless --quiet. */
  note(text: string): Promise<void>;
  /** Calls a reading endpoint, or one whose change needs no question. */
  call<E extends Endpoint>(
    endpoint: E,
    input: RequestOf<E>,
    options?: SessionCallOptions,
  ): Promise<Reply<ResponseOf<E>>>;
  /** Calls an endpoint that moves money or cannot be undone: shows it, asks, journals, sends. */
  change<E extends Endpoint>(
    endpoint: E,
    input: RequestOf<E>,
    change: Change,
    options?: SessionCallOptions,
  ): Promise<Reply<ResponseOf<E>>>;
  /** Refuses what can be refused, and ends a dry run, for who sends it by other means. */
  prepared<E extends Endpoint>(endpoint: E, input: RequestOf<E>, options?: SessionCallOptions): Promise<void>;
  /** Shows a change and asks, as `change` does, for who sends it by other means. */
  agreeTo<E extends Endpoint>(
    endpoint: E,
    input: RequestOf<E>,
    change: Change,
    options?: SessionCallOptions,
  ): Promise<void>;
  /** Notes that the service has changed something, for who sent it by other means. */
  accepted(change: Changed): void;
  /** A reply as a result to print. */
  result(endpoint: Endpoint, reply: Reply<unknown>, more?: Pick<Result, 'columns' | 'more'>): Result;
  connection(): Promise<Connection>;
  journal(): Promise<Journal>;
  close(): Promise<void>;
}

export function createSession({ world, profile, globals, commandLine, runLine }: SessionOptions): Session {
  let connection: Promise<Connection> | undefined;
  let journal: Promise<Journal> | undefined;
  let changed: Changed | undefined;
  // A notice that nobody can read changes nothing of what the command does.
  const say = (text: string) => world.stderr.write(`${plainLines(text).replaceAll('\n', ' ')}\n`).catch(ignore);
  const note = async (text: string) => {
    if (!globals.quiet) await say(text);
  };
  const warnOf = async ({ problems }: Reply<unknown>) => {
    if (problems.length === 0) return;
    const where = problems.slice(0, 5).join(', ');
    await say(`warning: the answer breaks the contract at ${where}; it counts as accepted`);
  };
  const openConnection = () => {
    connection ??= connect(world, profile, globals);
    return connection;
  };
  const openJournal = () => {
    journal ??= loadJournal(world);
    return journal;
  };
  const client = async (): Promise<Client> => (await openConnection()).client;
  const session: Session = {
    world,
    profile,
    globals,
    commandLine,
    runLine,
    get isInteractive() {
      return !globals.noInput && !world.env['CI'] && world.stderr.isTerminal && world.stdin.isTerminal;
    },
    say,
    note,
    changed: () => changed,
    call: async (endpoint, input, options = {}) => {
      await prepare(session, endpoint, input, options);
      const reply = await (await client()).call(endpoint, input, options);
      if (effectOf(endpoint, input) !== 'read')
        changed = { operationId: undefined, requestId: requestIdOf(endpoint, reply.data) };
      await warnOf(reply);
      return reply;
    },
    change: async (endpoint, input, change, options = {}) => {
      await prepare(session, endpoint, input, options);
      await confirm(session, effectOf(endpoint, input), change);
      await change.before?.();
      const opened = await client();
      const { reply, operationId } = await sendJournaled(session, endpoint, input, change.summary, () =>
        opened.call(endpoint, input, options),
      );
      changed = { operationId, requestId: requestIdOf(endpoint, reply.data) };
      await warnOf(reply);
      return reply;
    },
    prepared: (endpoint, input, options = {}) => prepare(session, endpoint, input, options),
    agreeTo: async (endpoint, input, change, options = {}) => {
      await prepare(session, endpoint, input, options);
      await confirm(session, effectOf(endpoint, input), change);
    },
    accepted: (change) => {
      changed = change;
    },
    result: (endpoint, reply, more) => resultOf(globals, endpoint, reply, more),
    connection: openConnection,
    journal: openJournal,
    close: async () => {
      await connection?.then((opened) => opened.close(), ignore);
      await journal?.then((opened) => opened.close(), ignore);
    },
  };
  return session;
}

/** What could not be opened was said where it was asked for. */
const ignore = () => {};

async function loadJournal(world: World): Promise<Journal> {
  world.ensurePrivateDir(stateDir(world));
  const { openJournal } = await import('../journal/journal.ts');
  return openJournal(journalPath(world), world.clock, world.ids);
}

/** Everything that can be refused is refused before anything is asked or sent. */
async function prepare(
  session: Session,
  endpoint: Endpoint,
  input: unknown,
  { unchecked, prints = endpoint, isBeforehand }: SessionCallOptions,
): Promise<void> {
  if (!unchecked) requireValid(endpoint, input);
  if (session.globals.dryRun && !isBeforehand) {
    const { encodeRequest } = await import('../client/codec.ts');
    const shown = redact(endpoint.request(), input) as Record<string, unknown>;
    const { method, url, body } = encodeRequest(endpoint, shown, {
      baseUrl: session.profile.baseUrl,
      apiKey: new Secret(''),
    });
    throw new DryRun({
      data: {
        dryRun: true,
        profile: session.profile.name,
        mode: session.profile.mode,
        method,
        url,
        body: body ? parseExactJson(body) : null,
      },
    });
  }
  if (effectOf(endpoint, input) === 'read') return;
  await checkOptions('response' in prints ? shapeOfAnswer(prints) : { names: prints }, session.globals.present);
}

const shapeOfAnswer = ({ response, nests, lists }: Endpoint) => ({
  schema: response(),
  ...(nests ? { nests } : {}),
  ...(lists ? { lists } : {}),
});

/** Shows what will happen and asks. Throws CliError: usage without anybody to ask, declined. */
async function confirm(session: Session, effect: Effect, { summary, lines, look }: Change): Promise<void> {
  const { profile, globals } = session;
  const mustAsk = !globals.yes && (effect === 'money' || effect === 'destructive');
  const account = ['profile', `${profile.name} (${modeForPeople(profile.mode)})`] as const;
  await confirmChange(session, { summary, lines: [account, ...lines], ...(look ? { look } : {}) }, mustAsk);
}

/** Shows what a change is; where it must be asked for, asks, default no. Throws CliError: usage without anybody to ask, declined. */
export async function confirmChange(
  session: Session,
  { summary, lines, look }: Change,
  mustAsk = !session.globals.yes,
): Promise<void> {
  const { world } = session;
  if (mustAsk && !session.isInteractive) {
    throw new CliError('usage', `cannot ask for confirmation without a terminal: ${summary}; nothing was sent`, {
      code: 'CONFIRMATION_NEEDED',
      hint: 'add --yes to skip the confirmation',
    });
  }
  const all = [...lines, ...(mustAsk && look ? await look() : [])];
  // Who is asked sees what it is about, however quiet the rest is.
  const tell = mustAsk ? session.say : session.note;
  await printLines(world, tell, all);
  if (!mustAsk) return;
  const prompter = await world.prompter();
  if (!(await prompter.confirm(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}. Continue?`))) {
    throw new CliError('declined', 'declined; nothing was sent');
  }
}

function resultOf(
  { present }: Globals,
  endpoint: Endpoint,
  { data, body }: Reply<unknown>,
  more: { columns?: readonly Column[]; more?: AsyncIterable<readonly unknown[]> } = {},
): Result {
  const raw =
    present.format === 'raw' ? { raw: JSON.stringify((parseExactJson(body) as { data?: unknown }).data ?? null) } : {};
  return {
    data,
    schema: endpoint.response(),
    ...(endpoint.nests ? { nests: endpoint.nests } : {}),
    ...(endpoint.lists ? { lists: endpoint.lists } : {}),
    ...raw,
    ...more,
  };
}

/** A reply as an outcome. */
export async function outcomeOf(
  session: Session,
  endpoint: Endpoint,
  reply: Reply<unknown>,
  more?: Pick<Result, 'columns' | 'more'>,
): Promise<Outcome> {
  return { result: session.result(endpoint, reply, more) };
}
