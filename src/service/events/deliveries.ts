import type { EventName, EventPayload } from '../../contract/event-payloads.ts';
import { ALL_EVENTS } from '../../contract/events.ts';
import { ANY_WEBHOOK, WEBHOOK_FAULTS } from '../../contract/sandbox.ts';
import { type Context, isoTime } from '../context.ts';
import { type FaultRule, faultRuleFor, useFaultRule } from '../fault-rules.ts';
import { insert, update } from '../rows.ts';

/** An event that was written to the outbox. */
interface WrittenEvent {
  readonly id: bigint;
  readonly fintech: bigint;
  readonly event: EventName;
  readonly requestId: string;
  readonly data: object;
}

const MINUTE_MS = 60_000;

/** How long after a failed attempt the next one follows, in sandbox time; after the last, the delivery is given up. Source: inferred. */
export const RETRY_DELAYS_MS: readonly number[] = [
  10_000,
  30_000,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  ...[2, 6, 12, 24].map((hours) => hours * 60 * MINUTE_MS),
];

/** How long one process has a delivery to itself; longer than an attempt may take. */
const CLAIM_MS = MINUTE_MS;

type WebhookFault = (typeof WEBHOOK_FAULTS)[number];

/** A bridge reports to the callback URL of its request; everything else goes to the webhook, if it is enabled and subscribed. */
export function urlFor(
  { store }: Context,
  { fintech, event, data }: { readonly fintech: bigint; readonly event: string; readonly data: object },
): string | undefined {
  const { callbackUrl } = data as { readonly callbackUrl?: string };
  if (callbackUrl !== undefined) return callbackUrl;
  const sql = 'SELECT url, events FROM webhook WHERE fintech = ? AND enabled = 1';
  const webhook = store.get<{ url: string; events: string }>(sql, fintech);
  if (!webhook) return undefined;
  const events = JSON.parse(webhook.events) as string[];
  return events.includes(ALL_EVENTS) || events.includes(event) ? webhook.url : undefined;
}

/** Schedules the delivery of an event in the transaction that writes it, if something listens to it. */
function scheduleDelivery(context: Context, written: WrittenEvent): void {
  const url = urlFor(context, written);
  if (url === undefined) return;
  const { store, ids, nowMs } = context;
  const rule = ruleFor(store, written.event);
  if (rule) useFaultRule(store, rule);
  const fault = rule?.kind as WebhookFault | undefined;
  const state = fault === 'lost-webhook' ? 'given-up' : 'waiting';
  const dueMs = nowMs + ((fault && DELAY_MS[fault]) ?? 0);
  insert(store, 'delivery', {
    webhook_id: ids.uuid(),
    event: written.id,
    url,
    request_id: written.requestId,
    state,
    attempts: 0,
    due_at: dueMs,
    fault,
  });
}

function ruleFor(store: Context['store'], event: EventName): FaultRule | undefined {
  // There is hardly ever a rule, so most events need only this look.
  if (!store.get('SELECT 1 FROM fault_rule LIMIT 1')) return undefined;
  return faultRuleFor(store, event, WEBHOOK_FAULTS) ?? faultRuleFor(store, ANY_WEBHOOK, WEBHOOK_FAULTS);
}

/** How much later some faults make the first attempt. */
const DELAY_MS: Readonly<Partial<Record<WebhookFault, number>>> = {
  'late-webhook': 10 * MINUTE_MS,
  'reordered-webhook': 5_000,
};

/** A delivery that is due, with everything that an attempt needs. */
export interface DueDelivery {
  readonly id: bigint;
  readonly webhookId: string;
  readonly url: string;
  readonly attempts: number;
  readonly fault: WebhookFault | undefined;
  readonly eventId: string;
  readonly event: string;
  readonly requestId: string;
  readonly userId: string | undefined;
  readonly fintechId: string;
  /** The payload as JSON. */
  readonly data: string;
  readonly happenedAt: string;
  /** What it is signed with: the webhook's secret, or else the AES key, as text. Source: interface; the text is inferred. */
  readonly secret: string;
  /** The key to encrypt the body to. */
  readonly publicKey: string | undefined;
}

interface DueDeliveryRow {
  readonly id: bigint;
  readonly webhook_id: string;
  readonly url: string;
  readonly attempts: bigint;
  readonly fault: string | null;
  readonly event_id: string;
  readonly event: string;
  readonly request_id: string;
  readonly user_id: string | null;
  readonly fintech_id: string;
  readonly data: string;
  readonly created_at: bigint;
  readonly secret: string | null;
  readonly aes_key: string;
  readonly public_key: string | null;
}

