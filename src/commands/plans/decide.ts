import { ownApprover } from '../../account/approvers.ts';
import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import type { Account } from '../../engine/account.ts';
import type { Decision } from '../../engine/plans/acts.ts';
import { approversOf } from '../../engine/plans/approver-list.ts';
import { endDryRun } from '../../engine/requests.ts';
import { command } from '../../terminal/command.ts';
import { plainText, required } from '../../terminal/parse/parameters.ts';
import {
  type NamedPlan,
  planArgument,
  planNamed,
  plannedSchema,
  recorded,
  requireApprover,
  requireOpen,
  requireUnapplied,
  shownNow,
} from './named.ts';

/** Longer than a reason that people read. */
const MOST_CHARACTERS = 500;

/** Parses why a plan ends. Throws CliError usage. */
function reasonText(text: string): string {
  const reason = plainText(text).trim();
  if (reason !== '' && reason.length <= MOST_CHARACTERS) return reason;
  const message =
    reason === ''
      ? 'the reason is empty'
      : `the reason has ${reason.length} characters; the maximum is ${MOST_CHARACTERS}`;
  throw new CliError('usage', message, { hint: 'say why in a few words' });
}

const REASON = required('--reason <text>', 'why, for everyone who sees the plan', reasonText, 'Why?');

/** Throws CliError declined if somebody takes back a plan that another person wrote, or rejects their own. */
function requirePerson({ world }: Account, act: Decision, { plan }: NamedPlan, ownKey: string | undefined): void {
  const { approver, user, host } = plan.content.author;
  const isAuthor = approver ? approver.publicKey === ownKey : user === world.host.user && host === world.host.name;
  if (isAuthor === (act === 'withdrawn')) return;
  throw new CliError(
    'declined',
    isAuthor ? 'you wrote this plan; nothing was changed' : 'someone else wrote this plan; nothing was changed',
    {
      code: isAuthor ? 'REJECTED_BY_AUTHOR' : 'WITHDRAWN_BY_OTHER',
      hint: isAuthor
        ? advice`take it back with: [fiatrail plans withdraw]`
        : advice`an approver rejects it with: [fiatrail plans reject]`,
    },
  );
}

/** Records a decision that ends a plan, and tells whom the profile names. */
async function decide(account: Account, act: Decision, given: string, reason: string) {
  const { decisionOf, runner } = await import('../../engine/plans/acts.ts');
  const { notifyOfPlan } = await import('../../engine/plans/notify.ts');
  const { requireUnexpired } = await import('../../engine/plans/plan.ts');
  const { withCounting } = await import('../../engine/plans/queue.ts');
  const { signersOf } = await import('../../engine/plans/signatures.ts');
  const { world, profile } = account;
  await approversOf(account);
  const signers = await signersOf(account);
  const named = await planNamed(account, given, signers);
  const { plan } = named;
  if (named.path !== undefined)
    throw new CliError('usage', `${named.path} is a file, which only the journal could end; nothing was changed`, {
      hint: 'delete the file, and its copies; plans that --plan writes without a file can be rejected and withdrawn',
    });
  await requireOpen(named, 'changed');
  const own =
    act === 'rejected'
      ? await requireApprover(account, signers, 'changed')
      : await ownApprover(signers.list.approvers, profile, world);
  requirePerson(account, act, named, own?.publicKey);
  requireUnexpired(plan, await account.time.nowMs());
  await requireUnapplied(account, named, 'changed');
  endDryRun(account, { ...(await shownNow(account, named, signers)).data, reason });
  const by = runner(world, plan.content.author.approver || act === 'rejected' ? own : undefined);
  const decision = await decisionOf(plan, act, {
    by,
    own: by.approver ? own : undefined,
    reason,
    nowMs: await account.time.nowMs(),
  });
  const queued = await recorded(account, named, decision, async (now) => {
    await requireOpen(now, 'changed');
    await requireUnapplied(account, now, 'changed');
  });
  await cancelFile(account, plan);
  await notifyOfPlan(account, plan, { status: act, by, reason });
  return { result: await shownNow(account, { ...named, ...withCounting(queued, signers) }, signers) };
}

/** Cancels the file whose plan has ended, so that its references can be used again. */
async function cancelFile(account: Account, plan: NamedPlan['plan']): Promise<void> {
  const { fileKeyOf } = await import('../../engine/plans/queue.ts');
  const key = fileKeyOf(plan);
  if (key === undefined) return;
  const { files } = await account.journal();
  const file = await files.find(await account.accountNames(), key);
  if (file?.plan?.id === plan.content.id && file.state === 'planned') await files.setState(file, 'cancelled');
}

const parameters = { named: planArgument, reason: REASON };

export const rejectCommand = command({
  words: ['plans', 'reject'],
  summary: 'Reject a plan that someone else wrote',
  details:
    'Ends a plan of the journal for good: no one can approve or apply it any more, even if someone approved it before. Your signature and your reason go into the journal. You need an approver key. Exits with 9 if the plan was applied, has expired, or was decided already.',
  examples: ['fiatrail plans reject PLAN_ID --reason "wrong supplier"'],
  endpoints: [],
  prints: plannedSchema,
  parameters,
  run: (account, _terminal, { named, reason }) => decide(account, 'rejected', named, reason),
});

export const withdrawCommand = command({
  words: ['plans', 'withdraw'],
  summary: 'Withdraw a plan that you wrote',
  details:
    'Ends a plan of the journal for good: no one can approve or apply it any more. If you had an approver key when you wrote it, the same key must sign this. Exits with 9 if the plan was applied, has expired, or was decided already.',
  examples: ['fiatrail plans withdraw PLAN_ID --reason "paid by hand"'],
  endpoints: [],
  prints: plannedSchema,
  parameters,
  run: (account, _terminal, { named, reason }) => decide(account, 'withdrawn', named, reason),
});
