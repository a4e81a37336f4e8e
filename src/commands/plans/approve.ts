import type { OwnApprover } from '../../account/approvers.ts';
import { advice } from '../../base/advice.ts';
import { CliError, withDetails } from '../../base/errors.ts';
import type { Account } from '../../engine/account.ts';
import { appliedTwice } from '../../engine/evidence/applied.ts';
import { approversOf } from '../../engine/plans/approver-list.ts';
import type { ShownLine } from '../../engine/plans/line.ts';
import { type Plan, quotedText } from '../../engine/plans/plan.ts';
import type { Signers } from '../../engine/plans/signatures.ts';
import { endDryRun } from '../../engine/requests.ts';
import type { Checked } from '../../engine/sending/change.ts';
import { type Asset, amount, amountForPeople, printable } from '../../money/amount.ts';
import { accountLine, confirmConsent } from '../../terminal/ask/confirm.ts';
import { command } from '../../terminal/command.ts';
import { repeated, word } from '../../terminal/parse/parameters.ts';
import { checkPlan, type Terminal } from '../../terminal/terminal.ts';
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

/** Throws CliError declined unless this approver may sign: someone else wrote the plan, and this key has not signed it. */
async function requireSecondEyes(
  { world }: Account,
  { content, signatures }: Plan,
  publicKey: string,
  { list, isShared }: Signers,
): Promise<void> {
  const { dependence, requireIndependence } = await import('../../engine/plans/signatures.ts');
  const { approver, user, host } = content.author;
  // An author without a key is known by the machine only.
  const isAuthor = approver ? approver.publicKey === publicKey : user === world.host.user && host === world.host.name;
  const why = isAuthor
    ? 'you wrote this plan, so you cannot approve it'
    : signatures.some((each) => each.publicKey === publicKey)
      ? 'you approved this plan before'
      : undefined;
  if (why === undefined) {
    const own = list.approvers.find((each) => each.publicKey === publicKey);
    return requireIndependence(own && dependence(list, content.author, own, isShared), 'approved');
  }
  throw new CliError('declined', `${why}; nothing was approved`, {
    code: isAuthor ? 'APPROVED_BY_AUTHOR' : 'APPROVED_BEFORE',
    hint: isAuthor ? 'have a second person approve it' : advice`apply it with: [fiatrail plans apply]`,
  });
}

/**
 * Compares a plan with the account as it is now, as applying it does, and returns what was read. Throws CliError if anything is not as
 * the plan says, a rule does not allow it, or the account cannot be read: nobody should sign what they could not check.
 */
export async function factsAbout(account: Account, terminal: Terminal, plan: Plan): Promise<Checked['facts']> {
  try {
    return await checkPlan(account, terminal, plan);
  } catch (error) {
    if (!(error instanceof CliError) || error.category === 'declined' || error.category === 'interrupted') throw error;
    throw withDetails(
      new CliError(
        error.category,
        `the plan could not be compared with the account, so it was not approved: ${error.message}`,
        error.code === undefined ? {} : { code: error.code },
      ),
      { hint: 'approve it when the account can be read; what the author wrote down is no proof' },
    );
  }
}

const WITHOUT = repeated(
  '--without <reference>',
  'strike this row out of the plan of a file: it is never sent; repeat it for more',
  word,
);

