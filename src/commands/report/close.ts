import * as z from 'zod/mini';
import { absolutePath } from '../../account/paths.ts';
import { CliError } from '../../base/errors.ts';
import { acceptancesOf, ownerOf } from '../../copy/acceptances.ts';
import { allCloses, closeName, closesOf, type MonthClose, type SavedCloses, textOfClose } from '../../copy/closes.ts';
import { withCopy } from '../../copy/open.ts';
import { partsOfClose } from '../../copy/questions/books/closed.ts';
import { digestsOfLines } from '../../copy/questions/books/csv.ts';
import { bookOf } from '../../copy/questions/books/read.ts';
import { impliedIn, whyOpen } from '../../copy/questions/books/why-open.ts';
import type { Account } from '../../engine/account.ts';
import { CLOSES, REOPENINGS } from '../../engine/plans/approver-list.ts';
import { endDryRun } from '../../engine/requests.ts';
import { fileErrors } from '../../files/inspect.ts';
import { linesOf } from '../../files/plain-file.ts';
import type { Queries } from '../../journal/store.ts';
import { type Amount, AmountError, amount, amountForPeople, isAsset, parseAmount } from '../../money/amount.ts';
import { amountSchema } from '../../present/prints.ts';
import { command } from '../../terminal/command.ts';
import { option, PLAN_OPTIONS, plainText, repeated, required } from '../../terminal/parse/parameters.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { decide } from './decision.ts';
import { iso, monthTyped, periodArgument, periodIn, type ReportPeriod } from './period.ts';

const CLOSE = {
  id: CLOSES,
  method: 'CHANGE',
  path: 'closes',
  request: () =>
    z.looseObject({
      month: z.string(),
      digest: z.string(),
      sets: z.int(),
      reason: z.nullable(z.string()),
      closing: z.array(z.looseObject({ account: z.string(), asset: z.string(), balance: z.string() })),
      stated: z.array(z.looseObject({ asset: z.string(), opening: z.string() })),
    }),
} as const;

const REOPENING = {
  id: REOPENINGS,
  method: 'CHANGE',
  path: 'closes',
  request: () => z.looseObject({ month: z.string(), reason: z.string() }),
} as const;

/** A month that a person wants to close or reopen. Throws CliError usage for another period. */
type Month = ReportPeriod & { readonly month: string };

function monthOf(period: ReportPeriod): Month {
  const { month } = period;
  if (month === undefined)
    throw new CliError('usage', 'only a whole month can be closed', { hint: 'name one: 2026-11' });
  return { ...period, month };
}

/** `12,918,474.63 CNGN`, or `CNGN 12918474.63`. Throws AmountError. */
function anyAmount(text: string): Amount {
  const words = text.trim().split(/\s+/);
  const asset = words.map((word) => word.toUpperCase()).find(isAsset);
  if (asset === undefined || words.length !== 2)
    throw new AmountError(`expected an amount and its asset, not "${text}"; for example "264,490.51 NGN"`);
  return parseAmount(words.filter((word) => word.toUpperCase() !== asset).join(''), asset);
}

const printed = (postings: readonly { account: string; asset: Amount['asset']; minor: bigint }[]) =>
  postings.map(({ account, asset, minor }) => ({ account, balance: amount(asset, minor) }));

const balancesSchema = () => z.array(z.object({ account: z.string(), balance: amountSchema() }));

const closeSchema = () =>
  z.object({
    month: z.string(),
    zone: z.string(),
    since: z.iso.datetime(),
    until: z.iso.datetime(),
    opening: balancesSchema(),
    adjustments: balancesSchema(),
    moved: balancesSchema(),
    closing: balancesSchema(),
    stated: z.array(amountSchema()),
    reason: z.nullable(z.string()),
    sets: z.int(),
    digest: z.string(),
    balancesDigest: z.string(),
    checkpoint: z.nullable(z.string()),
    closedBy: z.string(),
    closedAt: z.iso.datetime(),
  });

/** A close as it is printed. */
const printedClose = ({ opening, adjustments, moved, closing, stated, head, who, at, ...close }: MonthClose) => ({
  ...close,
  opening: printed(opening),
  adjustments: printed(adjustments),
  moved: printed(moved),
  closing: printed(closing),
  stated: stated.map(({ asset, minor }) => amount(asset, minor)),
  checkpoint: head,
  closedBy: who,
  closedAt: at,
});

/** Everything that stops a close, in one error: the first is the one to begin with. */
function stopped(
  month: string,
  all: readonly { readonly what: string; readonly hint: string }[],
): CliError | undefined {
  const [first, ...more] = all;
  if (!first) return undefined;
  const list = [first, ...more].map(({ what }) => what).join('; ');
  return new CliError('declined', `${month} cannot be closed: ${list}`, { code: 'NOT_CLOSABLE', hint: first.hint });
}

