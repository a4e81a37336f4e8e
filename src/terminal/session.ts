import type { Profile } from '../account/profile.ts';

import type { World } from '../base/world.ts';
import type { Account } from '../engine/account.ts';
import type { Changes } from '../engine/change.ts';
import { createChanges, idempotencyKeyUse } from '../engine/changes.ts';
import { createAccount } from '../engine/open-account.ts';
import type { Outcome } from '../engine/outcome.ts';
import type { Plan } from '../engine/plans/plan.ts';
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
  const changes = createChanges(account, {
    isAsked: dialog.isInteractive && !globals.yes,
    confirm: async (effect, change) => (await asking()).confirmRequest(dialog, profile, effect, change),
    show: async (lines) => (await asking()).showPlanned(dialog, profile, lines),
  });
  return { ...account, ...changes, ...running, globals };
}
