import { advice } from '../base/advice.ts';
import { CliError } from '../base/errors.ts';
import { listBankAccounts } from '../contract/endpoints/banks.ts';
import { type Destination, destinationsOf, type Movement, movementOf } from '../contract/moves.ts';
import type { Account } from '../engine/account.ts';
import type { ShownLine } from '../engine/plans/line.ts';
import { bankInWords, readBanks } from '../engine/previews/banks.ts';
import type { StagedRow } from '../journal/files.ts';
import { type Amount, type Asset, amount, amountForPeople, printable } from '../money/amount.ts';
import { grouped, parseExactJson } from '../money/decimal.ts';
import { warningsOf } from './check.ts';
import { balancesOf, feesOf, readingOnly, shortage } from './check-file.ts';
import { type Header, type RowCommand, rowValues } from './columns.ts';
import { factsFor, problemOfHolder } from './facts.ts';
import { findingsOf } from './findings.ts';
import { rowsText } from './progress.ts';

/** A staged row, and what it would send. */
interface PagedRow extends StagedRow {
  readonly request: unknown;
  readonly movement: Movement;
  readonly destinations: readonly Destination[];
}

/** What the plan of a file shows of its rows. */
export interface FilePage {
  readonly sums: readonly Amount[];
  /** What the rows move that were struck out. */
  readonly struckSums: readonly Amount[];
  /** What each row moves, by its reference. */
  readonly rows: ReadonlyMap<string, Amount>;
  /** Totals by destination, and the largest rows: the same whenever they are made. */
  readonly lines: readonly ShownLine[];
  /** Reads the fees of all rows. */
  readFees(): Promise<readonly ShownLine[]>;
  /** Reads what may be otherwise later: the balance that the rows leave, new payees, and what is unlikely. */
  readNotes(): Promise<readonly ShownLine[]>;
  /** Throws CliError declined if a rule blocks the rows together, or a balance does not suffice. */
  requirePossible(): Promise<void>;
}

/** How a page is made. */
interface Paging {
  readonly command: RowCommand;
  readonly fees?: ((account: Account, amount: Amount) => Promise<Amount | undefined>) | undefined;
  /** The references of rows that were struck out: they count for the totals, and take nothing. */
  readonly struck: readonly string[];
}

/** Makes the page of staged rows, from what they say and what the service says about them. Throws CliError usage for rows that no plan can be of. */
export async function pageOf(given: Account, staged: readonly StagedRow[], paging: Paging): Promise<FilePage> {
  const account = readingOnly(given);
  const { command, fees, struck } = paging;
  const rows = staged.map((row) => pagedRow(command, row));
  const sent = rows.filter(({ reference }) => !struck.includes(reference));
  const nameOf = await destinationNames(account, rows);
  const payers = payersOf(sent);
  let read: ReturnType<typeof feesOf> | undefined;
  const costs = () => {
    read ??= feesOf(account, fees ? { fees } : {}, amountsOf(rows));
    return read;
  };
  const readBalances = async () => balancesOf(account, payers, await costs());
  return {
    sums: sumsOf(rows),
    struckSums: sumsOf(rows.filter(({ reference }) => struck.includes(reference))),
    rows: new Map(rows.map(({ reference, movement }) => [reference, movement.amount])),
    lines: [
      ['rows', rowsAs(rows.length, command)],
      ...sumsOf(rows).map((sum): ShownLine => ['sum', amountForPeople(sum)]),
      ...totals(rows, nameOf),
      ...largest(rows, nameOf),
    ],
    readFees: async () => {
      const sum = await costs();
      return sum ? [['fees', `${amountForPeople(sum)} on top`]] : [];
    },
    readNotes: async () => [
      ...balanceLines(await readBalances()),
      ...(await newPayees(account, command, sent, nameOf)),
      ...(await warnings(account, command, sent, nameOf)),
    ],
    requirePossible: async () => {
      const rules = await account.rules.overRows(command.words);
      for (const { request } of rules ? sent : []) {
        const error = await rules?.(command.endpoint, request);
        if (error) throw error;
      }
      for (const balance of (await readBalances()).balances) {
        const error = shortage(balance);
        if (error) throw error;
      }
    },
  };
}

/** `3 as payout create`: as a line with the title `rows` says it. */
const rowsAs = (count: number, { words }: RowCommand): string => `${grouped(count)} as ${words}`;

