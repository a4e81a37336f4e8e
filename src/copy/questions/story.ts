import type { Account } from '../../engine/account.ts';
import { shownTarget } from '../../engine/connection/inbox.ts';
import { wrongPaymentText } from '../../engine/evidence/payments-in.ts';
import { isOutcomeUnknown } from '../../journal/states.ts';
import { amountForPeople } from '../../money/amount.ts';
import { isPlainObject, type Plain, type PlainObject, withKnown } from '../../present/plain.ts';
import { deposits, REFUSED_PAYMENTS } from '../../things/deposits.ts';
import { reasonIn, timesOf } from '../../things/fields.ts';
import { onramp as anOnramp } from '../../things/onramp.ts';
import { endsOf, goesOn, outcomeIn } from '../../things/states.ts';
import type { Thing } from '../../things/thing.ts';
import type { InboxEvent } from '../../webhooks/inbox/events.ts';
import { existingCopy } from '../open.ts';
import type { FoundRow } from './in-copy.ts';
import {
  answersIn,
  type DuePayment,
  dueIn,
  journalMoments,
  knownInCopy,
  type Moment,
  nairaAt,
  type OnrampOf,
  recordedOf,
} from './known.ts';
import { eventsAbout, type FindMatch, timeOf } from './look.ts';
import { amountIn, meaningOf, textIn } from './typed.ts';

/** The payments into the account of an onramp: the right one, and those that the service refunds. */
export function paymentMoments(belongings: readonly FoundRow[], due: DuePayment | undefined): Moment[] {
  const right = belongings.find(({ kind, status }) => isPaymentIn(kind) && outcomeIn(kind, status ?? '') === 'settled');
  const paidAtMs = right ? Date.parse(right.createdAt ?? '') : Infinity;
  return belongings.map((each): Moment => {
    const { kind, id, row, status, createdAt } = each;
    const sender = textIn(row, ['depositor.name']);
    const sum = textIn(row, kind.amount) ?? '';
    const isPayment = isPaymentIn(kind);
    const wrong = isPayment && due ? wrongPayment(each, { ...due, paidAtMs }) : undefined;
    const what = isPayment ? `${sum}${sender ? ` from ${sender}` : ''} arrived` : `${kind.name} of ${sum}`;
    return { at: createdAt, what: `${wrong ?? `${what}; status: ${status}`} (${kind.name} ${id})`, source: 'copy' };
  });
}

/** What the times of a row say. */
function timeMoments(kind: Thing, row: PlainObject, source: 'service' | 'copy'): Moment[] {
  return timesOf(kind).flatMap(({ title, fields }, index): Moment[] => {
    const at = textIn(row, fields);
    if (at === undefined) return [];
    const sum = index === 0 ? textIn(row, kind.amount) : undefined;
    const who = index === 0 ? textIn(row, kind.who) : undefined;
    return [{ at, what: `${title.toLowerCase()}${sum ? `: ${sum}${who ? ` ${kind.way} ${who}` : ''}` : ''}`, source }];
  });
}

/** The statuses that syncs saw, and the sync that missed the row. */
function copyMoments(
  statuses: readonly { readonly status: string; readonly seen_at: string }[],
  found: FoundRow | undefined,
): Moment[] {
  const gone: Moment[] = found?.deletedAt
    ? [{ at: found.deletedAt, what: 'the service no longer lists it', source: 'copy' }]
    : [];
  return [
    ...statuses.map((each): Moment => ({ at: each.seen_at, what: `status: ${each.status}`, source: 'copy' })),
    ...gone,
  ];
}

/** Says what is wrong with a deposit, and what becomes of it; undefined if it is right. */
function wrongPayment(
  { row, status, createdAt }: FoundRow,
  due: DuePayment & { readonly paidAtMs?: number },
): string | undefined {
  const paid = nairaAt(row, 'amount');
  return paid && wrongPaymentText({ paid, status, createdAt, sender: textIn(row, ['depositor.name']) }, due);
}

/** Whether it is a payment that arrived. */
const isPaymentIn = ({ list }: Thing) => list?.name === deposits.name;

/** Where events say why something failed. */
const EVENT_REASONS = ['refundReason', 'error.message', 'failureReason', 'reason', 'message'];