/** Reads the books of a month, and returns the close that they make. Rejects with CliError declined if something stops it. */
async function closeOf(
  account: Account,
  terminal: Terminal,
  queries: Queries,
  { month, saved, given }: { readonly month: Month; readonly saved: SavedCloses; readonly given: Given },
): Promise<MonthClose> {
  const { zone } = terminal.globals;
  const journal = await account.journal();
  const { name } = account.profile;
  const book = await bookOf(queries, { ...month, title: `Books of ${name}`, zone, closes: saved.all });
  for await (const _ of book.sets);
  const { sets, entries: digest, balances: balancesDigest } = book.counted();
  const stated = await impliedIn(queries, month);
  const unknown = await journal.list({ limit: 100, state: 'unknown-outcome', profile: name, untilMs: month.untilMs });
  const accepted = await acceptancesOf(account, queries);
  const aheadMs = (await account.time.nowMs()) - account.world.clock.now();
  const why = await whyOpen(queries, {
    month,
    book: book.untied(),
    closes: saved.all,
    unknown,
    accepted: accepted.all,
    aheadMs,
  });
  const error = stopped(month.month, [...why, ...wrongStatement(stated, given)]);
  if (error) throw error;
  return {
    month: month.month,
    zone: zone.name,
    since: iso(month.sinceMs),
    until: iso(month.untilMs),
    ...partsOfClose(book),
    stated: [...given.opening].map(({ asset, minor }) => ({ asset, minor })),
    reason: given.reason ?? null,
    sets,
    digest,
    balancesDigest,
    head: (await journal.head())?.hash ?? null,
    who: '',
    at: iso(0),
  };
}

interface Given {
  readonly opening: readonly Amount[];
  readonly reason: string | undefined;
}

/** What a person must state, since no row says what an account had before it was copied, and did not state so. */
function wrongStatement(stated: readonly Amount[], { opening, reason }: Given) {
  const open = stated.filter(
    ({ asset, minor }) => !opening.some((each) => each.asset === asset && each.minor === minor),
  );
  const other = opening.filter(({ asset }) => !stated.some((each) => each.asset === asset));
  const typed = stated.map(({ asset, minor }) => `--opening "${amountForTyping({ asset, minor })}"`).join(' ');
  if (other.length > 0)
    return [
      {
        what: `nothing needs to be stated in ${other[0]?.asset}`,
        hint: stated.length > 0 ? `state what is right: ${typed} --reason "…"` : 'leave --opening out',
      },
    ];
  if (open.length > 0) {
    const sums = open.map(amountForPeople).join(' and ');
    const hint = `if you know it to be right, from a statement or the service: ${typed} --reason "…"`;
    return [
      { what: `no row says that the account began with ${sums}, as the first balances that were read imply`, hint },
    ];
  }
  if (stated.length > 0 && reason === undefined)
    return [{ what: 'an opening balance that you state needs a reason', hint: 'add: --reason "…"' }];
  return [];
}

const amountForTyping = ({ asset, minor }: Amount): string =>
  `${amountForPeople({ asset, minor }).replaceAll(/[^\d.,-]/g, '')} ${asset}`;

