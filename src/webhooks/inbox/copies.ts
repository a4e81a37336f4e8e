import type { NewEvent } from './received.ts';
import { type Queries, type Work, wordsOf } from './store.ts';

/**
 * What tells a copy, in one place. An event is known by its id, its name and its data: whatever else differs in a retry (timestamp, version,
 * the order of the fields, the encryption, the signature), it is the same event. The id is the event id; where the body has none, the webhook
 * id. The webhook id is not signed, so whoever saw a delivery can send it again under another one: a signature that was kept before is
 * therefore a copy under any id. An id alone decides nothing, because another event may come under it. All of this is kept for ever, also
 * when the event is pruned.
 */
interface Known {
  /** The number of the event that it is a copy of. */
  readonly id: bigint;
  readonly isSameDelivery: boolean;
}

type Identity = Pick<NewEvent, 'eventId' | 'webhookId' | 'contentDigest'>;

/** Equal signatures are of one time, which their index begins with, so that new ones go to its end. */
const bySignature = (queries: Queries) => `SELECT id FROM event WHERE sent_at = ?1 AND signature = ?2
  UNION ALL SELECT event FROM pruned WHERE sent_at = ?1 AND signature = ${wordsOf(queries).bytes('?2')} LIMIT 1`;

const BY_IDENTITY = `SELECT id FROM event
  WHERE substr(coalesce(event_id, webhook_id), 1, 18) = substr(?1, 1, 18) AND coalesce(event_id, webhook_id) = ?1 AND content_digest = ?2
  UNION ALL SELECT event FROM pruned WHERE substr(id, 1, 18) = substr(?1, 1, 18) AND id = ?1 AND content_digest = ?2 LIMIT 1`;

const BY_ID = `SELECT id FROM event WHERE substr(coalesce(event_id, webhook_id), 1, 18) = substr(?1, 1, 18) AND event_id = ?1
  UNION ALL SELECT event FROM pruned WHERE substr(id, 1, 18) = substr(?1, 1, 18) AND id = ?1 LIMIT 1`;

/** Returns the event that a delivery is a copy of; undefined if it is none. */
export function* copyOf(
  queries: Queries,
  delivery: Identity & Pick<NewEvent, 'sentAtMs' | 'signature'>,
): Work<Known | undefined> {
  const signed = yield* queries.get<{ id: bigint }>(bySignature(queries), delivery.sentAtMs, delivery.signature);
  if (signed) return { id: signed.id, isSameDelivery: true };
  const id = yield* sameEvent(queries, delivery);
  return id === undefined ? undefined : { id, isSameDelivery: false };
}

/** Returns the kept event with the same id, name and data. */
export function* sameEvent(
  queries: Queries,
  { eventId, webhookId, contentDigest }: Identity,
): Work<bigint | undefined> {
  const id = eventId ?? webhookId;
  return id === undefined ? undefined : (yield* queries.get<{ id: bigint }>(BY_IDENTITY, id, contentDigest))?.id;
}

/** Whether no event with this event id was ever kept. What has none may be a copy of anything. */
export function* isNewId(queries: Queries, eventId: string | undefined): Work<boolean> {
  return eventId !== undefined && (yield* queries.get(BY_ID, eventId)) === undefined;
}

/** More than any inbox has. */
const ALL = 1e15;

/** What is old and needs nothing more. */
const OLD = `received_at < ?1 AND quarantined IS NULL AND NOT EXISTS (
  SELECT 1 FROM forward WHERE forward.event = event.id AND state <> 'acknowledged') ORDER BY received_at, id LIMIT ?2`;

/** One event that is sent nowhere any more, also if it is quarantined or dead. */
const CHOSEN = `id = ?1 AND NOT EXISTS (SELECT 1 FROM forward WHERE forward.event = event.id AND state = 'waiting')`;

/** Deletes old events that need nothing more; no more than `most`. Returns how many. */
export const prune = (queries: Queries, beforeMs: number, most = ALL): Work<number> =>
  remove(queries, OLD, [beforeMs, most], false);

/** Deletes one event. Returns whether it did: an event that waits to be forwarded stays. */
export function* pruneOne(queries: Queries, id: bigint): Work<boolean> {
  return (yield* remove(queries, CHOSEN, [id], true)) > 0;
}

/** Deletes events, and keeps what tells their copies. */
function* remove(
  queries: Queries,
  condition: string,
  values: readonly (number | bigint)[],
  isChosen: boolean,
): Work<number> {
  const chosen = `SELECT id FROM event WHERE ${condition}`;
  yield* queries.run(
    `INSERT INTO pruned SELECT id, sent_at, ${wordsOf(queries).bytes('signature')}, coalesce(event_id, webhook_id), content_digest, ${isChosen ? 1 : 0}
     FROM event WHERE id IN (${chosen})`,
    ...values,
  );
  yield* queries.run(`DELETE FROM forward WHERE event IN (${chosen})`, ...values);
  return yield* queries.run(`DELETE FROM event WHERE id IN (${chosen})`, ...values);
}
