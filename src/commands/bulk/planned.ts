import * as z from 'zod/mini';
import { approvalThresholdWords } from '../../account/approval-threshold.ts';
import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import { type FilePage, pageOf } from '../../bulk/page.ts';
import { rowsText } from '../../bulk/progress.ts';
import { stateError } from '../../bulk/send.ts';
import type { Account } from '../../engine/account.ts';
import type { Outcome } from '../../engine/outcome.ts';
import type { QueuedPlan } from '../../engine/plans/acts.ts';
import { approversOf, FILES } from '../../engine/plans/approver-list.ts';
import type { PlanMode, PlannedChange, PlanToApply } from '../../engine/plans/change.ts';
import type { ShownLine } from '../../engine/plans/line.ts';
import { endDryRun } from '../../engine/requests.ts';
import { asPlanned } from '../../engine/sending/change.ts';
import type { StagedFile, StagedRow } from '../../journal/files.ts';
import { type Amount, amount, amountForPeople } from '../../money/amount.ts';
import { confirmRequest } from '../../terminal/ask/confirm.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { planOfFile, requireSumApproved } from './approval.ts';
import { type CommandWithRows, rowCommandOf } from './row-command.ts';
import { keyTaken, leftSums, minorSums } from './sent.ts';

/** What a plan of rows has in place of an endpoint. Its request names the rows by their digest: a plan is too short for them. */
const ROWS = {
  id: FILES,
  method: 'SEND',
  path: 'rows',
  request: () => z.looseObject({ key: z.string(), command: z.string(), rows: z.int(), digest: z.string() }),
} as const;

/** The rows of a plan, and what they are called. */
interface RowsToPlan {
  readonly key: string;
  readonly digest: string;
  readonly rows: readonly StagedRow[];
  /** The references of those that approvers struck out. */
  readonly struck: readonly string[];
}

/** Makes of rows what a plan says of them. */
async function changeOfRows(
  account: Account,
  runs: CommandWithRows,
  { key, digest, rows, struck }: RowsToPlan,
): Promise<{ readonly page: FilePage; readonly change: PlannedChange }> {
  const command = rowCommandOf(runs);
  const page = await pageOf(account, rows, { command, fees: runs.rows.fees, struck });
  const change: PlannedChange = {
    endpoint: ROWS,
    input: { key, command: command.words, rows: rows.length, digest },
    summary: `send ${rowsText(rows.length)} as ${command.words}, ${page.sums.map(amountForPeople).join(' and ')} together`,
    lines: [['key', `${key}; each row under ${key}/REFERENCE`], ...page.lines, ['digest', digest]],
    tag: undefined,
    count: rows.length,
    sums: page.sums,
    rows: page.rows,
    rulesMet: () => rulesMet(account, page.sums),
    readPreviews: page.readFees,
    readNotes: page.readNotes,
  };
  return { page, change };
}

async function rulesMet(account: Account, sums: readonly Amount[]): Promise<readonly string[]> {
  const { approvalThresholdsOf, sumReason } = await import('../../engine/plans/signatures.ts');
  const limits = approvalThresholdsOf(account.profile, await approversOf(account));
  if (limits.length === 0) return [];
  const reason = sumReason(limits, sums);
  return [
    reason === undefined
      ? `no approval is needed up to ${approvalThresholdWords(limits)?.join(', ')}`
      : `a second person must approve ${reason}`,
  ];
}

/** What is planned: a file that was checked. */
interface FileToPlan extends Pick<RowsToPlan, 'key' | 'digest' | 'rows'> {
  readonly sums: readonly Amount[];
}

/** Throws CliError usage unless a plan of a file can be written: its rows stay in the journal, so the plan does too. */
export function requirePlannable({ rows: { endpoint }, words }: CommandWithRows, mode: PlanMode | undefined): void {
  if (mode?.kind !== 'write') return;
  if (!endpoint.moves)
    throw new CliError(
      'usage',
      `"${words.join(' ')}" moves no money, so its rows cannot be planned; nothing was sent`,
      {
        hint: advice`send them without one: [fiatrail bulk create … --as ${words.join(' ')}]`,
      },
    );
  if (mode.path !== undefined)
    throw new CliError('usage', 'the plan of a file is in the journal with its rows; nothing was sent', {
      hint: 'give --plan without a file, at the end of the line',
    });
}

