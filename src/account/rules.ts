import * as z from 'zod/mini';
import { CliError, jsonIn } from '../base/errors.ts';
import { type Amount, type Asset, DECIMALS } from '../money/amount.ts';
import { scaledInteger } from '../money/decimal.ts';
import { percentFromText } from '../money/rates.ts';

/** Reads the rules that hosts share in a journal. Throws CliError usage if the text is not what this version writes. */
export function parseSharedRules(text: string): Rules {
  const { success, data, error } = rulesSchema().safeParse(jsonIn(text));
  if (success) return data;
  const field = error.issues[0]?.path.join('.') || 'an unknown field';
  throw new CliError('usage', `the rules in the shared journal are invalid at ${field}; nothing was sent`, {
    code: 'CONFIG_BROKEN',
    hint: 'update fiatrail on this machine if another one has a newer version',
  });
}

/** The amounts of an asset that commands may move: with one call, or together in a day or month of Lagos. */
export interface AmountRule {
  readonly per: 'call' | 'day' | 'month';
  readonly asset: Asset;
  /** Whole Naira or tokens: `500000.00`. */
  readonly amount: string;
  /** The only command that it limits, such as `fees withdraw`; undefined for all commands together. */
  readonly command?: string | undefined;
}

/** Amounts above this one need a code, typed on a terminal. */
export type ConfirmRule = Pick<AmountRule, 'asset' | 'amount'>;

/** What a profile allows before a change is recorded and sent. A rule that is left out allows everything. */
export interface Rules {
  readonly readOnly?: boolean | undefined;
  readonly amounts?: readonly AmountRule[] | undefined;
  /** Bank accounts that may receive money: `000013/0123456789`. */
  readonly accounts?: readonly string[] | undefined;
  readonly addresses?: readonly string[] | undefined;
  readonly users?: readonly string[] | undefined;
  /** When changes are allowed: `mon-fri 08:00-18:00`, in Lagos. */
  readonly hours?: readonly string[] | undefined;
  readonly requireOnce?: boolean | undefined;
  readonly confirmAbove?: readonly ConfirmRule[] | undefined;
  /** What agents may send in a day of Lagos without an approval; left out, nothing. The only rule that allows something. */
  readonly agentAllowance?: ConfirmRule | undefined;
  /** How far the price of an order or a trade may be from that of the market, in percent: `2.5`. */
  readonly maxFromMarket?: string | undefined;
}

/** A bank code and an account number. */
export const ACCOUNT = /^\d{3,6}\/\d{10}$/;

/** Printable ASCII without spaces. */
const OPAQUE = /^[\x21-\x7e]{1,500}$/;

/** Returns the amount of a rule; undefined if it is not an amount of its asset. */
export function amountOfRule({ asset, amount }: ConfirmRule): Amount | undefined {
  const minor = /^\d{1,11}(\.\d+)?$/.test(amount) ? scaledInteger(amount, DECIMALS[asset]) : undefined;
  return minor === undefined ? undefined : { asset, minor };
}

/** Builds the schema of the rules in a file or a journal. */
export function rulesSchema() {
  const money = { asset: z.enum(['NGN', 'CNGN', 'USDC', 'USDT']), amount: z.string() };
  const isAmount = z.refine<ConfirmRule>((rule) => amountOfRule(rule) !== undefined);
  const texts = (isValid: (text: string) => boolean) => z.optional(z.array(z.string().check(z.refine(isValid))));
  return z.strictObject({
    readOnly: z.optional(z.boolean()),
    amounts: z.optional(
      z.array(
        z
          .strictObject({
            per: z.enum(['call', 'day', 'month']),
            ...money,
            command: z.optional(z.string().check(z.regex(/^[a-z][a-z -]{0,60}$/))),
          })
          .check(isAmount),
      ),
    ),
    accounts: texts((text) => ACCOUNT.test(text)),
    addresses: texts((text) => OPAQUE.test(text)),
    users: texts((text) => OPAQUE.test(text)),
    hours: texts((text) => parseHours(text) !== undefined),
    requireOnce: z.optional(z.boolean()),
    agentAllowance: z.optional(z.strictObject(money).check(isAmount)),
    confirmAbove: z.optional(z.array(z.strictObject(money).check(isAmount))),
    maxFromMarket: z.optional(z.string().check(z.refine((text) => percentFromText(text) !== undefined))),
  });
}

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
