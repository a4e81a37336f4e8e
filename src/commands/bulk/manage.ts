import * as z from 'zod/mini';
import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import { type FollowedRow, rowsText } from '../../bulk/progress.ts';
import { busyError, followedRows, stateError } from '../../bulk/send.ts';
import type { Account } from '../../engine/account.ts';
import type { Outcome } from '../../engine/outcome.ts';
import { endDryRun } from '../../engine/requests.ts';
import type { StagedFile } from '../../journal/files.ts';
import { type Amount, amountForPeople } from '../../money/amount.ts';
import { amountSchema, paginationSchema } from '../../present/prints.ts';
import { confirmRequest } from '../../terminal/ask/confirm.ts';
import { command, type Group } from '../../terminal/command.ts';
import { argument, optionalArgument, switchOn } from '../../terminal/parse/parameters.ts';
import { fileKey, goOn } from './create.ts';
import { runOptions } from './file-options.ts';
import { commandAs, rowCommandOf } from './row-command.ts';
import { FILE_COLUMNS, fileData, fileSchema } from './sent.ts';

const keyArgument = argument('key', 'key of the file, as given to bulk create', fileKey, 'Key of the file:');

/** Returns a file of the account. Throws CliError usage if there is none. */
async function fileNamed(account: Account, key: string): Promise<StagedFile> {
  const journal = await account.journal();
  const file = await journal.files.find(await account.accountNames(), key);
  if (file) return file;
  throw new CliError('usage', `no file of this account has the key ${key}`, {
    code: 'NOT_FOUND',
    hint: advice`list the files with: [fiatrail bulk status]`,
  });
}

async function dataOf(account: Account, file: StagedFile) {
  const journal = await account.journal();
  const lease = await journal.files.leaseOf(file);
  const atWork = lease && `process ${lease.process} on ${lease.host}, which sends it`;
  return fileData(file, await followedRows(journal, file), atWork);
}

const statusCommand = command({
  words: ['bulk', 'status'],
  summary: 'Show how far files are, and what each waits for',
  examples: ['fiatrail bulk status', 'fiatrail bulk status suppliers-2026-11 -o json --query waiting'],
  endpoints: [],
  prints: { either: [fileSchema, () => z.object({ files: z.array(fileSchema()), pagination: paginationSchema() })] },
  parameters: { key: optionalArgument('key', 'key of a file; without it, all files of the account', fileKey) },
  run: async (account, _terminal, { key }): Promise<Outcome> => {
    if (key !== undefined)
      return { result: { data: await dataOf(account, await fileNamed(account, key)), columns: FILE_COLUMNS } };
    const journal = await account.journal();
    const files = await journal.files.list(await account.accountNames());
    const rows = await Promise.all(files.map((file) => dataOf(account, file)));
    return { result: { data: { files: rows }, lists: 'files', columns: FILE_COLUMNS, list: { isWhole: true } } };
  },
});

const pauseCommand = command({
  words: ['bulk', 'pause'],
  summary: 'Stop sending a file between two rows',
  details: 'A command that sends it, here or on another host of the journal, ends before its next row.',
  examples: ['fiatrail bulk pause suppliers-2026-11'],
  endpoints: [],
  prints: fileSchema,
  parameters: { key: keyArgument },
  run: async (account, _terminal, { key }) => {
    const file = await fileNamed(account, key);
    endDryRun(account, { pauses: key });
    const { files } = await account.journal();
    const now = await files.setState(file, 'paused');
    const error = now.state === 'paused' ? undefined : stateError(now);
    if (error) throw error;
    return { result: { data: await dataOf(account, now), columns: FILE_COLUMNS } };
  },
});

const resumeCommand = (catalogue: readonly Group[]) =>
  command({
    words: ['bulk', 'resume'],
    summary: 'Go on with a file that was paused or interrupted',
    details:
      'Sends the rows that were never sent or that the service rejected, looks for those whose outcome is unknown, and follows the others to their end. Any host of the journal can do it.',
    examples: ['fiatrail bulk resume suppliers-2026-11', 'fiatrail bulk resume suppliers-2026-11 --yes -o json'],
    endpoints: [],
    prints: fileSchema,
    parameters: { key: keyArgument, ...runOptions },
    run: async (account, terminal, { key, ...input }) => {
      const file = await fileNamed(account, key);
      const runs = await commandAs(catalogue, file.command);
      if (rowCommandOf(runs).columns.some(({ isSecret }) => isSecret))
        throw new CliError('usage', `the BVNs of the file ${key} are not stored; nothing was sent`, {
          code: 'FILE_NEEDED',
          hint: advice`give the file again: [fiatrail bulk create FILE --as "${file.command}" --once ${key}]`,
        });
      return goOn(account, terminal, { command: runs, file }, input, true);
    },
  });

/** The error of a file whose plan has to be decided, by its author or an approver. */
const plannedError = ({ key, plan }: StagedFile) =>
  new CliError('declined', `the file ${key} waits for its plan to be applied; nothing was cancelled`, {
    code: 'FILE_PLANNED',
    hint: advice`end the plan with: [fiatrail plans withdraw ${plan?.id}]; an approver does so with: [fiatrail plans reject ${plan?.id} --reason TEXT]`,
  });

