import type { Zone } from '../base/zone.ts';

/** How a table shows times. */
export interface Times {
  readonly zone: Zone;
  /** Also shows how long ago a time was at this time, in milliseconds since the epoch. */
  readonly nowMs?: number | undefined;
}

const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/;

/**
 * Writes a time of the service in a zone: `2026-11-21 14:14:05 +01`, or `2026-11-21 13:14:05Z` in UTC. Brief times have no seconds.
 * Returns undefined if the text is not a time.
 */
export function timeText(text: string, { zone, nowMs }: Times, isBrief = false): string | undefined {
  const timeMs = ISO_TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(timeMs)) return undefined;
  const offsetMs = zone.offsetMs(timeMs);
  const local = new Date(timeMs + offsetMs).toISOString();
  const end = local.indexOf('T') + (isBrief ? 6 : 9);
  const absolute = local.slice(0, end).replace('T', ' ') + (zone.name === 'UTC' ? 'Z' : ` ${offsetText(offsetMs)}`);
  return nowMs === undefined ? absolute : `${absolute} (${relativeText(timeMs - nowMs)})`;
}

/** `+01`, or `+05:30`. */
function offsetText(offsetMs: number): string {
  const minutes = Math.abs(Math.trunc(offsetMs / 60_000));
  const two = (figure: number) => String(figure).padStart(2, '0');
  const rest = minutes % 60 === 0 ? '' : `:${two(minutes % 60)}`;
  return `${offsetMs < 0 ? '-' : '+'}${two(Math.trunc(minutes / 60))}${rest}`;
}

const MINUTE_S = 60;
const HOUR_S = 3600;
const DAY_S = 86_400;
const YEAR_S = 365 * DAY_S;

/** Each unit with the seconds from which it is used: below two years, days say more than `1 y`. */
const UNITS = [
  { fromS: 2 * YEAR_S, name: 'y', seconds: YEAR_S },
  { fromS: DAY_S, name: 'd', seconds: DAY_S },
  { fromS: HOUR_S, name: 'h', seconds: HOUR_S },
  { fromS: MINUTE_S, name: 'min', seconds: MINUTE_S },
  { fromS: 1, name: 's', seconds: 1 },
] as const;

/** `4 min ago`, `in 3 h` or `now`. */
function relativeText(aheadMs: number): string {
  const span = spanText(Math.abs(aheadMs));
  if (span === undefined) return 'now';
  return aheadMs < 0 ? `${span} ago` : `in ${span}`;
}

/** `4 min`, in whole units that have passed; undefined for less than a second. */
export function spanText(spanMs: number): string | undefined {
  const seconds = Math.trunc(spanMs / 1000);
  const unit = UNITS.find(({ fromS }) => seconds >= fromS);
  return unit && `${Math.trunc(seconds / unit.seconds)} ${unit.name}`;
}
