import type { Rules } from '../../account/rules.ts';
import type { MoveTarget } from '../../contract/endpoint.ts';
import { endpoints } from '../../contract/endpoints/index.ts';
import { assetsOf } from '../../contract/moves.ts';
import { type Asset, countedWith } from '../../money/amount.ts';
import { settingOf } from './verdicts.ts';

/** A command that moves money or decides where it goes, as rows of the contract describe it. */
interface RuledCommand {
  readonly command: string;
  /** With the flag that makes it another request: `swaps create --wallet`. */
  readonly name: string;
  /** Whether it trades at a price. */
  readonly isPriced: boolean;
  /** What amounts of rules count; empty if it spends nothing. */
  readonly assets: readonly Asset[];
  readonly to: readonly MoveTarget[];
  /** Whether it has a destination only with a certain flag. */
  readonly mayStay: boolean;
}

/** Returns every command that amounts or destinations of rules may hold, once. */
export function ruledCommands(): readonly RuledCommand[] {
  const all = new Map<string, RuledCommand>();
  for (const endpoint of endpoints) {
    const { moves, redirects } = endpoint;
    const row = moves ?? redirects;
    const mayStay = redirects?.unless?.isOneOf.includes(undefined) === true;
    if (!row) continue;
    const name = [row.command, moves?.flag].filter(Boolean).join(' ');
    all.set(name, {
      command: row.command,
      name,
      isPriced: moves?.gives !== undefined,
      assets: assetsOf(endpoint),
      to: row.to,
      mayStay,
    });
  }
  return [...all.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** The rules that hold a command. */
interface CommandRules {
  /** With its flag, if that makes it another request. */
  readonly command: string;
  /** The rules that count its amount: `max-per-day NGN 2000000`. */
  readonly amounts: readonly string[];
  /** The assets that it may spend and no amount of a rule counts. */
  readonly unlimited: readonly Asset[];
  /** The lists that its destinations must be in; empty if there is no list, or its money stays with the account. */
  readonly destinations: readonly string[];
  /** Whether the lists allow none of its destinations. */
  readonly stops: boolean;
  /** The rules that hold whatever it moves: `hours`; and its price, if it has one: `max-from-market`. */
  readonly others: readonly string[];
}

/** Returns the rules that hold each command. */
export const rulesByCommand = (sets: readonly Rules[]): readonly CommandRules[] =>
  ruledCommands().map(({ command, name, isPriced, assets, to, mayStay }) => {
    const limits = sets
      .flatMap(limitsIn)
      .filter((limit) => limit.command === undefined || limit.command === command)
      .filter(({ asset }) => countedWith(asset).some((each) => assets.includes(each)));
    return {
      command: name,
      amounts: limits.map(({ rule, ...limit }) => `${rule} ${settingOf.amount(limit)}`),
      unlimited: assets.filter((asset) => !limits.some((limit) => countedWith(limit.asset).includes(asset))),
      destinations: sets.some(hasLists) ? [...new Set(to.flatMap(listsOf))].sort() : [],
      stops: !mayStay && sets.some((rules) => hasLists(rules) && to.some((target) => isStopped(rules, target))),
      others: sets.flatMap((rules) => othersIn(rules, isPriced)),
    };
  });

const limitsIn = ({ amounts = [], confirmAbove = [] }: Rules) => [
  ...amounts.map((each) => ({ ...each, rule: `max-per-${each.per}` })),
  ...confirmAbove.map((each) => ({ ...each, command: undefined, rule: 'confirm-above' })),
];

const hasLists = ({ accounts, addresses, users }: Rules) => (accounts ?? addresses ?? users) !== undefined;

const othersIn = ({ readOnly, hours, requireOnce, maxFromMarket }: Rules, isPriced: boolean) => [
  ...(readOnly ? ['read-only'] : []),
  ...(hours ? ['hours'] : []),
  ...(requireOnce ? ['require-once'] : []),
  ...(isPriced && maxFromMarket !== undefined ? ['max-from-market'] : []),
];

/** Returns the lists of which one must have a destination. None has what the request does not say. */
function listsOf(target: MoveTarget): readonly ListName[] {
  if (target === 'unknown') return [];
  if ('bankCode' in target || 'savedAccount' in target) return ['allow-account'];
  if ('user' in target) return ['allow-user'];
  return ['allow-address', ...('orUser' in target ? (['allow-user'] as const) : [])];
}

type ListName = 'allow-account' | 'allow-address' | 'allow-user';

/** Whether every request of a target stops, because no list that could allow it has an entry. */
function isStopped({ accounts = [], addresses = [], users = [] }: Rules, target: MoveTarget): boolean {
  if (target !== 'unknown' && ('walletOf' in target || ('isOptional' in target && target.isOptional))) return false;
  const entries = { 'allow-account': accounts, 'allow-address': addresses, 'allow-user': users };
  return listsOf(target).every((list) => entries[list].length === 0);
}

/** What holds a command, for people. */
export function commandRulesForPeople({ command, amounts, unlimited, destinations, stops, others }: CommandRules) {
  const isHeld = amounts.length + destinations.length + others.length > 0 || stops;
  const gaps = unlimited.length > 0 ? ` (not ${unlimited.join(', ')})` : '';
  const noAmount = unlimited.length > 0 ? 'not limited' : 'spends nothing';
  return {
    command,
    amount: isHeld ? (amounts.length > 0 ? amounts.join('; ') + gaps : noAmount) : 'no rule',
    destination: stops ? 'always stops' : destinations.join(', ') || '—',
    others: others.join(', ') || '—',
  };
}