const cancelCommand = command({
  words: ['bulk', 'cancel'],
  summary: 'Cancel the rows of a file that were not sent',
  details: 'What was sent goes on at the service. A cancelled file stays cancelled.',
  examples: ['fiatrail bulk cancel suppliers-2026-11', 'fiatrail bulk cancel suppliers-2026-11 --yes -o json'],
  endpoints: [],
  prints: fileSchema,
  parameters: { key: keyArgument },
  run: async (account, terminal, { key }) => {
    const file = await fileNamed(account, key);
    if (file.state === 'planned') throw plannedError(file);
    const { waiting, rejected } = await dataOf(account, file);
    endDryRun(account, { cancels: key, rows: waiting + rejected });
    await confirmRequest(terminal.dialog, account.profile, {
      summary: `cancel ${rowsText(waiting + rejected)} of the file ${key} for good`,
      lines: [['key', key]],
    });
    const { files } = await account.journal();
    return { result: { data: await dataOf(account, await files.setState(file, 'cancelled')), columns: FILE_COLUMNS } };
  },
});

const reportedSchema = () =>
  z.object({
    key: z.string(),
    command: z.string(),
    // With the columns of the file, which are those of its command. Rows for another file have no line and no status.
    rows: z.array(z.looseObject({ reference: z.string(), line: z.optional(z.int()), status: z.optional(z.string()) })),
    sums: z.array(z.object({ status: z.string(), rows: z.int(), sum: z.nullable(amountSchema()) })),
    pagination: paginationSchema(),
  });

const reportCommand = (catalogue: readonly Group[]) =>
  command({
    words: ['bulk', 'report'],
    summary: 'Report what became of each row of a file',
    details:
      'Prints the columns of the file with the status, the ids, the reason, the times and the fee of each row. With --failed, prints only the rows that failed or were cancelled, without references: give them new ones, and send them as another file.',
    examples: [
      'fiatrail bulk report suppliers-2026-11',
      'fiatrail bulk report suppliers-2026-11 --failed -o csv > again.csv',
    ],
    endpoints: [],
    prints: reportedSchema,
    parameters: {
      key: keyArgument,
      failed: switchOn('--failed', 'print only rows that failed or were cancelled, for a file with new references'),
    },
    run: async (account, _terminal, { key, failed }): Promise<Outcome> => {
      const { reportedRows, statusSums } = await import('../../bulk/report.ts');
      const file = await fileNamed(account, key);
      const runs = rowCommandOf(await commandAs(catalogue, file.command));
      const journal = await account.journal();
      // A process that has not noticed the cancellation may be about to send one more row.
      const lease = failed && file.state === 'cancelled' ? await journal.files.leaseOf(file) : undefined;
      if (lease) throw busyError(file, lease);
      const reported = await reportedRows(account, runs, await followedRows(journal, file));
      const sums = statusSums(file, reported).map((each) => ({ ...each, sum: each.sum ?? null }));
      const isGiven = (name: string) => reported.some(({ row }) => row.texts[name] !== undefined);
      const titles = runs.columns.filter(
        ({ key: name, isSecret, isOther }) => !isSecret && !(isOther && !isGiven(name)),
      );
      const shown = failed ? reported.filter(({ row }) => needsNewReference(file, row)) : reported;
      const rows = shown.map(({ row, fee, reason }) => {
        const { reference, line, texts, status, operation } = row;
        const own = Object.fromEntries(titles.map(({ key: name, title }) => [title, texts[name] ?? null]));
        if (failed) return { reference: '', ...own, was: reference, reason };
        const times = { sentAt: operation?.createdAt ?? null, changedAt: operation?.updatedAt ?? null };
        const ids = { requestId: operation?.requestId ?? null, operationId: operation?.operationId ?? null };
        return { reference, line, ...own, status, reason, fee, ...times, ...ids };
      });
      const columns = failed ? undefined : reportColumns(titles.map(({ title }) => title));
      return {
        result: {
          data: { key, command: file.command, rows, sums },
          lists: 'rows',
          list: { isWhole: true },
          ...(columns ? { columns } : {}),
          below: { title: 'Sums', rows: sums.map(sumRow), columns: SUM_COLUMNS },
        },
      };
    },
  });

/** Whether a row is never sent again under its reference, although it moved nothing. */
const needsNewReference = ({ state }: StagedFile, { status }: FollowedRow): boolean =>
  status === 'failed' || (state === 'cancelled' && (status === 'waiting' || status === 'rejected'));

const sumRow = ({
  status,
  rows,
  sum,
}: {
  readonly status: string;
  readonly rows: number;
  readonly sum: Amount | null;
}) => ({
  status,
  rows: String(rows),
  sum: sum ? amountForPeople(sum) : '',
});

const SUM_COLUMNS = [
  { field: 'status', title: 'Status' },
  { field: 'rows', title: 'Rows' },
  { field: 'sum', title: 'Sum' },
] as const;

const reportColumns = (titles: readonly string[]) => [
  { field: 'reference', title: 'Reference' },
  ...titles.map((title) => ({ field: title, title: title.charAt(0).toUpperCase() + title.slice(1) })),
  { field: 'status', title: 'Status' },
  { field: 'reason', title: 'Reason' },
  { field: 'fee', title: 'Fee' },
  { field: 'changedAt', title: 'Changed', isBrief: true } as const,
  { field: 'requestId', title: 'Request', isWide: true } as const,
];

export const manageCommands = (catalogue: readonly Group[]) => [
  statusCommand,
  pauseCommand,
  resumeCommand(catalogue),
  cancelCommand,
  reportCommand(catalogue),
];
