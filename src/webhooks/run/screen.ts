import type { Zone } from '../../base/zone.ts';
import type { Account } from '../../engine/account.ts';
import { jsonText, plainLine } from '../../present/text.ts';
import type { InboxEvent } from '../inbox/events.ts';
import { type ForwardEnd, isTaken } from '../inbox/forwards.ts';
import type { Inbox } from '../inbox/inbox.ts';
import { summaryOf } from '../inbox/summary.ts';
import type { Refusal } from '../listen/server.ts';
import { createLog, createRefusals, type LogForm, loggedTarget, type Say, usualForm } from './log.ts';

/** What a listener shows: events as they arrive, and the forwarding status. */
export interface Screen {
  /** Prints events that arrived. Rejects if the reader of the output is gone. */
  arrived(events: readonly InboxEvent[]): Promise<void>;
  /** Notes an attempt to forward an event. */
  forwarded(event: InboxEvent, target: string, end: ForwardEnd): void;
  /** Notes whether events can arrive at the public URL. */
  reachable(url: string, problem: string | undefined): void;
  /** Warns that the inbox cannot be written, at most once a minute. */
  unwritable(problem: string): void;
  /** Prints a line of the log to stderr, even with --quiet. */
  readonly say: Say;
  /** Prints a line of the log, unless --quiet is given. */
  readonly note: Say;
  /** Notes a request that was not taken. */
  refused(refusal: Refusal): void;
  /** Brings the status line up to date. */
  refresh(): Promise<void>;
  end(): Promise<void>;
}

/** The longest name of an event. */
const WIDTH_OF_EVENT = 40;
const WARN_EVERY_MS = 60_000;

/** How a listener shows what it does. */
export interface ScreenOptions {
  /** The form of the log; left out, the one that fits where it goes. */
  readonly log?: LogForm | undefined;
  /** Whether only warnings and what someone must know are said. */
  readonly isQuiet: boolean;
  /** Whether someone asked for the output format. */
  readonly isFormatChosen: boolean;
  /** The zone of the times that people read. */
  readonly zone: Zone;
}

/** A table for people with a status line below it on a terminal; one JSON object a line elsewhere, unless a format is asked for. */
export function screenFor(
  account: Account,
  inbox: Inbox,
  { isQuiet, isFormatChosen, zone, log: form = usualForm(account.world) }: ScreenOptions,
): Screen {
  const { world, globals, notices } = account;
  const isTable = globals.present.format === 'table' && (world.stdout.isTerminal || isFormatChosen);
  const line = notices.progress.line(true);
  let warnedMs = Number.NEGATIVE_INFINITY;
  let unreachable: string | undefined;
  const write = async (text: string) => {
    await line.clear();
    await world.stdout.write(text);
  };
  const refresh = async () => {
    if (!line.isLive || !isTable) return;
    const { events, waiting, dead, quarantined } = await inbox.counts();
    const counted = `${events} in the inbox · ${waiting} waiting to be forwarded · ${quarantined} quarantined · ${dead} dead`;
    await line.show(
      unreachable === undefined ? counted : `NOTHING CAN ARRIVE: ${unreachable}`,
      unreachable !== undefined,
    );
  };
  const { say, note } = createLog(account, isQuiet, form, line.clear);
  const refusals = createRefusals(account, say);
  return {
    arrived: createTable(account, zone, isTable, write),
    forwarded: (event, target, { status, problem }) => {
      const isOk = isTaken({ status, problem });
      // A person sees the count of those that were taken.
      if (isOk && line.isLive && isTable) return;
      const text = `${plainLine(event.event ?? event.kind)} to ${loggedTarget(target)}: ${problem ?? status ?? 'done'}`;
      note(text, { event: event.id, level: isOk ? 'info' : 'warning' });
    },
    reachable: (url, problem) => {
      unreachable = problem;
      if (problem === undefined) say(`events can arrive at ${url}`);
      else say(`no event can arrive: ${problem}`, { level: 'warning' });
    },
    unwritable: (problem) => {
      const nowMs = world.clock.now();
      if (Math.abs(nowMs - warnedMs) < WARN_EVERY_MS) return;
      warnedMs = nowMs;
      say(`the inbox cannot be written (${problem}); deliveries get 503 until it can`, { level: 'warning' });
    },
    say,
    note,
    refused: ({ reason, ...about }) => refusals.add(reason, about),
    refresh: () => {
      refusals.look();
      return refresh();
    },
    end: () => {
      refusals.look(true);
      return line.end();
    },
  };
}

/** Returns what prints events that arrived: as rows of a table, or as a JSON object a line. */
function createTable(
  { world }: Account,
  zone: Zone,
  isTable: boolean,
  write: (text: string) => Promise<void>,
): Screen['arrived'] {
  let hasHead = false;
  return async (events) => {
    if (events.length === 0) return;
    const head = isTable && !hasHead ? [row('Received', 'No.', 'Event', 'About')] : [];
    hasHead = true;
    const lines = events.map((event) => (isTable ? rowOf(event, zone) : jsonText(summaryOf(event))));
    const { columns } = world.stdout;
    const fitted = [...head, ...lines].map((text) => (isTable && columns ? cut(text, columns) : text));
    await write(`${fitted.join('\n')}\n`);
  };
}

/** Cuts a row to the width of the terminal. */
const cut = (text: string, columns: number) => (text.length <= columns ? text : `${text.slice(0, columns - 1)}…`);

const row = (time: string, number: string, event: string, about: string) =>
  `${time.padEnd(8)}  ${number.padStart(5)}  ${event.padEnd(WIDTH_OF_EVENT)}  ${about}`.trimEnd();

function rowOf(event: InboxEvent, zone: Zone): string {
  const { receivedAtMs } = event;
  const time = new Date(receivedAtMs + zone.offsetMs(receivedAtMs)).toISOString().slice(11, 19);
  const { isLate, isEarly, quarantined } = event;
  const notes = [isLate ? 'late' : [], isEarly ? 'early' : [], quarantined ? 'quarantined' : []].flat();
  // The event's texts come from outside.
  const name = plainLine(`${event.event ?? event.kind}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`);
  return row(time, String(event.id), name, plainLine(event.requestId ?? event.userId ?? event.problem ?? ''));
}
