import { Fault } from '../contract/faults.ts';

/** A range of time in milliseconds since the epoch, both ends included; undefined where a list has no bound. */
export interface TimeRange {
  readonly fromMs: number | undefined;
  readonly untilMs: number | undefined;
}

/** The range two dates of a request mean: a plain date is its midnight, UTC. Throws VALIDATION_ERROR for an end before the start. */
export function timeRangeOf(request: {
  readonly startDate?: string | undefined;
  readonly endDate?: string | undefined;
}): TimeRange {
  const { startDate, endDate } = request;
  const fromMs = startDate === undefined ? undefined : Date.parse(startDate);
  const untilMs = endDate === undefined ? undefined : Date.parse(endDate);
  if (fromMs !== undefined && untilMs !== undefined && fromMs > untilMs)
    throw new Fault('VALIDATION_ERROR', 'startDate: expected no later time than endDate');
  return { fromMs, untilMs };
}
