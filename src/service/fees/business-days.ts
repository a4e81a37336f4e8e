/** Business days of banks in Lagos: Monday to Friday, ignoring holidays. Lagos is UTC+1 all year. Source: inferred. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const LAGOS_MS = HOUR_MS;

/** Payouts arrive during banking hours. */
const OPENS_MS = 8 * HOUR_MS;
const CLOSES_MS = 16 * HOUR_MS;

/** The epoch was a Thursday; 0 is Sunday. */
const weekdayOf = (day: number) => (day + 4) % 7;
const isBusinessDay = (day: number) => weekdayOf(day) !== 0 && weekdayOf(day) !== 6;

/**
 * Returns when a payout ordered at `fromMs` arrives after at least one business day: at the same time of day, or at
 * closing time if it was ordered while the bank was closed. An order before opening time counts as placed the evening
 * before, so three business days never exceed five times 24 hours.
 */
export function afterBusinessDays(fromMs: number, businessDays: number): number {
  const local = fromMs + LAGOS_MS;
  const ordered = Math.floor(local / DAY_MS);
  const timeOfDay = local - ordered * DAY_MS;
  const isEarly = timeOfDay < OPENS_MS;
  let day = isEarly ? ordered - 1 : ordered;
  for (let left = businessDays; left > 0; ) {
    day += 1;
    if (isBusinessDay(day)) left -= 1;
  }
  const lands = isEarly || timeOfDay > CLOSES_MS ? CLOSES_MS : timeOfDay;
  return day * DAY_MS + lands - LAGOS_MS;
}
