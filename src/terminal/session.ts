import { createMemory } from '../account/completion-memory.ts';
import { journalPlaceOf } from '../account/journal-place.ts';
import type { Profile } from '../account/profile.ts';
import type { CliError } from '../base/errors.ts';
import { openedOnUse } from '../base/opened-on-use.ts';
import type { World } from '../base/world.ts';
import type { CallOptions, Client, Reply } from '../client/client.ts';
import { requestIdOf } from '../client/client.ts';
import { type ReadyRequest, validRequest } from '../client/request.ts';
import type { ServiceClock } from '../client/service-clock.ts';
import { type Endpoint, effectOf, type RequestOf, type ResponseOf } from '../contract/endpoint.ts';
import { getPlatformPublicKey } from '../contract/endpoints/management.ts';
import { shapeOf } from '../contract/rows.ts';
import { entryAt } from '../files/inspect.ts';
import type { AccountNames } from '../journal/accounts.ts';
import type { Baseline } from '../journal/baseline.ts';
import type { Journal } from '../journal/journal.ts';
import type { Plan } from '../engine/plans/plan.ts';
import type { Result } from '../present/result.ts';
import { type SessionRules, sessionRules } from '../engine/rules/session-rules.ts';
import { learnFintech, namesOf } from '../engine/names.ts';
import { type Change, confirmRequest } from './ask/confirm.ts';
import { connect } from '../engine/connect.ts';
import { createDialog, type Dialog, warnOf } from './show/dialog.ts';
import { abandonedWith, authorityOf, type InFlight, repetitionOf, requireSigned, sendJournaled } from '../engine/send.ts';
import { type Guard, idempotencyKeyOf } from './parse/money-options.ts';
import { type Outcome, rawData } from '../engine/outcome.ts';
import { createProgress, type Progress } from './show/progress.ts';
import { loadJournal } from '../engine/load-journal.ts';
import { createPlanning, type Planning } from '../engine/plans/planning.ts';
import { prepareRequest, type RequestOptions, shapeOfResponse } from '../engine/requests.ts';
import { createSessionTime } from '../engine/service-time.ts';

export interface SessionCallOptions extends CallOptions, RequestOptions {}

/** A change to send. */
interface SentChange extends Change {
  /** Runs after the confirmation, right before the request is sent; if it throws, nothing is sent. */
  readonly before?: () => Promise<void>;
  /** Text in the request that the service shows again in its lists, by which the journal finds it. */
  readonly tag?: string | undefined;
  /** Terms that the request only refers to, such as those of a quote. Asked for after the confirmation, whose previews may read them. */
  readonly terms?: () => Baseline['terms'];
  /** The user agreed to it before, as a part of something larger. */
  readonly isAgreed?: boolean;
}

type SessionOptions = Pick<
  Session,
  'world' | 'profile' | 'globals' | 'commandLine' | 'inputName' | 'runLine' | 'runPlanned' | 'baselineOf'
>;

/** A change that the service accepted, with the operation id and the service's request id, if any. */
export interface Changed {
  readonly operationId: string | undefined;
  readonly requestId: string | undefined;
}

/** A reply with the request that it answers, which may name the token of an amount that the reply does not. */
export interface SessionReply<D> extends Reply<D> {
  readonly request?: unknown;
}

/** How the command of a plan runs. */
type RunPlanned = { readonly kind: 'apply'; readonly waitMs: number | undefined } | { readonly kind: 'check' };

