import type { Account } from '../../engine/account.ts';
import { existingProfileInbox } from '../../engine/connection/inbox.ts';
import { existingJournal } from '../../engine/connection/journal-location.ts';
import type { Operation } from '../../journal/operations.ts';
import type { PlainObject } from '../../present/plain.ts';
import {
  event as anEvent,
  operation as anOperation,
  OWNER_FIELDS,
  thingStartedBy,
  thingWithEvent,
} from '../../things/index.ts';
import type { Thing } from '../../things/thing.ts';
import type { InboxEvent } from '../../webhooks/inbox/events.ts';
import type { LocalCopy } from '../database.ts';
import { existingCopy } from '../open.ts';
import { type FoundRow, rowsWithKey, rowsWithName, rowsWithSum } from './in-copy.ts';
import { type Typed, textIn } from './typed.ts';

/** Something that what was typed may mean, as this machine knows it. */
export interface FindMatch {
  readonly kind: Thing;
  readonly id: string;
  /** How well it fits; see `FoundRow`. */
  readonly rank: number;
  readonly matchedBy: readonly string[];
  readonly found?: FoundRow | undefined;
  /** The operations that started it, newest first. */
  readonly operations: readonly Operation[];
  readonly events: readonly InboxEvent[];
  /** ISO 8601 in UTC. */
  readonly at: string | null;
}

/** What looking on this machine found. */
export interface Local {
  readonly matches: readonly FindMatch[];
  /** Whether there are more than these. */
  readonly isCut: boolean;
  readonly hasCopy: boolean;
  /** Whether too many names have what was typed. */
  readonly isTooCommon: boolean;
}

/** How many rows of a table are listed, and how many events of a request are shown. */
export const MOST_ROWS = 20;
/** How far back the journal is read for a sum, which it has no index of. */
const NEWEST_OPERATIONS = 300;
/** A prefix of an operation id must have as many characters. */
const SHORTEST_PREFIX = 8;

interface LocalSources {
  readonly copy: LocalCopy | undefined;
  readonly account: Pick<Account, 'profile' | 'journal' | 'world'>;
}

/** Looks for what was typed in the local copy, the journal and the inbox, and sends nothing. Rejects with DatabaseError and CliError. */
export async function lookLocally(account: LocalSources['account'], typed: Typed): Promise<Local> {
  const copy = await existingCopy(account.world, account.profile);
  try {
    const byKey = await withKeys({ copy, account }, typed);
    const known = { isCut: byKey.isCut, hasCopy: copy !== undefined, isTooCommon: false };
    // An id or a number is nothing else; whatever only belongs to it is told with it.
    const best = Math.min(...byKey.matches.map(({ rank }) => rank));
    if (best < 3) return { ...known, matches: byKey.matches.filter(({ rank }) => rank === best) };
    const others = await withSumOrName({ copy, account }, typed);
    const found = [...byKey.matches, ...others.matches];
    const named = found.length > 0 ? [] : await eventsWithId(account, typed);
    const matches = merged([...found, ...named]).toSorted(byRankAndTime);
    const { isTooCommon, isCut } = others;
    return { ...known, isTooCommon, isCut: isCut || byKey.isCut, matches: withoutBelongings(matches) };
  } finally {
    await copy?.close();
  }
}

const byRankAndTime = (a: FindMatch, b: FindMatch) =>
  a.rank - b.rank || compare(b.at ?? '', a.at ?? '') || compare(a.id, b.id);

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b));

const matchOf = (found: FoundRow): FindMatch => ({
  kind: found.kind,
  id: found.id,
  rank: found.rank,
  matchedBy: found.matchedBy,
  found,
  operations: [],
  events: [],
  at: found.createdAt,
});

async function withKeys(sources: LocalSources, { keys }: Typed) {
  const { copy } = sources;
  const { rows, isCut } = copy
    ? await copy.read((queries) => rowsWithKey(queries, keys, MOST_ROWS))
    : { rows: [], isCut: false };
  const operations = await operationsNamed(sources, keys);
  const events = await eventsAbout(sources.account, keys);
  const all = [...rows.map(matchOf), ...operations.map(operationMatch), ...eventMatches(events, keys)];
  return { isCut, matches: merged(all).toSorted(byRankAndTime) };
}

/** Whether an operation is of this profile; every embedded profile has the same sandbox. */
export const isOwn = ({ profile }: Pick<Account, 'profile'>, { mode, profile: name }: Operation) =>
  name === profile.name || (mode === 'embedded' && profile.mode === 'embedded');

async function operationsNamed({ account }: LocalSources, keys: readonly string[]): Promise<Operation[]> {
  const journal = await existingJournal(account);
  const found = journal ? (await Promise.all(keys.map((key) => journal.find(key)))).flat() : [];
  return found.filter((operation) => {
    const { operationId, requestId, idempotencyKey } = operation;
    const isNamed = keys.some(
      (key) =>
        [requestId, idempotencyKey].includes(key) || (key.length >= SHORTEST_PREFIX && operationId.startsWith(key)),
    );
    return isNamed && isOwn(account, operation);
  });
}

/** Adds the operations that started a match which was found by something other than its id. */
export async function withOperations(account: LocalSources['account'], match: FindMatch): Promise<FindMatch> {
  if (match.operations.length > 0 || match.kind.starts.length === 0) return match;
  return { ...match, operations: await operationsNamed({ copy: undefined, account }, [match.id]) };
}

/** What operations started, each thing once. */
export const operationMatches = (operations: readonly Operation[]): readonly FindMatch[] =>
  merged(operations.map(operationMatch));

