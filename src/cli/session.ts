import { type JournalPlace, journalPlaceOf } from '../account/journal-place.ts';
import type { Profile } from '../account/profile.ts';
import { CliError } from '../base/errors.ts';
import type { World } from '../base/world.ts';
import type { CallOptions, Reply } from '../client/client.ts';
import { requestIdOf } from '../client/client.ts';
import { type ReadyRequest, uncheckedRequest, validRequest } from '../client/request.ts';
import { type Endpoint, effectOf, type RequestOf, type ResponseOf } from '../contract/endpoint.ts';
import { getPlatformPublicKey } from '../contract/endpoints/management.ts';
import { shapeOf } from '../contract/rows.ts';
import { entryAt } from '../files/inspect.ts';
import type { AccountNames } from '../journal/accounts.ts';
import type { Journal } from '../journal/journal.ts';
import { isJsonObject, parseExactJson } from '../money/decimal.ts';
import { checkOptions } from '../present/present.ts';
import type { Result, ResultShape } from '../present/result.ts';
import { type SessionRules, sessionRules } from '../rules/session-rules.ts';
import { learnFintech, namesOf } from './account-names.ts';
import { type Change, confirmRequest } from './confirm.ts';
import { connect } from './connect.ts';
import { createDialog, type Dialog } from './dialog.ts';
import { DryRun, dryRunOf } from './dry-run.ts';
import { type InFlight, repetitionOf, sendJournaled } from './journaled.ts';
import { type Guard, idempotencyKeyOf } from './money-options.ts';
import type { Outcome } from './outcome.ts';

interface RequestOptions {
  /** Leaves validation to the service, for `fiatrail api`. */
  readonly unchecked?: boolean;
  /** What the command prints, if not the response: its shape, or field names. */
  readonly prints?: ResultShape | readonly string[];
  /** A read that precedes a change; a dry run makes it too, in order to show the change. */
  readonly isBeforehand?: boolean;
}

export interface SessionCallOptions extends CallOptions, RequestOptions {}

/** A change to send. */
interface SentChange extends Change {
  /** Runs after the confirmation, right before the request is sent; if it throws, nothing is sent. */
  readonly before?: () => Promise<void>;
  /** Text in the request that the service shows again in its lists, by which the journal finds it. */
  readonly tag?: string | undefined;
}

type SessionOptions = Pick<Session, 'world' | 'profile' | 'globals' | 'commandLine' | 'inputName' | 'runLine'>;

/** A change that the service accepted, with the operation id and the service's request id, if any. */
export interface Changed {
  readonly operationId: string | undefined;
  readonly requestId: string | undefined;
}

/** A reply with the request that it answers, which may name the token of an amount that the reply does not. */
interface SessionReply<D> extends Reply<D> {
  readonly request?: unknown;
}

/** The context of a command: the world, the account, and how to call its service. */
export interface Session extends Dialog {
  readonly profile: Profile;
  /** The command without its arguments, such as `fiatrail onramp start`, for the journal. */
  readonly commandLine: string;
  /** Returns the flag or argument that a request field comes from, for messages. */
  inputName(field: string): string;
  /**
   * Runs another command line, for a command composed of commands, and returns its outcome. With `testsRules`, it ends where it
   * would send a request, with what the rules say about it.
   */
  runLine(argv: readonly string[], world: World, testsRules?: boolean): Promise<Outcome>;
  /** The accepted change, if there is one; a later failure must not look as if nothing was sent. */
  changed(): Changed | undefined;
  /** Records a change made by a request that was not sent with `call` or `change`. */
  noteChanged(change: Changed): void;
  /** Calls an endpoint that reads, or whose change needs no confirmation. */
  call<E extends Endpoint>(
    endpoint: E,
    input: RequestOf<E>,
    options?: SessionCallOptions,
  ): Promise<SessionReply<ResponseOf<E>>>;
  /** Calls an endpoint that moves money or cannot be undone: shows the change, asks for confirmation, journals it and sends it. */
  change<E extends Endpoint>(
    endpoint: E,
    input: RequestOf<E>,
    change: SentChange,
    options?: SessionCallOptions,
  ): Promise<SessionReply<ResponseOf<E>>>;
  /** Guards the money that this command moves; called once, before anything is sent. */
  guardWith(guard: Guard): void;
  /** The rules for a change: those of the profile, and those that hosts share in the journal. */
  readonly rules: SessionRules;
  /** A key for a service that does a request at most once per key: equal for equal once keys; undefined without one. */
  idempotencyKey(): string | undefined;
  /** What identifies the account in the journal. */
  accountNames(): Promise<AccountNames>;
  /** Sends the events of the embedded sandbox that are due, until `signal` aborts; over the network, the service does. */
  deliverDue(signal: AbortSignal): Promise<void>;
  /** The service's time at its last response, or this machine's if it says none. */
  serviceTimeMs(): number;
  /** Notes the operation that is being sent, or that none is. */
  inFlight(operation: InFlight | undefined): void;
  /** The error of a command that was told twice to end: what it leaves behind. */
  abandonedError(): CliError;
  journal(): Promise<Journal>;
  /** The journal, unless this machine has none yet. */
  existingJournal(): Promise<Journal | undefined>;
  close(): Promise<void>;
}

