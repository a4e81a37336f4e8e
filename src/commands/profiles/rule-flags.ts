import { ACCOUNT, type AmountRule, type ConfirmRule, parseHours, type Rules } from '../../account/rules.ts';
import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import { ruledCommands } from '../../engine/rules/by-command.ts';
import { type Asset, amountText, DECIMALS, isAsset, printable } from '../../money/amount.ts';
import { percentText } from '../../money/rates.ts';
import { evmAddress } from '../../terminal/parse/field-options.ts';
import { amountOrZeroOf, id, option, percent, repeated, switchOnOrOff } from '../../terminal/parse/parameters.ts';

/** A rule to set, or to remove if it has no amount. */
type Edited<R extends ConfirmRule> = Omit<R, 'amount'> & { readonly amount: string | undefined };

/** What to do to an allow list: `off` removes it. */
interface ListEdit {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly isAny: boolean;
}

/** Changes of rules. What is undefined or empty stays as it is. */
interface RuleEdits {
  readonly readOnly: boolean | undefined;
  readonly requireOnce: boolean | undefined;
  /** In percent; `off` removes it. */
  readonly maxFromMarket: string | undefined;
  /** `off` removes it. */
  readonly agentAllowance: ConfirmRule | typeof OFF | undefined;
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
    maxFromMarket: edits.maxFromMarket === OFF ? undefined : (edits.maxFromMarket ?? rules.maxFromMarket),
    agentAllowance: edits.agentAllowance === OFF ? undefined : (edits.agentAllowance ?? rules.agentAllowance),
    confirmAbove: withAmounts(rules.confirmAbove, edits.confirmAbove, (one, other) => one.asset === other.asset),
  };
  const left = Object.entries(next).filter(([, value]) => value !== undefined);
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

type Limited = Pick<AmountRule, 'per' | 'asset' | 'command'>;

/** Whether two rules limit the same sum. */
const isSameLimit = (one: Limited, other: Limited): boolean =>
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

/** The word that removes a rule. */
const OFF = 'off';

/** The commands that limits can name: those that spend money. */
const limitedCommands = () => [
  ...new Set(
    ruledCommands()
      .filter(({ assets }) => assets.length > 0)
      .map(({ command }) => command),
  ),
];

type Limit = Omit<AmountRule, 'amount' | 'per'> & { readonly amount: string | undefined };

const ASSETS = Object.keys(DECIMALS).join(', ');

/** Parses `NGN 500000`, `NGN off` or `NGN 500000 fees withdraw`. Throws CliError usage. */
function limit(text: string): Limit {
  const [, asset = '', figure = '', words] = /^\s*([A-Za-z]+)\s+(\S+)(?:\s+(.*\S))?\s*$/.exec(text) ?? [];
  const known = asset.toUpperCase();
  if (!isAsset(known))
    throw new CliError('usage', `invalid limit "${printable(text)}"; expected one of ${ASSETS}, then an amount`, {
      hint: 'for example "NGN 500000", "NGN 500000 fees withdraw", or "NGN off" to remove it',
    });
  const command = words?.replace(/\s+/g, ' ').replace(/^fiatrail /, '');
  const amount = figure.toLowerCase() === OFF ? undefined : exact(known, figure);
  const commands = limitedCommands();
  if (command !== undefined && !commands.includes(command))
    throw new CliError('usage', `"${printable(command)}" is not a command that spends money`, {
      hint: `use one of: ${commands.join(', ')}`,
    });
  return { asset: known, amount, ...(command === undefined ? {} : { command }) };
}

const exact = (asset: Asset, figure: string) => amountText(amountOrZeroOf(asset)(figure));

/** Parses the limit of a rule that is not limited to a command. Throws CliError usage. */
function threshold(text: string): Limit {
  const found = limit(text);
  if (found.command === undefined) return found;
  throw new CliError('usage', `invalid amount "${printable(text)}"; --confirm-above does not depend on the command`, {
    hint: `for example "${found.asset} 1000000"`,
  });
}

const account = (text: string): string => {
  if (text === OFF || ACCOUNT.test(text)) return text;
  throw new CliError('usage', `invalid bank account "${printable(text)}"; expected a bank code and an account number`, {
    hint: advice`for example 000013/0123456789; list the bank codes with: [fiatrail banks]`,
  });
};

const address = (text: string): string => (/^0x/i.test(text) ? evmAddress(text) : id(text));

const hours = (text: string): string => {
  const plain = text.trim().toLowerCase().replace(/\s+/g, ' ');
  if (plain === OFF || parseHours(plain)) return plain;
  throw new CliError('usage', `invalid hours "${printable(text)}"; expected days, a start and an end in Lagos`, {
    hint: 'for example "mon-fri 08:00-18:00" or "sat,sun 10:00-24:00"; a window cannot pass midnight',
  });
};

const fromMarket = (text: string): string => (text.toLowerCase() === OFF ? OFF : percentText(percent(text)));

/** Parses `NGN 20000 a day`. Throws CliError usage. */
function allowance(text: string): ConfirmRule | typeof OFF {
  if (text.trim().toLowerCase() === OFF) return OFF;
  const [, asset = '', figure = ''] = /^\s*(NGN|cNGN)\s+(\S+)(?:\s+a\s+day)?\s*$/i.exec(text) ?? [];
  const known = asset.toUpperCase();
  if (isAsset(known)) return { asset: known, amount: exact(known, figure) };
  throw new CliError('usage', `invalid allowance "${printable(text)}"; expected NGN or CNGN, an amount, and "a day"`, {
    hint: 'for example "NGN 20000 a day", or "off" to remove it',
  });
}

const LIMIT_HELP = 'such as "NGN 500000" or "NGN 500000 fees withdraw"; "NGN off" removes it';

