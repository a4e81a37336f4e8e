import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import type { CheckedFile } from '../../bulk/check-file.ts';
import { requireSameRows } from '../../bulk/compare.ts';
import type { RowProblem } from '../../bulk/findings.ts';
import { KEY_END, rowsText } from '../../bulk/progress.ts';
import type { SecretRows } from '../../bulk/read-file.ts';
import { followedRows, stateError } from '../../bulk/send.ts';
import type { Account } from '../../engine/account.ts';
import type { Outcome } from '../../engine/outcome.ts';
import type { ShownLine } from '../../engine/plans/line.ts';
import { endDryRun } from '../../engine/requests.ts';
import { guardOf } from '../../engine/sending/once.ts';
import type { StagedFile, StagedRow } from '../../journal/files.ts';
import { amountForPeople } from '../../money/amount.ts';
import { confirmRequest } from '../../terminal/ask/confirm.ts';
import { command, type Group } from '../../terminal/command.ts';
import { MONEY_OPTIONS, PLAN_OPTIONS, required } from '../../terminal/parse/parameters.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { planOfFile, requireSumApproved } from './approval.ts';
import { CHECKED_COLUMNS, checkedData, checkedError, checkedSchema } from './checked.ts';
import { asOption, controlOptions, fileArgument, runOptions } from './file-options.ts';
import type { openPlannedFile } from './planned.ts';
import { type CommandWithRows, commandAs, rowCommandOf } from './row-command.ts';
import type { FileRun, runFile } from './run.ts';
import { fileSchema, minorSums } from './sent.ts';

/** Leaves room for the reference of a row in an idempotency key. */
const LONGEST_KEY = 150;

/** Parses the key of a file. Throws CliError usage. */
export function fileKey(text: string): string {
  const key = MONEY_OPTIONS.once.parse(text) ?? '';
  if (key.includes(KEY_END))
    throw new CliError('usage', `the key of a file has no "${KEY_END}", which comes before the reference of a row`, {
      hint: 'use a name such as suppliers-2026-11',
    });
  if (key.length <= LONGEST_KEY) return key;
  throw new CliError('usage', `the key has ${key.length} characters; that of a file has at most ${LONGEST_KEY}`);
}

export const createCommand = (catalogue: readonly Group[]) =>
  command({
    words: ['bulk', 'create'],
    summary: 'Send each row of a file at most once',
    details:
      'Checks the file, stages all of its rows in the journal, then sends one row after the other as the command that --as names, under the idempotency key KEY/REFERENCE. After an interruption, the same command goes on with what is missing. A row that failed is never sent again under its reference.',
    examples: [
      'fiatrail bulk create suppliers.csv --as "offramp create" --once suppliers-2026-11',
      'fiatrail bulk create suppliers.csv --as "payout create" --once suppliers-{year}-{month} --first 5 --yes -o json',
    ],
    endpoints: [],
    prints: { either: [fileSchema, checkedSchema] },
    parameters: {
      file: fileArgument,
      as: asOption,
      once: required(
        '--once <key>',
        'idempotency key of the file: each row is sent at most once under KEY/REFERENCE',
        fileKey,
      ),
      ...controlOptions,
      ...runOptions,
      ...PLAN_OPTIONS,
    },
    run: async (account, terminal, { file: path, as, once, count, total, plan: _, planExpires: _expires, ...run }) => {
      account.world.steadyMemory();
      const runs = await commandAs(catalogue, as);
      const { plan: mode } = terminal.consent;
      if (mode?.kind === 'apply' || mode?.kind === 'check') return applyFilePlan(account, terminal, runs, mode, run);
      if (mode) (await import('./planned.ts')).requirePlannable(runs, mode);
      const { idempotencyKey: key = once } = await guardOf(
        { once },
        { isGuarded: false, input: '' },
        account.time.nowMs,
      );
      const journal = await account.journal();
      const names = await account.accountNames();
      const known = await journal.files.find(names, key);
      const staged = known && (await journal.files.rows(known));
      if (known && staged && !mode) {
        const { rows, secrets } = await rowsIn(account, runs, path);
        requireSameRows(known, runs.words.join(' '), staged, rows);
        // Without the file, nobody could end its pause.
        return goOn(account, terminal, { command: runs, file: known, secrets }, run, hasSecrets(runs));
      }
      const checked = await checkedFile(account, runs, path, key, { count, total });
      const error = checkedError(checked);
      const data = checkedData(path, runs.words.join(' '), checked);
      if (error) return { result: { data, columns: CHECKED_COLUMNS }, error };
      if (mode) {
        const { rows } = await rowsIn(account, runs, path, checked.digest);
        const { writeFilePlan } = await import('./planned.ts');
        return writeFilePlan(account, terminal, runs, { key, digest: checked.digest, rows, sums: checked.sums });
      }
      endDryRun(account, data);
      await requireSumApproved(account, checked.sums, undefined);
      await journal.confirm(names, true);
      await confirmRequest(terminal.dialog, account.profile, {
        summary: `send ${rowsText(checked.rows)} as ${runs.words.join(' ')}`,
        lines: consentLines(path, key, runs, checked),
      });
      const { batches, secrets } = await toStage(account, runs, path, checked.digest);
      const { file } = await journal.files.stage(
        {
          account: names,
          key,
          command: runs.words.join(' '),
          rows: checked.rows,
          sums: minorSums(checked.sums),
        },
        batches,
      );
      return (await import('./run.ts')).runFile(account, terminal, { command: runs, file, secrets }, run);
    },
  });

