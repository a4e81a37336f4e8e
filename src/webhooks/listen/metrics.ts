import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Clock } from '../../base/world.ts';
import type { ForwardEnd } from '../inbox/forwards.ts';
import type { Inbox } from '../inbox/inbox.ts';

/** What a listener counts since it began, and what its inbox says. */
export interface Metrics {
  received(isCopy: boolean): void;
  rejected(kind: string): void;
  forwarded(target: string, end: ForwardEnd, tookMs: number): void;
  /** The numbers as text, in the form that an Accept header prefers. */
  text(accept: string): Promise<{ readonly type: string; readonly text: string }>;
}

/** Seconds: a handler on this machine takes milliseconds, and a command may take a minute. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

interface Watched {
  readonly inbox: Pick<Inbox, 'counts' | 'forwards'>;
  /** The names that events go to, each with the name that may be shown. */
  readonly targets: ReadonlyMap<string, string>;
  readonly clock: Pick<Clock, 'now'>;
}

export function createMetrics(watched: Watched): Metrics {
  const prometheus = new Registry();
  const open = new Registry<typeof Registry.OPENMETRICS_CONTENT_TYPE>();
  open.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  // Counters of their own, because the library renames those that it writes as OpenMetrics.
  const both = [prometheus, open as unknown as Registry].map((registry) => countersIn(registry, watched));
  return {
    received: (isCopy) => {
      for (const { received } of both) received.inc({ kind: isCopy ? 'copy' : 'new' });
    },
    rejected: (reason) => {
      for (const { rejected } of both) rejected.inc({ reason });
    },
    forwarded: (name, { status, problem }, tookMs) => {
      const target = watched.targets.get(name) ?? '';
      for (const { forwards, seconds } of both) {
        forwards.inc({ target, status: problem === undefined ? String(status ?? 'done') : 'failed' });
        seconds.observe({ target }, tookMs / 1_000);
      }
    },
    text: async (accept) => {
      const chosen = prefersOpen(accept) ? open : prometheus;
      return { type: chosen.contentType, text: await chosen.metrics() };
    },
  };
}

/** Returns the counters of a registry, which also reads the inbox whenever it is asked. */
function countersIn(registry: Registry, { inbox, targets, clock }: Watched) {
  const own = <const L extends string>(name: string, help: string, ...labelNames: L[]) => ({
    name: `fiatrail_${name}`,
    help,
    labelNames,
    registers: [registry],
  });
  const gauge = (name: string, help: string, read: () => Promise<number>) =>
    new Gauge({
      ...own(name, help),
      async collect() {
        this.set(await read());
      },
    });
  const counts = () => inbox.counts();
  const counters = {
    received: new Counter(own('deliveries_received_total', 'Deliveries that were stored.', 'kind')),
    rejected: new Counter(own('deliveries_rejected_total', 'Deliveries that were rejected.', 'reason')),
    forwards: new Counter(own('forwards_total', 'Attempts to forward an event.', 'target', 'status')),
    seconds: new Histogram({
      ...own('forward_duration_seconds', 'How long an attempt to forward an event took.', 'target'),
      buckets: BUCKETS,
    }),
  };
  gauge('inbox_events', 'Events in the inbox.', async () => (await counts()).events);
  gauge('inbox_quarantined_events', 'Quarantined events.', async () => (await counts()).quarantined);
  gauge('inbox_off_time_events', 'Events that arrived late or early.', async () => (await counts()).late);
  gauge(
    'inbox_dead_forwards',
    'Events that a target did not acknowledge in any attempt.',
    async () => (await counts()).dead,
  );
  gauge('inbox_waiting_forwards', 'Events queued for a target.', async () => (await counts()).waiting);
  new Gauge({
    ...own('inbox_oldest_waiting_seconds', 'Age of the oldest event queued for a target.', 'target'),
    async collect() {
      for (const [name, shown] of targets) {
        const oldestMs = await inbox.forwards.oldestMs(name);
        this.set({ target: shown }, oldestMs === undefined ? 0 : Math.max(0, clock.now() - oldestMs) / 1_000);
      }
    },
  });
  // A rate needs the zero that it began with.
  for (const kind of ['new', 'copy']) counters.received.inc({ kind }, 0);
  return counters;
}

/** Whether an Accept header prefers OpenMetrics to the text of Prometheus. */
function prefersOpen(accept: string): boolean {
  const quality = (type: RegExp) =>
    Math.max(
      0,
      ...accept.split(',').flatMap((each) => (type.test(each) ? [Number(/;\s*q=([\d.]+)/.exec(each)?.[1] ?? 1)] : [])),
    );
  const asked = quality(/^\s*application\/openmetrics-text\s*(?:;|$)/);
  return asked > 0 && asked >= quality(/^\s*text\/plain\s*(?:;|$)/);
}
