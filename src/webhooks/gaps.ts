import type { WebhookEvent } from '../contract/event-payloads.ts';
import { eventOf } from '../contract/events.ts';
import { endEventsOf, eventNamesOf, eventsDue } from '../things/due.ts';
import { THINGS } from '../things/index.ts';
import type { EventNames, EventsCome, NotedRow, Thing } from '../things/thing.ts';

/** Work that one of the service's lists shows. */
export interface ListedWork extends NotedRow {
  /** The type of the row, or the name of the thing if its list has one kind alone. */
  readonly kind: string;
  /** Every id by which an event may name it; the first one is its own. */
  readonly ids: readonly string[];
  readonly createdAt: string | null;
  /** Every later time that the list says of it. */
  readonly changedAt?: readonly (string | null | undefined)[];
  /** The user that it belongs to. */
  readonly userId?: string | null | undefined;
}

/** An event of the inbox. */
interface ComparedEvent {
  readonly id: number;
  readonly event: string;
  /** Every text in it. */
  readonly texts: Iterable<string>;
  /** Whether the work that it is about should be listed. */
  readonly isExpected: boolean;
}

/** An event that should have come; any of the names would do. */
interface MissingEvent {
  readonly work: ListedWork;
  readonly events: EventNames;
  /** Whether the list and the event of the work's end agree, so that the missing event says nothing new. */
  readonly isClosed: boolean;
}

/** A period of the service's time, in milliseconds since the epoch, without its end. */
export interface ComparedPeriod {
  readonly sinceMs: number;
  readonly untilMs: number;
  /** Events of work that changed after this time may still be on their way. */
  readonly settledMs: number;
}

/** What distinguishes the events of the two kinds of accounts. */
const TEMPORARY: EventNames = ['payments.confirmed', 'wallet.funding.completed'];
const PERMANENT: EventNames = [
  'fintech.user.deposit.received',
  'fintech.user.deposit.funding.completed',
  'fintech.user.deposit.funding.refunded',
];

/** The things whose rows cause events, by the type of the row, or by their name. */
const KINDS: ReadonlyMap<string, Thing> = new Map(
  THINGS.filter(({ list, events }) => list && eventNamesOf({ events }).length > 0).flatMap((thing) =>
    (thing.types ?? [thing.name]).map((kind) => [kind, thing]),
  ),
);

function kindOf(kind: string): Thing {
  const found = KINDS.get(kind);
  if (!found) throw new Error(`no events are about ${kind}`);
  return found;
}

/** Whether a list has rows that cause events. */
export const isOfWork = (list: string): boolean => [...KINDS.values()].some((thing) => thing.list?.name === list);

export const isWorkKind = (text: string): boolean => KINDS.has(text);

/** An account that nobody paid into is in no list, so this event may well belong to nothing that is listed. */
const MAY_BE_UNLISTED: string = 'virtual.account.created' satisfies WebhookEvent;

/** The events whose work is in a list; no other event is compared. */
const COMPARED: ReadonlySet<string> = new Set(
  Array.from(KINDS, ([, thing]) => thing)
    .flatMap(eventNamesOf)
    .filter((name) => name !== MAY_BE_UNLISTED),
);

/** How long a temporary account lives. Source: interface. */
const ACCOUNT_MS = 30 * 60_000;

/**
 * Compares listed work with the events of an inbox. Memory grows with the work alone: `see` takes the events one by one, and `end`
 * returns what should have come and did not, the events that belong to no listed work, and how much work lacks an event that may still be
 * on its way. Work that began outside the period only explains events.
 */
export function comparison(works: readonly ListedWork[], { sinceMs, untilMs, settledMs }: ComparedPeriod) {
  const eventsOf = new Map<ListedWork, Set<string>>();
  const byId = indexed(works, ({ ids }) => ids);
  const byAccount = indexed(works, ({ accountNumber }) => accountNumber ?? []);
  const created = new Set<string>();
  const unlisted: Pick<ComparedEvent, 'id' | 'event'>[] = [];
  const see = (event: ComparedEvent) => {
    const name = eventOf(event.event)?.name ?? event.event;
    // An account number is in the events of all its deposits; only the event about the account itself is found by it.
    const isAccount = name === MAY_BE_UNLISTED;
    let isListed = false;
    for (const text of event.texts) {
      if (isAccount && /^\d+$/.test(text)) created.add(text);
      for (const work of (isAccount ? byAccount : byId).get(text) ?? [])
        if (eventNamesOf(kindOf(work.kind)).some((each) => each === name)) {
          eventsOf.set(work, (eventsOf.get(work) ?? new Set()).add(name));
          isListed = true;
        }
    }
    if (!isListed && event.isExpected && COMPARED.has(name)) unlisted.push({ id: event.id, event: event.event });
  };
  const end = () => {
    const accountOf = accountsIn(works, created);
    let unsettled = 0;
    const missing = works.flatMap((work): MissingEvent[] => {
      const createdMs = Date.parse(work.createdAt ?? '');
      if (!(createdMs >= sinceMs && createdMs < untilMs)) return [];
      const has = (name: string) => eventsOf.get(work)?.has(name) ?? false;
      const thing = kindOf(work.kind);
      const isClosed = endEventsOf(thing, work.status).some(has);
      const account = TEMPORARY.some(has) ? 'temporary' : PERMANENT.some(has) ? 'permanent' : accountOf(work);
      const lacking = eventsDue(thing, work, { has, account, isOldAccount: createdMs - ACCOUNT_MS < sinceMs })
        .filter((events) => !events.some(has))
        .map((events) => ({ work, events, isClosed }));
      if (lacking.length === 0 || timesOf(work).every((time) => !(time > settledMs))) return lacking;
      unsettled += 1;
      return [];
    });
    return { missing, unlisted, unsettled };
  };
  return { see, end };
}

const timesOf = ({ createdAt, changedAt = [] }: ListedWork) =>
  [createdAt, ...changedAt].map((time) => Date.parse(time ?? ''));

function indexed(works: readonly ListedWork[], keysOf: (work: ListedWork) => string | readonly string[]) {
  const index = new Map<string, ListedWork[]>();
  for (const work of works)
    for (const key of [keysOf(work)].flat()) {
      const found = index.get(key);
      if (found) found.push(work);
      else index.set(key, [work]);
    }
  return index;
}

/** Finds out from the listed users and the recently created accounts which account a deposit was paid into. */
function accountsIn(works: readonly ListedWork[], created: ReadonlySet<string>) {
  const users = works.filter(({ kind }) => kind === 'user');
  const ids = new Set(users.map(({ userId }) => userId));
  const permanent = new Set(users.map(({ accountNumber }) => accountNumber));
  return ({ accountNumber, userId }: ListedWork): EventsCome['account'] => {
    if (accountNumber == null) return undefined;
    if (permanent.has(accountNumber)) return 'permanent';
    return created.has(accountNumber) || ids.has(userId) ? 'temporary' : undefined;
  };
}
