import * as z from 'zod/mini';
import { absolutePath } from '../account/paths.ts';
import { CliError, withDetails } from '../base/errors.ts';
import type { Account } from '../engine/account.ts';
import { appliedTwice, requireOneJournal } from '../engine/evidence/applied.ts';
import { approversOf } from '../engine/plans/approver-list.ts';
import { type Plan, quotedText } from '../engine/plans/plan.ts';
import type { Signers } from '../engine/plans/signatures.ts';
import { endDryRun } from '../engine/requests.ts';
import type { Checked } from '../engine/sending/change.ts';
import { accountLine, confirmConsent } from '../terminal/ask/confirm.ts';
import { command } from '../terminal/command.ts';
import { waitOption } from '../terminal/parse/field-options.ts';
import { argument, word } from '../terminal/parse/parameters.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { checkPlan } from '../terminal/terminal.ts';

const file = argument('file', 'plan that a command wrote with --plan', word, 'File:');

/** Reads a plan for the account of this command. Throws CliError usage. */
async function planIn(account: Account, path: string): Promise<Plan> {
  const { readPlan } = await import('../engine/plans/file.ts');
  const { requireAccount } = await import('../engine/plans/plan.ts');
  const plan = readPlan(path);
  await requireAccount(account, plan);
  return plan;
}

/** Throws CliError declined unless this approver may sign: someone else wrote the plan, and this key has not signed it. */
async function requireSecondEyes(
  { world }: Account,
  { content, signatures }: Plan,
  publicKey: string,
  { list, isShared }: Signers,
): Promise<void> {
  const { dependence } = await import('../engine/plans/signatures.ts');
  const { requireIndependence } = await import('../engine/plans/signatures.ts');
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
    hint: isAuthor ? 'have a second person approve it' : 'apply it with: fiatrail plans apply FILE',
  });
}

/**
 * Compares a plan with the account as it is now, as applying it does, and returns what was read. Throws CliError if anything is not as
 * the plan says, a rule does not allow it, or the account cannot be read: nobody should sign what they could not check.
 */
async function factsAbout(account: Account, terminal: Terminal, plan: Plan): Promise<Checked['facts']> {
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

const plannedSchema = () =>
  z.object({
    plan: z.string(),
    hash: z.string(),
    summary: z.string(),
    amounts: z.array(z.object({ field: z.string(), asset: z.string(), value: z.string(), minor: z.string() })),
    author: z.string(),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
    rules: z.array(z.string()),
    signatures: z.array(
      z.object({ approver: z.string(), role: z.enum(['author', 'signer']), signedAt: z.iso.datetime() }),
    ),
  });

const showCommand = command({
  words: ['plans', 'show'],
  summary: 'Show a plan, its author and who approved it',
  details:
    'Prints the plan as its author wrote it, and which approvals are valid. It does not read the account; plans approve and plans apply do, and compare the plan with it.',
  examples: ['fiatrail plans show plan.json', 'fiatrail plans show plan.json -o json --query "signatures[].approver"'],
  endpoints: [],
  prints: plannedSchema,
  parameters: { file },
  run: async (account, _terminal, input) => {
    const { PLAN_COLUMNS, shownPlan } = await import('../engine/plans/shown.ts');
    const { signaturesOf, signersOf } = await import('../engine/plans/signatures.ts');
    const path = absolutePath(input.file);
    const plan = await planIn(account, path);
    const signed = await signaturesOf(plan, await signersOf(account));
    return { result: { data: shownPlan(path, plan, signed), columns: PLAN_COLUMNS } };
  },
});

const approveCommand = command({
  words: ['plans', 'approve'],
  summary: 'Approve a plan that someone else wrote',
  details:
    'Compares the plan with the account, as plans apply does, and exits with 9 if anything changed. Shows what it read from the account and what applying the plan twice would do, separately from what the author claims, asks for confirmation, and adds your signature to the file. It does not sign if the account cannot be read. You need an approver key: fiatrail profiles approvers add NAME --generate. On a live account, it asks in a terminal even with --yes. --dry-run only shows what the author claims, without reading the account.',
  examples: ['fiatrail plans approve plan.json', 'fiatrail plans approve plan.json --dry-run'],
  endpoints: [],
  prints: plannedSchema,
  parameters: { file },
  run: async (account, terminal, input) => {
    const { world, profile } = account;
    const { ownApprover } = await import('../account/approvers.ts');
    const { replacePlan } = await import('../engine/plans/file.ts');
    const { requireUnexpired } = await import('../engine/plans/plan.ts');
    const { claimedLines, PLAN_COLUMNS, planLines, shownPlan } = await import('../engine/plans/shown.ts');
    const { signaturesOf, signersOf, withSignature } = await import('../engine/plans/signatures.ts');
    const path = absolutePath(input.file);
    const plan = await planIn(account, path);
    requireUnexpired(plan, await account.time.nowMs());
    await approversOf(account);
    const signers = await signersOf(account);
    const signed = await signaturesOf(plan, signers);
    endDryRun(account, { ...shownPlan(path, plan, signed), lines: claimedLines(plan, signed) });
    const own = await ownApprover(signers.list.approvers, profile, world);
    if (!own)
      throw new CliError('usage', `profile ${profile.name} has no approver key for you; nothing was approved`, {
        code: 'NO_APPROVER_KEY',
        hint:
          signers.list.approvers.length === 0
            ? 'make one with: fiatrail profiles approvers add NAME --generate'
            : 'see the approvers with: fiatrail profiles approvers list',
      });
    await requireSecondEyes(account, plan, own.publicKey, signers);
    const facts = await factsAbout(account, terminal, plan);
    await confirmConsent(terminal.dialog, profile, {
      summary: `approve the plan to ${quotedText(plan.content.summary)}`,
      lines: [accountLine(profile), ...planLines(plan, facts, signed, await appliedTwice(account, plan))],
    });
    // It may have expired while the question was open.
    requireUnexpired(plan, await account.time.nowMs());
    const next = await withSignature(plan, own, 'signer', await account.time.nowMs());
    replacePlan(path, next, world);
    return { result: { data: shownPlan(path, next, await signaturesOf(next, signers)), columns: PLAN_COLUMNS } };
  },
});

const applyCommand = command({
  words: ['plans', 'apply'],
  summary: 'Send exactly what a plan says, once',
  details:
    'Checks the plan and its approvals, reads the fees, the destination and the balance again, and exits with 9 if they changed or the balance is too low. Then it asks for confirmation and sends the request. Applying a plan again sends nothing and prints what was recorded. A machine with a separate journal does not know that the plan was applied: it looks for the plan’s tag in the service’s list, if the request has a tag. With two approvers, it therefore needs a shared journal, or profiles journal set --sole-host.',
  examples: ['fiatrail plans apply plan.json', 'fiatrail plans apply plan.json --yes --wait -o json'],
  endpoints: [],
  parameters: { file, wait: waitOption },
  run: async (account, terminal, input) => {
    const plan = await planIn(account, absolutePath(input.file));
    await requireOneJournal(account, plan);
    return terminal.runs.planned(account, terminal, plan, { kind: 'apply', waitMs: input.wait });
  },
});

export const commands = [showCommand, approveCommand, applyCommand];
