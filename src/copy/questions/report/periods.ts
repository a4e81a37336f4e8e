import type { Zone } from '../../../base/zone.ts';
import type { Span } from './movements.ts';

const MONTH = /^([12]\d{3})-(0[1-9]|1[0-2])$/;

/** Words for a month, with its distance from this one. */
const MONTH_WORDS: Readonly<Record<string, number>> = { 'this month': 0, 'last month': -1 };

const MINUTE_MS = 60_000;

/** When a month starts in a zone. */
function monthStart(year: number, month: number, zone: Zone): number {
  const localMs = Date.UTC(year, month, 1);
  return localMs - zone.offsetMs(localMs - zone.offsetMs(localMs));
}

/** The months by their names, and the first three letters of them. */
const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];

/** A month by its name, with its year or without: `october`, `Oct 2025`. */
const NAMED = /^([a-z]{3,9})\.?(?: ([12]\d{3}))?$/i;

/** Returns the year and the number of the month that a text names; without a year, the last one that has begun. */
function namedMonth(text: string, year: number, month: number): readonly [year: number, month: number] | undefined {
  const [, name = '', of] = NAMED.exec(text) ?? [];
  const word = name.toLowerCase();
  const found = MONTHS.findIndex((each) => word === each || word === each.slice(0, 3));
  if (found === -1) return undefined;
  return [of === undefined ? year - Number(found > month) : Number(of), found];
}

/** Returns when a month starts and ends, such as `2026-11`, `last month` or `october`; undefined if the text names none. */
export function monthNamed(text: string, zone: Zone, nowMs: number): { sinceMs: number; untilMs: number } | undefined {
  const ahead = Object.hasOwn(MONTH_WORDS, text) ? MONTH_WORDS[text] : undefined;
  const local = new Date(nowMs + zone.offsetMs(nowMs));
  const [, year, month] = MONTH.exec(text) ?? [];
  const [thisYear, thisMonth] = [local.getUTCFullYear(), local.getUTCMonth()];
  const named = namedMonth(text, thisYear, thisMonth);
  if (ahead === undefined && year === undefined && !named) return undefined;
  const [y, m] =
    named ?? (year === undefined ? [thisYear, thisMonth + (ahead ?? 0)] : [Number(year), Number(month) - 1]);
  return { sinceMs: monthStart(y, m, zone), untilMs: monthStart(y, m + 1, zone) };
}

/** The month of a moment in a zone: `2026-11`. */
export const monthName = (ms: number, zone: Zone) => new Date(ms + zone.offsetMs(ms)).toISOString().slice(0, 7);

const iso = (ms: number) => new Date(ms).toISOString();

/** A period as the rows are compared with it: its first moment is in it, and the moment after its end is not. */
export const spanOf = (sinceMs: number, untilMs: number): Span => ({ from: iso(sinceMs - 1), to: iso(untilMs - 1) });

export const STEPS = ['day', 'week', 'month'] as const;

export type ReportStep = (typeof STEPS)[number];

/** A part of a period, named by its first day in the zone. */
interface PartOfPeriod {
  readonly name: string;
  readonly sinceMs: number;
  readonly untilMs: number;
}

/** Cuts a period into days, weeks from Monday, or months of the zone. */
export function partsOf(sinceMs: number, untilMs: number, step: ReportStep, zone: Zone): PartOfPeriod[] {
  const parts: PartOfPeriod[] = [];
  for (let startMs = sinceMs; startMs < untilMs; ) {
    const local = new Date(startMs + zone.offsetMs(startMs));
    const [y, m, d] = [local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate()];
    const ahead = step === 'day' ? 1 : 7 - ((local.getUTCDay() + 6) % 7);
    const nextLocal = step === 'month' ? Date.UTC(y, m + 1, 1) : Date.UTC(y, m, d + ahead);
    const nextMs = Math.max(startMs + MINUTE_MS, nextLocal - zone.offsetMs(nextLocal - zone.offsetMs(nextLocal)));
    const name = local.toISOString().slice(0, step === 'month' ? 7 : 10);
    parts.push({ name, sinceMs: startMs, untilMs: Math.min(nextMs, untilMs) });
    startMs = nextMs;
  }
  return parts;
}
