import * as z from 'zod/mini';
import { ownApprover } from '../../account/approvers.ts';
import { CliError } from '../../base/errors.ts';
import type { Account } from '../../engine/account.ts';
import { appliedTwice } from '../../engine/evidence/applied.ts';
import { approversOf } from '../../engine/plans/approver-list.ts';
import { quotedText } from '../../engine/plans/plan.ts';
import type { PlanReview } from '../../engine/plans/queue.ts';
import { paginationSchema } from '../../present/prints.ts';
import { command } from '../../terminal/command.ts';
import { wholeList } from '../../terminal/list-command.ts';
import { switchOn } from '../../terminal/parse/parameters.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { applyCommand } from './apply.ts';
import { approveCommand, factsAbout } from './approve.ts';
import { rejectCommand, withdrawCommand } from './decide.ts';
import {
  type NamedPlan,
  PLAN_STATUSES,
  planArgument,
  planNamed,
  plannedSchema,
  shownNow,
  statusSchema,
} from './named.ts';

const COLUMNS = [
  { field: 'plan', title: 'Plan' },
  { field: 'status', title: 'Status' },
  { field: 'waitsForYou', title: 'Waits for you' },
  { field: 'summary', title: 'Summary' },
  { field: 'author', title: 'Author' },
  { field: 'createdAt', title: 'Created', isBrief: true },
  { field: 'expiresAt', title: 'Expires', isBrief: true },
] as const;

const listCommand = wholeList(
  command({
    words: ['plans', 'list'],
    summary: 'List the plans in the journal, and what waits for you',
    details:
      'Lists the plans of this account that were written or decided in the last 30 days, newest first. Every host that shares the journal has the same list. A plan waits for you if you may approve it: someone else wrote it, and did not add your key. Plans in files are not listed.',
    examples: ['fiatrail plans list', 'fiatrail plans list --status waiting', 'fiatrail plans list --all -o json'],
    endpoints: [],
    prints: () =>
      z.object({
        plans: z.array(
          z.object({
            plan: z.string(),
            status: statusSchema(),
            waitsForYou: z.boolean(),
            summary: z.string(),
            author: z.string(),
            createdAt: z.iso.datetime(),
            expiresAt: z.iso.datetime(),
            hash: z.string(),
            problem: z.nullable(z.string()),
          }),
        ),
        pagination: paginationSchema(),
      }),
    parameters: { all: switchOn('--all', 'list all plans, however old') },
    run: async (account, _terminal, { all }) => {
      const { listedPlans } = await import('../../engine/plans/queue.ts');
      const { authorForPeople } = await import('../../engine/plans/shown.ts');
      const { approvers } = await approversOf(account);
      const own = await ownApprover(approvers, account.profile, account.world);
      const found = await listedPlans(account, await account.time.nowMs(), own?.publicKey, all === true);
      const plans = found.map(({ plan: { content, hash }, review, waitsForYou }) => ({
        plan: content.id,
        status: review.status,
        waitsForYou,
        summary: quotedText(content.summary),
        author: quotedText(authorForPeople(content)),
        createdAt: content.createdAt,
        expiresAt: content.expiresAt,
        hash,
        problem: review.problem?.message ?? null,
      }));
      const isBad = plans.some(({ problem }) => problem !== null);
      const columns = [...COLUMNS, ...(isBad ? [{ field: 'problem', title: 'Problem' }] : [])];
      return { result: { data: { plans }, lists: 'plans', list: { isWhole: true }, columns } };
    },
  }),
  { names: { called: 'summary or author', fields: ['summary', 'author'] }, time: 'createdAt', statuses: PLAN_STATUSES },
);

const OPEN: readonly PlanReview['status'][] = ['waiting', 'approved'];

/**
 * Returns what this machine reads for a plan that is open, as approving it does; null for one that is not, or in a dry run. If the plan no
 * longer holds, or the account cannot be read, that is said, and what the author wrote is no proof.
 */
async function factsNow(account: Account, terminal: Terminal, { plan }: NamedPlan, { status, signed }: PlanReview) {
  const { claimedLines, planLines } = await import('../../engine/plans/shown.ts');
  if (!OPEN.includes(status) || account.globals.dryRun) return { facts: claimedLines(plan, signed), holds: null };
  try {
    const facts = await factsAbout(account, terminal, plan);
    return { facts: planLines(plan, facts, signed, await appliedTwice(account, plan)), holds: true };
  } catch (error) {
    if (!(error instanceof CliError) || error.category === 'interrupted') throw error;
    await account.notices.say(`warning: ${error.message}`);
    return { facts: claimedLines(plan, signed), holds: error.category === 'declined' ? false : null };
  }
}

const showCommand = command({
  words: ['plans', 'show'],
  summary: 'Show a plan, what it would do now, and who decided about it',
  details:
    'Compares an open plan with the account, as plans approve does, and prints what this machine read; holds says whether the plan could be applied as it is, and is empty if the account could not be read. What only the author says is printed separately. With --dry-run, and for a plan that has ended, it does not read the account.',
  examples: ['fiatrail plans show PLAN_ID', 'fiatrail plans show plan.json -o json --query "signatures[].approver"'],
  endpoints: [],
  prints: () =>
    z.extend(plannedSchema(), {
      holds: z.nullable(z.boolean()),
      facts: z.array(z.object({ label: z.string(), value: z.string() })),
    }),
  parameters: { named: planArgument },
  run: async (account, terminal, { named: given }) => {
    const { reviewOf } = await import('../../engine/plans/queue.ts');
    const { signersOf } = await import('../../engine/plans/signatures.ts');
    const signers = await signersOf(account);
    const named = await planNamed(account, given, signers);
    const review = await reviewOf(account, named, signers, await account.time.nowMs());
    if (review.problem) throw review.problem;
    const { data, columns } = await shownNow(account, named, signers, review);
    const { facts, holds } = await factsNow(account, terminal, named, review);
    const rows = facts.map(([label, value]) => ({ label, value }));
    return { result: { data: { ...data, holds, facts: rows }, columns: [...columns, ...FACT_COLUMNS] } };
  },
});

const FACT_COLUMNS = [
  { field: 'holds', title: 'Holds' },
  {
    field: 'facts',
    title: 'Facts',
    columns: [
      { field: 'label', title: 'Fact' },
      { field: 'value', title: 'Value' },
    ],
  },
] as const;

export const commands = [listCommand, showCommand, approveCommand, rejectCommand, withdrawCommand, applyCommand];