const DUE = `SELECT d.id, d.webhook_id, d.url, d.attempts, d.fault, o.event_id, o.event, d.request_id, o.user_id, f.fintech_id,
    o.data, o.created_at, w.secret, f.aes_key, f.public_key
  FROM delivery d JOIN outbox o ON o.id = d.event JOIN fintech f ON f.id = o.fintech LEFT JOIN webhook w ON w.fintech = f.id
  WHERE d.state = 'waiting' AND d.due_at <= ? AND NOT EXISTS (
    SELECT 1 FROM delivery e WHERE e.request_id = d.request_id AND e.id < d.id AND e.state = 'waiting' AND e.url = d.url
      AND e.fault IS NOT 'reordered-webhook' AND e.fault IS NOT 'late-webhook')
  ORDER BY d.due_at, d.id LIMIT ?`;

/** Whether a delivery is due at `nowMs`. */
export function isDeliveryDue({ store, nowMs }: Pick<Context, 'store' | 'nowMs'>): boolean {
  return store.get(`SELECT 1 FROM delivery WHERE state = 'waiting' AND due_at <= ? LIMIT 1`, nowMs) !== undefined;
}

/**
 * Claims deliveries that are due, for this process alone. Events of one request are delivered in their order: the next one
 * follows when the one before was received or given up.
 */
export function claimDeliveries(context: Context, limit: number): DueDelivery[] {
  const { store, nowMs } = context;
  const rows = store.all<DueDeliveryRow>(DUE, nowMs, limit);
  for (const { id } of rows) update(store, 'delivery', id, { due_at: nowMs + CLAIM_MS });
  return rows.map((row) => ({
    id: row.id,
    webhookId: row.webhook_id,
    url: row.url,
    attempts: Number(row.attempts),
    fault: (row.fault ?? undefined) as WebhookFault | undefined,
    eventId: row.event_id,
    event: row.event,
    requestId: row.request_id,
    userId: row.user_id ?? undefined,
    fintechId: row.fintech_id,
    data: row.data,
    happenedAt: isoTime(row.created_at),
    secret: row.secret ?? row.aes_key,
    publicKey: row.public_key ?? undefined,
  }));
}

/** An attempt to deliver, and how it ended: with a status, or a problem. */
export interface Attempt {
  readonly delivery: bigint;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly status: number | undefined;
  readonly answer: string | undefined;
  readonly problem: string | undefined;
  readonly durationMs: number;
}

/** What is kept of a receiver's answer. */
const MAX_ANSWER = 2_000;

/** Records an attempt, and decides what follows: any 2xx is a success, anything else is tried again later. Source: public. */
export function recordAttempt(context: Context, attempt: Attempt): void {
  const { store, nowMs } = context;
  const { delivery, headers, body, status, answer, problem, durationMs } = attempt;
  insert(store, 'delivery_attempt', {
    delivery,
    sent_at: nowMs,
    headers: JSON.stringify(headers),
    body,
    status,
    answer: answer?.slice(0, MAX_ANSWER),
    problem,
    duration_ms: durationMs,
  });
  const row = store.get<{ attempts: bigint; fault: string | null }>(
    `SELECT attempts, fault FROM delivery WHERE id = ? AND state = 'waiting'`,
    delivery,
  );
  // A sandbox that was reset has no such delivery.
  if (!row) return;
  const attempts = Number(row.attempts) + 1;
  const isReceived = status !== undefined && status >= 200 && status <= 299;
  const mustRepeat = row.fault === 'duplicate-webhook' && attempts === 1;
  const delayMs = isReceived ? 0 : RETRY_DELAYS_MS[attempts - 1];
  const state = isReceived && !mustRepeat ? 'delivered' : delayMs === undefined ? 'given-up' : 'waiting';
  // A fault spoils the first attempt alone.
  update(store, 'delivery', delivery, { state, attempts, due_at: nowMs + (delayMs ?? 0), fault: null });
}

/** What a fintech's deliveries are signed with: the webhook's secret, or else the AES key. */
export function signingSecret(store: Context['store'], fintech: bigint): string {
  const sql = `SELECT coalesce(w.secret, f.aes_key) AS secret FROM fintech f LEFT JOIN webhook w ON w.fintech = f.id WHERE f.id = ?`;
  return store.get<{ secret: string }>(sql, fintech)?.secret ?? '';
}

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
  const id = insert(context.store, 'outbox', {
    event_id: context.ids.uuid(),
    fintech,
    event,
    request_id: requestId,
    user_id: userId,
    data: JSON.stringify(data),
    created_at: context.nowMs,
  });
  scheduleDelivery(context, { id, fintech, event, requestId, data });
}
