import type { Account } from '../../engine/account.ts';
import { existingProfileInbox } from '../../engine/connection/inbox.ts';
import { existingJournal } from '../../engine/connection/journal-location.ts';
import type { Operation } from '../../journal/operations.ts';
import type { Queries } from '../../journal/store.ts';
import type { Amount } from '../../money/amount.ts';
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
import { readSetting } from '../list-state.ts';
import { existingCopy } from '../open.ts';
import { type FoundRow, type FoundRows, rowsWithKey, rowsWithStart, rowsWithSum } from './in-copy.ts';
import { namesAlike, namesWith, rowsWithName } from './names.ts';
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
  /** When the copy was last read to its end; null if it never was. */
  readonly syncedAt: string | null;
  /** Whether no name has what was typed, and these are one letter off. */
  readonly isAlike: boolean;
  /** Whether too many names have what was typed. */
  readonly isTooCommon: boolean;
}

/** How many matches are listed, and how many events of a request are shown, unless someone asks for more. */
export const MOST_ROWS = 20;
/** How far back the journal is read for a sum, which it has no index of. */
const NEWEST_OPERATIONS = 300;
/** A prefix of an operation id must have as many characters. */
const SHORTEST_PREFIX = 6;

interface LocalSources {
  /** How many rows of a list are read. */
  readonly limit: number;
  readonly copy: LocalCopy | undefined;
  readonly account: Pick<Account, 'profile' | 'journal' | 'world'>;
}

/**
 * Looks for what was typed in the local copy, the journal and the inbox, and sends nothing. Returns at least the first `count` matches, if there
 * are as many. Rejects with DatabaseError and CliError.
 */
export async function lookLocally(
  account: LocalSources['account'],
  typed: Typed,
  count: number = MOST_ROWS,
): Promise<Local> {
  const copy = await existingCopy(account.world, account.profile);
  try {
    // What belongs to another match is left out, so that a list of which rows were cut may have to be read further.
    for (let limit = Math.min(count, MOST_READ); ; limit *= 4) {
      const { matches, cut, ...found } = await lookFor({ copy, account, limit }, typed);
      const isShort = (list: string) => matches.filter(({ kind }) => kind.list?.name === list).length < count;
      if (limit < MOST_READ && cut.some(isShort) && matches.length < limit) continue;
      const syncedAt = await copy?.read((queries) => readSetting(queries, 'synced-at'));
      return { ...found, matches, isCut: cut.length > 0, hasCopy: copy !== undefined, syncedAt: syncedAt ?? null };
    }
  } finally {
    await copy?.close();
  }
}

/** More rows of a list than someone reads. */
const MOST_READ = 100_000;

interface Looked extends Pick<Local, 'matches' | 'isAlike' | 'isTooCommon'> {
  /** The lists that have more. */
  readonly cut: readonly string[];
}

async function lookFor(sources: LocalSources, typed: Typed): Promise<Looked> {
  const found = { isAlike: false, isTooCommon: false };
  const byKey = await withKeys(sources, typed);
  // An id or a number is nothing else; whatever only belongs to it is told with it.
  const best = Math.min(...byKey.matches.map(({ rank }) => rank));
  if (best < 3) return { ...found, ...byKey, matches: byKey.matches.filter(({ rank }) => rank === best) };
  const { isTooCommon, ...others } = await withSumOrName(sources, typed);
  const all = [...byKey.matches, ...others.matches];
  if (all.length > 0) return { ...found, matches: inOrder(all), cut: [...byKey.cut, ...others.cut] };
  if (isTooCommon) return { ...found, isTooCommon, matches: [], cut: [] };
  const begun = await rowsIn(sources, (queries) => rowsWithStart(queries, typed.starts, sources.limit));
  if (begun.matches.length > 0) return { ...found, matches: inOrder(begun.matches), cut: begun.cut };
  const events = await eventsWithId(sources.account, typed);
  if (events.length > 0) return { ...found, matches: inOrder(events), cut: [] };
  const alike = await rowsIn(sources, async (queries) => {
    const names = await namesAlike(queries, typed.words);
    return names && rowsWithName(queries, names, sources.limit);
  });
  return { ...found, isAlike: alike.matches.length > 0, matches: inOrder(alike.matches), cut: alike.cut };
}

/** Reads rows of the local copy, if there is one. */
async function rowsIn({ copy }: LocalSources, read: (queries: Queries) => Promise<FoundRows | undefined>) {
  const { rows, cut } = (await copy?.read(read)) ?? { rows: [], cut: [] };
  return { matches: rows.map(matchOf), cut };
}

const inOrder = (matches: readonly FindMatch[]) => withoutBelongings(merged(matches).toSorted(byRankAndTime));

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
  const { matches, cut } = await rowsIn(sources, (queries) => rowsWithKey(queries, keys, sources.limit));
  const operations = await operationsNamed(sources, keys);
  const events = await eventsAbout(sources.account, keys);
  const all = [...matches, ...operations.map(operationMatch), ...eventMatches(events, keys)];
  return { cut, matches: merged(all).toSorted(byRankAndTime) };
}

/** Whether an operation is of this profile; every embedded profile has the same sandbox. */
export const isOwn = ({ profile }: Pick<Account, 'profile'>, { mode, profile: name }: Operation) =>
  name === profile.name || (mode === 'embedded' && profile.mode === 'embedded');

async function operationsNamed(
  { account }: Pick<LocalSources, 'account'>,
  keys: readonly string[],
): Promise<Operation[]> {
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
  return { ...match, operations: await operationsNamed({ account }, [match.id]) };
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

async function withSumOrName(sources: LocalSources, { sums, equalSums, words }: Typed) {
  const { copy, account, limit } = sources;
  const names = await copy?.read((queries) => namesWith(queries, words));
  const bySum = await rowsIn(sources, (queries) => rowsWithSum(queries, sums, limit));
  const byEqual = await rowsIn(sources, (queries) => rowsWithSum(queries, equalSums, limit));
  const byName = await rowsIn(sources, async (queries) => names && rowsWithName(queries, names, limit));
  const journal = sums.length > 0 ? await existingJournal(account) : undefined;
  const operations = ((await journal?.list({ limit: NEWEST_OPERATIONS })) ?? []).filter((one) => isOwn(account, one));
  const moving = (wanted: readonly Amount[], rank: number) =>
    operations
      .filter(({ moves }) => wanted.some(({ asset, minor }) => moves?.asset === asset && moves.minor === minor))
      .map((each) => ({ ...operationMatch(each), rank, matchedBy: ['amount'] }));
  return {
    isTooCommon: copy !== undefined && names === undefined,
    cut: [bySum, byEqual, byName].flatMap(({ cut }) => cut),
    matches: [
      ...bySum.matches,
      ...byEqual.matches.map((each) => ({ ...each, rank: 4 })),
      ...byName.matches,
      ...moving(sums, 3),
      ...moving(equalSums, 4),
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
