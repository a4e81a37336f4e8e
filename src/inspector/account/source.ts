import { CliError } from '../../base/errors.ts';
import type { Zone } from '../../base/zone.ts';
import { type FindMatch, lookLocally } from '../../copy/questions/look.ts';
import { lastCheckAt } from '../../copy/questions/report/checks.ts';
import { asId, textIn, typedAs } from '../../copy/questions/typed.ts';
import { tablesOf } from '../../copy/sync.ts';
import type { Account } from '../../engine/account.ts';
import { existingProfileInbox } from '../../engine/connection/inbox.ts';
import { existingJournal } from '../../engine/connection/journal-location.ts';
import { user as userThing } from '../../things/users.ts';
import type { Inbox } from '../../webhooks/inbox/inbox.ts';
import { heldByQuestion, heldList, heldWhile, rested } from '../held.ts';
import { lookOf, lookOfOperation } from '../look.ts';
import type { Found, InspectorSource, LinksTo, List } from '../source.ts';
import { copiedBook } from './book.ts';
import { CHART_CHOICES, chartsDocument, todayIn, volumesDocument } from './charts.ts';
import { eventOf, newestEvents } from './events.ts';
import { missingEvents } from './gaps.ts';
import { inCopy } from './in-copy.ts';
import { accountNow } from './now.ts';
import { newestOperations, operationOf } from './operations.ts';
import { newestPlans, planOf } from './plans.ts';
import { storyList } from './stories.ts';
import { copiedUsers } from './users.ts';

/** How often the local copy is looked at: it changes with a sync, and is opened for each look. */
const COPY_EVERY_MS = 5_000;

/** A page's source that holds files open. */
interface AccountSource extends InspectorSource {
  close(): Promise<void>;
}

/** What changes when something does that the page shows. */
interface Versions {
  readonly operations: () => Promise<string>;
  readonly events: () => Promise<string>;
  readonly charts: () => Promise<string>;
}

type OpenInbox = () => Promise<Inbox | undefined>;

function versionsOf(account: Account, inbox: OpenInbox, zone: Zone): Versions {
  const copy = copyVersionOf(account);
  return {
    operations: async () => (await (await existingJournal(account))?.head())?.hash ?? '',
    events: async () => {
      const [extent, counts] = [await (await inbox())?.extent(), await (await inbox())?.counts()];
      return [extent?.latestId ?? 0n, ...Object.values(counts ?? {})].join('.');
    },
    charts: async () => `${await copy()}.${todayIn(zone, account.world.clock.now())}`,
  };
}

const listsOf = (account: Account, inbox: OpenInbox, versions: Versions, copied: List) => ({
  operations: heldList(
    versions.operations,
    () => newestOperations(account),
    (id) => operationOf(account, inbox, id),
    ['look', 'time', 'amount'],
  ),
  events: heldList(
    versions.events,
    async () => newestEvents(await inbox()),
    async (id) => eventOf(await inbox(), id),
    ['look', 'time'],
  ),
  plans: heldList(
    versions.operations,
    () => newestPlans(account),
    (id) => planOf(account, id),
    ['look', 'time'],
  ),
  users: copiedUsers(account, copied),
  copied,
});

/** What this machine knows of a real account: its journal, its inbox and its local copy. It sends nothing, and changes nothing. */
export function accountSource(account: Account, zone: Zone): AccountSource {
  const { world, profile } = account;
  let opened: Inbox | undefined;
  const inbox = async () => {
    opened ??= await existingProfileInbox(world, profile);
    return opened;
  };
  const versions = versionsOf(account, inbox, zone);
  const volumes = heldWhile(versions.charts, () => volumesDocument(account, zone));
  const charts = heldByQuestion(versions.charts, (asked) => chartsDocument(account, zone, asked));
  const copied = storyList(account);
  const missing = rested(world.clock, () => inCopy(account, async (copy) => missingEvents(copy, await inbox()), 0));
  const lists = listsOf(account, inbox, versions, copied);
  const { plans } = lists;
  return {
    title: profile.name,
    zone: zone.name,
    lists,
    actions: {},
    documents: {
      now: () => accountNow({ account, inbox, copied, plans, missing, volumes: async () => (await volumes()).value }),
      charts,
      copy: () => copyDocument(account),
      book: () => copiedBook(account),
    },
    choices: { charts: CHART_CHOICES },
    find: (text) => found(account, text),
    linksOf: (texts) => linksOf(account, texts),
    version: async () => [await versions.operations(), await versions.events(), await versions.charts()].join('-'),
    close: async () => opened?.close(),
  };
}

const copyDocument = async (account: Account) => ({ tables: await inCopy(account, tablesOf, []) });

function copyVersionOf(account: Account): () => Promise<string> {
  const { clock } = account.world;
  let [known, untilMs] = ['', 0];
  return async () => {
    if (clock.now() < untilMs) return known;
    untilMs = clock.now() + COPY_EVERY_MS;
    known = (await inCopy(account, (copy) => copy.read(lastCheckAt), undefined)) ?? '';
    return known;
  };
}

/** Finds what was typed on this machine, as `find` does before it asks the service. Throws CliError usage for what may be a BVN. */
async function found(account: Account, text: string): Promise<readonly Found[]> {
  if (text.trim() === '') return [];
  const { matches, isTooCommon } = await lookLocally(account, typedAs({ text, isPhone: false }));
  if (isTooCommon) throw new CliError('usage', 'too many names have this part; type more of the name');
  return matches.map((match) => {
    const { kind, found: row, operations, events, at } = match;
    const [operation] = operations;
    const state = row?.status ?? operation?.state ?? null;
    const amount = row && textIn(row.row, kind.amount);
    const who = row && textIn(row.row, kind.who);
    const parts = [kind.name, amount, who, operation?.summary ?? events[0]?.event];
    const look = row ? lookOf(kind, state) : operation ? lookOfOperation(operation) : null;
    return { ...targetOf(match), at, state, look, text: parts.filter(Boolean).join(' · ') };
  });
}

/** Where the page shows a match. */
function targetOf({ id, kind, found: row, operations, events }: FindMatch): LinksTo[string] {
  const [operation] = operations;
  if (row) return { list: kind === userThing ? 'users' : 'copied', id: row.id };
  if (operation) return { list: 'operations', id: operation.operationId };
  return { list: 'events', id: String(events[0]?.id ?? id) };
}

/** Finds what has these ids and keys on this machine. */
async function linksOf(account: Account, texts: readonly string[]): Promise<LinksTo> {
  const links: Record<string, LinksTo[string]> = {};
  for (const text of texts) {
    const { matches } = await lookLocally(account, asId(text));
    const [match] = matches.filter(({ found: row, operations, events }) => row ?? operations[0] ?? events[0]);
    if (match) links[text] = targetOf(match);
  }
  return links;
}