const COLUMNS = [
  { field: 'month', title: 'Month' },
  { field: 'closedBy', title: 'Closed by' },
  { field: 'closedAt', title: 'Closed at' },
  { field: 'sets', title: 'Sets of entries' },
  { field: 'digest', title: 'Digest of the entries' },
  { field: 'checkpoint', title: 'Checkpoint of the journal' },
  ...(['opening', 'adjustments', 'moved', 'closing'] as const).map((field) => ({
    field,
    title: { opening: 'Opening', adjustments: 'Came late for earlier months', moved: 'Moved', closing: 'Closing' }[
      field
    ],
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
async function checkedClose(account: Account, file: string, month: string | undefined): Promise<MonthClose> {
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
  const closes = await allCloses(account);
  const close = closes.find(({ digest, balancesDigest, ...own }) =>
    month === undefined ? digest === found.entries && balancesDigest === found.balances : own.month === month,
  );
  if (close?.digest === found.entries && close.balancesDigest === found.balances) return close;
  const part = close?.digest === found.entries ? 'balances' : 'entries';
  const what = close
    ? `the ${part} are not those with which ${close.month} was closed`
    : 'no month was closed with these books';
  throw new CliError('declined', `${path}: ${what}`, {
    code: 'NOT_AS_CLOSED',
    hint:
      closes.length > 0
        ? `closed: ${closes.map((each) => each.month).join(', ')}`
        : 'no month is closed in this journal',
  });
}

export const closeCommand = command({
  words: ['report', 'close'],
  summary: 'Close a month, so that its books never change',
  details:
    'Records the opening and closing balances of a past month, what moved, the digest of its entries and the checkpoint of the journal in the journal. What comes late for a closed month is an adjustment in the month that is open. A month stays open while anything of it is not known, not explained, of unknown outcome or open past its time. Before the first month, state the balances that no row explains with --opening. Once there are two approvers, it needs the approval of one of them who is not the one who asks: use --plan. Auditors check books with: fiatrail report check',
  examples: [
    'fiatrail report close last month',
    'fiatrail report close 2026-11 --opening "264,490.51 NGN" --reason "statement of 31 October"',
  ],
  endpoints: [],
  prints: closeSchema,
  isLocal: true,
  parameters: {
    period: periodArgument,
    opening: repeated('--opening <amount>', 'an opening balance that no row explains, with its asset', anyAmount),
    reason: option('--reason <text>', 'how you know the opening balances', plainText),
    check: option('--check <file>', 'close nothing, and compare books as CSV with those that were closed', plainText),
    ...PLAN_OPTIONS,
  },
  run: async (account, terminal, { period: name, opening = [], reason, check }) => {
    if (check !== undefined) {
      if (opening.length > 0 || reason !== undefined)
        throw new CliError('usage', '--check closes nothing', { hint: 'remove --opening and --reason' });
      const month = name && monthTyped(name, terminal.globals.zone, account.world.clock.now());
      const data = printedClose(await checkedClose(account, check, month));
      return { result: { data, columns: COLUMNS } };
    }
    return withCopy(account, async (copy) => {
      const { owner, saved, close } = await copy.read(async (queries) => {
        const month = monthOf(
          await periodIn(account, terminal, queries, name ?? ['last', 'month'], { since: undefined, until: undefined }),
        );
        const id = await ownerOf(queries);
        const all = await closesOf(account, id);
        const found = await closeOf(account, terminal, queries, { month, saved: all, given: { opening, reason } });
        return { owner: id, saved: all, close: found };
      });
      endDryRun(account, printedClose(close));
      let closed = close;
      await decide(account, terminal, {
        endpoint: CLOSE,
        input: {
          month: close.month,
          digest: close.digest,
          sets: close.sets,
          reason: close.reason,
          closing: close.closing.map(({ account: of, asset, minor }) => ({
            account: of,
            asset,
            balance: String(minor),
          })),
          stated: close.stated.map(({ asset, minor }) => ({ asset, opening: String(minor) })),
        },
        period: { since: close.since, until: close.until },
        summary: `close ${close.month}`,
        lines: [
          ...close.stated.map(
            ({ asset, minor }) => ['opening, as stated', amountForPeople(amount(asset, minor))] as const,
          ),
          ...(close.reason === null ? [] : [['reason', close.reason] as const]),
          ...close.closing.map(({ account: of, asset, minor }) => [of, amountForPeople(amount(asset, minor))] as const),
          ['entries', `${close.sets} sets, digest ${close.digest}`],
        ],
        changes: (who, at) => {
          closed = { ...close, who, at };
          return [
            { name: closeName(owner, close.month), text: textOfClose(closed), before: saved.textUnder(close.month) },
          ];
        },
      });
      return { result: { data: printedClose(closed), columns: COLUMNS } };
    });
  },
});

export const reopenCommand = command({
  words: ['report', 'reopen'],
  summary: 'Reopen the month that was closed last',
  details:
    'The journal keeps the close, the reason and who reopened the month. Months are reopened in turn, the last one first. Once there are two approvers, it needs the approval of one of them who is not the one who asks: use --plan.',
  examples: ['fiatrail report reopen 2026-11 --reason "the bank corrected its statement"'],
  endpoints: [],
  prints: () => z.object({ month: z.string(), reason: z.string() }),
  isLocal: true,
  parameters: {
    period: periodArgument,
    reason: required('--reason <text>', 'why the month must change', plainText, 'Reason:'),
    ...PLAN_OPTIONS,
  },
  run: (account, terminal, { period: name, reason }) =>
    withCopy(account, async (copy) => {
      const { owner, saved, month } = await copy.read(async (queries) => {
        const period = monthOf(
          await periodIn(account, terminal, queries, name ?? ['last', 'month'], { since: undefined, until: undefined }),
        );
        const id = await ownerOf(queries);
        return { owner: id, saved: await closesOf(account, id), month: period.month };
      });
      const before = saved.textUnder(month);
      const last = saved.all.at(-1)?.month;
      if (before === undefined || last === undefined)
        throw new CliError('usage', `${month} is not closed`, {
          code: 'NOT_FOUND',
          hint: last ? `the last closed month is ${last}` : 'no month is closed',
        });
      if (month !== last)
        throw new CliError('usage', `${last} was closed after ${month}`, {
          hint: `reopen it first: fiatrail report reopen ${last} --reason "…"`,
        });
      const data = { month, reason };
      endDryRun(account, data);
      await decide(account, terminal, {
        endpoint: REOPENING,
        input: data,
        period: { since: saved.all.at(-1)?.since ?? '', until: saved.all.at(-1)?.until ?? '' },
        summary: `reopen ${month}`,
        lines: [['reason', reason]],
        changes: () => [{ name: closeName(owner, month), text: undefined, before }],
      });
      return { result: { data } };
    }),
});
