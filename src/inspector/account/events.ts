import { eventText } from '../../contract/exchange-text.ts';
import { shownTarget } from '../../engine/connection/inbox.ts';
import type { InboxEvent } from '../../webhooks/inbox/events.ts';
import type { Inbox } from '../../webhooks/inbox/inbox.ts';
import { cutBody } from '../bodies.ts';
import { type Held, MOST_HELD } from '../held.ts';
import { lookOfEvent } from '../look.ts';
import type { Row } from '../source.ts';

const PAGE = 500;

/** What became of an event: why it is quarantined, how forwarding it goes, or what it is. */
function stateOf({ quarantined, forwards, kind }: InboxEvent): string {
  if (quarantined !== null) return 'quarantined';
  if (forwards.some(({ state }) => state === 'dead')) return 'dead';
  if (forwards.some(({ state }) => state === 'waiting')) return 'waiting';
  if (forwards.length > 0) return 'forwarded';
  return kind === 'event' ? 'received' : kind;
}

export function rowOfEvent(event: InboxEvent): Row {
  const { id, receivedAtMs, forwards, requestId, userId } = event;
  return {
    id: String(id),
    at: new Date(receivedAtMs).toISOString(),
    event: event.event,
    state: stateOf(event),
    look: lookOfEvent(stateOf(event)),
    attempts: forwards.reduce((all, { attempts }) => all + attempts, 0),
    who: userId,
    subject: requestId,
  };
}

/** The newest events of the inbox. */
export async function newestEvents(inbox: Inbox | undefined): Promise<Held> {
  if (!inbox) return { rows: [], hasOlder: false };
  const rows: Row[] = [];
  for (let before: bigint | undefined; rows.length <= MOST_HELD; ) {
    const page = await inbox.list({ limit: PAGE, before });
    rows.push(...page.map(rowOfEvent));
    before = page.at(-1)?.id;
    if (page.length < PAGE) break;
  }
  return { rows: rows.slice(0, MOST_HELD).reverse(), hasOlder: rows.length > MOST_HELD };
}

/** An event, and where it was forwarded. */
export async function eventOf(inbox: Inbox | undefined, id: string) {
  const event = (await inbox?.find(id))?.find((each) => String(each.id) === id);
  if (!event) return undefined;
  const { text, problem, quarantined, copies, eventId, happenedAt, forwards } = event;
  return {
    ...rowOfEvent(event),
    problem,
    quarantined,
    copies,
    eventId,
    happenedAt,
    data: text === null ? null : cutBody(eventText(event.event, text)),
    forwards: forwards.map(({ target, state, attempts, status, problem: why }) => ({
      target: shownTarget(target),
      state,
      attempts,
      status,
      problem: why,
    })),
  };
}