/** Sends the rows of a file by its plan: opens it first, unless someone has. */
async function applyFilePlan(
  account: Account,
  terminal: Terminal,
  command: CommandWithRows,
  mode: Parameters<typeof openPlannedFile>[3],
  input: Parameters<typeof runFile>[3],
): Promise<Outcome> {
  const { openPlannedFile, plannedFile } = await import('./planned.ts');
  const planned = await plannedFile(account, mode);
  const { state } = planned.file;
  if (state !== 'planned' && state !== 'cancelled' && mode.kind === 'apply')
    return goOn(account, terminal, { command, file: planned.file }, input);
  const file = await openPlannedFile(account, terminal, command, mode, planned);
  return (await import('./run.ts')).runFile(account, terminal, { command, file }, input);
}

/** Goes on with a file, after someone agreed to what is left of it. */
export async function goOn(
  account: Account,
  terminal: Terminal,
  { file, ...others }: FileRun,
  input: Parameters<typeof runFile>[3],
  endsPause = false,
): Promise<Outcome> {
  const journal = await account.journal();
  const rows = await followedRows(journal, file);
  if (file.state === 'planned') throw stateError(file) ?? new Error('a planned file may not be sent');
  const left = rows.filter(({ status }) => status === 'waiting' || status === 'rejected').length;
  endDryRun(account, { key: file.key, rows: left });
  if (left > 0 && file.state !== 'cancelled') {
    await journal.confirm(await account.accountNames(), true);
    await confirmRequest(terminal.dialog, account.profile, {
      summary: `send the ${left} of ${rowsText(rows.length)} that are left, as ${file.command}`,
      lines: [['key', file.key]],
    });
  }
  const isPaused = endsPause && file.state === 'paused';
  const now = isPaused ? await journal.files.setState(file, 'open') : file;
  return (await import('./run.ts')).runFile(account, terminal, { ...others, file: now }, input);
}

/** Returns the keys of the files that have used some references. A file whose plan can no longer be applied is cancelled first, which frees its own. */
async function usedReferences(account: Account, references: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const names = await account.accountNames();
  const { files } = await account.journal();
  const used = await files.usedReferences(names, references);
  let isFreed = false;
  for (const key of new Set(used.values())) {
    const file = await files.find(names, key);
    if (file?.state !== 'planned' || !(await isEnded(account, file))) continue;
    await files.setState(file, 'cancelled');
    isFreed = true;
  }
  return isFreed ? files.usedReferences(names, references) : used;
}

/** Whether the plan of a file was rejected or withdrawn, or has expired. */
async function isEnded(account: Account, file: StagedFile): Promise<boolean> {
  const queued = await planOfFile(account, file);
  if (!queued) return false;
  const { closingOf } = await import('../../engine/plans/acts.ts');
  return (
    closingOf(queued.acts) !== undefined || (await account.time.nowMs()) >= Date.parse(queued.plan.content.expiresAt)
  );
}