/** Throws CliError usage for a row that does not say by itself how much goes where: what is approved must be what is sent. */
function pagedRow(command: RowCommand, row: StagedRow): PagedRow {
  const request = command.requestOf(rowValues(row.texts, command));
  const movement = movementOf(command.endpoint, request);
  const where = `line ${row.line}: the row ${printable(row.reference)}`;
  if (!movement)
    throw new CliError('usage', `${where} does not say what it moves; nothing was sent`, {
      code: 'BAD_ROWS',
      hint: 'send it without --plan',
    });
  const destinations = destinationsOf(command.endpoint, request);
  if (destinations.some((to) => to.kind === 'saved-account' && to.accountId === 'default'))
    throw new CliError(
      'usage',
      `${where} pays the default bank account, which may be another one when the plan is applied; nothing was sent`,
      { code: 'BAD_ROWS', hint: advice`write the id of the account, from: [fiatrail bank-accounts list]` },
    );
  return { ...row, request, movement, destinations };
}

interface Named {
  /** What several rows are added up by: a bank, or a kind of destination. */
  readonly group: string;
  readonly name: string;
  /** The holder of a saved account. */
  readonly holder?: string | undefined;
}

type NameOf = (to: Destination) => Named;

/** Reads what destinations are called. What cannot be looked up is named by what the row says. */
async function destinationNames(account: Account, rows: readonly PagedRow[]): Promise<NameOf> {
  const has = (kind: Destination['kind']) =>
    rows.some(({ destinations }) => destinations.some((to) => to.kind === kind));
  const banks = has('account') ? await readBanks(account) : [];
  const saved = has('saved-account')
    ? ((await account.call(listBankAccounts, {}, { isBeforehand: true })).data.accounts ?? [])
    : [];
  const bankOf = (code: string) => bankInWords(banks.find((each) => each.code === code) ?? { code, name: 'bank' });
  return (to) => {
    if (to.kind === 'account')
      return { group: bankOf(to.bankCode), name: `${to.accountNumber} at ${bankOf(to.bankCode)}` };
    if (to.kind === 'address') return { group: 'wallet addresses', name: to.address };
    if (to.kind === 'user' || to.kind === 'wallet-of') return { group: 'users', name: `user ${to.userId}` };
    if (to.kind === 'unknown') return { group: 'not named in the rows', name: 'not named in the row' };
    const found = saved.find(({ accountId }) => accountId === to.accountId);
    if (!found) return { group: `bank account ${to.accountId}`, name: `bank account ${to.accountId}` };
    const bank = [found.bankName, found.bankCode && `(${found.bankCode})`].filter(Boolean).join(' ') || 'bank accounts';
    const name = [found.accountName, found.accountNumber, `at ${bank}`].filter(Boolean).join(' ');
    return { group: bank, name, holder: found.accountName ?? undefined };
  };
}

const toOf = ({ destinations: [to] }: PagedRow): Destination => to ?? { kind: 'unknown' };

/** Lines of totals, and of rows, that a page has. */
const MOST_TOTALS = 20;
const MOST_LARGEST = 10;

/** Totals by bank and asset, the largest first. */
function totals(rows: readonly PagedRow[], nameOf: NameOf): readonly ShownLine[] {
  const groups = Map.groupBy(rows, (row) => `${row.movement.amount.asset} ${nameOf(toOf(row)).group}`);
  const found = [...groups].map(([key, of]) => ({ key, rows: of.length, sum: sumsOf(of)[0] }));
  const sorted = found.toSorted((a, b) => compared(a.sum, b.sum) || (a.key < b.key ? -1 : 1));
  const lines = sorted.slice(0, MOST_TOTALS).map(({ key, rows: count, sum }): ShownLine => {
    const group = key.slice(key.indexOf(' ') + 1);
    return ['to', `${group}: ${sum ? amountForPeople(sum) : ''} in ${rowsText(count)}`];
  });
  const others = sorted.slice(MOST_TOTALS);
  if (others.length === 0) return lines;
  const count = others.reduce((sum, each) => sum + each.rows, 0);
  return [...lines, ['to', `and ${others.length} more, in ${rowsText(count)}`]];
}

function largest(rows: readonly PagedRow[], nameOf: NameOf): readonly ShownLine[] {
  const sorted = rows.toSorted((a, b) => compared(a.movement.amount, b.movement.amount));
  return sorted.slice(0, MOST_LARGEST).map((row): ShownLine => {
    const { reference, line, movement } = row;
    const what = `${amountForPeople(movement.amount)} to ${nameOf(toOf(row)).name}`;
    return ['largest', `${printable(reference)} (line ${line}): ${what}`];
  });
}

/** Orders amounts by their asset, the largest of each first. */
function compared(one: Amount | undefined, other: Amount | undefined): number {
  if (!one || !other) return 0;
  if (one.asset !== other.asset) return one.asset < other.asset ? -1 : 1;
  return one.minor === other.minor ? 0 : one.minor > other.minor ? -1 : 1;
}

