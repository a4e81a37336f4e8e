import {
  type AmountRule,
  amountOfRule,
  type ConfirmRule,
  isWithin,
  lagosTime,
  parseHours,
  type Rules,
} from '../../account/rules.ts';
import { advice, type Hint } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import type { Effect } from '../../contract/endpoint.ts';
import type { Destination, Moves } from '../../contract/moves.ts';
import type { Claim } from '../../journal/claims.ts';
import type { SpendLimit } from '../../journal/intent.ts';
import { BY_AGENT, countedIn, type LimitedIntent } from '../../journal/spending.ts';
import {
  type Amount,
  ASSET_LABEL,
  type Asset,
  amountForPeople,
  amountText,
  countedWith,
  leftIn,
  millionthsOf,
} from '../../money/amount.ts';
import { trimDecimal } from '../../money/decimal.ts';
import { percentFromText } from '../../money/rates.ts';
import { farFromMarket, type Priced } from './market.ts';

/** The settings of rules as their flags take them. */
export const settingOf = {
  /** `NGN 500000 fees withdraw`. */
  amount: (rule: ConfirmRule & Pick<AmountRule, 'command'>): string => {
    const amount = amountOfRule(rule);
    const figure = amount ? trimDecimal(amountText(amount)) : rule.amount;
    return [rule.asset, figure, ...(rule.command === undefined ? [] : [rule.command])].join(' ');
  },
  /** `2%` */
  market: (percent: string): string => `${percent}%`,
  /** All lists together, for a change that must hit one of them. */
  destinations: ({ accounts = [], addresses = [], users = [] }: Rules): string =>
    [
      ...accounts.map((each) => `account ${each}`),
      ...addresses.map((each) => `address ${each}`),
      ...users.map((each) => `user ${each}`),
    ].join('; ') || 'none',
} as const;

/** Asks every rule of every set about a change. */
export async function verdictsOf(
  sets: readonly RuleSet[],
  asked: Asked,
  facts: Facts,
): Promise<readonly RuleVerdict[]> {
  const all: RuleVerdict[] = [];
  for (const { from, rules } of sets)
    for (const { rule, code, setting, ask } of rulesIn(rules))
      all.push({ rule, code, setting, from, ...(await ask(asked, facts)) });
  return all;
}

/** A bank account as rules name it: `000013/0123456789`. */
const accountText = ({ bankCode, accountNumber }: Extract<Destination, { kind: 'account' }>): string =>
  `${bankCode}/${accountNumber}`;

/** The rules of a profile, or those that hosts share in a journal. A change must pass every set. */
export interface RuleSet {
  readonly from: 'profile' | 'journal';
  readonly rules: Rules;
}

/** A change that rules are asked about. */
export interface Asked {
  readonly effect: Effect;
  /** The command that its endpoint belongs to, such as `fees withdraw`; undefined if it moves no money. */
  readonly command: string | undefined;
  /** Whether that command sends it, so that the journal knows its sums by that name. */
  readonly isOfCommand: boolean;
  /** Whether the sums of the journal already have what it moves, because it is sent again. */
  readonly isRecorded: boolean;
  readonly moves: Moves | undefined;
  /** Where it sends money, now or later. */
  readonly to: readonly Destination[];
  /** `not-taken`: it takes none. */
  readonly idempotencyKey: 'given' | 'missing' | 'not-taken';
  readonly isLive: boolean;
  /** Whether a user at a terminal can type a code. */
  readonly isInteractive: boolean;
  readonly nowMs: number;
}

/** What rules must know besides the request. */
export interface Facts {
  /** What was spent in this day or month of Lagos, in millionths of a Naira or token. */
  spent(limit: Omit<SpendLimit, 'maxMinor'>): Promise<bigint>;
  /** Returns the price of the change and that of the market; undefined if it sets no price. */
  priced(): Promise<Priced | undefined>;
  /** Returns a bank account by its id: `000013/0123456789`; undefined if the service does not show it. */
  savedAccount(accountId: string): Promise<string | undefined>;
  /** Returns the address that receives a user's cNGN instead of the wallet here; null if none does, undefined if the service does not say. */
  defaultWallet(userId: string): Promise<string | null | undefined>;
}

