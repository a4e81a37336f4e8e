import { CliError } from '../../base/errors.ts';
import type { World } from '../../base/world.ts';
import type { Zone } from '../../base/zone.ts';
import { printable } from '../../money/amount.ts';
import type { Globals } from './globals.ts';
import { duration, option } from './parameters.ts';

/** What a typed date depends on. */
interface ZoneAndTime {
  readonly zone: Zone;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

/** A typed date or time, which depends on the zone and the time of day. Both are known only when the command runs. */
interface TypedMoment {
  /** As typed, for messages. */
  readonly text: string;
  /** A moment that is typed as `24h` is another one each time. */
  readonly kind: 'day' | 'moment' | 'ago';
  /** The moment, or the start of the day; in milliseconds since the epoch. */
  startMs(when: ZoneAndTime): number;
  /** The moment, or the start of the next day; in milliseconds since the epoch. */
  endMs(when: ZoneAndTime): number;
}

const DAY_MS = 86_400_000;

/** Days that are typed as a word, with their distance from today. */
const DAY_WORDS: Readonly<Record<string, number>> = { today: 0, yesterday: -1 };

/** Four-digit years that stay so in every zone. */
const DAY = /^([12]\d{3}-\d\d-\d\d)$/;
const TIME = /^([12]\d{3}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;
const AGO = /^\d+(?:\.\d+)?[a-z]+$/;

/** Returns when a period starts, and when it ends: that moment is not in it. Throws CliError usage if it ends before it starts. */
export function timesOf(period: TypedPeriod, context: PeriodContext) {
  const { sinceMs, untilMs } = boundsOf(period, context);
  return { sinceMs, untilMs };
}

/** Parses `today`, `yesterday`, `7d` (that long ago), `2026-08-01`, or a date and time with its offset. Throws CliError usage. */
export function moment(text: string): TypedMoment {
  const daysAhead = Object.hasOwn(DAY_WORDS, text) ? DAY_WORDS[text] : undefined;
  if (daysAhead !== undefined)
    return dayOf(text, ({ zone, nowMs }) => midnightOf(nowMs + zone.offsetMs(nowMs)) + daysAhead * DAY_MS);
  if (AGO.test(text)) {
    const agoMs = duration(text);
    return momentOf(text, 'ago', ({ nowMs }) => nowMs - agoMs);
  }
  const [, day] = DAY.exec(text) ?? TIME.exec(text) ?? [];
  const timeMs = Date.parse(text);
  if (day === undefined || !isDay(day) || Number.isNaN(timeMs)) throw invalidDate(text);
  return day === text ? dayOf(text, () => timeMs) : momentOf(text, 'moment', () => timeMs);
}

/** Rejects days that do not exist, which Date would move to the next month. */
function isDay(text: string): boolean {
  const midnight = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(text);
}

function invalidDate(text: string): CliError {
  return new CliError('usage', `invalid date "${printable(text)}"`, {
    hint: 'use today, yesterday, 7d (7 days ago), a day such as 2026-08-01, or a time such as 2026-08-01T09:30:00Z',
  });
}

function momentOf(text: string, kind: TypedMoment['kind'], timeMs: (when: ZoneAndTime) => number): TypedMoment {
  return { text, kind, startMs: timeMs, endMs: timeMs };
}

/** A day; `midnightMs` is its midnight as if the zone were UTC. */
function dayOf(text: string, midnightMs: (when: ZoneAndTime) => number): TypedMoment {
  return {
    text,
    kind: 'day',
    startMs: (when) => startOfDay(midnightMs(when), when.zone),
    endMs: (when) => startOfDay(midnightMs(when) + DAY_MS, when.zone),
  };
}

const midnightOf = (localMs: number) => Math.floor(localMs / DAY_MS) * DAY_MS;

/**
 * Returns when a day begins in a zone. `midnightMs` is its midnight as if the zone were UTC. If the clocks are put back across
 * midnight, the day begins at the first of its two midnights; if they are put forward then, it begins with the change.
 */
function startOfDay(midnightMs: number, zone: Zone): number {
  // With the offset before a change of the clocks near midnight, and with the one after it.
  const before = midnightMs - zone.offsetMs(midnightMs - DAY_MS);
  const after = midnightMs - zone.offsetMs(midnightMs + DAY_MS);
  const found = [before, after].filter((timeMs) => timeMs + zone.offsetMs(timeMs) === midnightMs);
  return found.length > 0 ? Math.min(...found) : before;
}

/** The options for the start and the end of a list's period. */
export const periodOptions = {
  since: option(
    '--since <date>',
    'start of the period: today, yesterday, 7d (7 days ago), 2026-08-01 or a time',
    moment,
  ),
  until: option('--until <date>', 'end of the period, in the same forms; a day is included as a whole', moment),
};

export interface TypedPeriod {
  readonly since: TypedMoment | undefined;
  readonly until: TypedMoment | undefined;
}

/** What a terminal has and a period depends on. */
interface PeriodContext {
  readonly globals: Pick<Globals, 'zone'>;
  readonly dialog: { readonly world: Pick<World, 'clock'> };
}

/**
 * Returns when the period starts, when it ends, and the last millisecond of it. A day ends with its last millisecond, a moment is
 * itself in the period. Throws CliError usage if it ends before it starts.
 */
function boundsOf({ since, until }: TypedPeriod, { globals: { zone }, dialog: { world } }: PeriodContext) {
  const when = { zone, nowMs: world.clock.now() };
  const sinceMs = since?.startMs(when);
  const untilMs = until?.endMs(when);
  const lastMs = untilMs !== undefined && until?.kind === 'day' ? untilMs - 1 : untilMs;
  if (sinceMs !== undefined && lastMs !== undefined && sinceMs > lastMs) {
    throw new CliError('usage', `--since ${since?.text} is after --until ${until?.text}`, {
      code: 'VALIDATION_ERROR',
      hint: 'pass the earlier time as --since',
    });
  }
  return { sinceMs, untilMs, lastMs };
}

const utc = (timeMs: number | undefined) => (timeMs === undefined ? undefined : new Date(timeMs).toISOString());

/** Converts the period to request fields, which are times in UTC. Both are in the period. Throws CliError usage if it ends before it starts. */
export function periodOf(period: TypedPeriod, context: PeriodContext) {
  const { sinceMs, lastMs } = boundsOf(period, context);
  return { startDate: utc(sinceMs), endDate: utc(lastMs) };
}
