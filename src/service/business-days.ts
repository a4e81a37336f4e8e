/** Business days of the banks in Lagos: Monday to Friday, without holidays. Lagos is one hour ahead of UTC all year. Source: inferred. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const LAGOS_MS = HOUR_MS;

/** Payouts land between these hours of the day. */
const OPENS_MS = 8 * HOUR_MS;
const CLOSES_MS = 16 * HOUR_MS;

/** The epoch began on a Thursday; 0 is a Sunday. */
const weekdayOf = (day: number) => (day + 4) % 7;
const isBusinessDay = (day: number) => weekdayOf(day) !== 0 && weekdayOf(day) !== 6;

/**
 * When a payout ordered at `fromMs` lands that takes so many business days, at least one: at the same time of the day, or at
 * closing for one ordered while the bank is closed. What is ordered before opening counts as ordered the evening before,
 * so that three business days are never more than five times 24 hours.
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