/** What a rule says about a change. */
export interface RuleVerdict {
  readonly rule: string;
  readonly from: RuleSet['from'];
  readonly setting: string;
  readonly code: string;
  readonly result: 'allows' | 'blocks' | 'not applicable';
  /** What may still be moved, before this change. */
  readonly left?: Amount;
  /** Why it does not hold, or what it asks for. */
  readonly detail?: string;
  readonly hint?: Hint;
  /** The sum that the journal checks again when it records the change. */
  readonly limit?: SpendLimit;
  /** Whether a code must be typed. */
  readonly needsCode?: boolean;
}

type RuleResult = Omit<RuleVerdict, 'from' | 'rule' | 'setting' | 'code'>;

const NOT_APPLICABLE: RuleResult = { result: 'not applicable' };

const ALLOWS: RuleResult = { result: 'allows' };

interface Rule {
  readonly rule: string;
  readonly code: string;
  readonly setting: string;
  ask(asked: Asked, facts: Facts): RuleResult | Promise<RuleResult>;
}

/** Returns the rules of a set, the cheapest first. */
function rulesIn(rules: Rules): readonly Rule[] {
  const { readOnly, hours, requireOnce, maxFromMarket, amounts = [], confirmAbove = [] } = rules;
  const lists = rules.accounts ?? rules.addresses ?? rules.users;
  return [
    ...(readOnly ? [{ rule: 'read-only', code: 'RULE_READ_ONLY', setting: 'on', ask: askReadOnly }] : []),
    ...(hours ? [{ rule: 'hours', code: 'RULE_HOURS', setting: hours.join('; '), ask: askHours(hours) }] : []),
    ...(requireOnce ? [{ rule: 'require-once', code: 'RULE_ONCE_KEY', setting: 'on', ask: askIdempotencyKey }] : []),
    ...(lists
      ? [
          {
            rule: 'destinations',
            code: 'RULE_DESTINATION',
            setting: settingOf.destinations(rules),
            ask: askDestinations(rules),
          },
        ]
      : []),
    ...amounts.map((each) => ({
      rule: `max-per-${each.per}`,
      code: 'RULE_AMOUNT',
      setting: settingOf.amount(each),
      ask: askAmount(each),
    })),
    ...(maxFromMarket === undefined
      ? []
      : [
          {
            rule: 'max-from-market',
            code: 'RULE_MARKET',
            setting: settingOf.market(maxFromMarket),
            ask: askMarket(maxFromMarket),
          },
        ]),
    ...confirmAbove.map((each) => ({
      rule: 'confirm-above',
      code: 'RULE_CONFIRMATION',
      setting: settingOf.amount(each),
      ask: askConfirmation(each),
    })),
  ];
}

function askReadOnly({ effect }: Asked): RuleResult {
  if (effect === 'read') return NOT_APPLICABLE;
  return { result: 'blocks', detail: 'only reads are allowed' };
}

const askHours =
  (hours: readonly string[]) =>
  ({ effect, nowMs }: Asked): RuleResult => {
    if (effect === 'read') return NOT_APPLICABLE;
    const windows = hours.flatMap((each) => parseHours(each) ?? []);
    if (windows.some((each) => isWithin(each, nowMs))) return ALLOWS;
    return {
      result: 'blocks',
      detail: `changes are allowed ${hours.join(' and ')}, and it is ${lagosTime(nowMs)} in Lagos`,
    };
  };

function askIdempotencyKey({ effect, idempotencyKey }: Asked): RuleResult {
  if (effect !== 'money' || idempotencyKey === 'not-taken') return NOT_APPLICABLE;
  if (idempotencyKey === 'given') return ALLOWS;
  return {
    result: 'blocks',
    detail: 'a command that moves money needs an idempotency key',
    hint: 'add --once KEY, such as --once fees-{year}-{month}-{day}',
  };
}

