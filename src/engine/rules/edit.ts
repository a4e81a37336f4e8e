import type { AmountRule, ConfirmRule, Rules } from '../../account/rules.ts';

/** A rule to set, or to remove if it has no amount. */
type Edited<R extends ConfirmRule> = Omit<R, 'amount'> & { readonly amount: string | undefined };

/** What to do to an allow list: `any` removes it. */
export interface ListEdit {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly isAny: boolean;
}

/** Changes of rules. What is undefined or empty stays as it is. */
export interface RuleEdits {
  readonly readOnly: boolean | undefined;
  readonly requireOnce: boolean | undefined;
  readonly amounts: readonly Edited<AmountRule>[];
  readonly confirmAbove: readonly Edited<ConfirmRule>[];
  readonly accounts: ListEdit;
  readonly addresses: ListEdit;
  readonly users: ListEdit;
  /** Replaces all windows; empty removes the rule. */
  readonly hours: readonly string[] | undefined;
}

/** Returns the rules after a change; undefined if none is left. */
export function editedRules(rules: Rules, edits: RuleEdits): Rules | undefined {
  const next: Rules = {
    readOnly: (edits.readOnly ?? rules.readOnly) || undefined,
    amounts: withAmounts(rules.amounts, edits.amounts, isSameLimit),
    accounts: withList(rules.accounts, edits.accounts),
    addresses: withList(rules.addresses, edits.addresses),
    users: withList(rules.users, edits.users),
    hours: edits.hours === undefined ? rules.hours : edits.hours.length === 0 ? undefined : edits.hours,
    requireOnce: (edits.requireOnce ?? rules.requireOnce) || undefined,
    confirmAbove: withAmounts(rules.confirmAbove, edits.confirmAbove, (one, other) => one.asset === other.asset),
  };
  const left = Object.entries(next).filter(([, value]) => value !== undefined);
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

type Limited = Pick<AmountRule, 'per' | 'asset' | 'command'>;

/** Whether two rules limit the same sum. */
export const isSameLimit = (one: Limited, other: Limited): boolean =>
  one.per === other.per && one.asset === other.asset && one.command === other.command;

function withAmounts<R extends ConfirmRule>(
  rules: readonly R[] = [],
  edits: readonly Edited<R>[],
  isSame: (one: R, other: Edited<R>) => boolean,
): readonly R[] | undefined {
  const unchanged = rules.filter((rule) => !edits.some((edit) => isSame(rule, edit)));
  const set = edits.filter((edit): edit is Edited<R> & R => edit.amount !== undefined);
  const all = [...unchanged, ...set];
  return all.length === 0 ? undefined : all;
}

/** An allow list whose last entry was removed stays, and allows nothing: removing an entry never allows more. */
function withList(list: readonly string[] | undefined, { added, removed, isAny }: ListEdit) {
  if (isAny) return undefined;
  if (added.length === 0 && removed.length === 0) return list;
  return [...new Set([...(list ?? []), ...added])].filter((each) => !removed.includes(each));
}
