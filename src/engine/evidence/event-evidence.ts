import { CliError } from '../../base/errors.ts';
import { readEventData } from '../../contract/event-payloads.ts';
import { eventOf } from '../../contract/events.ts';
import { parseExactJson } from '../../money/decimal.ts';
import { DatabaseError } from '../../sqlite/errors.ts';
import { hasTag, type Likeness } from '../../things/likeness.ts';
import type { EventMeaning, WorkOutcome } from '../../things/thing.ts';
import { eventIn, type ReadEvent } from '../../webhooks/event.ts';
import type { InboxEvent } from '../../webhooks/inbox/events.ts';
import type { Inbox } from '../../webhooks/inbox/inbox.ts';
import type { Account } from '../account.ts';
import { existingProfileInbox } from '../connection/inbox.ts';
import type { EndListener } from './follow.ts';
import type { EvidenceQuery, Work, WorkCandidate } from './work.ts';

/** Events of this long before the request are read too, because they have the times of this machine. */
const SKEW_MS = 5 * 60_000;
/** More events of one kind than this are not looked at. */
const MAX_EVENTS = 1_000;

/** An event, the work that it is about, and what it means for it. */
export interface EventEvidence {
  readonly requestId: string;
  readonly meaning: EventMeaning;
  readonly event: ReadEvent;
}

/** Returns what a received event proves about a kind of work; undefined if it is about other work, or does not name it. */
export function evidenceOfEvent(
  { event: name, text, quarantined }: InboxEvent,
  { events = {} }: Pick<Work, 'events'>,
): EventEvidence | undefined {
  // It is about another account, or may not come from the service.
  if (quarantined === 'foreign' || quarantined === 'unencrypted') return undefined;
  const known = name === null ? undefined : eventOf(name)?.name;
  const meaning = known && events[known];
  const event = meaning && text !== null ? eventIn(parseExactJson(text)) : undefined;
  if (!meaning || event?.requestId === undefined) return undefined;
  // An uncertain amount must not prove that the event is about a request for as much.
  return { requestId: event.requestId, meaning, event: { ...event, data: readEventData(known, event.data) } };
}

/**
 * Returns the work that the events of the inbox name and that may be an operation's. An event does not say when its work began:
 * that is read from the work's status, and left open if the status does not say it.
 */
export async function candidatesOfEvents(account: Account, work: Work, query: EvidenceQuery): Promise<WorkCandidate[]> {
  const furthest = new Map<string, EventEvidence & Proof>();
  for (const evidence of await evidenceSince(
    account,
    work,
    query.sinceMs - SKEW_MS - Math.abs(account.time.service.hostAheadMs() ?? 0),
  )) {
    const { requestId } = evidence;
    const proof = proofOf(evidence, work, query);
    if (!proof.isExact && !proof.isLike) continue;
    const before = furthest.get(requestId);
    if (!before || rankOf(evidence) > rankOf(before)) furthest.set(requestId, { ...evidence, ...proof });
  }
  return Promise.all(
    [...furthest.values()].map(async ({ requestId, meaning: { outcome }, event, isExact, isPartial }) => ({
      requestId,
      outcome,
      state: event.event,
      isExact,
      isPartial,
      createdAt: await createdAtOf(account, work, requestId),
    })),
  );
}

interface Proof extends Likeness {
  readonly isExact: boolean;
}

/** Compares an event with a request. Where a list can be searched, what says too little would only raise the question whose it is. */
function proofOf({ meaning, event }: EventEvidence, work: Work, { request, tag }: EvidenceQuery): Proof {
  const text = meaning.textOf?.(event);
  const likeness = meaning.compare?.(event, request) ?? { isLike: !work.find && !work.list };
  return { ...likeness, isExact: typeof text === 'string' && hasTag(text, tag) };
}

const RANKS: Readonly<Record<WorkOutcome, number>> = { accepted: 0, settled: 2, failed: 2 };

/** What says more counts: how the work ended, and then what the request was. */
const rankOf = ({ meaning: { outcome, compare } }: EventEvidence) => RANKS[outcome] + (compare ? 1 : 0);

async function evidenceSince(account: Account, work: Work, sinceMs: number): Promise<EventEvidence[]> {
  let inbox: Inbox | undefined;
  try {
    inbox = work.events ? await existingProfileInbox(account.world, account.profile) : undefined;
    const found: EventEvidence[] = [];
    for (const event of inbox ? Object.keys(work.events ?? {}) : []) {
      const events = (await inbox?.list({ event, sinceMs, limit: MAX_EVENTS })) ?? [];
      found.push(...events.flatMap((each) => evidenceOfEvent(each, work) ?? []));
    }
    return found;
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    await account.notices.say('warning: the inbox of webhooks cannot be read; its events are no evidence');
    return [];
  } finally {
    await inbox?.close();
  }
}

async function createdAtOf(account: Account, { status }: Work, requestId: string): Promise<string | undefined> {
  if (!status?.createdOf) return undefined;
  try {
    const { data } = await account.call(status.endpoint, status.input(requestId));
    return status.createdOf(data) ?? undefined;
  } catch (error) {
    if (error instanceof CliError && error.category === 'rejected') return undefined;
    throw error;
  }
}

/** Returns a listener for the end of work; undefined if nothing receives its events. It never fails, because polling the status finds the end too. */
export async function endListenerFor(
  account: Account,
  work: Work,
  requestId: string,
): Promise<EndListener | undefined> {
  const inbox = work.events
    ? await existingProfileInbox(account.world, account.profile).catch(unlessDatabase)
    : undefined;
  if (!inbox) return undefined;
  const isEnd = (event: InboxEvent) => {
    const evidence = evidenceOfEvent(event, work);
    return evidence !== undefined && evidence.meaning.outcome !== 'accepted';
  };
  const unlessBroken = async (look: () => Promise<boolean>) => {
    try {
      return await look();
    } catch (error) {
      unlessDatabase(error);
      return false;
    }
  };
  if (!(await unlessBroken(async () => (await inbox.listeners()).length > 0))) {
    await inbox.close();
    return undefined;
  }
  return {
    hasEnded: () => unlessBroken(async () => (await inbox.list({ requestId, limit: MAX_EVENTS })).some(isEnd)),
    [Symbol.asyncDispose]: () => inbox.close(),
  };
}

function unlessDatabase(error: unknown): undefined {
  if (!(error instanceof DatabaseError)) throw error;
  return undefined;
}
