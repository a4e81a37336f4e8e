import { CliError } from '../../base/errors.ts';
import type { Account } from '../../engine/account.ts';
import { approversOf } from '../../engine/plans/approver-list.ts';
import type { PlannedChange, PlanToApply } from '../../engine/plans/change.ts';
import { requireSignatures } from '../../engine/plans/signatures.ts';
import { asPlanned } from '../../engine/sending/change.ts';
import { authorityOf, claimOf } from '../../engine/sending/send.ts';
import { recordSetting } from '../../engine/sending/setting.ts';
import type { SharedChange } from '../../journal/interface.ts';
import { confirmChange } from '../../terminal/ask/confirm.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { iso } from './period.ts';

/** What a person decides about the books of an account. Nothing is sent: the journal records it, for all hosts that share it. */
export interface BookDecision extends Pick<PlannedChange, 'summary' | 'lines'> {
  /** What it is in place of an endpoint. Its request has a field for each of `input`: what nobody declares may be a secret. */
  readonly endpoint: PlannedChange['endpoint'];
  /** What is decided, as a plan states it: the plan of something else does not fit. */
  readonly input: Readonly<Record<string, unknown>>;
  /** What the journal records beside it: the period. */
  readonly period: { readonly since: string; readonly until: string };
  /** What it changes in the journal, and what must stand there for it to be right; `who` is `ada on web-1`. */
  changes(who: string, at: string): readonly SharedChange[];
  /** What must stand in the journal besides, and does not change. */
  readonly unchanged?: readonly Omit<SharedChange, 'text'>[];
}

/** Records a decision in the journal: who made it and why, and what holds from now on. Throws CliError usage if another one was faster. */
async function record(
  account: Account,
  terminal: Terminal,
  { endpoint, input, period, summary, ...decision }: BookDecision,
  applied: PlanToApply | undefined,
): Promise<void> {
  const { profile, world } = account;
  const { name, mode, baseUrl } = profile;
  const guard = terminal.consent.guard;
  const author = applied?.plan.content.author ?? { user: world.host.user, host: world.host.name };
  const changes = decision.changes(`${author.user} on ${author.host}`, iso(await account.time.nowMs()));
  const setting = {
    account: await account.accountNames(),
    profile: name,
    mode,
    baseUrl,
    endpoint: endpoint.id,
    summary,
    request: JSON.stringify({ ...period, ...input }),
    // What was decided may be taken back, and then be decided again.
    input: guard?.input ?? JSON.stringify([account.command.line, changes]),
    idempotencyKey: guard?.idempotencyKey,
    authority: applied && (await authorityOf(applied)),
    plan: applied && (await claimOf(account, applied)),
  };
  await recordSetting(account, setting, async () => {
    if (await (await account.journal()).changeShared(changes, decision.unchanged)) return;
    throw new CliError('usage', 'another command changed this in the meantime; nothing was changed', {
      code: 'CONFIG_CHANGED',
      hint: 'run the command again',
    });
  });
}

/** Makes a decision, or the plan of one. Where there are two approvers, one of them who is not the one who asks must approve it. */
export async function decide(account: Account, terminal: Terminal, decision: BookDecision): Promise<void> {
  const { endpoint, input, summary, lines } = decision;
  const list = await approversOf(account);
  const planned = await asPlanned(
    account,
    terminal.consent,
    {
      endpoint,
      input,
      summary,
      lines,
      tag: undefined,
      rulesMet: async () => [],
      readPreviews: async () => [],
    },
    async () => {},
  );
  const applied = planned?.applied;
  if (list.needsAnother) requireSignatures(list, `a second person must approve, to ${summary}`, applied, 'changed');
  await confirmChange(terminal.dialog, { summary, lines: planned?.agreed.lines ?? lines });
  if (applied) (await import('../../engine/plans/plan.ts')).requireUnexpired(applied.plan, await account.time.nowMs());
  await record(account, terminal, decision, applied);
}
