import type { Profile } from '../../account/profile.ts';
import type { CliError } from '../../base/errors.ts';
import type { World } from '../../base/world.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import type { MoveTerms } from '../../contract/moves.ts';
import type { SpendLimit } from '../../journal/intent.ts';
import type { Operation } from '../../journal/operations.ts';
import type { Amount } from '../../money/amount.ts';
import { existingJournal } from '../connection/journal-location.ts';
import type { RuleAccount } from './check.ts';
import type { Asked, RuleSet, RuleVerdict } from './verdicts.ts';

/** Whether a command has an idempotency key, if it takes one. */
export type IdempotencyKeyUse = Asked['idempotencyKey'];

/** What a request does not say itself. */
interface Circumstances {
  /** What the request only refers to. */
  readonly terms?: MoveTerms | undefined;
  /** Of the command that makes it; `not-taken` if left out. */
  readonly idempotencyKey?: IdempotencyKeyUse | undefined;
}

interface RequiredCircumstances extends Circumstances {
  /** What a code that a rule wants is asked for: given right before the change is recorded. */
  readonly codeFor?: string | undefined;
  /** The operation of a request that is sent again, which the sums already have. */
  readonly recorded?: Pick<Operation, 'command'>;
}

/** How a command asks the rules of its account. Without rules, nothing is loaded. */
export interface AccountRules {
  /** Throws CliError declined if a rule does not allow a change. Returns the sums that the journal must check when it records it. */
  require(endpoint: Endpoint, input: unknown, around?: RequiredCircumstances): Promise<readonly SpendLimit[]>;
  /**
   * Checks what is known of a money command before it asks for anything. With an idempotency key, it does nothing: what was done under the
   * key is reported whatever the rules say, and any other change meets them later. Throws CliError declined.
   */
  requireForMoney(hasIdempotencyKey: boolean): Promise<void>;
  /** Returns what agents may send in a day without an approval, by the profile and by what hosts share; empty if nothing. */
  agentAllowances(): Promise<readonly Amount[]>;
  /** Returns the rules that a request meets, a text each, for a plan to record. */
  met(endpoint: Endpoint, input: unknown, around?: Circumstances): Promise<readonly string[]>;
  /** Returns what asks the rules of one request after the other, as if those before had been sent; undefined if there are no rules. */
  overRows(command: string): Promise<RowRules | undefined>;
  /** Returns what each rule says about a request, if the command line is only tested. */
  tested(endpoint: Endpoint, input: unknown, around?: Circumstances): Promise<readonly RuleVerdict[] | undefined>;
}

/** Asks the rules of a row. Returns the error of the first rule that blocks it. */
type RowRules = (endpoint: Endpoint, input: unknown) => Promise<CliError | undefined>;

/** What asking rules needs of an account. */
type RuledAccount = Omit<RuleAccount, 'profile' | 'world' | 'idempotencyKey'> & {
  readonly world: World;
  readonly profile: Pick<Profile, 'name' | 'mode' | 'stored'>;
  readonly globals: { readonly dryRun: boolean; readonly testsRules?: boolean };
};

/** Makes the rules of an account, which is read only when they are asked. */
export function rulesOf(account: () => RuledAccount): AccountRules {
  const askedWith = (idempotencyKey: IdempotencyKeyUse = 'not-taken') => ({ ...account(), idempotencyKey });
  const asked = async (endpoint: Endpoint, input: unknown, { terms, idempotencyKey }: Circumstances = {}) => {
    const sets = await ruleSetsOf(account());
    if (sets.length === 0) return [];
    return (await import('./check.ts')).verdictsFor(askedWith(idempotencyKey), sets, { endpoint, input, terms });
  };
  return {
    require: async (endpoint, input, { codeFor, terms, recorded, idempotencyKey } = {}) => {
      const sets = await ruleSetsOf(account());
      if (sets.length === 0) return [];
      const own = askedWith(idempotencyKey);
      const asking = recorded ? { ...own, command: { line: recorded.command } } : own;
      const request = { endpoint, input, terms, isRecorded: recorded !== undefined };
      return (await import('./check.ts')).requireRules(asking, sets, request, codeFor);
    },
    requireForMoney: async (hasIdempotencyKey) => {
      const { profile, globals } = account();
      // A dry run sends nothing.
      if (!profile.stored?.rules || globals.dryRun || hasIdempotencyKey) return;
      await (await import('./check.ts')).requireMoneyRules(askedWith('missing'), ownSet(profile));
    },
    agentAllowances: async () => {
      const { amountOfRule } = await import('../../account/rules.ts');
      const sets = await ruleSetsOf(account());
      return sets.flatMap(({ rules: { agentAllowance } }) => (agentAllowance && amountOfRule(agentAllowance)) ?? []);
    },
    met: async (endpoint, input, around) => {
      const verdicts = await asked(endpoint, input, around);
      return verdicts.flatMap(({ result, rule, setting }) => (result === 'allows' ? [`${rule} ${setting}`] : []));
    },
    overRows: async (command) => {
      const sets = await ruleSetsOf(account());
      if (sets.length === 0) return undefined;
      const asking = { ...askedWith('given'), command: { line: `fiatrail ${command}` } };
      return (await import('./check.ts')).rowRules(asking, sets);
    },
    tested: async (endpoint, input, around) =>
      account().globals.testsRules === true ? asked(endpoint, input, around) : undefined,
  };
}

const ownSet = ({ stored }: Pick<Profile, 'stored'>): readonly RuleSet[] =>
  stored?.rules ? [{ from: 'profile', rules: stored.rules }] : [];

/** Returns the rules of the profile, and those that hosts share. An embedded sandbox is nobody else's, so only its own rules count. */
async function ruleSetsOf(account: RuledAccount): Promise<readonly RuleSet[]> {
  const { profile } = account;
  const own = ownSet(profile);
  if (profile.mode === 'embedded') return own;
  const text = await (await existingJournal(account))?.shared('rules');
  if (text === undefined) return own;
  const { parseSharedRules } = await import('../../account/rules.ts');
  return [...own, { from: 'journal', rules: parseSharedRules(text) }];
}
