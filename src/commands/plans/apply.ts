import { CliError } from '../../base/errors.ts';
import type { Account } from '../../engine/account.ts';
import { requireOneJournal } from '../../engine/evidence/applied.ts';
import { FILES } from '../../engine/plans/approver-list.ts';
import { command } from '../../terminal/command.ts';
import { waitOption } from '../../terminal/parse/field-options.ts';
import { duration, type Parameter } from '../../terminal/parse/parameters.ts';
import { type NamedPlan, planArgument, planNamed, requireOpen } from './named.ts';

/** How often a job that waits reads the journal. */
const POLL_MS = 5_000;

/** `--when-approved [duration]`, in milliseconds; Infinity until the plan expires; undefined when not given. */
const whenApproved: Parameter<number | undefined> = {
  kind: 'option',
  name: '--when-approved [duration]',
  help: 'wait until the plan is approved, up to this long (default: until it expires)',
  required: false,
  parse: (text) => (text === undefined ? Number.POSITIVE_INFINITY : duration(text)),
};

/** Waits until a plan is approved, and returns it. Throws CliError if it ends otherwise, or not in time. */
async function approvedPlan(account: Account, given: string, waitMs: number): Promise<NamedPlan> {
  const { requireUnexpired } = await import('../../engine/plans/plan.ts');
  const { reviewOf } = await import('../../engine/plans/queue.ts');
  const { signersOf } = await import('../../engine/plans/signatures.ts');
  const { clock, interrupted } = account.world;
  const untilMs = clock.now() + waitMs;
  for (let isFirst = true; ; isFirst = false) {
    const signers = await signersOf(account);
    const named = await planNamed(account, given, signers);
    const nowMs = await account.time.nowMs();
    const { status, problem } = await reviewOf(account, named, signers, nowMs);
    if (problem) throw problem;
    if (status === 'approved' || status === 'applied' || status === 'applied-in-part') return named;
    await requireOpen(named);
    requireUnexpired(named.plan, nowMs);
    const leftMs = untilMs - clock.now();
    if (leftMs <= 0)
      throw new CliError('pending', 'the plan was not approved in time; nothing was sent', {
        code: 'PLAN_WAITING',
        hint: 'run the command again, or wait longer: --when-approved 2h',
      });
    if (isFirst) await account.notices.note(`waiting for the approval of plan ${named.name}`);
    await clock.sleep(Math.min(POLL_MS, leftMs), interrupted).catch(() => {
      throw new CliError('interrupted', 'interrupted while the plan waited for its approval; nothing was sent');
    });
  }
}

/** Throws CliError declined unless a plan moves money: an agent has none of the others applied, whoever approved it. */
async function requireMoney({ content: { endpoint } }: NamedPlan['plan']): Promise<void> {
  const [{ directory }, { createLoader }] = await Promise.all([
    import('../../contract/directory.ts'),
    import('../../contract/load.ts'),
  ]);
  const entry = directory.find(({ id }) => id === endpoint);
  // Its rows do; it needs an approval before an agent opens it.
  if (endpoint === FILES) return;
  if (entry && (await createLoader()(entry)).effect === 'money') return;
  throw new CliError('declined', 'an agent can apply only a plan that moves money; nothing was changed', {
    code: 'NOT_FOR_AGENTS',
    hint: 'have a person apply it',
  });
}

export const applyCommand = command({
  words: ['plans', 'apply'],
  summary: 'Send exactly what a plan says, once',
  details:
    'Checks the plan and its approvals, reads the fees, the destination and the balance again, and exits with 9 if they changed or the balance is too low. Then it asks for confirmation and sends the request. Applying a plan again sends nothing and prints what was recorded. With --when-approved, it first waits for the approval of a second person: it exits with 8 if that takes longer, and with 9 if the plan is rejected or withdrawn, or expires. A machine with a separate journal does not know that the plan was applied: it looks for the plan’s tag in the service’s list, if the request has a tag. With two approvers, it therefore needs a shared journal, or profiles journal set --sole-host.',
  examples: [
    'fiatrail plans apply PLAN_ID',
    'fiatrail plans apply plan.json --yes --wait -o json',
    'fiatrail plans apply PLAN_ID --when-approved 8h --yes',
  ],
  endpoints: [],
  parameters: {
    named: planArgument,
    whenApproved,
    wait: waitOption,
  },
  run: async (account, terminal, { named: given, whenApproved: approvalMs, wait }) => {
    const { signersOf } = await import('../../engine/plans/signatures.ts');
    const named =
      approvalMs === undefined
        ? await planNamed(account, given, await signersOf(account))
        : await approvedPlan(account, given, approvalMs);
    await requireOpen(named);
    if (account.globals.agent !== undefined) await requireMoney(named.plan);
    await requireOneJournal(account, named.plan);
    return terminal.runs.planned(account, terminal, named.plan, { kind: 'apply', waitMs: wait });
  },
});
