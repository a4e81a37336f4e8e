/** A part of each of some days, in minutes after midnight in Lagos. */
interface HoursWindow {
  /** 0 is Sunday. */
  readonly days: readonly number[];
  readonly fromMinute: number;
  /** Not part of it. */
  readonly toMinute: number;
}

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;

const WINDOW = /^([a-z,-]+) (\d\d):(\d\d)-(\d\d):(\d\d)$/;

/** Parses `mon-fri 08:00-18:00` or `sat,sun 10:00-14:00`; undefined if it is anything else. A window does not pass midnight. */
export function parseHours(text: string): HoursWindow | undefined {
  const [, days = '', ...figures] = WINDOW.exec(text.trim().toLowerCase().replace(/\s+/g, ' ')) ?? [];
  const [fromHour = -1, fromMinutes = -1, toHour = -1, toMinutes = -1] = figures.map(Number);
  const named = days.split(',').map(daysIn);
  const all = named.flatMap((each) => each ?? []);
  const [fromMinute, toMinute] = [fromHour * 60 + fromMinutes, toHour * 60 + toMinutes];
  const isTime = fromHour >= 0 && fromMinutes < 60 && toMinutes < 60 && toMinute <= 24 * 60 && fromMinute < toMinute;
  if (!isTime || named.includes(undefined) || all.length === 0) return undefined;
  return { days: [...new Set(all)].sort(), fromMinute, toMinute };
}

/** Returns the days of `mon` or `mon-fri`, which may pass the end of a week: `fri-mon`. */
function daysIn(text: string): readonly number[] | undefined {
  const [from = '', to = from, ...more] = text.split('-');
  const names: readonly string[] = DAYS;
  const [first, last] = [names.indexOf(from), names.indexOf(to)];
  if (first < 0 || last < 0 || more.length > 0) return undefined;
  const count = ((last - first + DAYS.length) % DAYS.length) + 1;
  return Array.from({ length: count }, (_, index) => (first + index) % DAYS.length);
}

/** Lagos is one hour ahead of UTC all year. */
const LAGOS_MS = 3_600_000;

/** Whether a moment is in a window. */
export function isWithin({ days, fromMinute, toMinute }: HoursWindow, nowMs: number): boolean {
  const lagos = new Date(nowMs + LAGOS_MS);
  const minute = lagos.getUTCHours() * 60 + lagos.getUTCMinutes();
  return days.includes(lagos.getUTCDay()) && minute >= fromMinute && minute < toMinute;
}

/** Writes a moment in Lagos for people: `Mon 08:05`. */
export function lagosTime(nowMs: number): string {
  const lagos = new Date(nowMs + LAGOS_MS);
  const day = DAYS[lagos.getUTCDay()] ?? '';
  return `${day.charAt(0).toUpperCase()}${day.slice(1)} ${lagos.toISOString().slice(11, 16)}`;
}