/** What arrived of the service's events, and where each of them went. */
export function eventMoments(events: Iterable<InboxEvent>): Moment[] {
  return [...events].map((event): Moment => {
    const { id, copies, forwards, text } = event;
    const went = forwards.map(({ target, state, attempts, problem }) => {
      const tries = attempts > 1 ? ` after ${attempts} attempts` : '';
      return `${WENT[state]} ${shownTarget(target)}${tries}${problem ? ` (${problem})` : ''}`;
    });
    const again = copies > 0 ? [`delivered ${copies + 1} times`] : [];
    const reason = reasonIn({ reason: EVENT_REASONS, reasons: REFUSED_PAYMENTS }, contentOf(text));
    return {
      at: timeOf(event),
      what: [`event ${event.event ?? event.kind} (no. ${id})`, reason, ...again, ...went].filter(Boolean).join('; '),
      source: 'inbox',
      ...(reason === undefined ? {} : { reason }),
    };
  });
}

const WENT = { waiting: 'waits to be forwarded to', acknowledged: 'forwarded to', dead: 'given up for' } as const;

/** The data of an event; empty if it cannot be read. */
function contentOf(text: string | null): PlainObject {
  if (text === null) return {};
  const body = JSON.parse(text) as Plain;
  const data = isPlainObject(body) ? (body['data'] ?? body) : {};
  return isPlainObject(data) ? data : {};
}

/** What something is, and everything that belongs to it. Times are ISO 8601 in UTC. */
export interface Story {
  readonly kind: string;
  readonly id: string;
  readonly status: string | null;
  /** What the status means, and what to do about it. */
  readonly means: string | null;
  readonly amount: Plain;
  readonly user: { readonly userId: string; readonly name: string | null } | null;
  /** What the service shows of it. */
  readonly row: PlainObject;
  /** When the service said so. */
  readonly asOf: string | null;
  readonly timeline: readonly Moment[];
  /** Commands that can be run next. */
  readonly next: readonly string[];
}

/** Whether the service should be asked: the copy of the lists does not have it, had it while it went on, or is not `isFresh` and someone may have changed it. */
export const isUnsettled = ({ kind, found, operations }: FindMatch, isFresh: boolean): boolean => {
  if (kind.read === undefined) return false;
  if (found && !kind.states) return !isFresh;
  if (found) return goesOn(kind, textIn(found.row, ['status'])) === true;
  return operations.length > 0 || kind.name !== 'event';
};

/** Tells everything that is known of a match. Sends nothing. Rejects with DatabaseError and CliError. */
export async function storyOf(
  account: Account,
  match: FindMatch,
  answered: PlainObject | undefined,
  onramp: OnrampOf | undefined,
): Promise<Story> {
  const recorded = await recordedOf(account, match.operations);
  const answers = recorded.length > 0 ? await answersIn(recorded) : {};
  const row = withKnown({ ...answers, ...eventRow(match), ...match.found?.row }, answered ?? {});
  const { kind, id } = match;
  const now = account.world.clock.now();
  const status = textIn(row, ['status']) ?? (kind.name === 'operation' ? match.operations[0]?.state : undefined);
  const copy = await existingCopy(account.world, account.profile);
  const known = await knownInCopy(copy, match, row).finally(() => copy?.close());
  const all = [...match.events, ...(await eventsAbout(account, [id]))];
  const events = [...new Map(all.map((event) => [event.id, event])).values()];
  // What happened is told in sentences, which have what these say in fields of their own.
  account.globals.present.mask?.learn([
    ...recorded,
    ...match.operations,
    ...events.map(({ text }) => ({ data: text })),
    known.user && { row: known.user.row },
    ...[...known.belongings, ...(match.found ? [match.found] : [])].map((each) => ({ row: each.row })),
  ]);
  const timeline = [
    ...journalMoments(recorded),
    ...timeMoments(kind, row, answered ? 'service' : 'copy'),
    ...copyMoments(known.statuses, match.found),
    ...(kind === anOnramp
      ? paymentMoments(known.belongings, dueIn(row))
      : known.belongings.map((each) => belongingMoment(each))),
    ...(onramp ? [onrampMoment(onramp)] : []),
    ...eventMoments(events),
  ].toSorted((a, b) => Date.parse(a.at ?? '') - Date.parse(b.at ?? '') || 0);
  const since = known.statuses.findLast((each) => each.status === status)?.seen_at;
  const sinceMs = Date.parse(since ?? textIn(row, ['updatedAt', ...(timesOf(kind)[0]?.fields ?? [])]) ?? '');
  const reason =
    reasonIn(kind, row) ??
    timeline.findLast((each) => each.reason !== undefined)?.reason ??
    (onramp?.due && match.found && wrongPayment(match.found, onramp.due))?.replace('; the service refunds it', '');
  const means = meaningOf({ thing: kind, id, status, sinceMs, nowMs: account.time.service.nowMs() ?? now, reason });
  const user = known.user && { userId: known.user.id, name: textIn(known.user.row, NAMES) ?? null };
  return {
    kind: kind.name,
    id,
    status: status ?? null,
    means: means ?? null,
    row,
    amount: amountIn(row, kind.amount),
    user: user ?? null,
    timeline: known.isCut ? [CUT, ...timeline] : timeline,
    asOf: answered ? new Date(now).toISOString() : known.syncedAt,
    next: [
      ...nextCommands(match, status, row, events),
      ...(onramp ? [`fiatrail find ${onramp.id}`] : []),
      ...requestsOf(match),
      ...(user ? [`fiatrail find ${user.userId}`] : []),
    ],
  };
}

