import type { Context } from './context.ts';

/** Something a fintech is told about. `data` is the event's payload, in the wire's units. */
export interface OutboxEvent {
  readonly fintech: bigint;
  readonly event: string;
  /** The operation that caused it. */
  readonly requestId: string;
  readonly userId?: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Writes an event in the transaction that causes it, so that neither exists without the other. */
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
