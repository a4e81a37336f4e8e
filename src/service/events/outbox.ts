import type { EventName, EventPayload } from '../../contract/event-payloads.ts';
import type { Context } from '../context.ts';
import { scheduleDelivery } from './deliveries.ts';

/** An event for a fintech. `data` is the payload, in wire units. */
interface OutboxEvent<N extends EventName> {
  readonly fintech: bigint;
  readonly event: N;
  /** The operation that caused the event. */
  readonly requestId: string;
  readonly userId?: string;
  readonly data: EventPayload<N>;
}

/** Writes an event in the transaction that causes it, so that neither can exist without the other. */
export function emit<N extends EventName>(
  context: Context,
  { fintech, event, requestId, userId, data }: OutboxEvent<N>,
): void {
  const id = context.store.insert(
    'INSERT INTO outbox (event_id, fintech, event, request_id, user_id, data, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
    context.ids.uuid(),
    fintech,
    event,
    requestId,
    userId ?? null,
    JSON.stringify(data),
    context.nowMs,
  );
  scheduleDelivery(context, { id, fintech, event, requestId, data });
}
