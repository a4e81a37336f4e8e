import type { Session } from '../../cli/session.ts';
import type { Inbox } from '../../webhooks/inbox/inbox.ts';
import type { KeptEvent } from '../../webhooks/inbox/kept.ts';

/** How often new events are printed. */
const LOOK_MS = 200;
const AT_ONCE = 500;
/** How often the listener shows that it is alive. */
const TOUCH_EVERY = 50;

/** Prints the events that arrive until `stopping` aborts: a line for people in a table, one JSON object a line otherwise. */
export async function follow(session: Session, inbox: Inbox, stopping: AbortSignal): Promise<void> {
  const { world, globals } = session;
  const lineOf =
    globals.present.format === 'table' ? lineForPeople : (event: KeptEvent) => JSON.stringify(summaryOf(event));
  let last = inbox.list({ limit: 1 })[0]?.id ?? 0n;
  for (let round = 1; !stopping.aborted; round += 1) {
    const fresh = inbox.list({ limit: AT_ONCE, after: last });
    for (const event of fresh) {
      await world.stdout.write(`${lineOf(event)}\n`);
      last = event.id;
    }
    if (round % TOUCH_EVERY === 0) inbox.touch();
    if (fresh.length < AT_ONCE) await world.clock.sleep(LOOK_MS, stopping).catch(() => {});
  }
}

/** An event as the lists print it. */
export function summaryOf(event: KeptEvent) {
  const { id, mark, eventId, requestId, userId, webhookId, isLate, isSealed, problem, happenedAt, copies } = event;
  return {
    id: Number(id),
    event: event.event,
    mark,
    ...{ requestId, userId, eventId, webhookId, isLate, isSealed, problem, happenedAt, copies },
    sentAt: new Date(event.sentAtMs).toISOString(),
    receivedAt: new Date(event.receivedAtMs).toISOString(),
    forwarding: forwardingOf(event),
  };
}

/** How the forwarding of an event stands, in one word; null if it goes nowhere. */
function forwardingOf({ forwards }: KeptEvent): 'forwarded' | 'pending' | 'dead' | null {
  if (forwards.length === 0) return null;
  if (forwards.some(({ state }) => state === 'dead')) return 'dead';
  return forwards.some(({ state }) => state === 'waiting') ? 'pending' : 'forwarded';
}

function lineForPeople(event: KeptEvent): string {
  const time = new Date(event.receivedAtMs).toISOString().slice(11, 19);
  const about = event.requestId ?? event.userId ?? event.problem ?? '';
  const late = event.isLate ? ' (late)' : '';
  return `${time}  ${String(event.id).padStart(5)}  ${event.event ?? event.mark}${late}  ${about}`.trimEnd();
}