async function checkedFile(
  account: Account,
  runs: CommandWithRows,
  path: string,
  key: string,
  controls: { readonly count: number | undefined; readonly total: string | undefined },
): Promise<CheckedFile> {
  const { checkFile } = await import('../../bulk/check-file.ts');
  const { fees } = runs.rows;
  return checkFile(account, {
    command: rowCommandOf(runs),
    path,
    controls,
    usedBefore: async (references) => {
      const used = await usedReferences(account, references);
      return new Map(
        [...used].flatMap(([reference, of]) => (of === key ? [] : [[reference, `the file ${of}`] as const])),
      );
    },
    ...(fees ? { fees } : {}),
  });
}

/** How many warnings a question shows. */
const MOST_WARNINGS = 5;

function consentLines(path: string, key: string, runs: CommandWithRows, checked: CheckedFile): readonly ShownLine[] {
  const { rows, sums, fees, balances, unreadBalances, warnings, problems, header } = checked;
  const odd = problems.filter(({ kind }) => kind === 'warning').slice(0, MOST_WARNINGS);
  return [
    ['file', path],
    ['key', `${key}; each row under ${key}/REFERENCE`],
    ['rows', `${rows} as ${runs.words.join(' ')}`],
    ...sums.map((sum) => ['sum', amountForPeople(sum)] as const),
    ...(fees ? [['fees', `${amountForPeople(fees)} on top`] as const] : []),
    ...balances.map(
      ({ userId, before, after }) =>
        [
          'balance',
          `${amountForPeople(before)} before, ${amountForPeople(after)} after${userId === null ? '' : ` (user ${userId})`}`,
        ] as const,
    ),
    ...(unreadBalances > 0
      ? [['balance', `not read of ${unreadBalances} payers; each row checks its own`] as const]
      : []),
    ...(header.unused.length > 0 ? [['not used', `columns ${header.unused.join(', ')}`] as const] : []),
    ...odd.map(({ line, problem }) => ['warning', `line ${line}: ${problem}`] as const),
    ...(warnings > odd.length
      ? [['warning', `and ${warnings - odd.length} more; see them with: bulk check`] as const]
      : []),
  ];
}

async function batchesIn(
  account: Account,
  runs: CommandWithRows,
  path: string,
  agreed?: string,
): Promise<AsyncGenerator<readonly StagedRow[]>> {
  const { openRows } = await import('../../bulk/read-file.ts');
  const wrong = ([first]: readonly RowProblem[]) => {
    if (!first) return;
    throw new CliError('usage', `line ${first.line}: ${first.column ?? 'the row'} ${first.problem}; nothing was sent`, {
      code: 'BAD_ROWS',
      hint: advice`see all with: [fiatrail bulk check ${path} --as "${runs.words.join(' ')}"]`,
    });
  };
  return openRows(account, rowCommandOf(runs), path, wrong, agreed);
}

const hasSecrets = (runs: CommandWithRows): boolean => rowCommandOf(runs).columns.some(({ isSecret }) => isSecret);

/** Reads all rows of a file, as they are staged. */
async function rowsIn(account: Account, runs: CommandWithRows, path: string, agreed?: string): Promise<SecretRows> {
  const rows: StagedRow[] = [];
  for await (const some of await batchesIn(account, runs, path, agreed)) rows.push(...some);
  if (!hasSecrets(runs)) return { rows, secrets: new Map() };
  const { withoutSecrets } = await import('../../bulk/read-file.ts');
  return withoutSecrets(account, rowCommandOf(runs), rows);
}

/** Returns the rows to stage: those of a file with secrets at once, as their digests take long, and others as the file is read. */
async function toStage(account: Account, runs: CommandWithRows, path: string, agreed: string) {
  if (!hasSecrets(runs)) return { batches: await batchesIn(account, runs, path, agreed), secrets: new Map() };
  const { rows, secrets } = await rowsIn(account, runs, path, agreed);
  async function* batches() {
    yield rows;
  }
  return { batches: batches(), secrets };
}
