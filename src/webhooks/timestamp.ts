/** ISO 8601 with a date, a time and a zone; fractions of a second are optional. */
const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;
/** Unix time: 9 or 10 digits are seconds (years 1973 to 2286), 12 or 13 are milliseconds. */
const SECONDS = /^\d{9,10}$/;
const MILLISECONDS = /^\d{12,13}$/;

/**
 * Reads the time of a delivery in milliseconds since the epoch; undefined if it is in no documented form. Source: interface for
 * ISO 8601, public for Unix seconds, inferred for milliseconds.
 */
export function readTimestamp(text: string): number | undefined {
  if (SECONDS.test(text)) return Number(text) * 1000;
  if (MILLISECONDS.test(text)) return Number(text);
  const timeMs = ISO.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(timeMs) ? undefined : timeMs;
}
