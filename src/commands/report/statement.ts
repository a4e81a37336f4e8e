import * as z from 'zod/mini';
import { absolutePath } from '../../account/paths.ts';
import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import type { Zone } from '../../base/zone.ts';
import { withCopy } from '../../copy/open.ts';
import { reachOf } from '../../copy/questions/in-copy.ts';
import { monthNamed, spanOf } from '../../copy/questions/report/periods.ts';
import { statementIn } from '../../copy/questions/report/statement.ts';
import type { StatementOf } from '../../copy/questions/report/statement-of.ts';
import { STATEMENT_FIGURES, statementRowsIn } from '../../copy/questions/report/statement-rows.ts';
import type { Account } from '../../engine/account.ts';
import type { Outcome } from '../../engine/outcome.ts';
import { type PageFile, pageFileAt, writePage } from '../../files/written-page.ts';
import type { Queries } from '../../journal/store.ts';
import { isAsset, printable } from '../../money/amount.ts';
import { figureSchema, paginationSchema } from '../../present/prints.ts';
import { type Below, type Column, requireUnmasked } from '../../present/result.ts';
import { command } from '../../terminal/command.ts';
import { changing, newFile, oneOf, option, someArguments, switchOn, word } from '../../terminal/parse/parameters.ts';
import { periodOptions } from '../../terminal/parse/period.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { completeOption, reasonLines, reported } from './known.ts';
import { checkLines } from './lines.ts';
import { periodIn, periodSchema, type ReportPeriod, spanIn } from './period.ts';
import { rowSchema, rowsResult } from './rows.ts';
import { figureWords, rowWords, statementPage } from './statement-page.ts';

/** What a statement is of, with the name that people know it by. */
interface Target {
  readonly of: StatementOf;
  readonly kind: 'account' | 'token' | 'user' | 'bank account';
  readonly id: string | null;
  readonly name: string | null;
}

const WHOLE: Target = { of: { kind: 'account' }, kind: 'account', id: null, name: null };

interface UserRow {
  readonly first: string | null;
  readonly last: string | null;
}

interface BankRow {
  readonly name: string | null;
  readonly number: string | null;
  readonly code: string | null;
}

/** Finds what an id is of. Throws CliError: NOT_FOUND, or usage for a bank account whose number is no longer in the copy. */
async function targetWithId(queries: Queries, id: string): Promise<Target> {
  const user = await queries.get<UserRow>(
    'SELECT first_name AS first, last_name AS last FROM stored_users WHERE id = ?',
    id,
  );
  if (user) {
    const name = [user.first, user.last].filter(Boolean).join(' ') || null;
    return { of: { kind: 'user', id }, kind: 'user', id, name };
  }
  const bank = await queries.get<BankRow>(
    'SELECT account_name AS name, account_number AS number, bank_code AS code FROM stored_bank_accounts WHERE id = ?',
    id,
  );
  if (!bank)
    throw new CliError('rejected', `the copy has no user or bank account "${printable(id)}"`, {
      code: 'NOT_FOUND',
      hint: advice`give account, a token such as CNGN, the id of a user ([fiatrail users list]) or of a bank account ([fiatrail bank-accounts list]), and then the period`,
    });
  if (bank.number === null)
    throw new CliError('usage', 'the copy no longer has the number of this bank account', {
      hint: advice`run: [fiatrail sync]`,
    });
  return {
    of: { kind: 'bank account', number: bank.number, bankCode: bank.code },
    kind: 'bank account',
    id,
    name: bank.name,
  };
}

/** Reads what the statement is of and the period. Everything after the first word is the period; a period alone is the account's. */
async function typedIn(
  queries: Queries,
  words: readonly string[],
  zone: Zone,
  nowMs: number,
): Promise<{ readonly target: Target; readonly period: readonly string[] }> {
  const [first, ...rest] = words;
  if (first === undefined || monthNamed(words.join(' '), zone, nowMs)) return { target: WHOLE, period: words };
  if (first === 'account') return { target: WHOLE, period: rest };
  const token = first.toUpperCase();
  if (isAsset(token))
    return { target: { of: { kind: 'account', asset: token }, kind: 'token', id: token, name: null }, period: rest };
  return { target: await targetWithId(queries, first), period: rest };
}

const ROW_COLUMNS: readonly Column[] = [
  { field: 'at', title: 'Time', isBrief: true },
  { field: 'what', title: 'Movement' },
  { field: 'who', title: 'Name', isWide: true },
  { field: 'id', title: 'ID' },
  { field: 'amount', title: 'Amount', align: 'right' },
  { field: 'balance', title: 'Balance', align: 'right' },
];

type Statement = Awaited<ReturnType<typeof statementIn>>;

function balanceLines(sums: Statement['sums']): readonly Below[] {
  if (sums.length === 0) return [];
  const columns: readonly Column[] = [
    { field: 'asset', title: 'Asset' },
    { field: 'opening', title: 'Opening', align: 'right' },
    { field: 'in', title: 'In', align: 'right' },
    { field: 'out', title: 'Out', align: 'right' },
    { field: 'closing', title: 'Closing', align: 'right' },
  ];
  const rows = sums.map((each) => ({
    asset: each.asset,
    opening: figureWords(each.opening),
    in: figureWords(each.in),
    out: figureWords(each.out),
    closing: figureWords(each.closing),
  }));
  return [{ title: 'Balances', isAlways: true, rows, columns }];
}

const nameOf = ({ kind, id, name }: Target, profile: string): string =>
  kind === 'account'
    ? `Account of profile ${profile}`
    : [name ?? undefined, `${kind} ${id}`].filter(Boolean).join(', ');

