import * as z from 'zod/mini';
import { commandNow } from '../contract/renamed.ts';
import { type Amount, type Asset, DECIMALS } from '../money/amount.ts';
import { scaledInteger } from '../money/decimal.ts';
import { parseHours } from './hours.ts';

/** The amounts of an asset that commands may move: with one call, or together in a day or month of Lagos. */
export interface AmountRule {
  readonly per: 'call' | 'day' | 'month';
  readonly asset: Asset;
  /** Whole Naira or tokens: `500000.00`. */
  readonly amount: string;
  /** The only command that it limits, such as `fees withdrawals start`; undefined for all commands together. */
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
            command: z.optional(z.string().check(z.regex(/^[a-z][a-z -]{0,60}$/), z.overwrite(commandNow))),
          })
          .check(isAmount),
      ),
    ),
    accounts: texts((text) => ACCOUNT.test(text)),
    addresses: texts((text) => OPAQUE.test(text)),
    users: texts((text) => OPAQUE.test(text)),
    hours: texts((text) => parseHours(text) !== undefined),
    requireOnce: z.optional(z.boolean()),
    confirmAbove: z.optional(z.array(z.strictObject(money).check(isAmount))),
  });
}
