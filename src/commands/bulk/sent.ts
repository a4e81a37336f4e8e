import * as z from 'zod/mini';
import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import { countsOf, type FollowedRow, ROW_STATUSES, type RowStatus, rowsText } from '../../bulk/progress.ts';
import type { StagedFile } from '../../journal/files.ts';
import { type Amount, amount, isAsset } from '../../money/amount.ts';
import { amountSchema } from '../../present/prints.ts';
import type { Column } from '../../present/result.ts';

/** What a file prints as JSON. */
export const fileSchema = () =>
  z.object({
    key: z.string(),
    command: z.string(),
    status: z.enum(['planned', 'open', 'paused', 'cancelled', 'finished']),
    plan: z.nullable(z.string()),
    rows: z.int(),
    sums: z.array(amountSchema()),
    ...Object.fromEntries(ROW_STATUSES.map((status) => [status, z.int()])),
    left: z.array(amountSchema()),
    waitsFor: z.nullable(z.string()),
    digest: z.string(),
    stagedAt: z.string(),
    stagedBy: z.string(),
  });

/** Returns the sum of each asset of some rows. */
function sumsOf(rows: readonly Pick<FollowedRow, 'operation'>[]): readonly Amount[] {
  const sums = new Map<Amount['asset'], bigint>();
  for (const { operation } of rows) {
    const moves = operation?.moves;
    if (moves) sums.set(moves.asset, (sums.get(moves.asset) ?? 0n) + moves.minor);
  }
  return [...sums].map(([asset, minor]) => amount(asset, minor));
}

const fileSums = ({ sums }: Pick<StagedFile, 'sums'>): readonly Amount[] =>
  Object.entries(sums).flatMap(([asset, minor]) => (isAsset(asset) ? [amount(asset, BigInt(minor))] : []));

/** Returns sums as a file has them. */
export const minorSums = (sums: readonly Amount[]): StagedFile['sums'] =>
  Object.fromEntries(sums.map(({ asset, minor }) => [asset, String(minor)]));

/** Returns the sums of a file without the rows that were struck out. */
export const leftSums = (file: Pick<StagedFile, 'sums' | 'plan'>): readonly Amount[] =>
  fileSums(file).map(({ asset, minor }) => amount(asset, minor - BigInt(file.plan?.struck?.sums[asset] ?? '0')));

/** Rows that moved their amount, or may have. */
const MAY_HAVE_MOVED: readonly RowStatus[] = ['unknown', 'accepted', 'done'];

/** A file and how far it is, as it is printed. `atWork` describes the process that sends it, if one does. */
export function fileData(file: StagedFile, rows: readonly FollowedRow[], atWork: string | undefined) {
  const { key, command, state, plan, digest, stagedAt, stagedBy } = file;
  const counts = countsOf(rows);
  const moved = sumsOf(rows.filter(({ status }) => MAY_HAVE_MOVED.includes(status)));
  const sums = fileSums(file);
  const left = leftSums(file).map(({ asset, minor }) =>
    amount(asset, minor - (moved.find((each) => each.asset === asset)?.minor ?? 0n)),
  );
  const waitsFor = waitOf(file, counts, atWork);
  return {
    key,
    command,
    // Rows that failed are finished too: a new file has them under new references.
    status: state === 'open' && waitsFor === null ? ('finished' as const) : state,
    plan: plan?.id ?? null,
    rows: rows.length,
    sums,
    ...counts,
    left,
    waitsFor,
    digest,
    stagedAt,
    stagedBy,
  };
}

/** What a file waits for; null if it is done. */
function waitOf(
  { key, state, plan }: StagedFile,
  counts: Readonly<Record<RowStatus, number>>,
  atWork: string | undefined,
) {
  const unsent = counts.waiting + counts.rejected;
  if (state === 'planned') return `its plan: fiatrail plans show ${plan?.id}`;
  if (counts.unknown > 0 && atWork === undefined) return `an outcome: fiatrail bulk resume ${key}`;
  if (atWork !== undefined) return atWork;
  if (unsent > 0 && state === 'open') return `someone who goes on: fiatrail bulk resume ${key}`;
  if (unsent > 0 && state === 'paused') return `the end of the pause: fiatrail bulk resume ${key}`;
  return counts.accepted > 0 ? 'the service' : null;
}

export const FILE_COLUMNS: readonly Column[] = [
  { field: 'key', title: 'Key' },
  { field: 'command', title: 'Command' },
  { field: 'status', title: 'Status' },
  { field: 'rows', title: 'Rows' },
  { field: 'done', title: 'Done' },
  { field: 'accepted', title: 'Accepted' },
  { field: 'failed', title: 'Failed' },
  { field: 'rejected', title: 'Rejected' },
  { field: 'unknown', title: 'Unknown' },
  { field: 'waiting', title: 'Waiting' },
  { field: 'struck', title: 'Struck out' },
  { field: 'sums', title: 'Sum' },
  { field: 'left', title: 'Not paid' },
  { field: 'waitsFor', title: 'Waits for' },
  { field: 'plan', title: 'Plan', isWide: true },
  { field: 'digest', title: 'Digest', isWide: true },
  { field: 'stagedAt', title: 'Staged', isBrief: true },
  { field: 'stagedBy', title: 'By', isWide: true },
];

/** The error of a file that is not done; undefined for one that is. */
export function fileError({ key }: StagedFile, rows: readonly FollowedRow[]): CliError | undefined {
  const { unknown, failed, rejected, accepted, waiting } = countsOf(rows);
  const report = advice`see them with: [fiatrail bulk report ${key}]`;
  if (unknown > 0)
    return new CliError('unknown', `the outcome of ${rowsText(unknown)} is unknown`, {
      code: 'OUTCOME_UNKNOWN',
      hint: advice`look for it with: [fiatrail bulk resume ${key}]; what would prove it: [fiatrail ops reconcile --all]`,
    });
  if (failed + rejected > 0)
    return new CliError('failed', badText(failed, rejected), { code: 'ROWS_FAILED', hint: report });
  if (waiting > 0)
    return new CliError('pending', `${rowsText(waiting)} ${waiting === 1 ? 'was' : 'were'} not sent`, {
      hint: advice`go on with: [fiatrail bulk resume ${key}]`,
    });
  if (accepted > 0)
    return new CliError('pending', `the service still works on ${rowsText(accepted)}`, {
      hint: advice`look again with: [fiatrail bulk resume ${key}]`,
    });
  return undefined;
}

/** The error of a file whose key another one has. */
export const keyTaken = ({ key, plan }: StagedFile) =>
  new CliError('usage', `another file already uses the key ${key}; nothing was sent`, {
    code: 'FILE_KEY_TAKEN',
    hint: plan
      ? advice`see its plan with: [fiatrail plans show ${plan.id}]`
      : advice`see how far it is with: [fiatrail bulk status ${key}]; new rows go into a file of their own`,
  });

const badText = (failed: number, rejected: number): string =>
  [
    ...(failed > 0 ? [`${rowsText(failed)} failed`] : []),
    ...(rejected > 0 ? [`the service rejected ${rowsText(rejected)}`] : []),
  ].join(', and ');
