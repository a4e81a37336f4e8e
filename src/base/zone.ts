import { CliError } from './errors.ts';

/** A time zone. */
export interface Zone {
  /** `Africa/Lagos`, or `UTC`. */
  readonly name: string;
  /** How far its clocks are ahead of UTC at a time, both in milliseconds. Throws CliError usage if there is no such zone. */
  offsetMs(timeMs: number): number;
}

export const DEFAULT_ZONE = 'Africa/Lagos';

export const UTC: Zone = { name: 'UTC', offsetMs: () => 0 };

/** Zones whose clocks never change. They need no Intl, which takes about 11 ms to load its data. */
const FIXED_MS: Readonly<Record<string, number>> = { [DEFAULT_ZONE]: 3_600_000, UTC: 0 };

/**
 * Returns the zone with this name; `where` says in messages where the name was found. Intl is loaded on first use, unless the
 * clocks of the zone never change.
 */
export function zoneNamed(name: string, where = ''): Zone {
  const fixedMs = Object.hasOwn(FIXED_MS, name) ? FIXED_MS[name] : undefined;
  if (fixedMs !== undefined) return { name, offsetMs: () => fixedMs };
  let format: Intl.DateTimeFormat | undefined;
  return {
    name,
    offsetMs: (timeMs) => {
      format ??= formatIn(name, where);
      return offsetAt(format, timeMs);
    },
  };
}

/** Returns the names of all zones. */
export const zoneNames = (): readonly string[] => ['UTC', ...Intl.supportedValuesOf('timeZone')];

/** Validates the name of a zone, and returns it in its usual spelling. Throws CliError usage. */
export function zoneName(text: string): string {
  const fixed = Object.keys(FIXED_MS).find((name) => name.toLowerCase() === text.toLowerCase());
  if (fixed !== undefined) return fixed;
  const { timeZone } = formatIn(text).resolvedOptions();
  // Intl has only one name for zones with equal clocks, such as America/Panama for EST.
  return timeZone.toLowerCase() === text.toLowerCase() ? timeZone : text;
}

/** Throws CliError usage if there is no such zone. */
function formatIn(name: string, where = ''): Intl.DateTimeFormat {
  try {
    // Intl takes offsets such as +01:00 too. They would be wrong for half of the year wherever clocks change.
    if (/^[A-Za-z]/.test(name)) return new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  throw new CliError('usage', `unknown time zone "${name.slice(0, 60)}"${where}`, {
    code: 'VALIDATION_ERROR',
    hint: 'use the name of a zone, such as Africa/Lagos or Europe/London, or UTC',
  });
}

/** Reads the offset at the end of `7/1/2026, GMT-04:00`; it is missing for zero in some releases of Intl. */
function offsetAt(format: Intl.DateTimeFormat, timeMs: number): number {
  const [, sign, hours, minutes, seconds = 0] = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(format.format(timeMs)) ?? [];
  const aheadMs = ((Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60 + Number(seconds)) * 1000;
  return sign === '-' ? -aheadMs : aheadMs;
}
