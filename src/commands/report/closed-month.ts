import * as z from 'zod/mini';
import { absolutePath } from '../../account/paths.ts';
import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import type { Zone } from '../../base/zone.ts';
import { allCloses, type MonthClose } from '../../copy/closes.ts';
import type { ClosedPeriod, LackingSet } from '../../copy/questions/books/closed.ts';
import { type BookDigests, digestsOfLines } from '../../copy/questions/books/csv.ts';
import type { Posting } from '../../copy/questions/books/sets.ts';
import type { Account } from '../../engine/account.ts';
import { fileErrors } from '../../files/inspect.ts';
import { BytesFileError, type BytesProblem, linesOf } from '../../files/plain-file.ts';
import { amount, amountForPeople, printable } from '../../money/amount.ts';
import { amountSchema } from '../../present/prints.ts';
import type { Below } from '../../present/result.ts';
import { timeText } from '../../present/times.ts';
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

const printedPostings = (postings: readonly Posting[]) =>
  postings.map(({ account, asset, minor }) => ({ account, balance: amount(asset, minor) }));

/** What was accepted as not known, with what balances say of all of it. */
const acceptedSchema = () =>
  z.array(
    z.object({ code: z.string(), sets: z.int(), amounts: z.array(amountSchema()), accounts: z.array(z.string()) }),
  );

const printedAccepted = (accepted: MonthClose['accepted']) =>
  accepted.map(({ amounts, ...each }) => ({
    ...each,
    amounts: amounts.map(({ asset, minor }) => amount(asset, minor)),
  }));

/** The same in words: `FEE_SCHEDULE_NOT_SEEN, 6 sets, missing in assets:fees, income:onramp`. */
export function acceptedText({ code, sets, amounts, accounts }: MonthClose['accepted'][number]): string {
  const changed = amounts.map(({ asset, minor }) => amountForPeople(amount(asset, minor))).join(', ');
  return [
    code,
    `${sets} ${sets === 1 ? 'set' : 'sets'}`,
    ...(accounts.length === 0 ? [] : [`missing in ${accounts.join(', ')}`]),
    ...(changed === '' ? [] : [`which changed the balances by ${changed}`]),
  ].join(', ');
}

