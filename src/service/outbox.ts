import type { Context } from './context.ts';

/** An event for a fintech. `data` is the payload, in wire units. */
export interface OutboxEvent {
  readonly fintech: bigint;
  readonly event: string;
  /** The operation that caused the event. */
  readonly requestId: string;
  readonly userId?: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Writes an event in the transaction that causes it, so that neither can exist without the other. */
export function emit(context: Context, { fintech, event, requestId, userId, data }: OutboxEvent): void {
  context.store.run(
    'INSERT INTO outbox (event_id, fintech, event, request_id, user_id, data, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
    context.ids.uuid(),
    fintech,
    event,
    requestId,
    userId ?? null,
    JSON.stringify(data),
    context.nowMs,
  );
}