function operationMatch(operation: Operation): FindMatch {
  const { operationId, requestId, endpoint, createdAt } = operation;
  const work = thingStartedBy(endpoint);
  const isWork = requestId !== null && work !== undefined;
  return {
    ...(isWork ? { kind: work, id: requestId } : { kind: anOperation, id: operationId }),
    rank: 0,
    matchedBy: ['operation'],
    operations: [operation],
    events: [],
    at: createdAt,
  };
}

/** Reads the events about requests or users with these ids, and those with such an id of their own; newest first. */
export async function eventsAbout(
  { world, profile }: Pick<Account, 'world' | 'profile'>,
  keys: readonly string[],
): Promise<InboxEvent[]> {
  const inbox = await existingProfileInbox(world, profile);
  if (!inbox) return [];
  try {
    const of: InboxEvent[] = [];
    for (const key of keys) {
      of.push(...(await inbox.list({ requestId: key, limit: MOST_ROWS })));
      of.push(...(await inbox.list({ userId: key, limit: MOST_ROWS })));
    }
    return [...new Map(of.map((event) => [event.id, event])).values()];
  } finally {
    await inbox.close();
  }
}

/** An id of an event or of its delivery has a digit, and is no number. */
const EVENT_ID = /^(?=.*[a-z_-])[\w-]*\d[\w-]*$/i;

/** Finds events by the start of their own ids. No index has these, so it comes last. */
async function eventsWithId(
  { world, profile }: LocalSources['account'],
  { text, isPhone }: Typed,
): Promise<FindMatch[]> {
  if (isPhone || text.length < SHORTEST_PREFIX || !EVENT_ID.test(text)) return [];
  const inbox = await existingProfileInbox(world, profile);
  try {
    return ((await inbox?.find(text)) ?? []).map((event) => eventMatch(event, 0));
  } finally {
    await inbox?.close();
  }
}

const eventMatch = (event: InboxEvent, rank: number): FindMatch => ({
  kind: anEvent,
  id: String(event.id),
  rank,
  matchedBy: ['event'],
  operations: [],
  events: [event],
  at: timeOf(event),
});

function eventMatches(events: readonly InboxEvent[], keys: readonly string[]): FindMatch[] {
  const about = events.filter(({ requestId }) => requestId !== null && keys.includes(requestId));
  const [event] = about;
  if (!event?.requestId) return [];
  const kind = thingWithEvent(event.event ?? '') ?? anEvent;
  const isWork = kind !== anEvent;
  // Several kinds of work may have an event, and things of no kind.
  const match = { ...eventMatch(event, isWork ? 0 : 2), matchedBy: ['requestId'], events: about };
  return [isWork ? { ...match, kind, id: event.requestId } : match];
}

/** When an event happened, by the service; if it does not say, when it arrived. */
export const timeOf = ({ happenedAt, receivedAtMs }: InboxEvent): string =>
  happenedAt ?? new Date(receivedAtMs).toISOString();

async function withSumOrName({ copy, account }: LocalSources, { sums, words }: Typed) {
  const bySum = await copy?.read((queries) => rowsWithSum(queries, sums, MOST_ROWS));
  const byName = await copy?.read((queries) => rowsWithName(queries, words, MOST_ROWS));
  const journal = sums.length > 0 ? await existingJournal(account) : undefined;
  const operations = ((await journal?.list({ limit: NEWEST_OPERATIONS })) ?? []).filter(
    (operation) =>
      isOwn(account, operation) &&
      sums.some(({ asset, minor }) => operation.moves?.asset === asset && operation.moves.minor === minor),
  );
  return {
    isTooCommon: copy !== undefined && words.length > 0 && byName === undefined,
    isCut: bySum?.isCut || byName?.isCut || false,
    matches: [
      ...[bySum, byName].flatMap((each) => (each ? each.rows.map(matchOf) : [])),
      ...operations.map((each) => ({ ...operationMatch(each), rank: 3, matchedBy: ['amount'] })),
    ],
  };
}

/** Joins what several sources know of one thing. */
function merged(matches: readonly FindMatch[]): FindMatch[] {
  const byThing = Map.groupBy(matches, ({ kind, id }) => `${kind.name} ${id}`);
  return [...byThing.values()].flatMap((same) => {
    const [first] = same.toSorted((a, b) => a.rank - b.rank);
    if (!first) return [];
    const operations = new Map(same.flatMap((each) => each.operations.map((one) => [one.operationId, one] as const)));
    return [
      {
        ...first,
        found: same.find(({ found }) => found)?.found,
        matchedBy: [...new Set(same.flatMap(({ matchedBy }) => matchedBy))],
        operations: [...operations.values()],
        events: same.flatMap(({ events }) => events),
        at: first.at ?? same.find(({ at }) => at)?.at ?? null,
      },
    ];
  });
}

/** Leaves out what belongs to a thing that is among the matches: it is told with it. */
function withoutBelongings(matches: readonly FindMatch[]): FindMatch[] {
  const things = matches.filter(({ rank }) => rank < 2);
  const owned = new Set(things.flatMap(({ kind, found }) => linksOf(kind, found?.row ?? {})));
  const belongs = ({ found }: FindMatch) =>
    OWNER_FIELDS.some((field) => owned.has(textIn(found?.row ?? {}, [field]) ?? ''));
  return matches.filter((match) => match.rank < 2 || !belongs(match));
}

/** The values that other rows have too if they belong to a thing. */
export const linksOf = (kind: Thing, row: PlainObject): string[] =>
  kind.links.flatMap((field) => textIn(row, [field]) ?? []);