const askDestinations =
  (rules: Rules) =>
  async ({ to }: Asked, facts: Facts): Promise<RuleResult> => {
    if (to.length === 0) return NOT_APPLICABLE;
    for (const each of to) {
      const detail = await notAllowed(rules, each, facts);
      if (detail !== undefined) return { result: 'blocks', detail };
    }
    return ALLOWS;
  };

/** A destination for people. */
function destinationText(to: Exclude<Destination, { kind: 'unknown' }>): string {
  if (to.kind === 'account') return `bank account ${accountText(to)}`;
  if (to.kind === 'saved-account') return `bank account ${to.accountId}`;
  if (to.kind === 'wallet-of') return `default wallet of user ${to.userId}`;
  return to.kind === 'address' ? `address ${to.address}` : `user ${to.userId}`;
}

/** Returns why no list allows a destination; undefined if one does. */
async function notAllowed(
  { accounts = [], addresses = [], users = [] }: Rules,
  to: Destination,
  { savedAccount, defaultWallet }: Facts,
): Promise<string | undefined> {
  const unless = (isAllowed: boolean, what: string) =>
    isAllowed ? undefined : `${what} is not an allowed destination`;
  const unlessAddress = (address: string, what: string) =>
    unless(
      addresses.some((each) => isSameAddress(each, address)),
      what,
    );
  switch (to.kind) {
    case 'unknown':
      return 'the request does not say where the money goes';
    case 'saved-account': {
      const account = await savedAccount(to.accountId);
      if (account === undefined) return `bank account ${to.accountId} could not be looked up`;
      return unless(accounts.includes(account), `bank account ${account}`);
    }
    case 'wallet-of': {
      const address = await defaultWallet(to.userId);
      if (address === null) return undefined;
      if (address === undefined) return `the default wallet of user ${to.userId} could not be looked up`;
      return unlessAddress(address, `address ${address}, the default wallet of user ${to.userId},`);
    }
    case 'account':
      return unless(accounts.includes(accountText(to)), destinationText(to));
    case 'address':
      return unlessAddress(to.address, destinationText(to));
    case 'user':
      return unless(users.includes(to.userId), destinationText(to));
  }
}

/** EVM addresses are equal in any case; others are not. */
function isSameAddress(one: string, other: string): boolean {
  const isEvm = /^0x/i.test(one);
  return isEvm ? one.toLowerCase() === other.toLowerCase() : one === other;
}

/** Whether a change spends what a limit of an asset counts, or may spend it without saying how much. */
const concerns = ({ moves }: Asked, asset: AmountRule['asset']): boolean =>
  moves !== undefined &&
  countedWith(asset).some((each) => countedOf(moves, each) || moves.unknownAssets.includes(each));

/** Returns what a change spends, or may at the worst, of what a limit of an asset counts. */
const countedOf = ({ amount, atWorst }: Moves, asset: Asset): Amount | undefined =>
  [...(amount ? [amount] : []), ...atWorst].find((each) => countedWith(asset).includes(each.asset));

const askAmount =
  (rule: AmountRule) =>
  async (asked: Asked, { spent }: Facts): Promise<RuleResult> => {
    const { per, asset, command } = rule;
    const isOfCommand = command === undefined || command === asked.command;
    if (!isOfCommand || !concerns(asked, asset)) return NOT_APPLICABLE;
    const unknown = unknownAmount(rule, asked);
    if (unknown) return unknown;
    const max = maxOf(rule);
    const amount = (asked.moves && countedOf(asked.moves, asset)) ?? { asset, minor: 0n };
    const millionths = millionthsOf(amount);
    if (per === 'call') return millionths <= millionthsOf(max) ? { ...ALLOWS, left: max } : aboveCall(max, amount);
    if (command !== undefined && !asked.isOfCommand)
      return {
        result: 'blocks',
        detail: `only fiatrail ${command} counts towards its sum`,
        hint: advice`use: [fiatrail ${command.split(' ')}]`,
      };
    const sum = { asset, period: per, ...(command === undefined ? {} : { command: `fiatrail ${command}` }) };
    const before = (await spent(sum)) - (asked.isRecorded ? millionths : 0n);
    const leftMillionths = millionthsOf(max) - (before > 0n ? before : 0n);
    const left = leftIn(asset, leftMillionths);
    const found = { left, limit: { ...sum, maxMinor: max.minor } };
    if (millionths <= leftMillionths) return { ...ALLOWS, ...found };
    return { result: 'blocks', ...found, detail: aboveSum(amount, left, found.limit) };
  };