export const RULE_FLAGS = {
  readOnly: switchOnOrOff('--read-only', 'allow only commands that change nothing at the service'),
  maxPerCall: repeated('--max-per-call <limit>', `the most that one command may move, ${LIMIT_HELP}`, (text) =>
    limit(text),
  ),
  maxPerDay: repeated(
    '--max-per-day <limit>',
    'the most that may move in a day (Lagos time), such as "NGN 2000000" or "NGN 2000000 fees withdraw"; "NGN off" removes it',
    (text) => limit(text),
  ),
  maxPerMonth: repeated(
    '--max-per-month <limit>',
    'the most that may move in a calendar month (Lagos time), such as "NGN 20000000"; "NGN off" removes it',
    (text) => limit(text),
  ),
  allowAccount: repeated(
    '--allow-account <bank-code/number>',
    'bank account that may receive money, such as 000013/0123456789; "off" removes the list',
    account,
  ),
  disallowAccount: repeated('--disallow-account <bank-code/number>', 'remove a bank account from the list', account),
  allowAddress: repeated(
    '--allow-address <address>',
    'on-chain address that may receive tokens; "off" removes the list',
    address,
  ),
  disallowAddress: repeated('--disallow-address <address>', 'remove an address from the list', address),
  allowUser: repeated('--allow-user <user-id>', 'user who may receive tokens; "off" removes the list', id),
  disallowUser: repeated('--disallow-user <user-id>', 'remove a user from the list', id),
  hours: repeated(
    '--hours <days times>',
    'when changes are allowed, in Lagos, such as "mon-fri 08:00-18:00"; "off" removes the rule',
    hours,
  ),
  requireOnce: switchOnOrOff('--require-once', 'require --once for every command that moves money'),
  maxFromMarket: option(
    '--max-from-market <percent>',
    'how far the price of an order or a trade may be from the market, such as 2%; "off" removes it',
    fromMarket,
  ),
  agentAllowance: option(
    '--agent-allowance <allowance>',
    'what agents may pay out in a day (Lagos time) without an approval, to bank accounts that were added at least 48 hours ago, such as "NGN 20000 a day"; "off" removes it',
    allowance,
  ),
  confirmAbove: repeated(
    '--confirm-above <limit>',
    'ask for a code on the terminal above this amount on a live account, such as "NGN 1000000"; "NGN off" removes it',
    (text) => threshold(text),
  ),
} as const;

type GivenRules = {
  readonly [K in keyof typeof RULE_FLAGS]: ReturnType<(typeof RULE_FLAGS)[K]['parse']> | undefined;
};

/** Returns the changes that the flags ask for. Throws CliError usage for flags that contradict each other or `rules`. */
export function editsOf(given: GivenRules, rules: Rules): RuleEdits {
  const amounts = [
    ...perOf('call', given.maxPerCall),
    ...perOf('day', given.maxPerDay),
    ...perOf('month', given.maxPerMonth),
  ];
  requireDifferent(amounts, isSameLimit);
  const confirmAbove = given.confirmAbove ?? [];
  requireDifferent(confirmAbove, (one, other) => one.asset === other.asset);
  const list = (
    name: string,
    added: readonly string[] = [],
    removed: readonly string[] = [],
    current?: readonly string[],
  ) => listEdit(`--allow-${name}`, `--disallow-${name}`, added, removed, current);
  return {
    readOnly: given.readOnly,
    requireOnce: given.requireOnce,
    maxFromMarket: given.maxFromMarket,
    agentAllowance: given.agentAllowance,
    amounts,
    confirmAbove,
    accounts: list('account', given.allowAccount, given.disallowAccount, rules.accounts),
    addresses: list('address', given.allowAddress, given.disallowAddress, rules.addresses),
    users: list('user', given.allowUser, given.disallowUser, rules.users),
    hours: given.hours && hoursOf(given.hours),
  };
}

const perOf = (per: AmountRule['per'], limits: readonly Limit[] = []) => limits.map((each) => ({ ...each, per }));

/** With two amounts for one limit, either could be the mistake. */
function requireDifferent<R extends Limit>(limits: readonly R[], isSame: (one: R, other: R) => boolean): void {
  const twice = limits.find((one, at) => limits.some((other, later) => later > at && isSame(one, other)));
  if (!twice) return;
  throw new CliError('usage', `two limits were given for ${[twice.asset, twice.command].filter(Boolean).join(' ')}`, {
    hint: 'give only one of them',
  });
}

const cannotCombine = (one: string, other: string) =>
  new CliError('usage', `${one} and ${other} cannot be combined`, { hint: 'omit one of them' });

function hoursOf(given: readonly string[]): readonly string[] {
  if (!given.includes(OFF)) return [...new Set(given)];
  if (given.length > 1) throw cannotCombine('--hours off', 'other hours');
  return [];
}

function listEdit(
  allow: string,
  disallow: string,
  added: readonly string[],
  removed: readonly string[],
  current: readonly string[] = [],
): ListEdit {
  const isAny = added.includes(OFF);
  if (isAny && added.length + removed.length > 1)
    throw cannotCombine(`${allow} off`, `another ${allow} or ${disallow}`);
  const both = removed.find((each) => added.includes(each));
  if (both !== undefined) throw cannotCombine(`${allow} ${printable(both)}`, `${disallow} ${printable(both)}`);
  const missing = removed.find((each) => !current.includes(each));
  if (missing !== undefined)
    throw new CliError('usage', `${disallow}: ${printable(missing)} is not in the list`, {
      hint: advice`show the list with: [fiatrail profiles rules show]`,
    });
  return { added: isAny ? [] : added, removed, isAny };
}