/** The rows that a figure of the statement adds up. */
async function rowsReport(
  terminal: Terminal,
  queries: Queries,
  [{ of, kind, id, name }, period]: readonly [Target, ReportPeriod],
  { figure, complete }: { readonly figure: (typeof STATEMENT_FIGURES)[number]; readonly complete: boolean },
): Promise<Outcome> {
  const rows = await statementRowsIn(queries, of, spanOf(period.sinceMs, period.untilMs), figure);
  const reach = await reachOf(queries, spanIn(period).until);
  const head = { of: { kind, id, name }, ...spanIn(period), syncedAt: reach.syncedAt, partial: reach.partial };
  const below = [checkLines(undefined, reach, terminal.globals.zone)];
  return reported(terminal, complete, rowsResult(head, rows, below), reach.partial);
}

/** Reads the statement, and draws it if asked to. */
async function statementReport(
  account: Account,
  terminal: Terminal,
  queries: Queries,
  [target, period]: readonly [Target, ReportPeriod],
  { file, complete }: { readonly file: PageFile | undefined; readonly complete: boolean },
): Promise<Outcome> {
  const { zone } = terminal.globals;
  const statement = await statementIn(queries, target.of, spanOf(period.sinceMs, period.untilMs));
  const reach = await reachOf(queries, spanIn(period).until);
  const { kind, id, name } = target;
  const rows = statement.rows.map((row) => ({ ...row, what: rowWords(row) }));
  const head = { ...spanIn(period), syncedAt: reach.syncedAt, partial: reach.partial };
  const data = { of: { kind, id, name }, ...head, balances: statement.sums, rows };
  if (file && !account.globals.dryRun) {
    const page = statementPage(
      statement,
      {
        title: 'Statement',
        of: nameOf(target, account.profile.name),
        ...head,
        issuedAt: new Date(account.world.clock.now()).toISOString(),
        profile: account.profile.name,
        isTest: account.profile.mode !== 'live',
        reasons: reasonLines(data, zone).flatMap((each) => each.rows.map(({ why = '' }) => why)),
      },
      zone,
    );
    writePage(file, page, account.world.ids.uuid());
    await account.notices.note(`wrote ${file.path}`);
  }
  const below = [...balanceLines(statement.sums), checkLines(undefined, reach, zone)];
  const list = { lists: 'rows', list: { isWhole: true }, columns: ROW_COLUMNS } as const;
  return reported(terminal, complete, { data, ...list, below }, reach.partial);
}

export const statementCommand = command({
  words: ['report', 'statement'],
  summary: 'List every movement of the account, a token, a user or a bank account, with the balance after each',
  details:
    'Opening, movements and closing, which add up, from the local copy (fiatrail sync). For the account: its wallets, its vault and the fees that it has not withdrawn. For a user: what the user’s wallets hold; it is known exactly once fiatrail report owed has read it. For a bank account: what was paid out to it. --html writes one page that prints on A4 and loads nothing; print it to PDF from a browser.',
  examples: [
    'fiatrail report statement',
    'fiatrail report statement CNGN last month -o csv',
    'fiatrail report statement USER_ID this month --html statement.html',
    'fiatrail report statement BANK_ACCOUNT_ID --since 30d',
    'fiatrail report statement CNGN last month --rows in',
  ],
  endpoints: [],
  prints: () => {
    const head = {
      of: z.object({ kind: z.string(), id: z.nullable(z.string()), name: z.nullable(z.string()) }),
      ...periodSchema(),
      syncedAt: z.nullable(z.iso.datetime()),
      partial: z.array(z.string()),
    };
    const balance = z.object({
      asset: z.string(),
      opening: figureSchema(),
      in: figureSchema(),
      out: figureSchema(),
      closing: figureSchema(),
    });
    const movement = z.object({
      at: z.iso.datetime(),
      asset: z.string(),
      thing: z.nullable(z.string()),
      step: z.nullable(z.string()),
      id: z.nullable(z.string()),
      who: z.nullable(z.string()),
      what: z.string(),
      amount: figureSchema(),
      balance: figureSchema(),
    });
    return z.union([
      z.object({ ...head, balances: z.array(balance), rows: z.array(movement), pagination: paginationSchema() }),
      z.object({ ...head, rows: z.array(rowSchema()), pagination: paginationSchema() }),
    ]);
  },
  isLocal: true,
  parameters: {
    of: {
      ...someArguments(
        'of',
        'account, a token, or the id of a user or a bank account (default account); then the period, such as last month or 2026-11',
        word,
        'Statement of:',
      ),
      required: false,
    },
    rows: option(
      '--rows <figure>',
      'list the entries that a figure adds up: opening, in, out or closing',
      oneOf(...STATEMENT_FIGURES),
    ),
    ...periodOptions,
    html: option('--html <file>', 'also write it as an HTML page to this file', newFile),
    replace: changing(switchOn('--replace', 'replace the file of --html if it exists')),
    complete: completeOption,
  },
  run: (account, terminal, { of, rows: figure, since, until, html, replace, complete }) => {
    if (figure !== undefined && html !== undefined)
      throw new CliError('usage', '--html draws the statement, and --rows lists one figure of it', {
        hint: 'leave out --html or --rows',
      });
    const file = pageFileAt(html && absolutePath(html), replace, 'statement.html');
    if (file) requireUnmasked(account.globals.present, 'the page shows');
    return withCopy(account, (copy) =>
      copy.read(async (queries) => {
        const typed = await typedIn(queries, of ?? [], terminal.globals.zone, account.world.clock.now());
        const period = await periodIn(account, terminal, queries, typed.period, { since, until });
        const what = [typed.target, period] as const;
        if (figure !== undefined) return rowsReport(terminal, queries, what, { figure, complete });
        return statementReport(account, terminal, queries, what, { file, complete });
      }),
    );
  },
});