export function createSession({ world, profile, globals, commandLine, inputName, runLine }: SessionOptions): Session {
  let serviceTimeMs: number | undefined;
  const connection = openedOnUse(() =>
    connect(world, profile, globals, ({ headers }) => {
      const dateMs = Date.parse(headers['date'] ?? '');
      if (!Number.isNaN(dateMs)) serviceTimeMs = dateMs;
    }),
  );
  const openFor = async ({ id, area }: Endpoint) => {
    const opened = await connection.open();
    if (id !== getPlatformPublicKey.id && area !== 'control') await opened.requirePlatformKey();
    return opened;
  };
  let changed: Changed | undefined;
  let guard: Guard | undefined;
  let inFlight: InFlight | undefined;
  const dialog = createDialog(world, globals);
  const place = () => journalPlaceOf(world, profile);
  const journal = openedOnUse(() => loadJournal(dialog, place()));
  const session: Session = {
    ...dialog,
    profile,
    commandLine,
    inputName,
    runLine,
    changed: () => changed,
    noteChanged: (change) => {
      changed = change;
    },
    call: async (endpoint, input, options = {}) => {
      const request = await prepareRequest(session, endpoint, input, options);
      const { client, keyFingerprint } = await openFor(endpoint);
      const call = (leaveByMs?: number) => client.call(request, { ...options, leaveByMs });
      const isRead = effectOf(endpoint, input) === 'read';
      // A verification costs money and has an end, so the journal follows it like a movement of money.
      const isFollowed = !isRead && endpoint.starts !== undefined;
      const { reply, operationId } = isFollowed
        ? await sendJournaled(session, {
            endpoint,
            input,
            summary: endpoint.summary,
            guard: undefined,
            keyFingerprint,
            call,
          })
        : { reply: await call(), operationId: undefined };
      if (!isRead) changed = { operationId, requestId: requestIdOf(endpoint, reply.data) };
      else if (!globals.dryRun)
        await learnFintech({ profile, keyFingerprint, journal: journal.open }, endpoint.id, reply.data);
      await warnOf(dialog, reply, isRead);
      return { ...reply, request: input };
    },
    change: async (endpoint, input, change, options = {}) => {
      const request = await prepareRequest(session, endpoint, input, options);
      const effect = effectOf(endpoint, input);
      const sending = { endpoint, input, summary: change.summary, guard: effect === 'money' ? guard : undefined };
      // On a terminal, a repetition becomes part of the question; otherwise the journal stops it.
      const mayAsk = dialog.isInteractive && !globals.yes;
      const earlier = mayAsk ? await repetitionOf(session, { ...sending, ...(await connection.open()) }) : undefined;
      const lines = earlier ? [...change.lines, ['warning', earlier] as const] : change.lines;
      await confirmRequest(dialog, profile, effect, { ...change, lines });
      const limits = await session.rules.require(endpoint, input, change.summary);
      await change.before?.();
      const { client, keyFingerprint } = await openFor(endpoint);
      const agreed = earlier && sending.guard ? { ...sending.guard, isAgain: true } : sending.guard;
      const call = (leaveByMs: number) => client.call(request, { ...options, leaveByMs });
      const sent = await sendJournaled(session, {
        ...{ ...sending, limits, keyFingerprint, call },
        ...{ guard: agreed, tag: change.tag },
      });
      const { reply, operationId } = sent;
      changed = { operationId, requestId: requestIdOf(endpoint, reply.data) };
      await warnOf(dialog, reply, false);
      return { ...reply, request: input };
    },
    guardWith: (given) => {
      guard = given;
    },
    rules: sessionRules(() => ({ ...session, guard })),
    idempotencyKey: () => (guard?.onceKey === undefined ? undefined : idempotencyKeyOf(guard.onceKey)),
    accountNames: async () => namesOf(profile, (await connection.open()).keyFingerprint()),
    deliverDue: async (signal) => (await connection.open()).deliverDue?.(signal),
    inFlight: (operation) => {
      inFlight = operation;
    },
    abandonedError: () => abandonedWith(inFlight),
    serviceTimeMs: () => serviceTimeMs ?? world.clock.now(),
    journal: journal.open,
    existingJournal: async () => (place().server || entryAt(place().path) ? journal.open() : undefined),
    close: async () => {
      await connection.close();
      await journal.close();
    },
  };
  return session;
}

