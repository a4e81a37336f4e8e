import type { Call } from '../context.ts';
import { recordAttempt } from '../events/deliveries.ts';
import type { Chance } from './chance.ts';
import { FAILURES, HOUR_MS } from './rates.ts';

/** What an attempt says of a receiver that is down. */
const PROBLEM = 'the connection was refused';

/** Some hours in which the receiver of webhooks cannot be reached, on some days. */
interface Outage {
  /** Makes the attempts that are due by now; each fails. */
  pass(call: Call): void;
  /** How many attempts were made. */
  attempts(): number;
}

/**
 * Plans an outage. Only events of the outage itself are tried: those of before wait for the process that delivers. When it is over, the
 * service goes on with the next attempt of each, as after any other outage.
 */
export function createOutage(
  { store, fintech }: Call,
  chance: Chance,
  { fromMs, untilMs }: { readonly fromMs: number; readonly untilMs: number },
): Outage {
  const isDay = chance.is(FAILURES.outage);
  const startMs = fromMs + chance.below(Math.max(1, untilMs - fromMs));
  const endMs = startMs + HOUR_MS + chance.below(5 * HOUR_MS);
  const hasWebhook = store.get('SELECT 1 FROM webhook WHERE fintech = ? AND enabled = 1', fintech.id) !== undefined;
  let first: bigint | undefined;
  let attempts = 0;
  return {
    attempts: () => attempts,
    pass: (call) => {
      if (!isDay || !hasWebhook || call.nowMs < startMs || call.nowMs >= endMs) return;
      first ??= (store.get<{ last: bigint | null }>('SELECT MAX(id) AS last FROM delivery')?.last ?? 0n) + 1n;
      const due = store.all<{ id: bigint; data: string }>(
        `SELECT delivery.id, data FROM delivery JOIN outbox ON outbox.id = delivery.event
         WHERE delivery.id >= ? AND delivery.state = 'waiting' AND due_at <= ? ORDER BY delivery.id`,
        first,
        call.nowMs,
      );
      for (const { id, data } of due) {
        const none = { headers: {}, status: undefined, answer: undefined };
        recordAttempt(call, { delivery: id, ...none, body: data, problem: PROBLEM, durationMs: 0 });
        attempts += 1;
      }
    },
  };
}
