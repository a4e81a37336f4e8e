/** How often things happen in a simulated account, and how often they go wrong. All inferred: no such figures are public. */

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
const LAGOS_MS = HOUR_MS;

/** When something happens: the weight of each hour of the day in Lagos; no weight is never. */
const HOURS = {
  morning: { 6: 3, 7: 10, 8: 16, 9: 18, 10: 14, 11: 9, 12: 6, 13: 5, 14: 5, 15: 4, 16: 3, 17: 3, 18: 2, 19: 2 },
  office: { 8: 6, 9: 12, 10: 14, 11: 13, 12: 9, 13: 9, 14: 13, 15: 12, 16: 8, 17: 4 },
  evening: { 8: 2, 9: 4, 10: 5, 11: 6, 12: 8, 13: 7, 14: 6, 15: 6, 16: 8, 17: 10, 18: 12, 19: 11, 20: 8, 21: 5, 22: 2 },
} as const satisfies Readonly<Record<string, Readonly<Record<number, number>>>>;

/** Returns the part of a day's events that falls into an hour. */
function partOf(hours: Readonly<Record<number, number>>, hour: number): number {
  const total = Object.values(hours).reduce((sum, weight) => sum + weight, 0);
  return (hours[hour] ?? 0) / total;
}

/** How often something happens. */
interface Rate {
  /** Times a day for each user, or for the whole account. */
  readonly perDay: number;
  readonly by: 'user' | 'account';
  readonly hours: keyof typeof HOURS;
  /** How many times as often on a salary day: from the 25th to the end of the month. */
  readonly salary?: number;
  /** How many times as often on Saturday and Sunday. */
  readonly weekend?: number;
}

export const RATES = {
  'user-deposit': { perDay: 0.16, by: 'user', hours: 'morning', salary: 4, weekend: 0.6 },
  onramp: { perDay: 0.12, by: 'user', hours: 'morning', salary: 2 },
  offramp: { perDay: 0.24, by: 'user', hours: 'evening', weekend: 2 },
  swap: { perDay: 0.05, by: 'user', hours: 'evening' },
  'token-withdrawal': { perDay: 0.05, by: 'user', hours: 'evening' },
  'user-status': { perDay: 0.002, by: 'user', hours: 'office', weekend: 0 },
  'tokens-in': { perDay: 0.03, by: 'user', hours: 'evening' },
  'account-deposit': { perDay: 2, by: 'account', hours: 'office', weekend: 0.2 },
  payout: { perDay: 5, by: 'account', hours: 'office', weekend: 0 },
  trade: { perDay: 6, by: 'account', hours: 'office', weekend: 0.5 },
  bridge: { perDay: 3, by: 'account', hours: 'office', weekend: 0.5 },
  transfer: { perDay: 3, by: 'account', hours: 'office', weekend: 0.3 },
  'fee-change': { perDay: 0.25, by: 'account', hours: 'office', weekend: 0 },
  'fee-withdrawal': { perDay: 1, by: 'account', hours: 'office', weekend: 0 },
} as const satisfies Readonly<Record<string, Rate>>;

export type RatedKind = keyof typeof RATES;

/** How much of its kind goes wrong in each way. */
export const FAILURES = {
  /** Deposits whose sender is someone else: refunded. */
  wrongName: 0.03,
  /** Deposits that the bank confirms a minute late, and that it cancels. */
  depositPending: 0.01,
  depositCancelled: 0.005,
  /** Onramps that nobody pays, that are paid when the account has expired, and that are paid with a wrong amount. */
  onrampUnpaid: 0.08,
  onrampLate: 0.03,
  onrampWrongAmount: 0.03,
  mintFails: 0.01,
  /** Offramps and payouts that the bank rejects, that are cancelled, or that fail on the way to it. */
  bankFails: 0.03,
  cancelled: 0.01,
  transferFails: 0.01,
  /** Payouts that the bank takes back an hour later, and that wait for a review that nobody makes. */
  reversed: 0.02,
  unreviewed: 0.02,
  /** Requests that the service rejects: more than there is, or an account that no bank knows. */
  tooMuch: 0.03,
  unknownAccount: 0.01,
  /** Onboardings of a BVN that fails. */
  badBvn: 0.03,
  /** Trades on a quote that is too old, that nobody signs, and that fail. */
  lateQuote: 0.08,
  unsigned: 0.05,
  tradeFails: 0.06,
  /** Bridge transactions that get no tokens, get them from a wrong address, and fail. */
  bridgeUnpaid: 0.08,
  wrongSender: 0.05,
  bridgeFails: 0.04,
  /** Token withdrawals and transfers that fail on the chain, and transfers to a wallet that is not registered. */
  chainFails: 0.04,
  unregistered: 0.03,
  /** Fee withdrawals that the bank rejects. */
  feesFail: 0.06,
  /** The part of days on which the receiver of webhooks cannot be reached for some hours. */
  outage: 0.12,
} as const;

/** The account has this many users when its own rates apply as they are; with more, it does more. */
const USERS_OF_RATES = 200;

/** Returns how often something happens on average in the hour that begins at a time. */
export function meanInHour(rate: Rate, hourMs: number, users: number): number {
  const local = hourMs + LAGOS_MS;
  const date = new Date(local);
  const isWeekend = date.getUTCDay() === 0 || date.getUTCDay() === 6;
  const factor = (date.getUTCDate() >= 25 ? (rate.salary ?? 1) : 1) * (isWeekend ? (rate.weekend ?? 1) : 1);
  const size = rate.by === 'user' ? users : Math.max(1, users / USERS_OF_RATES);
  return rate.perDay * size * factor * partOf(HOURS[rate.hours], date.getUTCHours());
}
