import * as z from 'zod/mini';
import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import { acceptancesOf, ownerOf } from '../../copy/acceptances.ts';
import { closeName, closesOf, type MonthClose, type SavedCloses, textOfClose } from '../../copy/closes.ts';
import { ACCEPTABLE, isAcceptable } from '../../copy/questions/books/acceptable.ts';
import { partsOfClose } from '../../copy/questions/books/closed.ts';
import { bookOf } from '../../copy/questions/books/read.ts';
import {
  impliedIn,
  type Lack,
  lacksOf,
  type WhyOpen,
  whyLacking,
  whyOpen,
} from '../../copy/questions/books/why-open.ts';
import type { Account } from '../../engine/account.ts';
import { ACCEPTANCES, CLOSES, REOPENINGS } from '../../engine/plans/approver-list.ts';
import { endDryRun } from '../../engine/requests.ts';
import type { Queries } from '../../journal/store.ts';
import { type Amount, amount, amountForPeople } from '../../money/amount.ts';
import { command } from '../../terminal/command.ts';
import { amountWithAsset, option, PLAN_OPTIONS, plainText, repeated, word } from '../../terminal/parse/parameters.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import {
  acceptedText,
  CLOSE_COLUMNS,
  checkedClose,
  closeSchema,
  type Month,
  monthOf,
  printedClose,
  printedDraft,
} from './closed-month.ts';
import { type BookDecision, decide } from './decision.ts';
import { iso, monthWritten, periodArgument, periodIn, withCopyFor } from './period.ts';

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
      accepted: z.array(z.looseObject({ code: z.string(), sets: z.int(), amounts: z.string(), accounts: z.string() })),
    }),
} as const;

interface Given {
  readonly opening: readonly Amount[];
  readonly accepted: readonly string[];
  readonly reason: string | undefined;
}

/** Everything that stops a close, in one error: the first is the one to begin with. */
function stopped(month: string, all: readonly WhyOpen[]): CliError | undefined {
  const [first] = all;
  if (!first) return undefined;
  const list = all.map(({ what }) => what).join('; ');
  return new CliError('declined', `${month} cannot be closed: ${list}`, { code: 'NOT_CLOSABLE', hint: first.hint });
}

/** Reads the books of a month, and returns the close that they make. Rejects with CliError declined if something stops it. */
async function closeOf(
  account: Account,
  terminal: Terminal,
  queries: Queries,
  { month, saved, given }: { readonly month: Month; readonly saved: SavedCloses; readonly given: Given },
): Promise<Draft> {
  const { zone } = terminal.globals;
  const journal = await account.journal();
  const closes = saved.all;
  const read = await bookOf(queries, { ...month, title: `Books of ${account.profile.name}`, zone, closes });
  for await (const _ of read.sets);
  const { sets, entries: digest, balances: balancesDigest } = read.counted();
  const names = await journal.accountIds(await account.accountNames());
  const selection = { limit: MOST_UNKNOWN, state: 'unknown-outcome', account: names, untilMs: month.untilMs } as const;
  // What became of a decision that was killed is in the journal itself.
  const unknown = (await journal.list(selection)).filter(({ endpoint }) => !DECISIONS.includes(endpoint));
  const { all: accepted } = await acceptancesOf(account, queries);
  const book = read.untied();
  const why = await whyOpen(queries, { month, zone, book, closes, unknown, accepted });
  const stated = await impliedIn(queries, month, { opening: read.opening, closes });
  const lacks = await lacksOf(queries, { book, closes, month, closing: read.closing });
  const error = stopped(month.month, [...why, ...whyNotStated(month.month, stated, lacks, given)]);
  if (error) throw error;
  return {
    month: month.month,
    zone: zone.name,
    since: iso(month.sinceMs),
    until: iso(month.untilMs),
    ...partsOfClose(read),
    stated: stated.map(({ asset, minor }) => ({ asset, minor })),
    accepted: lacks.map(({ code, sets: of, amounts, accounts }) => ({
      code,
      sets: of.length,
      amounts: [...amounts],
      accounts: [...accounts],
    })),
    reason: given.reason ?? null,
    sets,
    digest,
    balancesDigest,
    head: (await journal.head())?.hash ?? null,
  };
}

/** A close before someone has made it. */
type Draft = Omit<MonthClose, 'who' | 'at'>;

const DECISIONS: readonly string[] = [ACCEPTANCES, CLOSES, REOPENINGS];

/** A month is typed by its name alone. */
const WHOLE = { since: undefined, until: undefined };

/** How many operations with an unknown outcome are counted. */
const MOST_UNKNOWN = 100;

/** What a person must state or accept, since nothing says it, and did not. */
function whyNotStated(
  month: string,
  stated: readonly Amount[],
  lacks: readonly Lack[],
  { opening, accepted, reason }: Given,
): readonly WhyOpen[] {
  const options = [
    ...stated.flatMap(({ asset, minor }) => ['--opening', amountForTyping({ asset, minor })]),
    ...lacks.flatMap(({ code }) => (isAcceptable(code) ? ['--accept', code] : [])),
  ];
  const hint =
    options.length > 0
      ? advice`if this is right: [fiatrail report close ${month} ${options} --reason "…"]`
      : 'leave --opening and --accept out';
  const why: WhyOpen[] = whyLacking(lacks, accepted).map((each) => ({ hint, ...each }));
  const isStated = ({ asset, minor }: Amount) => opening.some((each) => each.asset === asset && each.minor === minor);
  const open = stated.filter((each) => !isStated(each));
  const [other] = opening.filter(({ asset }) => !stated.some((each) => each.asset === asset));
  if (other) why.push({ what: `nothing needs to be stated in ${other.asset}`, hint });
  if (open.length > 0)
    why.push({
      what: `the balances at its start were not read; what was read later implies ${open.map(amountForPeople).join(', ')}${
        lacks.some(({ code }) => code.startsWith('FEE_') || code === 'AMOUNT_NOT_STATED')
          ? ', apart from the amounts that are not known'
          : ''
      }`,
      hint,
    });
  if (why.length === 0 && options.length > 0 && reason === undefined)
    why.push({ what: 'what you state or accept needs a reason', hint });
  return why;
}