/** The context of a command: the world, the account, and how to call its service. */
export interface Session extends Dialog, Planning {
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
  /**
   * Runs the command of a plan in a session that sends only what the plan says; `waitMs` is how long it waits, if it does. To check the
   * plan, it runs until it would send, and throws Checked.
   */
  runPlanned(session: Session, plan: Plan, how: RunPlanned): Promise<Outcome>;
  /** Returns what is known of the service before a request leaves. `isFirst`: the command has read nothing that a person sees. */
  baselineOf(
    session: Session,
    endpoint: Endpoint,
    input: unknown,
    terms: Baseline['terms'],
    isFirst: boolean,
  ): Promise<Baseline>;
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
  /** Guards the money that this command moves; called before anything is sent. The guard of a plan that is applied stays. */
  guardWith(guard: Guard): void;
  /** What guards the money that this command moves, if it moves any. */
  guard(): Guard | undefined;
  /** The rules for a change: those of the profile, and those that hosts share in the journal. */
  readonly rules: SessionRules;
  /** A key for a service that does a request at most once per key: equal for equal once keys; undefined without one. */
  idempotencyKey(): string | undefined;
  /** What a command that takes long says. */
  readonly progress: Progress;
  /** What identifies the account in the journal. */
  accountNames(): Promise<AccountNames>;
  /** Sends the events of the embedded sandbox that are due, until `signal` aborts; over the network, the service does. */
  deliverDue(signal: AbortSignal): Promise<void>;
  /** The service's time, as its responses say it. */
  readonly serviceClock: ServiceClock;
  /** The time that all hosts agree on, in milliseconds since the epoch: that of a shared journal, else the service's. */
  timeMs(): Promise<number>;
  /** Warns once of a clock that is far from the service's. */
  warnOfClock(): Promise<void>;
  /** Notes the operation that is being sent, or that none is. */
  inFlight(operation: InFlight | undefined): void;
  /** The error of a command that was told twice to end: what it leaves behind. */
  abandonedError(): CliError;
  journal(): Promise<Journal>;
  /** The journal, unless this machine has none yet. */
  existingJournal(): Promise<Journal | undefined>;
  close(): Promise<void>;
}

