import { CliError } from '../../base/errors.ts';
import type { Zone } from '../../base/zone.ts';
import { existingCopy } from '../../copy/open.ts';
import { type FindMatch, lookLocally } from '../../copy/questions/look.ts';
import { lastCheckAt } from '../../copy/questions/report/checks.ts';
import { asId, textIn, typedAs } from '../../copy/questions/typed.ts';
import { tablesOf } from '../../copy/sync.ts';
import type { Account } from '../../engine/account.ts';
import { existingProfileInbox } from '../../engine/connection/inbox.ts';
import { existingJournal } from '../../engine/connection/journal-location.ts';
import type { Inbox } from '../../webhooks/inbox/inbox.ts';
import { heldList, heldWhile } from '../held.ts';
import { lookOf, lookOfOperation } from '../look.ts';
import type { Found, InspectorSource, LinksTo } from '../source.ts';
import { copiedBook } from './book.ts';
import { chartsDocument, todayIn } from './charts.ts';
import { eventOf, newestEvents } from './events.ts';
import { accountNow } from './now.ts';
import { newestOperations, operationOf } from './operations.ts';
import { newestPlans, planOf } from './plans.ts';
import { storyList } from './stories.ts';

/** How often the local copy is looked at: it changes with a sync, and is opened for each look. */
const COPY_EVERY_MS = 5_000;

/** A page's source that holds files open. */
interface AccountSource extends InspectorSource {
  close(): Promise<void>;
}

/** What this machine knows of a real account: its journal, its inbox and its local copy. It sends nothing, and changes nothing. */
export function accountSource(account: Account, zone: Zone): AccountSource {
  const { world, profile } = account;
  let opened: Inbox | undefined;
  const inbox = async () => {
    opened ??= await existingProfileInbox(world, profile);
    return opened;
  };
  const copyVersion = copyVersionOf(account);
  const operationsVersion = async () => (await (await existingJournal(account))?.head())?.hash ?? '';
  const eventsVersion = async () => {
    const [extent, counts] = [await (await inbox())?.extent(), await (await inbox())?.counts()];
    return [extent?.latestId ?? 0n, ...Object.values(counts ?? {})].join('.');
  };
  const chartsVersion = async () => `${await copyVersion()}.${todayIn(zone, world.clock.now())}`;
  const charts = heldWhile(chartsVersion, () => chartsDocument(account, zone));
  const lists = {
    operations: heldList(
      operationsVersion,
      () => newestOperations(account),
      (id) => operationOf(account, inbox, id),
      ['look', 'time', 'amount'],
    ),
    events: heldList(
      eventsVersion,
      async () => newestEvents(await inbox()),
      async (id) => eventOf(await inbox(), id),
      ['look', 'time'],
    ),
    plans: heldList(
      operationsVersion,
      () => newestPlans(account),
      (id) => planOf(account, id),
      ['look', 'time'],
    ),
    copied: storyList(account),
  };
  return {
    title: profile.name,
    zone: zone.name,
    lists,
    actions: {},
    documents: {
      now: () =>
        accountNow({
          account,
          inbox,
          copied: lists.copied,
          plans: lists.plans,
          charts: async () => (await charts()).value,
        }),
      charts: async () => (await charts()).value,
      copy: () => copyDocument(account),
      book: () => copiedBook(account),
    },
    find: (text) => found(account, text),
    linksOf: (texts) => linksOf(account, texts),
    version: async () => [await operationsVersion(), await eventsVersion(), await chartsVersion()].join('-'),
    close: async () => opened?.close(),
  };
}

async function copyDocument({ world, profile }: Account) {
  const copy = await existingCopy(world, profile);
  try {
    return { tables: copy ? await tablesOf(copy) : [] };
  } finally {
    await copy?.close();
  }
}

function copyVersionOf({ world, profile }: Account): () => Promise<string> {
  let [known, untilMs] = ['', 0];
  return async () => {
    if (world.clock.now() < untilMs) return known;
    untilMs = world.clock.now() + COPY_EVERY_MS;
    const copy = await existingCopy(world, profile);
    try {
      known = (await copy?.read(lastCheckAt)) ?? '';
    } finally {
      await copy?.close();
    }
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
function targetOf({ id, found: row, operations, events }: FindMatch): LinksTo[string] {
  const [operation] = operations;
  if (row) return { list: 'copied', id: row.id };
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