export const approveCommand = command({
  words: ['plans', 'approve'],
  summary: 'Approve a plan that someone else wrote',
  details:
    'Compares the plan with the account, as plans apply does, and exits with 9 if anything changed. Shows what it read from the account and what applying the plan twice would do, separately from what the author claims, asks for confirmation, and adds your signature to the plan. It does not sign if the account cannot be read. Of the plan of a file, --without strikes rows out, which your signature then says; no approval can add a row. You need an approver key: fiatrail profiles approvers add NAME --generate. On a live account, it asks in a terminal even with --yes. --dry-run only shows what the author claims, without reading the account.',
  examples: [
    'fiatrail plans approve PLAN_ID',
    'fiatrail plans approve plan.json',
    'fiatrail plans approve PLAN_ID --without INV-17',
    'fiatrail plans approve plan.json --dry-run',
  ],
  endpoints: [],
  prints: plannedSchema,
  parameters: { named: planArgument, without: WITHOUT },
  run: async (account, terminal, { named: given, without }) => {
    const { profile } = account;
    const { requireUnexpired } = await import('../../engine/plans/plan.ts');
    const { claimedLines, planLines } = await import('../../engine/plans/shown.ts');
    const { signaturesOf, signersOf } = await import('../../engine/plans/signatures.ts');
    await approversOf(account);
    const signers = await signersOf(account);
    const named = await planNamed(account, given, signers);
    const { plan } = named;
    await requireOpen(named, 'approved');
    requireUnexpired(plan, await account.time.nowMs());
    const signed = await signaturesOf(plan, signers);
    endDryRun(account, { ...(await shownNow(account, named, signers)).data, lines: claimedLines(plan, signed) });
    const own = await requireApprover(account, signers, 'approved');
    await requireSecondEyes(account, plan, own.publicKey, signers);
    await requireUnapplied(account, named, 'approved');
    const facts = await factsAbout(account, terminal, plan);
    const struck = [...new Set(without)];
    const strikes = await strikeLines(named, facts, struck);
    await confirmConsent(terminal.dialog, profile, {
      summary: `approve the plan to ${quotedText(plan.content.summary)}${struck.length > 0 ? `, without ${struck.join(', ')}` : ''}`,
      lines: [accountLine(profile), ...planLines(plan, facts, signed, await appliedTwice(account, plan)), ...strikes],
    });
    // It may have expired while the question was open.
    requireUnexpired(plan, await account.time.nowMs());
    const next = await approved(account, named, { own, signers, without: struck });
    return { result: await shownNow(account, next, await signersOf(account)) };
  },
});

/** Throws CliError usage for references that are no rows of a plan, or for all that it has. Returns what the approval strikes out, and what is left, for a person. */
async function strikeLines(
  named: NamedPlan,
  { rows }: Checked['facts'],
  without: readonly string[],
): Promise<readonly ShownLine[]> {
  if (without.length === 0) return [];
  const { struckRows } = await import('../../engine/plans/acts.ts');
  const unknown = without.find((reference) => !rows?.has(reference));
  if (!rows || unknown !== undefined)
    throw new CliError(
      'usage',
      rows ? `--without: the plan has no row ${printable(unknown ?? '')}` : '--without: the plan is not for a file',
      { code: 'NO_SUCH_ROW', hint: 'give the reference of a row, as the file has it' },
    );
  const struck = new Set([...(await struckRows(named)), ...without]);
  const left = [...rows].filter(([reference]) => !struck.has(reference));
  if (left.length === 0)
    throw new CliError('usage', '--without: no row would be left; nothing was approved', {
      code: 'NO_SUCH_ROW',
      hint: advice`reject the plan with: [fiatrail plans reject ${named.name} --reason TEXT]`,
    });
  const sums = new Map<Asset, bigint>();
  for (const [, each] of left) if (each) sums.set(each.asset, (sums.get(each.asset) ?? 0n) + each.minor);
  const total = [...sums].map(([asset, minor]) => amountForPeople(amount(asset, minor))).join(' and ');
  return [
    ['you strike out', without.map(printable).join(', ')],
    ['sends then', `${left.length} rows, ${total}`],
  ];
}

/** Adds an approval to a plan: to its file, or as an entry of the journal. */
async function approved(
  account: Account,
  named: NamedPlan,
  {
    own,
    signers,
    without,
  }: { readonly own: OwnApprover; readonly signers: Signers; readonly without: readonly string[] },
): Promise<NamedPlan> {
  const { withSignature } = await import('../../engine/plans/signatures.ts');
  const nowMs = await account.time.nowMs();
  const plan = await withSignature(named.plan, own, 'signer', nowMs, without);
  if (named.path !== undefined) {
    const { replacePlan } = await import('../../engine/plans/file.ts');
    replacePlan(named.path, plan, account.world);
    return { ...named, plan };
  }
  const { runner } = await import('../../engine/plans/acts.ts');
  const { withCounting } = await import('../../engine/plans/queue.ts');
  const { notifyOfPlan } = await import('../../engine/plans/notify.ts');
  const { signature = '' } = plan.signatures.at(-1) ?? {};
  const by = runner(account.world, own);
  const at = new Date(nowMs).toISOString();
  const rows = without.length === 0 ? {} : { without };
  const act = { act: 'approved', by, at, reason: null, signature, operationId: null, ...rows } as const;
  const queued = await recorded(account, named, act, async (now) => {
    await requireOpen(now, 'approved');
    await requireSecondEyes(account, now.plan, own.publicKey, signers);
    await requireUnapplied(account, now, 'approved');
  });
  await notifyOfPlan(account, plan, { status: 'approved', by });
  return { ...named, ...withCounting(queued, signers) };
}
