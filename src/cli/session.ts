import { journalPath, stateDir } from '../account/paths.ts';
import type { Profile } from '../account/profile.ts';
import type { World } from '../base/world.ts';
import type { CallOptions, Reply } from '../client/client.ts';
import { requestIdOf } from '../client/client.ts';
import { type ReadyRequest, uncheckedRequest, validRequest } from '../client/request.ts';
import { type Endpoint, effectOf, type RequestOf, type ResponseOf } from '../contract/endpoint.ts';
import type { Journal } from '../journal/journal.ts';
import { parseExactJson } from '../money/decimal.ts';
import { checkOptions } from '../present/present.ts';
import type { Result } from '../present/result.ts';
import { type Change, confirmRequest } from './confirm.ts';
import { connect } from './connect.ts';
import { createDialog, type Dialog } from './dialog.ts';
import { dryRunOf } from './dry-run.ts';
import { sendJournaled } from './journaled.ts';
import type { Outcome } from './outcome.ts';

interface RequestOptions {
  /** The service checks the fields, not this program: `fiatrail api`. */
  readonly unchecked?: boolean;
  /** What is printed in the end, where that is not the answer itself: a status that is waited for, or fields by their names. */
  readonly prints?: Endpoint | readonly string[];
  /** A read that a change needs first: it is made in a dry run too, which shows the change. */
  readonly isBeforehand?: boolean;
}

export interface SessionCallOptions extends CallOptions, RequestOptions {}

/** A change to send. */
interface SentChange extends Change {
  /** Runs after the confirmation, right before the request is sent; if it throws, nothing is sent. */
  readonly before?: () => Promise<void>;
}

type SessionOptions = Pick<Session, 'world' | 'profile' | 'globals' | 'commandLine' | 'runLine'>;

/** A change the service accepted; with the journal's id, and the service's own, where there is one. */
export interface Changed {
  readonly operationId: string | undefined;
  readonly requestId: string | undefined;
}

/** What a command runs in: the world, the account it speaks to, and the ways to speak to it. */
export interface Session extends Dialog {
  readonly profile: Profile;
  /** The words the command was called by, without values: for the journal. */
  readonly commandLine: string;
  /** Runs another command line, for a command that is made of commands, and returns its outcome. */
  runLine(argv: readonly string[], world: World): Promise<Outcome>;
  /** Set once the service has changed something: from then on no failure of ours may look as if nothing was sent. */
  changed(): Changed | undefined;
  /** Records a change by a request that the command sent without `call` or `change`. */
  noteChanged(change: Changed): void;
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
    change: SentChange,
    options?: SessionCallOptions,
  ): Promise<Reply<ResponseOf<E>>>;
  journal(): Promise<Journal>;
  close(): Promise<void>;
}

export function createSession({ world, profile, globals, commandLine, runLine }: SessionOptions): Session {
  const connection = openedOnUse(() => connect(world, profile, globals));
  const journal = openedOnUse(() => loadJournal(world));
  let changed: Changed | undefined;
  const dialog = createDialog(world, globals);
  const session: Session = {
    ...dialog,
    profile,
    commandLine,
    runLine,
    changed: () => changed,
    noteChanged: (change) => {
      changed = change;
    },
    call: async (endpoint, input, options = {}) => {
      const request = await prepareRequest(session, endpoint, input, options);
      const { client } = await connection.open();
      const reply = await client.call(request, options);
      if (effectOf(endpoint, input) !== 'read')
        changed = { operationId: undefined, requestId: requestIdOf(endpoint, reply.data) };
      await warnOf(dialog, reply);
      return reply;
    },
    change: async (endpoint, input, change, options = {}) => {
      const request = await prepareRequest(session, endpoint, input, options);
      await confirmRequest(dialog, profile, effectOf(endpoint, input), change);
      await change.before?.();
      const { client } = await connection.open();
      const { reply, operationId } = await sendJournaled(session, endpoint, input, change.summary, () =>
        client.call(request, options),
      );
      changed = { operationId, requestId: requestIdOf(endpoint, reply.data) };
      await warnOf(dialog, reply);
      return reply;
    },
    journal: journal.open,
    close: async () => {
      await connection.close();
      await journal.close();
    },
  };
  return session;
}

/** Opened when first used, and closed only if it was opened. */
function openedOnUse<T extends { close(): unknown }>(start: () => Promise<T>) {
  let opened: Promise<T> | undefined;
  return {
    open: () => {
      opened ??= start();
      return opened;
    },
    close: async () => {
      // A failure to open was reported to the caller that opened it.
      await opened?.then(
        (each) => each.close(),
        () => {},
      );
    },
  };
}

async function loadJournal(world: World): Promise<Journal> {
  world.ensurePrivateDir(stateDir(world));
  const { openJournal } = await import('../journal/journal.ts');
  return openJournal(journalPath(world), world.clock, world.ids);
}

async function warnOf({ say }: Dialog, { problems }: Reply<unknown>): Promise<void> {
  if (problems.length === 0) return;
  const where = problems.slice(0, 5).join(', ');
  await say(`warning: the answer breaks the contract at ${where}; it counts as accepted`);
}

/** Rejects what can be rejected before anything is asked or sent, and ends a dry run. Throws CliError usage, DryRun. */
export async function prepareRequest<E extends Endpoint>(
  { profile, globals }: Pick<Session, 'profile' | 'globals'>,
  endpoint: E,
  input: RequestOf<E>,
  { unchecked, prints = endpoint, isBeforehand }: RequestOptions = {},
): Promise<ReadyRequest<E>> {
  const request = unchecked ? uncheckedRequest(endpoint, input) : validRequest(endpoint, input);
  if (globals.dryRun && !isBeforehand) throw await dryRunOf(profile, endpoint, input);
  if (effectOf(endpoint, input) !== 'read')
    await checkOptions('response' in prints ? shapeOfAnswer(prints) : { names: prints }, globals.present);
  return request;
}

const shapeOfAnswer = ({ response, nests, lists }: Endpoint) => ({
  schema: response(),
  ...(nests ? { nests } : {}),
  ...(lists ? { lists } : {}),
});

/** A reply as an outcome. */
export function outcomeOf(
  { globals: { present } }: Pick<Session, 'globals'>,
  endpoint: Endpoint,
  { data, body }: Reply<unknown>,
  more: Pick<Result, 'columns' | 'more'> = {},
): Outcome {
  const raw =
    present.format === 'raw' ? { raw: JSON.stringify((parseExactJson(body) as { data?: unknown }).data ?? null) } : {};
  return { result: { data, ...shapeOfAnswer(endpoint), ...raw, ...more } };
}
