import type { Profile } from '../../account/profile.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import type { MoveTerms } from '../../contract/moves.ts';
import type { SpendLimit } from '../../journal/intent.ts';
import type { Journal } from '../../journal/interface.ts';
import type { Operation } from '../../journal/operations.ts';
import type { RuleSession } from './check.ts';
import type { Asked, RuleSet, RuleVerdict } from './verdicts.ts';

/** Whether a command has an idempotency key, if it takes one. */
export type IdempotencyKeyUse = Asked['idempotencyKey'];

/** How a command asks the rules of its account. Without rules, nothing is loaded. */
export interface AccountRules {
  /**
   * Throws CliError declined if a rule does not allow a change. Returns the sums that the journal must check when it records it.
   * With `codeFor`, right before that, also asks for the code that a rule wants. `terms`: what the request only refers to. `recorded`: the
   * operation of a request that is sent again, which the sums already have.
   */
  require(
    endpoint: Endpoint,
    input: unknown,
    codeFor?: string,
    terms?: MoveTerms,
    recorded?: Pick<Operation, 'command'>,
  ): Promise<readonly SpendLimit[]>;
  /**
   * Checks what is known of a money command before it asks for anything. With an idempotency key, it does nothing: what was done under the
   * key is reported whatever the rules say, and any other change meets them later. Throws CliError declined.
   */
  requireForMoney(hasIdempotencyKey: boolean): Promise<void>;
  /** Returns the rules that a request meets, a text each, for a plan to record. */
  met(endpoint: Endpoint, input: unknown, terms?: MoveTerms): Promise<readonly string[]>;
  /** Returns what each rule says about a request, if the command line is only tested. */
  tested(endpoint: Endpoint, input: unknown, terms?: MoveTerms): Promise<readonly RuleVerdict[] | undefined>;
}

/** What asking rules needs of an account. */
type RuledSession = Omit<RuleSession, 'profile'> & {
  readonly profile: Pick<Profile, 'name' | 'mode' | 'stored'>;
  readonly globals: { readonly dryRun: boolean; readonly testsRules?: boolean };
  existingJournal(): Promise<Journal | undefined>;
};

/** Makes the rules of an account, which is read only when they are asked. */
export function rulesOf(account: () => RuledSession): AccountRules {
  const asked = async (endpoint: Endpoint, input: unknown, terms?: MoveTerms): Promise<readonly RuleVerdict[]> => {
    const sets = await ruleSetsOf(account());
    if (sets.length === 0) return [];
    return (await import('./check.ts')).verdictsFor(account(), sets, { endpoint, input, terms });
  };
  return {
    require: async (endpoint, input, codeFor, terms, recorded) => {
      const sets = await ruleSetsOf(account());
      if (sets.length === 0) return [];
      const asked = recorded ? { ...account(), commandLine: recorded.command } : account();
      const request = { endpoint, input, terms, isRecorded: recorded !== undefined };
      return (await import('./check.ts')).requireRules(asked, sets, request, codeFor);
    },
    requireForMoney: async (hasIdempotencyKey) => {
      const { profile, globals } = account();
      // A dry run sends nothing.
      if (!profile.stored?.rules || globals.dryRun || hasIdempotencyKey) return;
      await (await import('./check.ts')).requireMoneyRules(
        { ...account(), idempotencyKey: 'missing' },
        ownSet(profile),
      );
    },
    met: async (endpoint, input, terms) => {
      const verdicts = await asked(endpoint, input, terms);
      return verdicts.flatMap(({ result, rule, setting }) => (result === 'holds' ? [`${rule} ${setting}`] : []));
    },
    tested: async (endpoint, input, terms) =>
      account().globals.testsRules === true ? asked(endpoint, input, terms) : undefined,
  };
}

const ownSet = ({ stored }: Pick<Profile, 'stored'>): readonly RuleSet[] =>
  stored?.rules ? [{ from: 'profile', rules: stored.rules }] : [];

/** Returns the rules of the profile, and those that hosts share. An embedded sandbox is nobody else's, so only its own rules count. */
async function ruleSetsOf({ profile, existingJournal }: RuledSession): Promise<readonly RuleSet[]> {
  const own = ownSet(profile);
  if (profile.mode === 'embedded') return own;
  const text = await (await existingJournal())?.shared('rules');
  if (text === undefined) return own;
  const { parseSharedRules } = await import('../../account/rules.ts');
  return [...own, { from: 'journal', rules: parseSharedRules(text) }];
}
