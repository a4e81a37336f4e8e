import { Fault } from '../contract/faults.ts';

/** A time range in milliseconds since the epoch, inclusive at both ends; an undefined end is open. */
interface TimeRange {
  readonly fromMs: number | undefined;
  readonly untilMs: number | undefined;
}

/**
 * Returns the time range between two dates of a request; a date without a time is midnight UTC. Throws VALIDATION_ERROR
 * if the end is before the start.
 */
export function timeRangeOf(request: {
  readonly startDate?: string | undefined;
  readonly endDate?: string | undefined;
}): TimeRange {
  const { startDate, endDate } = request;
  const fromMs = startDate === undefined ? undefined : Date.parse(startDate);
  const untilMs = endDate === undefined ? undefined : Date.parse(endDate);
  if (fromMs !== undefined && untilMs !== undefined && fromMs > untilMs)
    throw new Fault('VALIDATION_ERROR', 'startDate: expected a time not after endDate');
  return { fromMs, untilMs };
}
