import type { WebhookEvent } from '../contract/event-payloads.ts';
import { LIST_RECORDS, RECORDS } from './records.ts';
import { type ServiceList, type Thing, thing } from './thing.ts';

/** A change that is recorded in the journal and is no thing of its own. */
export const operation = thing({ name: 'operation', of: 'account', shows: 'ops show' });

/** An event that the service sent. */
export const event = thing({ name: 'event', of: 'account', shows: 'webhooks inbox show' });

type KnownThing = (typeof RECORDS)[number] | typeof operation | typeof event;

type EventsOf<T> = T extends Thing<string, infer Event> ? Event : never;

/** The events of the service that are about no thing. */
type EventOfNoThing = Exclude<WebhookEvent, EventsOf<KnownThing>>;

/** The things of whose work more has to be known than their records say. */
export type SpecialName = Extract<KnownThing, { readonly isSpecial: true }>['name'];

/** Does not compile if an event is about no thing. */
const KNOWN: readonly Thing[] = [...RECORDS] satisfies [EventOfNoThing] extends [never]
  ? readonly Thing[]
  : EventOfNoThing;

const rankOf = ({ states, of }: Thing) => (states === undefined ? 0 : of === 'user' ? 1 : 2);

/** Every kind of thing, those that do not begin and end before the work that belongs to them, and that of users before that of the account. */
export const THINGS: readonly Thing[] = [...KNOWN.toSorted((a, b) => rankOf(a) - rankOf(b)), operation, event];

/** The fields by which rows and responses name whose they are. */
export const OWNER_FIELDS: readonly string[] = [
  ...new Set(
    THINGS.flatMap(({ facts, read }) => [
      ...facts.flatMap(({ isOwner, fields }) => (isOwner ? fields : [])),
      ...(read?.user === undefined ? [] : [read.user]),
    ]),
  ),
];

const idsOf = (things: readonly Thing[]): readonly string[] => {
  const all = things.flatMap(({ read, list }) => [read?.id, list?.id].filter((name) => name !== undefined));
  return [...new Set(all)].filter((name) => name.endsWith('Id'));
};

/** The fields with the id of work, and those with the id of what is there or not. */
export const ID_FIELDS = {
  ofWork: idsOf(THINGS.filter(({ states }) => states !== undefined)),
  ofOthers: idsOf(THINGS.filter(({ states }) => states === undefined)),
};

/** How long a list may be, by the way it is read: lists with a period have the work of every day. */
const SHORT_FIRST: readonly ServiceList['readBy'][] = ['whole', 'newest', 'count', 'dated'];

/** Every list of the service that is copied, small ones first, so that a long one does not hold up the others. */
export const LISTS: readonly ServiceList[] = LIST_RECORDS.toSorted(
  (a, b) => SHORT_FIRST.indexOf(a.readBy) - SHORT_FIRST.indexOf(b.readBy),
);

/** Returns the kind of thing that a row of a list is, by its type. One of an unknown type is not the account's own. */
export function thingOfRow(list: string, type: unknown): Thing {
  const all = THINGS.filter((each) => each.list?.name === list);
  const found = all.find(({ types }) => types?.includes(String(type))) ?? all[0];
  if (!found) throw new Error(`no thing is in ${list}`);
  return found;
}

/** Returns the kind of thing that an endpoint starts; undefined for any other change. */
export const thingStartedBy = (endpointId: string): Thing | undefined =>
  THINGS.find(({ starts }) => starts.some(({ id }) => id === endpointId));

/** Returns the kind of thing whose id is the request id of an event, what was started before what came by itself; undefined for other events. */
export function thingWithEvent(name: string): Thing | undefined {
  const about = THINGS.filter(({ events }) => {
    const meaning = Object.entries(events).find(([each]) => each === name)?.[1];
    return meaning !== undefined && !meaning.namesAnother;
  });
  return about.find(({ starts }) => starts.length > 0) ?? about[0];
}

/** Returns a kind of thing by its name. */
export function thingNamed(name: string): Thing {
  const found = THINGS.find((each) => each.name === name);
  if (!found) throw new Error(`no thing is called ${name}`);
  return found;
}