const amountForTyping = ({ asset, minor }: Amount): string =>
  `${amountForPeople({ asset, minor }).replaceAll(/[^\d.,-]/g, '')} ${asset}`;

/** A close as a person decides on it. The month before it must still be closed as it was: another host may reopen it at this moment. */
function decisionOf(owner: string, draft: Draft, saved: SavedCloses): BookDecision {
  const { month, closing, stated, accepted, reason, sets, digest, since, until } = draft;
  const last = saved.all.at(-1);
  return {
    endpoint: CLOSE,
    input: {
      month,
      digest,
      sets,
      reason,
      closing: closing.map(({ account, asset, minor }) => ({ account, asset, balance: String(minor) })),
      stated: stated.map(({ asset, minor }) => ({ asset, opening: String(minor) })),
      accepted: accepted.map(({ code, sets: of, amounts, accounts }) => ({
        code,
        sets: of,
        amounts: amounts.map(({ asset, minor }) => `${minor} ${asset}`).join(', '),
        accounts: accounts.join(', '),
      })),
    },
    period: { since, until },
    summary: `close ${month}`,
    lines: [
      ...stated.map(({ asset, minor }) => ['opening, as stated', amountForPeople(amount(asset, minor))] as const),
      ...accepted.map((each) => ['accepted as not known', acceptedText(each)] as const),
      ...(reason === null ? [] : [['reason', reason] as const]),
      ...closing.map(({ account, asset, minor }) => [account, amountForPeople(amount(asset, minor))] as const),
      ['entries', `${sets} sets, digest ${digest}`],
    ],
    changes: (who, at) => [
      { name: closeName(owner, month), text: textOfClose({ ...draft, who, at }), before: saved.textUnder(month) },
    ],
    unchanged: last ? [{ name: closeName(owner, last.month), before: saved.textUnder(last.month) }] : [],
  };
}

export const closeCommand = command({
  words: ['report', 'close'],
  summary: 'Close a month, so that its books never change',
  details:
    'Records a past month in the journal: its opening and closing balances, what moved, the digest of its entries and the checkpoint of the journal. What comes late for a closed month becomes an adjustment in the open month. A month cannot be closed while anything in it is not known, not explained, overdue or of unknown outcome. For the first month, state the balances at its start with --opening if no sync read them. Once there are two approvers, one of them who did not ask must approve: use --plan. With --check, an auditor compares books with those that were closed; this needs no copy.',
  examples: [
    'fiatrail report close last month',
    'fiatrail report close 2026-11 --opening "264,490.51 NGN" --reason "statement of 31 October"',
    'fiatrail report close 2026-11 --check books.csv',
  ],
  endpoints: [],
  prints: closeSchema,
  isLocal: true,
  parameters: {
    period: periodArgument,
    opening: repeated(
      '--opening <amount>',
      'a balance at the start that no sync has read, with its asset',
      amountWithAsset,
    ),
    accept: repeated(
      '--accept <code>',
      `accept that something is not known which no sync can find out: ${Object.keys(ACCEPTABLE).join(', ')}`,
      word,
    ),
    reason: option(
      '--reason <text>',
      'how you know the opening balances, or why you accept what is not known',
      plainText,
    ),
    check: option('--check <file>', 'close nothing; compare books in CSV with those that were closed', plainText),
    ...PLAN_OPTIONS,
  },
  run: async (account, terminal, { period: name, opening = [], accept = [], reason, check }) => {
    if (check !== undefined) {
      if (opening.length > 0 || accept.length > 0 || reason !== undefined)
        throw new CliError('usage', '--check closes nothing', { hint: 'remove --opening, --accept and --reason' });
      const month = name && monthWritten(name, terminal, account.world.clock.now());
      const data = printedClose(await checkedClose(account, check, month));
      return { result: { data, columns: CLOSE_COLUMNS } };
    }
    account.world.steadyMemory();
    return withCopyFor(account, terminal, name, WHOLE, async (copy) => {
      const { owner, saved, draft } = await copy.read(async (queries) => {
        const month = monthOf(await periodIn(account, terminal, queries, name ?? ['last', 'month'], WHOLE));
        const id = await ownerOf(queries);
        const all = await closesOf(account, id);
        const given = { opening, accepted: accept, reason };
        return {
          owner: id,
          saved: all,
          draft: await closeOf(account, terminal, queries, { month, saved: all, given }),
        };
      });
      endDryRun(account, printedDraft(draft));
      await decide(account, terminal, decisionOf(owner, draft, saved));
      const closed = (await closesOf(account, owner)).all.find(({ month }) => month === draft.month);
      return { result: { data: closed ? printedClose(closed) : printedDraft(draft), columns: CLOSE_COLUMNS } };
    });
  },
});
