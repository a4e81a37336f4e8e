import type { Profile } from '../account/profile.ts';
import type { World } from '../base/world.ts';
import { sha256Hex } from '../crypto/digest.ts';
import type { Account } from '../engine/account.ts';
import type { Guard } from '../engine/guard.ts';
import { createAccount } from '../engine/opening/open-account.ts';
import type { Outcome } from '../engine/outcome.ts';
import type { PlanMode } from '../engine/plans/change.ts';
import type { Plan } from '../engine/plans/plan.ts';
import type { IdempotencyKeyUse } from '../engine/rules/account-rules.ts';
import type { ChangePrompt, Changes, Checked } from '../engine/sending/change.ts';
import type { Globals } from './parse/globals.ts';
import { createDialog, createProgress } from './show/progress.ts';

/** How the command of a plan runs. */
type RunPlanned = { readonly kind: 'apply'; readonly waitMs: number | undefined } | { readonly kind: 'check' };

/** What a command runs other commands with. */
interface Running {
  /**
   * Runs another command line, for a command composed of commands, and returns its outcome. With `testsRules`, it ends where it
   * would send a request, with what the rules say about it.
   */
  runLine(argv: readonly string[], world: World, testsRules?: boolean): Promise<Outcome>;
  /**
   * Runs the command of a plan in a session that sends only what the plan says; `waitMs` is how long it waits, if it does. To check the
   * plan, it runs until it would send, and throws Checked.
   */
  runPlanned(session: Session, plan: Plan, how: RunPlanned): Promise<Outcome>;
}

/** What a command gets: the account, how it is changed, and the terminal on top of both. */
export interface Session extends Account, Changes, Running {
  readonly globals: Globals;
}

type SessionParts = Pick<Session, 'world' | 'globals' | 'commandLine' | 'inputName' | 'runLine' | 'runPlanned'> & {
  readonly profile: Profile;
};

/** Most commands ask nothing. */
const asking = () => import('./ask/confirm.ts');

export function createSession({ world, profile, globals, commandLine, inputName, ...running }: SessionParts): Session {
  const dialog = createDialog(world, globals);
  const progress = createProgress(world, globals, ['table', 'csv', 'ndjson'].includes(globals.present.format));
  const account = createAccount({
    ...{ ...dialog, profile, commandLine, inputName, progress },
    idempotencyKey: () => idempotencyKeyUse(changes),
  });
  const prompt: ChangePrompt = {
    isAsked: dialog.isInteractive && !globals.yes,
    confirm: async (change) => (await asking()).confirmRequest(dialog, profile, change),
    show: async (lines) => (await asking()).showPlanned(dialog, profile, lines),
  };
  const changes = createChanges(account, prompt, (plan) => checkPlan(session, plan));
  const session: Session = { ...account, ...changes, ...running, globals };
  return session;
}

/** Compares a plan with the account, as applying it does, and returns what was read. Throws CliError if anything is not as the plan says. */
export async function checkPlan(session: Session, plan: Plan): Promise<Checked['facts']> {
  const { Checked } = await import('../engine/sending/change.ts');
  try {
    await session.runPlanned(session, plan, { kind: 'check' });
  } catch (error) {
    if (error instanceof Checked) return error.facts;
    throw error;
  }
  throw new Error(`the command of a plan did not end where it would send: ${plan.content.words.join(' ')}`);
}

/** Whether a command has an idempotency key, for its rules. A plan is its own idempotency key. */
function idempotencyKeyUse({ guard, planMode }: Pick<Changes, 'guard' | 'planMode'>): IdempotencyKeyUse {
  const given = guard();
  if (!given) return 'not-taken';
  return given.idempotencyKey === undefined && !planMode() ? 'missing' : 'given';
}

/** Derives the service's idempotency key from ours: it does not reveal ours, and is the same on every host. */
function serviceIdempotencyKeyOf(key: string): string {
  return `fr-${sha256Hex(`fiatrail once ${key}`).slice(0, 32)}`;
}

/** Makes the changes of a command. How a change is made is loaded with the first one, as most commands only read. */
function createChanges(
  account: Account,
  asking: ChangePrompt,
  check: (plan: Plan) => Promise<Checked['facts']>,
): Changes {
  let guard: Guard | undefined;
  let mode: PlanMode | undefined;
  const changes: Changes = {
    guardWith: (given) => {
      const kind = mode?.kind ?? 'write';
      if (guard === undefined || kind === 'write') guard = given;
    },
    guard: () => guard,
    serviceIdempotencyKey: () => {
      // The request of a plan contains the key, so it cannot come from the plan's hash.
      if (mode) return serviceIdempotencyKeyOf(`plan ${mode.kind === 'write' ? mode.id : mode.plan.content.id}`);
      return guard?.idempotencyKey === undefined ? undefined : serviceIdempotencyKeyOf(guard.idempotencyKey);
    },
    planWith: (given) => {
      mode = given;
    },
    planMode: () => mode,
    asPlanned: async (change, check) =>
      mode && (await import('../engine/sending/change.ts')).asPlanned(account, asking, mode, change, check),
    retry: async (operation, waitMs, isRerun) => {
      const { retry, retryOfRerun } = await import('../engine/sending/retry.ts');
      const plan = guard?.plan;
      const requirePlan = plan && (() => check(plan));
      return (isRerun ? retryOfRerun : retry)(account, operation, { asking, requirePlan, waitMs });
    },
    change: async (endpoint, input, change, options = {}) =>
      (await import('../engine/sending/change.ts')).changeOf(account, asking, changes, {
        endpoint,
        input,
        change,
        options,
      }),
  };
  return changes;
}