const askMarket =
  (percent: string) =>
  async (_: Asked, { priced }: Facts): Promise<RuleResult> => {
    const found = await priced();
    if (!found) return NOT_APPLICABLE;
    const { price, market } = found;
    if (!price) return { result: 'blocks', detail: 'the price is not known before it is sent' };
    if (!market || market.minor === 0n)
      return {
        result: 'blocks',
        detail:
          'no market price is known: the book could not be read, or no one else has an order and the account has no trade',
        hint: advice`see the book with: [fiatrail fx book PAIR]`,
      };
    const far = farFromMarket(price, market, percentFromText(percent) ?? 0n);
    return far === undefined ? ALLOWS : { result: 'blocks', detail: far };
  };

/** The amount of a rule. One that cannot be read allows nothing. */
const maxOf = (rule: ConfirmRule): Amount => amountOfRule(rule) ?? { asset: rule.asset, minor: 0n };

function unknownAmount({ asset }: Pick<AmountRule, 'asset'>, { moves }: Asked): RuleResult | undefined {
  const unknownAsset = countedWith(asset).find((each) => moves?.unknownAssets.includes(each));
  if (unknownAsset === undefined) return undefined;
  return {
    result: 'blocks',
    detail: `the request does not say how much ${ASSET_LABEL[unknownAsset]} it may move`,
  };
}

function aboveCall(max: Amount, amount: Amount): RuleResult {
  const detail = `${amountForPeople(amount)} is above ${amountForPeople(max)} per call`;
  return { result: 'blocks', left: max, detail };
}

/** Says that an amount is above what is left of a day or month. */
function aboveSum(amount: Amount, left: Amount, { asset, period, maxMinor }: SpendLimit): string {
  const time = period === 'day' ? 'today' : 'this month';
  const max = amountForPeople({ asset, minor: maxMinor });
  return `${amountForPeople(amount)} is above the ${amountForPeople(left)} that is left of ${max} ${time}`;
}

const askConfirmation =
  (rule: ConfirmRule) =>
  (asked: Asked): RuleResult => {
    if (!asked.isLive || !concerns(asked, rule.asset)) return NOT_APPLICABLE;
    const amount = asked.moves && countedOf(asked.moves, rule.asset);
    const isAbove = amount !== undefined && millionthsOf(amount) > millionthsOf(maxOf(rule));
    if (!unknownAmount(rule, asked) && !isAbove) return ALLOWS;
    if (asked.isInteractive) return { ...ALLOWS, needsCode: true, detail: 'a code must be typed on the terminal' };
    return {
      result: 'blocks',
      detail: 'a code must be typed on a terminal, and there is none',
      hint: 'run the command on a terminal; --yes does not replace the code',
    };
  };

type OverLimit = Extract<Claim, { readonly kind: 'over-limit' }>;

/** The error for a change that another process's change left no room for, since the rules were asked. */
export function overLimit(profile: string, { limit, spentMillionths }: OverLimit, intent: LimitedIntent): CliError {
  const { asset, period, maxMinor } = limit;
  const left = leftIn(asset, millionthsOf({ asset, minor: maxMinor }) - spentMillionths);
  const why = aboveSum(countedIn(intent, asset) ?? { asset, minor: 0n }, left, limit);
  return new CliError(
    'declined',
    `rule ${limit.command === BY_AGENT ? 'agent-allowance' : `max-per-${period}`}: ${why}; nothing was sent`,
    {
      code: 'RULE_AMOUNT',
      hint: advice`show the rules with: [fiatrail profiles rules show ${profile}]`,
    },
  );
}
