import * as z from 'zod/mini';
import { absolutePath } from '../../account/paths.ts';
import { CliError } from '../../base/errors.ts';
import { allCloses, type MonthClose } from '../../copy/closes.ts';
import { digestsOfLines } from '../../copy/questions/books/csv.ts';
import type { Posting } from '../../copy/questions/books/sets.ts';
import type { Account } from '../../engine/account.ts';
import { fileErrors } from '../../files/inspect.ts';
import { linesOf } from '../../files/plain-file.ts';
import { amount } from '../../money/amount.ts';
import { amountSchema } from '../../present/prints.ts';
import type { ReportPeriod } from './period.ts';

/** A month that a person wants to close or reopen. */
export type Month = ReportPeriod & { readonly month: string };

/** Throws CliError usage for another period. */
export function monthOf(period: ReportPeriod): Month {
  const { month } = period;
  if (month === undefined)
    throw new CliError('usage', 'only a whole month can be closed', { hint: 'name one: 2026-11' });
  return { ...period, month };
}

export const printedPostings = (postings: readonly Posting[]) =>
  postings.map(({ account, asset, minor }) => ({ account, balance: amount(asset, minor) }));

export const postingsSchema = () => z.array(z.object({ account: z.string(), balance: amountSchema() }));

export const closeSchema = () =>
  z.object({
    month: z.string(),
    zone: z.string(),
    since: z.iso.datetime(),
    until: z.iso.datetime(),
    opening: postingsSchema(),
    adjustments: postingsSchema(),
    moved: postingsSchema(),
    closing: postingsSchema(),
    stated: z.array(amountSchema()),
    accepted: z.array(z.object({ code: z.string(), sets: z.int() })),
    reason: z.nullable(z.string()),
    sets: z.int(),
    digest: z.string(),
    balancesDigest: z.string(),
    checkpoint: z.nullable(z.string()),
    closedBy: z.string(),
    closedAt: z.iso.datetime(),
  });

/** A close as it is printed before anyone has made it. */
export const printedDraft = ({
  opening,
  adjustments,
  moved,
  closing,
  stated,
  head,
  ...close
}: Omit<MonthClose, 'who' | 'at'>) => ({
  ...close,
  opening: printedPostings(opening),
  adjustments: printedPostings(adjustments),
  moved: printedPostings(moved),
  closing: printedPostings(closing),
  stated: stated.map(({ asset, minor }) => amount(asset, minor)),
  checkpoint: head,
});

export const printedClose = ({ who, at, ...close }: MonthClose) => ({
  ...printedDraft(close),
  closedBy: who,
  closedAt: at,
});

const POSTINGS = {
  opening: 'Opening',
  adjustments: 'Came late for earlier months',
  moved: 'Moved',
  closing: 'Closing',
} as const;

export const CLOSE_COLUMNS = [
  { field: 'month', title: 'Month' },
  { field: 'closedBy', title: 'Closed by' },
  { field: 'closedAt', title: 'Closed at' },
  { field: 'reason', title: 'Reason' },
  { field: 'sets', title: 'Sets of entries' },
  { field: 'digest', title: 'Digest of the entries' },
  { field: 'checkpoint', title: 'Checkpoint of the journal' },
  {
    field: 'accepted',
    title: 'Accepted as not known',
    columns: [
      { field: 'code', title: 'Code' },
      { field: 'sets', title: 'Sets', align: 'right' as const },
    ],
  },
  ...Object.entries(POSTINGS).map(([field, title]) => ({
    field,
    title,
    columns: [
      { field: 'account', title: 'Account' },
      { field: 'balance', title: 'Balance', align: 'right' as const },
    ],
  })),
] as const;

/** The longest line of books: a note and an id have at most 200 characters each. */
const LONGEST_LINE = 10_000;

/**
 * Compares a file of books with what was closed. Needs the journal alone. Rejects with CliError usage for a file that has no books, and with
 * CliError declined if no month was closed with them, or the journal was changed.
 */
export async function checkedClose(account: Account, file: string, month: string | undefined): Promise<MonthClose> {
  const path = absolutePath(file);
  const found = fileErrors('read', path, () => digestsOfLines(linesOf(path, LONGEST_LINE)));
  if (!found)
    throw new CliError('usage', `${path}: these are not the books of a month as CSV`, {
      code: 'UNUSABLE_FILE',
      hint: 'write them with: fiatrail report books 2026-11 --format csv',
    });
  const { problem } = await (await account.journal()).verify();
  if (problem)
    throw new CliError('declined', `the journal was changed: ${problem.what}`, {
      code: 'JOURNAL_CHANGED',
      hint: 'see: fiatrail ops journal verify',
    });
  const all = await allCloses(account);
  const closes = all.filter((each) => month === undefined || each.month === month);
  const close = closes.find((each) => each.digest === found.entries && each.balancesDigest === found.balances);
  if (close) return close;
  const half = closes.find((each) => each.digest === found.entries || each.balancesDigest === found.balances);
  const what = half
    ? `the ${half.digest === found.entries ? 'balances' : 'entries'} are not those with which ${half.month} was closed`
    : `${month ?? 'no month'} was ${month ? 'not ' : ''}closed with these books`;
  throw new CliError('declined', `${path}: ${what}`, {
    code: 'NOT_AS_CLOSED',
    hint: all.length > 0 ? `closed: ${all.map((each) => each.month).join(', ')}` : 'no month is closed in this journal',
  });
}
