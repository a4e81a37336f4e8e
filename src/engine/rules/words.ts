import { type AmountRule, amountOfRule, type ConfirmRule, type Rules } from '../../account/rules.ts';
import type { Destination } from '../../contract/moves.ts';
import { amountText } from '../../money/amount.ts';
import { trimDecimal } from '../../money/decimal.ts';

/** The settings of rules as their flags take them. */
export const settingOf = {
  /** `NGN 500000 fees withdrawals start`. */
  amount: (rule: ConfirmRule & Pick<AmountRule, 'command'>): string => {
    const amount = amountOfRule(rule);
    const figure = amount ? trimDecimal(amountText(amount)) : rule.amount;
    return [rule.asset, figure, ...(rule.command === undefined ? [] : [rule.command])].join(' ');
  },
  /** All lists together, for a change that must hit one of them. */
  destinations: ({ accounts = [], addresses = [], users = [] }: Rules): string =>
    [
      ...accounts.map((each) => `account ${each}`),
      ...addresses.map((each) => `address ${each}`),
      ...users.map((each) => `user ${each}`),
    ].join('; ') || 'none',
} as const;

/** A bank account as rules name it: `000013/0123456789`. */
export const accountText = ({ bankCode, accountNumber }: Extract<Destination, { kind: 'account' }>): string =>
  `${bankCode}/${accountNumber}`;

/** A rule as `profiles rules show` lists it. */
interface Listed {
  /** The name of the flag that sets it. */
  readonly rule: string;
  readonly setting: string;
}

/** Lists rules with the flags that set them. */
export function listed(rules: Rules): readonly Listed[] {
  const each = (rule: string, settings: readonly string[] | undefined) =>
    (settings?.length === 0 ? ['none'] : (settings ?? [])).map((setting) => ({ rule, setting }));
  return [
    ...(rules.readOnly ? [{ rule: 'read-only', setting: 'on' }] : []),
    ...(rules.amounts ?? []).map((rule) => ({ rule: `max-per-${rule.per}`, setting: settingOf.amount(rule) })),
    ...each('allow-account', rules.accounts),
    ...each('allow-address', rules.addresses),
    ...each('allow-user', rules.users),
    ...each('hours', rules.hours),
    ...(rules.requireOnce ? [{ rule: 'require-once', setting: 'on' }] : []),
    ...(rules.confirmAbove ?? []).map((rule) => ({ rule: 'confirm-above', setting: settingOf.amount(rule) })),
  ];
}
