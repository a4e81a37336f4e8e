import { isInDoubt } from '../../journal/states.ts';
import { amountForPeople } from '../../money/amount.ts';
import type { Plain } from '../../present/plain.ts';
import type { InboxEvent } from '../../webhooks/inbox/events.ts';
import type { Account } from '../account.ts';
import { existingMirror } from '../mirror/open.ts';
import type { Found } from './in-mirror.ts';
import { answersIn, dueIn, knownInMirror, type OnrampOf, recordedOf, withoutNulls } from './known.ts';
import { eventsAbout, type Match } from './look.ts';
import {
  eventMoments,
  journalMoments,
  type Moment,
  mirrorMoments,
  paymentMoments,
  timeMoments,
  wrongPayment,
} from './moments.ts';
import { amountIn, goesOn, meaningOf, reasonIn, textIn } from './words.ts';

type Row = Readonly<Record<string, Plain>>;

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
  readonly row: Row;
  /** When the service said so. */
  readonly asOf: string | null;
  readonly timeline: readonly Moment[];
  /** Commands that can be run next. */
  readonly next: readonly string[];
}

/** Whether the service should be asked: the copy of the lists does not have it, or had it while it went on. */
export const isUnsettled = ({ kind, found, operations }: Match): boolean => {
  if (kind.read === undefined) return false;
  if (found) return goesOn(kind, textIn(found.row, ['status'])) === true;
  return operations.length > 0 || kind.name !== 'event';
};

/** Tells everything that is known of a match. Sends nothing. Rejects with DatabaseError and CliError. */
export async function storyOf(
  account: Account,
  match: Match,
  answered: Row | undefined,
  onramp: OnrampOf | undefined,
): Promise<Story> {
  const recorded = await recordedOf(account, match.operations);
  const answers = recorded.length > 0 ? await answersIn(recorded) : {};
  const row: Row = { ...answers, ...eventRow(match), ...match.found?.row, ...withoutNulls(answered) };
  const { kind, id } = match;
  const now = account.world.clock.now();
  const status = textIn(row, ['status']) ?? (kind.name === 'operation' ? match.operations[0]?.state : undefined);
  const mirror = await existingMirror(account.world, account.profile);
  const known = await knownInMirror(mirror, match, row).finally(() => mirror?.close());
  const all = [...match.events, ...(await eventsAbout(account, [id]))];
  const events = [...new Map(all.map((event) => [event.id, event])).values()];
  const timeline = [
    ...journalMoments(recorded),
    ...timeMoments(kind, row, answered ? 'service' : 'mirror'),
    ...mirrorMoments(known.statuses, match.found),
    ...(kind.name === 'onramp'
      ? paymentMoments(known.belongings, dueIn(row))
      : known.belongings.map((each) => belongingMoment(each))),
    ...(onramp ? [onrampMoment(onramp)] : []),
    ...eventMoments(events),
  ].toSorted((a, b) => Date.parse(a.at ?? '') - Date.parse(b.at ?? '') || 0);
  const since = known.statuses.findLast((each) => each.status === status)?.seen_at;
  const sinceMs = Date.parse(since ?? textIn(row, ['updatedAt', ...(kind.times[0]?.slice(1) ?? [])]) ?? '');
  const reason =
    reasonIn(row, kind.reason ?? []) ??
    timeline.findLast((each) => each.reason !== undefined)?.reason ??
    (onramp?.due && match.found && wrongPayment(match.found, onramp.due))?.replace('; the service refunds it', '');
  const means = meaningOf({ kind, id, status, sinceMs, nowMs: account.time.service.nowMs() ?? now, reason });
  const user = known.user && { userId: known.user.id, name: textIn(known.user.row, NAMES) ?? null };
  return {
    ...{ kind: kind.name, id, status: status ?? null, means: means ?? null, row },
    ...{ amount: amountIn(row, kind.amount ?? []), user: user ?? null },
    timeline: known.isCut ? [CUT, ...timeline] : timeline,
    asOf: answered ? new Date(now).toISOString() : known.syncedAt,
    next: [
      ...nextCommands(match, status, events),
      ...(onramp ? [`fiatrail find ${onramp.id}`] : []),
      ...requestsOf(match),
      ...(user ? [`fiatrail find ${user.userId}`] : []),
    ],
  };
}

/** The lists have more that belongs to it. */
const CUT: Moment = { at: null, what: 'older payments and transfers are left out', source: 'mirror' };

const NAMES = ['virtualAccount.accountName', 'lastName', 'firstName'];

/** What an event that was found by its own id is about. */
const requestsOf = ({ kind, matchedBy, events }: Match): string[] =>
  kind.name === 'event' && !matchedBy.includes('requestId')
    ? events.flatMap(({ requestId }) => (requestId ? [`fiatrail find ${requestId}`] : []))
    : [];

/** What an event says of itself, if the match is one. */
const eventRow = ({ kind, events: [event] }: Match): Row =>
  kind.name === 'event' && event ? { event: event.event, requestId: event.requestId, userId: event.userId } : {};

const onrampMoment = ({ id, startedAt, due }: OnrampOf): Moment => ({
  at: startedAt,
  what: `onramp ${id} started${due ? `; exactly ${amountForPeople(due.total)} is due` : ''}`,
  source: 'service',
});

/** What belongs to something, in one line. */
function belongingMoment({ kind, id, row, status, createdAt }: Found): Moment {
  const amount = textIn(row, kind.amount ?? []);
  const who = textIn(row, kind.who ?? []);
  const way = kind.name === 'deposit' ? 'from' : 'to';
  const text = [`${kind.name} ${id}`, amount && `${amount}${who ? ` ${way} ${who}` : ''}`, status].filter(Boolean);
  return { at: createdAt, what: text.join(': ').replace(/: ([^:]*)$/, ', $1'), source: 'mirror' };
}

function nextCommands(
  { kind, id, operations }: Match,
  status: string | undefined,
  events: readonly InboxEvent[],
): string[] {
  const isOpen = goesOn(kind, status) === true;
  const hasFailed = kind.ends?.failed.includes(status ?? '') === true;
  const shows = kind.shows && `fiatrail ${kind.shows} ${id}${isOpen && kind.isFollowed ? ' --wait' : ''}`;
  const ofOperations = operations.flatMap((operation) =>
    isInDoubt(operation)
      ? [`fiatrail ops reconcile ${operation.operationId}`]
      : kind.name === 'operation'
        ? []
        : [`fiatrail ops show ${operation.operationId}`],
  );
  const isDead = events.some(({ forwards }) => forwards.some(({ state }) => state === 'dead'));
  return [
    ...(shows ? [shows] : []),
    ...(kind.name === 'onramp' && isOpen ? [`fiatrail onramp account ${id}`] : []),
    ...ofOperations,
    ...[...(kind.more ?? []), ...(hasFailed ? (kind.ifFailed ?? []) : [])].map(
      (each) => `fiatrail ${each.replace('ID', id)}`,
    ),
    ...(isDead ? ['fiatrail webhooks inbox redrive'] : []),
  ];
}
