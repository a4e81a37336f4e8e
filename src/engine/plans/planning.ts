import type { Profile } from '../../account/profile.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import type { Agreed, PlanMode, PlannedChange, PlanningSession, PlanToApply } from './change.ts';
import type { ListSession, OperatorList } from './operator-list.ts';
import type { SessionRules } from '../rules/session-rules.ts';
import { accountLine } from '../../terminal/ask/confirm.ts';
import type { Dialog } from '../../terminal/show/dialog.ts';
import { DryRun } from '../dry-run.ts';
import { printLines } from '../../terminal/show/lines.ts';
import { Checked } from './checked.ts';

/** What a session does with its change, if a plan is written, checked or applied, and who signs for its account. */
export interface Planning {
  /** Writes a plan instead of sending the change, or sends only what a plan says. */
  planWith(mode: PlanMode): void;
  /** What `planWith` set. */
  planMode(): PlanMode | undefined;
  /**
   * Does with a change what `planWith` said: ends the command if it only writes or checks a plan, after `check` found that the change may
   * be made. Returns the change of a plan that is applied; undefined without a plan. Throws CliError.
   */
  asPlanned(
    change: PlannedChange,
    check: () => Promise<unknown>,
  ): Promise<{ readonly agreed: Agreed; readonly applied: PlanToApply } | undefined>;
  /** Who signs for this account. The user is told once if a change of it is pending. */
  operators(): Promise<OperatorList>;
}

interface Parts extends Dialog, Omit<PlanningSession, 'profile' | 'operators'>, ListSession {
  readonly profile: Profile;
  readonly rules: SessionRules;
}

/** Makes the part of a session that knows plans; the session is read only when it is used. */
export function createPlanning(session: () => Parts) {
  let mode: PlanMode | undefined;
  let unread: unknown;
  let isTold = false;
  const operators = async () => {
    const { operatorListOf, pendingForPeople } = await import('./operator-list.ts');
    const list = await operatorListOf(session());
    if (list.pending && !isTold) await session().say(`warning: ${pendingForPeople(list.pending)}`);
    isTold ||= list.pending !== null;
    return list;
  };
  const planning: Planning = {
    planWith: (given) => {
      mode = given;
    },
    planMode: () => mode,
    asPlanned: async (change, check) => {
      if (!mode) return undefined;
      const { world, profile, globals, note } = session();
      const { agreedChange, writePlan } = await import('./change.ts');
      const readPreviews = async () => {
        unread = undefined;
        const lines = await change.readPreviews();
        // A confirmation leaves out what cannot be read; a plan must not.
        if (unread !== undefined) throw unread;
        return lines;
      };
      const planned = { ...change, readPreviews };
      if (mode.kind === 'write') {
        await check();
        const { result, shown } = await writePlan({ ...session(), operators }, mode, planned);
        await printLines(world, note, [accountLine(profile), ...shown]);
        await note(
          'nothing was sent; others sign the plan with "fiatrail ops sign", and "fiatrail ops apply" sends it',
        );
        throw new DryRun(result);
      }
      const agreed = await agreedChange(mode, planned, globals.dryRun);
      if (mode.kind === 'apply') return { agreed, applied: mode };
      await check();
      throw new Checked({ ...agreed, rules: await planned.rulesMet() });
    },
    operators,
  };
  return {
    ...planning,
    /** Notes that a read failed, which a preview may leave out. */
    noteUnread: (error: unknown) => {
      unread ??= error;
    },
    /** Returns the rules that a request meets on this machine, a sentence each. */
    rulesMet: async (endpoint: Endpoint, input: unknown) => {
      const { signLimits, signRulesMet } = await import('./sign-above.ts');
      const limits = signLimits(session().profile, await operators());
      return [...signRulesMet(limits, endpoint, input), ...(await session().rules.met(endpoint, input))];
    },
  };
}