/** The lists have more that belongs to it. */
const CUT: Moment = { at: null, what: 'older payments and transfers are left out', source: 'copy' };

const NAMES = ['virtualAccount.accountName', 'lastName', 'firstName'];

/** What an event that was found by its own id is about. */
const requestsOf = ({ kind, matchedBy, events }: FindMatch): string[] =>
  kind.name === 'event' && !matchedBy.includes('requestId')
    ? events.flatMap(({ requestId }) => (requestId ? [`fiatrail find ${requestId}`] : []))
    : [];

/** What an event says of itself, if the match is one. */
const eventRow = ({ kind, events: [event] }: FindMatch): PlainObject =>
  kind.name === 'event' && event ? { event: event.event, requestId: event.requestId, userId: event.userId } : {};

const onrampMoment = ({ id, startedAt, due }: OnrampOf): Moment => ({
  at: startedAt,
  what: `onramp ${id} started${due ? `; exactly ${amountForPeople(due.total)} is due` : ''}`,
  source: 'service',
});

/** What belongs to something, in one line. */
function belongingMoment({ kind, id, row, status, createdAt }: FoundRow): Moment {
  const amount = textIn(row, kind.amount);
  const who = textIn(row, kind.who);
  const way = kind.way === 'from' ? 'from' : 'to';
  const text = [`${kind.name} ${id}`, amount && `${amount}${who ? ` ${way} ${who}` : ''}`, status].filter(Boolean);
  return { at: createdAt, what: text.join(': ').replace(/: ([^:]*)$/, ', $1'), source: 'copy' };
}

function nextCommands(
  { kind, id, operations }: FindMatch,
  status: string | undefined,
  row: PlainObject,
  events: readonly InboxEvent[],
): string[] {
  const isInactive = row['isActive'] === false;
  const isOpen = goesOn(kind, status) === true;
  const hasFailed = endsOf(kind).failed.includes(status ?? '');
  const shows = kind.shows && `fiatrail ${kind.shows} ${id}${isOpen && kind.read ? ' --wait' : ''}`;
  const ofOperations = operations.flatMap((operation) =>
    isOutcomeUnknown(operation)
      ? [`fiatrail ops reconcile ${operation.operationId}`]
      : kind.name === 'operation'
        ? []
        : [`fiatrail ops show ${operation.operationId}`],
  );
  const line = (words: string) => `fiatrail ${words.replace('ID', id)}`;
  const isDead = events.some(({ forwards }) => forwards.some(({ state }) => state === 'dead'));
  return [
    ...(shows ? [shows] : []),
    ...(isOpen ? kind.whileOpen : []).map(line),
    ...ofOperations,
    ...[...kind.more, ...(isInactive ? kind.ifInactive : kind.ifActive), ...(hasFailed ? kind.ifFailed : [])].map(line),
    ...(isDead ? ['fiatrail webhooks inbox redrive'] : []),
  ];
}