/** Stages a file with the plan of its rows, and sends nothing. */
export async function writeFilePlan(
  account: Account,
  terminal: Terminal,
  runs: CommandWithRows,
  { sums, ...file }: FileToPlan,
): Promise<Outcome> {
  const { key, rows } = file;
  const { change } = await changeOfRows(account, runs, { ...file, struck: [] });
  const journal = await account.journal();
  const names = await account.accountNames();
  const record = async (id: string, entry: string) => {
    async function* batches() {
      yield rows;
    }
    const staged = { account: names, key, command: runs.words.join(' '), rows: rows.length, sums: minorSums(sums) };
    const { file: known, isNew } = await journal.files.stage({ ...staged, plan: { id, entry } }, batches());
    if (!isNew) throw keyTaken(known);
    return true;
  };
  await asPlanned(account, terminal.consent, { ...change, record }, async () => {});
  throw new Error('a plan was to be written, and was not');
}

/** The file of a plan that is applied or checked, with its rows as they were staged. */
interface PlannedFile {
  readonly file: StagedFile;
  readonly queued: QueuedPlan;
  readonly rows: readonly StagedRow[];
}

/** Reads the file of a plan. Throws CliError usage if this journal does not have its rows. */
export async function plannedFile(account: Account, { plan }: Pick<PlanToApply, 'plan'>): Promise<PlannedFile> {
  const { key } = plan.content.request;
  const journal = await account.journal();
  const file = await journal.files.find(await account.accountNames(), String(key));
  const rows = file && (await journal.files.rows(file));
  const queued = file && (await planOfFile(account, file));
  if (file && rows && queued?.plan.hash === plan.hash) return { file, queued, rows };
  throw new CliError('usage', `this journal does not have the rows of the plan ${plan.content.id}; nothing was sent`, {
    code: 'ROWS_MISSING',
    hint: advice`apply it on a host that shares the journal in which it was written: [fiatrail plans apply ${plan.content.id}]`,
  });
}

/**
 * Compares the file of a plan with the account and, if the plan is applied, opens it after someone agreed. Returns the file, whose rows may then
 * be sent. Ends the command of a plan that is only checked. Throws CliError.
 */
export async function openPlannedFile(
  account: Account,
  terminal: Terminal,
  runs: CommandWithRows,
  mode: Exclude<PlanMode, { kind: 'write' | 'row' }>,
  { file, queued, rows }: PlannedFile,
): Promise<StagedFile> {
  if (file.state !== 'planned') throw stateError(file) ?? new Error('a file that is open was to be opened');
  const { fileClaimOf, struckRows } = await import('../../engine/plans/acts.ts');
  const { requireUnexpired } = await import('../../engine/plans/plan.ts');
  const { key, digest } = file;
  const struck = await struckRows(queued);
  const { page, change } = await changeOfRows(account, runs, { key, digest, rows, struck });
  const planned = await asPlanned(account, terminal.consent, change, page.requirePossible);
  if (!planned || mode.kind !== 'apply') throw new Error('a plan was to be applied, and was not');
  const left = { references: struck, sums: minorSums(page.struckSums) };
  const sums = leftSums({ sums: file.sums, plan: { id: mode.plan.content.id, struck: left } });
  await page.requirePossible();
  await requireSumApproved(account, sums, mode);
  if (account.globals.agent !== undefined) (await import('../../engine/sending/agent.ts')).requireApproved(mode);
  const { lines, previews, notes } = planned.agreed;
  const shown = [...lines, ...previews, ...notes, ...struckLines(struck, sums)];
  endDryRun(account, { plan: mode.plan.content.id, key, rows: rows.length - struck.length });
  await (await account.journal()).confirm(await account.accountNames(), true);
  const summary = `send ${rowsText(rows.length - struck.length)} as ${file.command}, as planned`;
  await confirmRequest(terminal.dialog, account.profile, { summary, lines: shown });
  // It may have expired while the question was open.
  const nowMs = await account.time.nowMs();
  requireUnexpired(mode.plan, nowMs);
  const claim = { ...fileClaimOf(account.world, queued, nowMs), struck: left };
  const now = await (await account.journal()).files.applyPlan(file, claim);
  if (now.state === 'planned')
    throw new CliError('declined', 'something was decided about the plan in the meantime; nothing was sent', {
      code: 'PLAN_CLOSED',
      hint: advice`see it with: [fiatrail plans show ${mode.plan.content.id}]`,
    });
  return now;
}

const struckLines = (struck: readonly string[], left: readonly Amount[]): readonly ShownLine[] =>
  struck.length === 0
    ? []
    : [
        ['struck out', struck.join(', ')],
        ['sends', left.map(({ asset, minor }) => amountForPeople(amount(asset, minor))).join(' and ')],
      ];