function abandonedWith(inFlight: InFlight | undefined): CliError {
  if (!inFlight) return new CliError('interrupted', 'stopped at once; no request was in flight');
  const { operationId, summary } = inFlight;
  return new CliError(
    'unknown',
    `stopped at once, before a response to ${summary} was recorded; its outcome is unknown`,
    {
      code: 'OUTCOME_UNKNOWN',
      hint: `find out with: fiatrail ops reconcile ${operationId}`,
      operationId,
    },
  );
}

/** Opens a resource on first use, and closes it only if it was opened. */
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

async function loadJournal({ world, say }: Dialog, place: JournalPlace): Promise<Journal> {
  world.ensurePrivateDir(place.dir);
  const { openJournalAt } = await import('../journal/open.ts');
  const journal = await openJournalAt(place, world);
  for (const warning of (await journal.merge()).warnings) await say(`warning: ${warning}`);
  return journal;
}

const UNKNOWN_UNITS =
  'the response does not say whether its amounts are in tokens or in base units; see unit "unknown"';

async function warnOf({ say }: Dialog, { problems, hasUnknownUnits }: Reply<unknown>, isRead: boolean): Promise<void> {
  if (hasUnknownUnits) await say(`warning: ${UNKNOWN_UNITS}`);
  if (problems.length === 0) return;
  const where = problems.slice(0, 5).join(', ');
  const warning = isRead
    ? `the response lacks ${where}`
    : `the response does not match the contract at ${where}; it is treated as accepted`;
  await say(`warning: ${warning}`);
}

/** Validates a request before anything is asked or sent. Throws CliError usage, and DryRun in a dry run. */
export async function prepareRequest<E extends Endpoint>(
  { profile, globals, world, inputName, rules }: Pick<Session, 'profile' | 'globals' | 'world' | 'inputName' | 'rules'>,
  endpoint: E,
  input: RequestOf<E>,
  { unchecked, prints = shapeOfResponse(endpoint), isBeforehand }: RequestOptions = {},
): Promise<ReadyRequest<E>> {
  const request = unchecked ? uncheckedRequest(endpoint, input) : validRequest(endpoint, input, inputName);
  if (globals.dryRun && !isBeforehand) {
    const verdicts = await rules.tested(endpoint, input);
    throw verdicts
      ? new DryRun({ data: { profile: profile.name, rules: verdicts } })
      : dryRunOf(profile, world.env, endpoint, input);
  }
  if (effectOf(endpoint, input) === 'read') return request;
  await checkOptions(isNames(prints) ? { names: prints } : prints, globals.present);
  await rules.require(endpoint, input);
  return request;
}

const isNames = (prints: ResultShape | readonly string[]): prints is readonly string[] => Array.isArray(prints);

const shapeOfResponse = ({ response, nests, lists }: Endpoint) => ({
  schema: response(),
  ...(nests ? { nests } : {}),
  ...(lists ? { lists } : {}),
});

/** Returns how much of a list an endpoint returns. The results of a change are no list. */
function listExtentOf({ lists, effect, request }: Endpoint): Pick<Result, 'list'> {
  if (lists === undefined || effect !== 'read') return {};
  return { list: { isWhole: !Object.hasOwn(shapeOf(request()) ?? {}, 'limit') } };
}

/** Converts a reply to an outcome. */
export function outcomeOf(
  { globals: { present } }: Pick<Session, 'globals'>,
  endpoint: Endpoint,
  { data, body, request }: SessionReply<unknown>,
  more: Pick<Result, 'columns' | 'more' | 'list'> = {},
): Outcome {
  const raw = present.format === 'raw' ? { raw: JSON.stringify(rawData(body, data)) } : {};
  return { result: { data, request, ...shapeOfResponse(endpoint), ...listExtentOf(endpoint), ...raw, ...more } };
}

/** The service's own data with every digit: `data`, or the whole response if its fields or its list stand alone. */
function rawData(body: string, read: unknown): unknown {
  const json = parseExactJson(body);
  if (isJsonObject(json) && Object.hasOwn(json, 'data')) return json['data'] ?? null;
  return Object.keys(read ?? {}).length > 0 ? json : null;
}