export function createSession({ world, profile, globals, ...given }: SessionOptions): Session {
  const connection = openedOnUse(() => connect(world, profile, globals, progress, time.ask));
  const openFor = async ({ id, area }: Endpoint) => {
    const opened = await connection.open();
    if (id !== getPlatformPublicKey.id && area !== 'control') await opened.requirePlatformKey();
    return opened;
  };
  let changed: Changed | undefined;
  let guard: Guard | undefined;
  let hasRead = false;
  let inFlight: InFlight | undefined;
  const dialog = createDialog(world, globals);
  const { format } = globals.present;
  const progress = createProgress(world, globals, ['table', 'csv', 'ndjson'].includes(format));
  const place = () => journalPlaceOf(world, profile);
  const memory = createMemory(dialog, profile, () => session.accountNames());
  /** Calls the service. What may not take long, such as a preview or a status, has a line of its own, or a prompt, in its place. */
  const answered = <E extends Endpoint>(request: ReadyRequest<E>, options: CallOptions, client: Client) =>
    options.totalMs === undefined
      ? progress.answering(() => client.call(request, options))
      : client.call(request, options);
  const journal = openedOnUse(() => loadJournal(dialog, place()));
  const time = createSessionTime({
    ...{ world, profile, say: dialog.say, journal: journal.open, isShared: () => place().server !== undefined },
    read: async () => {
      // A plain dry run must work without a network.
      if (!globals.dryRun || globals.testsRules)
        await (await connection.open()).client.call(validRequest(getPlatformPublicKey, {}));
    },
  });
  const planning = createPlanning(() => session);
  const { planMode, asPlanned, operators } = planning;
  const session: Session = {
    ...dialog,
    ...given,
    progress,
    profile,
    planWith: planning.planWith,
    planMode,
    changed: () => changed,
    noteChanged: (change) => {
      changed = change;
    },
    call: async (endpoint, input, options = {}) => {
      const request = await prepareRequest(session, endpoint, input, options);
      const { client, keyFingerprint } = await openFor(endpoint);
      const isRead = effectOf(endpoint, input) === 'read';
      hasRead ||= isRead;
      const call = (isLate?: () => boolean) =>
        answered(request, { ...options, isLate }, client).catch((error) => {
          planning.noteUnread(error);
          throw error;
        });
      // A verification costs money and has an end, so the journal follows it like a movement of money.
      const isFollowed = !isRead && endpoint.starts !== undefined && !options.isRecorded;
      const { reply, operationId } = isFollowed
        ? await sendJournaled(session, {
            endpoint,
            input,
            summary: endpoint.summary,
            guard: undefined,
            keyFingerprint,
            call,
          })
        : { reply: await call(options.isLate), operationId: undefined };
      if (!isRead && !options.isRecorded) changed = { operationId, requestId: requestIdOf(endpoint, reply.data) };
      else if (isRead && !globals.dryRun) {
        await learnFintech({ profile, keyFingerprint, journal: journal.open }, endpoint.id, reply.data);
        await memory.note(endpoint, reply.data);
      }
      await warnOf(dialog, reply, isRead);
      return { ...reply, request: input };
    },
    asPlanned,
    operators,
    change: async (endpoint, typedInput, typedChange, options = {}) => {
      const { summary: planSummary, lines: planLines, tag, previews } = typedChange;
      const planned = await asPlanned(
        {
          ...{ endpoint, input: typedInput, summary: planSummary, lines: planLines, tag },
          rulesMet: () => planning.rulesMet(endpoint, typedInput),
          readPreviews: async () => (await previews?.()) ?? [],
        },
        () => prepareRequest(session, endpoint, typedInput, options),
      );
      const { agreed: asAgreed, applied } = planned ?? {};
      const input = asAgreed ? (asAgreed.input as typeof typedInput) : typedInput;
      const change = asAgreed ? { ...typedChange, ...asAgreed, previews: async () => asAgreed.previews } : typedChange;
      const request = await prepareRequest(session, endpoint, input, options);
      const effect = effectOf(endpoint, input);
      if (effect === 'money') await requireSigned(session, endpoint, input, applied);
      await time.warn();
      const sending = { endpoint, input, summary: change.summary, guard: effect === 'money' ? guard : undefined };
      // On a terminal, a repetition becomes part of the question; otherwise the journal stops it.
      const mayAsk = dialog.isInteractive && !globals.yes && !change.isAgreed;
      const earlier = mayAsk ? await repetitionOf(session, { ...sending, ...(await connection.open()) }) : undefined;
      const lines = earlier ? [...change.lines, ['warning', earlier] as const] : change.lines;
      if (!change.isAgreed) await confirmRequest(dialog, profile, effect, { ...change, lines });
      const limits = await session.rules.require(endpoint, input, change.summary);
      // It may have expired while the question was open.
      if (applied) (await import('../engine/plans/plan.ts')).requireUnexpired(applied.plan, await time.timeMs());
      await change.before?.();
      const { client, keyFingerprint } = await openFor(endpoint);
      const agreed = earlier && sending.guard ? { ...sending.guard, isAgain: true } : sending.guard;
      const call = (isLate: () => boolean) => answered(request, { ...options, isLate }, client);
      const baseline = await session.baselineOf(session, endpoint, input, change.terms?.(), !hasRead);
      await time.warn();
      const sent = await sendJournaled(session, {
        ...{ ...sending, limits, keyFingerprint, call },
        ...{ guard: agreed, tag: change.tag, baseline },
        authority: applied && (await authorityOf(applied)),
      });
      const { reply, operationId } = sent;
      changed = { operationId, requestId: requestIdOf(endpoint, reply.data) };
      await warnOf(dialog, reply, false);
      return { ...reply, request: input };
    },
    guardWith: (given) => {
      const kind = planMode()?.kind ?? 'write';
      if (guard === undefined || kind === 'write') guard = given;
    },
    guard: () => guard,
    idempotencyKey: () => {
      // The request of a plan contains the key, so it cannot come from the plan's hash.
      const plan = planMode();
      if (plan) return idempotencyKeyOf(`plan ${plan.kind === 'write' ? plan.id : plan.plan.content.id}`);
      return guard?.onceKey === undefined ? undefined : idempotencyKeyOf(guard.onceKey);
    },
    // A plan is its own once key.
    rules: sessionRules(() => ({
      ...session,
      guard: planMode() && guard ? { ...guard, onceKey: guard.onceKey ?? 'plan' } : guard,
    })),
    accountNames: async () => namesOf(profile, (await connection.open()).keyFingerprint()),
    deliverDue: async (signal) => (await connection.open()).deliverDue?.(signal),
    inFlight: (operation) => {
      inFlight = operation;
    },
    abandonedError: () => abandonedWith(inFlight),
    serviceClock: time.serviceClock,
    timeMs: time.timeMs,
    warnOfClock: time.warn,
    journal: journal.open,
    existingJournal: async () => (place().server || entryAt(place().path) ? journal.open() : undefined),
    close: async () => {
      await memory.keep();
      await connection.close();
      await journal.close();
    },
  };
  return session;
}

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