const postingsSchema = () => z.array(z.object({ account: z.string(), balance: amountSchema() }));

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
    accepted: acceptedSchema(),
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
  accepted,
  head,
  ...close
}: Omit<MonthClose, 'who' | 'at'>) => ({
  ...close,
  opening: printedPostings(opening),
  adjustments: printedPostings(adjustments),
  moved: printedPostings(moved),
  closing: printedPostings(closing),
  stated: stated.map(({ asset, minor }) => amount(asset, minor)),
  accepted: printedAccepted(accepted),
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
      { field: 'accounts', title: 'Missing in' },
      { field: 'amounts', title: 'Changed the balances by' },
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

const WHEN_READING: Readonly<Partial<Record<BytesProblem, string>>> = {
  missing: 'the file does not exist',
  'not plain': 'it is not a regular file',
};

/** Reads the digests of books in a file. Throws CliError usage if it has none. */
function digestsIn(path: string): BookDigests {
  let problem = 'these are not the books of a month as CSV';
  let cause: unknown;
  try {
    const found = fileErrors('read', path, () => digestsOfLines(linesOf(path, LONGEST_LINE)));
    if (found) return found;
  } catch (error) {
    if (!(error instanceof BytesFileError)) throw error;
    problem = WHEN_READING[error.problem] ?? problem;
    cause = error;
  }
  throw new CliError('usage', `${path}: ${problem}`, {
    code: 'UNUSABLE_FILE',
    hint: advice`write the books with: [fiatrail report books 2026-11 --format csv]`,
    cause,
  });
}

/**
 * Compares a file of books with what was closed. Needs the journal alone. Rejects with CliError usage for a file that has no books, and with
 * CliError declined if no month was closed with them, or the journal was changed.
 */
export async function checkedClose(account: Account, file: string, month: string | undefined): Promise<MonthClose> {
  const path = absolutePath(file);
  const found = digestsIn(path);
  const { problem } = await (await account.journal()).verify();
  if (problem)
    throw new CliError('usage', `the journal was changed: ${problem.what}`, {
      code: 'JOURNAL_CHANGED',
      hint: advice`see: [fiatrail ops journal verify]`,
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

export const closedSchema = () => ({
  closed: z.nullable(
    z.object({
      by: z.string(),
      at: z.iso.datetime(),
      reason: z.nullable(z.string()),
      stated: z.array(amountSchema()),
      accepted: acceptedSchema(),
      late: postingsSchema(),
      isCounted: z.boolean(),
    }),
  ),
  adjustments: postingsSchema(),
});

/** What closes say of the period of a report, as printed. */
export const printedClosed = ({ close, late, isCounted, adjustments }: ClosedPeriod) => ({
  closed: close
    ? {
        by: close.who,
        at: close.at,
        reason: close.reason,
        stated: close.stated.map(({ asset, minor }) => amount(asset, minor)),
        accepted: printedAccepted(close.accepted),
        late: printedPostings(late),
        isCounted,
      }
    : null,
  adjustments: printedPostings(adjustments),
});

/** The same below a report on a terminal; nothing of a period that has to do with no close. */
export function closedLines(
  { close, late, isCounted, adjustments, after }: ClosedPeriod,
  zone: Zone,
): readonly Below[] {
  const tableOf = (title: string, postings: readonly Posting[]): readonly Below[] =>
    postings.length === 0
      ? []
      : [
          {
            title,
            isAlways: true,
            rows: postings.map(({ account, asset, minor }) => ({
              account,
              balance: amountForPeople(amount(asset, minor)),
            })),
            columns: [
              { field: 'account', title: 'Account' },
              { field: 'balance', title: 'Amount', align: 'right' },
            ],
          },
        ];
  const rows = close
    ? [
        { what: 'Closed', says: `${timeText(close.at, { zone }, true) ?? close.at} by ${close.who}` },
        ...close.stated.map(({ asset, minor }) => ({
          what: 'Opening, as stated',
          says: amountForPeople(amount(asset, minor)),
        })),
        ...close.accepted.map((each) => ({ what: 'Accepted as not known', says: acceptedText(each) })),
        ...(close.reason === null ? [] : [{ what: 'Reason', says: close.reason }]),
      ]
    : [];
  const columns = [
    { field: 'what', title: 'Close' },
    { field: 'says', title: 'Result' },
  ];
  return [
    ...(rows.length > 0 ? [{ title: 'Close', isAlways: true as const, rows, columns }] : []),
    ...tableOf(isCounted ? 'Came later, and was counted in a later month' : 'Differs from the close', late),
    ...tableOf(`Came late for months until ${after}, and counts in this one`, adjustments),
  ];
}

/** What says that rows of a closed month are not those with which it was closed, and by how much on each account. */
export function changedError(month: string, late: readonly Posting[]): CliError {
  const shown = late
    .slice(0, NAMED)
    .map(({ account, asset, minor }) => `${account} by ${amountForPeople(amount(asset, minor))}`);
  const more = late.length > NAMED ? ` and ${late.length - NAMED} more` : '';
  const what = shown.length > 0 ? `changed ${shown.join(', ')}${more}` : 'changed no balance';
  return new CliError('declined', `rows of ${month} came or changed after it was closed, which ${what}`, {
    code: 'CHANGED_AFTER_CLOSE',
    hint: advice`the open month counts it as an adjustment; to close it anew: [fiatrail report reopen ${month} --reason "…"]`,
  });
}

/** What says that this copy knows less of closed months than their closes. */
export function lackingError(lacking: readonly LackingSet[]): CliError {
  const codes = [...new Set(lacking.flatMap(({ unknown }) => unknown))].join(', ');
  const [first] = lacking;
  return new CliError(
    'declined',
    `this copy does not know ${lacking.length} ${lacking.length === 1 ? 'amount' : 'amounts'} of closed months that were known when they were closed (${codes}), such as that of ${first?.thing} ${printable(first?.id ?? '')}`,
    {
      code: 'LESS_THAN_CLOSED',
      hint: advice`the closes stand as they are; to compare them, ask an older copy, or one made with [fiatrail sync backup]`,
    },
  );
}

/** The error of a report whose figures are not those of a close, or lack what came late for closes. */
export const errorOfClose = ({ close, late, isCounted, lacking }: ClosedPeriod): CliError | undefined => {
  if (lacking.length > 0) return lackingError(lacking);
  return close && !isCounted ? changedError(close.month, late) : undefined;
};

/** How many accounts a message names. */
const NAMED = 3;