function sumsOf(rows: readonly Pick<PagedRow, 'movement'>[]): readonly Amount[] {
  const sums = new Map<Asset, bigint>();
  for (const { movement } of rows) {
    const { asset, minor } = movement.amount;
    sums.set(asset, (sums.get(asset) ?? 0n) + minor);
  }
  return [...sums].map(([asset, minor]) => amount(asset, minor));
}

function payersOf(rows: readonly PagedRow[]): ReadonlyMap<string | null, ReadonlyMap<Asset, bigint>> {
  const payers = Map.groupBy(rows, ({ request }) => (request as { readonly userId?: string }).userId ?? null);
  return new Map(
    [...payers].map(([userId, of]) => [userId, new Map(sumsOf(of).map(({ asset, minor }) => [asset, minor]))]),
  );
}

function amountsOf(rows: readonly PagedRow[]): ReadonlyMap<string, { readonly value: Amount; readonly count: bigint }> {
  const same = Map.groupBy(rows, ({ movement: { amount: each } }) => `${each.minor} ${each.asset}`);
  return new Map(
    [...same].flatMap(([key, [first, ...others]]) =>
      first ? [[key, { value: first.movement.amount, count: BigInt(others.length + 1) }] as const] : [],
    ),
  );
}

function balanceLines({ balances, unread }: Awaited<ReturnType<typeof balancesOf>>): readonly ShownLine[] {
  const lines = balances.map(({ userId, before, after }): ShownLine => {
    const whose = userId === null ? '' : ` (user ${userId})`;
    return ['balance', `${amountForPeople(before)} before, ${amountForPeople(after)} after${whose}`];
  });
  return unread > 0 ? [...lines, ['balance', `not read of ${unread} payers; each row checks its own`]] : lines;
}

/** Operations of a command that are read to find out who was paid before. */
const MOST_EARLIER = 100_000;

/** Names those whom the account never paid before by this command, as its journal knows. */
async function newPayees(
  account: Account,
  { endpoint, words }: RowCommand,
  rows: readonly PagedRow[],
  nameOf: NameOf,
): Promise<readonly ShownLine[]> {
  const journal = await account.journal();
  const ids = await journal.accountIds(await account.accountNames());
  const earlier = await journal.list({
    account: ids,
    endpoint: endpoint.id,
    state: 'may-have-moved',
    limit: MOST_EARLIER,
  });
  const paid = new Set(earlier.map(({ request }) => JSON.stringify(destinationsOf(endpoint, parseExactJson(request)))));
  const payees = Map.groupBy(rows, ({ destinations }) => JSON.stringify(destinations));
  const found = [...payees].flatMap(([key, [row]]) => (row && !paid.has(key) ? [row] : []));
  const how = `paid before by ${words}, as this journal knows`;
  const heading =
    found.length === 0 ? `none: all ${payees.size} were ${how}` : `${found.length} of ${payees.size}: never ${how}`;
  const named = found
    .slice(0, MOST_LARGEST)
    .map(
      (row): ShownLine => ['new payee', `${nameOf(toOf(row)).name} (${printable(row.reference)}, line ${row.line})`],
    );
  const left = found.length - named.length;
  return [['new payees', heading], ...named, ...(left > 0 ? [['new payee', `and ${left} more`] as const] : [])];
}

/** Rows are staged without the titles of their columns. */
const NO_HEADER: Header = {
  line: 0,
  delimiter: ',',
  width: 0,
  at: new Map(),
  bankNameAt: undefined,
  own: {},
  titles: [],
  unused: [],
};

/** Warns of what is unlikely about rows, as a check of their file does. */
async function warnings(
  account: Account,
  command: RowCommand,
  rows: readonly PagedRow[],
  nameOf: NameOf,
): Promise<readonly ShownLine[]> {
  const findings = findingsOf(NO_HEADER);
  const facts = await factsFor(account, command, (key) => rows.some(({ texts }) => texts[key] !== undefined));
  const warn = warningsOf(NO_HEADER, facts, findings);
  for (const row of rows) {
    const { line, movement, texts } = row;
    warn(line, movement, texts);
    const odd = problemOfHolder(texts['name'], nameOf(toOf(row)).holder);
    if (odd !== undefined) findings.warning({ line }, { problem: odd });
  }
  const shown = findings.problems.slice(0, MOST_LARGEST);
  const left = findings.warnings() - shown.length;
  return [
    ...shown.map(({ line, problem }): ShownLine => ['warning', `line ${line}: ${problem}`]),
    ...(left > 0 ? [['warning', `and ${left} more`] as const] : []),
  ];
}
