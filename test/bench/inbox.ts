import { join } from 'node:path';
import { timeMs, timesInTurn } from './measure.ts';
import type { Row } from './report.ts';
import { ratios } from './statistics.ts';
import type { Workshop } from './workshop.ts';

const FEW = 1_000;
/** The events of the window that is compared with the lists. */
const WINDOW = 200;
/** Between two events: short enough for a million of them since 2002, long enough for a short inbox that has the week before the window. */
const APART_MS = 13 * 60_000;

const count = (events: number) => events.toLocaleString('en');
const stateOf = (events: number) => `inbox-${events}`;

/** The number of events in a long inbox. */
export interface InboxSize {
  readonly runs: number;
  readonly inboxEvents: number;
}

/** Measures the first page of a long inbox, and the gaps of its last days, against a short one with equal last days. */
export async function measureInbox(shop: Workshop, { runs, inboxEvents: many }: InboxSize): Promise<Row[]> {
  const endMs = Date.now() - APART_MS;
  for (const events of [FEW, many]) fill(shop, events, new Date(endMs).toISOString());
  const since = new Date(endMs - (WINDOW - 1) * APART_MS).toISOString();
  const commands = [
    ['list', ['list'], 'first page'],
    ['list --since', ['list', '--since', since], 'first page'],
    ['gaps --since', ['gaps', '--since', since], `the last ${WINDOW}`],
  ] as const;
  const rows: Row[] = [];
  for (const [name, words, part] of commands) {
    const run = (events: number) => shop.fiatrail(stateOf(events), ['webhooks', 'inbox', ...words, '-o', 'json']);
    const times = await timesInTurn({ long: run(many), short: run(FEW) }, runs);
    rows.push({
      name: `webhooks inbox ${name}, ${part} of ${count(many)}`,
      unit: 'ms',
      values: times.long,
      against: `of ${count(FEW)}`,
      beside: times.short,
      ratios: ratios(times.long, times.short),
      target: { is: 'at most', ratio: 1.5 },
    });
  }
  return rows;
}

function fill(shop: Workshop, events: number, end: string): void {
  const { env } = shop.fiatrail(stateOf(events), []);
  const path = join(env['FIATRAIL_STATE_DIR'] ?? '', 'inbox-embedded.db');
  timeMs(
    shop.node([
      join(import.meta.dirname, 'fill-inbox.ts'),
      path,
      String(events),
      String(WINDOW),
      end,
      String(APART_MS),
    ]),
  );
}
