import { CliError } from '../base/errors.ts';
import type { Account } from '../engine/account.ts';
import { isUncertain } from '../engine/plans/line.ts';
import { accountBalance, type Stated, userBalance } from '../engine/previews/balances.ts';
import { openFileParts } from '../files/file-parts.ts';
import { rowsDigest } from '../journal/files.ts';
import { type Amount, type Asset, amount, amountForPeople, parseAmount, type Token } from '../money/amount.ts';
import { cngnBaseFromKobo } from '../money/rates.ts';
import { type Controls, checkRows, problemOfTotal, type ReadyRow, type RowCheck } from './check.ts';
import { type Header, headerIn, type RowCommand } from './columns.ts';
import { csvRows, requireCsv, SAMPLE_BYTES } from './csv.ts';
import { factsFor, hasHolder, known, problemOfHolder } from './facts.ts';
import type { Findings, RowProblem } from './findings.ts';

/** What a balance is before and after all rows, with the fees that come on top if they are known and there is one payer. */
interface FileBalance {
  /** The user who pays; null if the account does. */
  readonly userId: string | null;
  readonly before: Amount;
  readonly after: Amount;
}

/** What the check of a file found. */
export interface CheckedFile {
  readonly rows: number;
  readonly badRows: number;
  readonly warnings: number;
  readonly sums: readonly Amount[];
  /** The fees that come on top of all rows; undefined if they are not known, or none do. */
  readonly fees: Amount | undefined;
  readonly balances: readonly FileBalance[];
  /** How many users pay whose balances were not read. */
  readonly unreadBalances: number;
  /** The rules that block a row, and balances that do not suffice. */
  readonly blocked: readonly CliError[];
  readonly problems: readonly RowProblem[];
  readonly header: Header;
  /** The digest of the rows that can be sent, which whoever agrees to them agrees to. */
  readonly digest: string;
}

/** How a file is checked. */
interface Checking {
  readonly command: RowCommand;
  readonly path: string;
  readonly controls: Controls;
  /** Reads the fees that come on top of an amount. */
  fees?(account: Account, amount: Amount): Promise<Amount | undefined>;
  /** Returns where the references of some rows were used before, by reference. */
  usedBefore?(references: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** The rows that have one value: a list of each part, because an object for each of 100,000 rows takes much of the memory of a check. */
interface RowsOfValue {
  readonly lines: number[];
  readonly amounts: (Amount | undefined)[];
  /** The names that rows give, if their value belongs to a person. */
  readonly holders: (string | undefined)[];
}

/** Different values that are looked up after all rows were read. */
interface Named {
  readonly key: string;
  readonly names: string;
  readonly rows: Map<string, RowsOfValue>;
}

/** Reads and checks a file. Sends nothing. Throws CliError usage for a file that is no CSV of this command. */
export async function checkFile(given: Account, checking: Checking): Promise<CheckedFile> {
  const account = readingOnly(given);
  const { command, path } = checking;
  const { parts, sample } = openSample(account, path, command);
  const header = headerIn(sample, command);
  const check = checkRows(command, header, await factsFor(account, command, (key) => header.at.has(key)));
  const { findings } = check;
  const found = collectorsOf(command, header);
  const rules = await account.rules.overRows(command.words);
  const blocked: CliError[] = [];
  const digest = rowsDigest();
  for await (const ready of readyRows(parts, header, check)) {
    account.world.steadyMemory(YOUNG_BYTES);
    await rejectUsed(checking, header, findings, ready);
    for (const row of ready) {
      found.add(row);
      digest.add(row);
      const error = rules && blocked.length === 0 ? await rules(command.endpoint, row.request) : undefined;
      if (error) blocked.push(error);
    }
  }
  await lookUp(account, findings, found.named, header);
  compareTotals(check, checking.controls, header);
  // What rows with errors take is not known.
  const isSound = findings.errors() === 0;
  const fees = isSound ? await feesOf(account, checking, found.amounts) : undefined;
  const { balances, unread } = isSound ? await balancesOf(account, found.payers, fees) : NOTHING_READ;
  return {
    rows: check.rows(),
    badRows: findings.badRows(),
    warnings: findings.warnings(),
    sums: [...findings.sums].map(([asset, minor]) => amount(asset, minor)),
    fees,
    balances,
    unreadBalances: unread,
    blocked: [...blocked, ...balances.flatMap((each) => shortage(each) ?? [])],
    problems: findings.problems.toSorted((a, b) => a.line - b.line),
    header,
    digest: digest.value(),
  };
}

/** The bytes of V8's young generation: in a smaller one, the rows of a part are copied again and again while it is checked. */
const YOUNG_BYTES = 16 * 2 ** 20;

/** An account whose reads a dry run makes too. */
export const readingOnly = (account: Account): Account => ({
  ...account,
  call: (endpoint, input, options) => account.call(endpoint, input, { ...options, isBeforehand: true }),
});

/** Yields the rows of a file that can be sent, some at a time. */
async function* readyRows(
  parts: Iterable<Uint8Array>,
  header: Header,
  check: RowCheck,
): AsyncGenerator<readonly ReadyRow[]> {
  const rows = csvRows(parts, header.delimiter);
  for (;;) {
    const next = await rows.next();
    if (!next.done) yield next.value.flatMap((each) => check.row(each) ?? []);
    else if (next.value.hasLineEnd) return;
    else return check.findings.warning({ line: header.line + check.rows() }, NO_LINE_END);
  }
}

const NO_LINE_END = {
  problem: 'the last line of the file has no line end, so the file may be cut',
  hint: 'compare the sum, or give --count or --total',
};

const NOTHING_READ = { balances: [], unread: 0 } as const;

/** Opens a file and reads its beginning. Throws CliError usage. */
export function openSample({ world }: Account, path: string, { columns }: RowCommand) {
  const file = openFileParts(path, world.userId);
  if (file.isOpenToOthers && columns.some(({ isSecret }) => isSecret))
    throw new CliError('usage', `${path}: other users can read it, and it has BVNs; nothing was sent`, {
      code: 'FILE_NOT_PRIVATE',
      hint: `make it private with: chmod 600 ${path}`,
    });
  const all = file.parts();
  const first = all.next();
  const start = first.done ? new Uint8Array() : first.value;
  requireCsv(start.subarray(0, SAMPLE_BYTES));
  function* parts() {
    yield start;
    yield* all;
  }
  return { parts: parts(), sample: new TextDecoder().decode(start.subarray(0, SAMPLE_BYTES)) };
}

async function rejectUsed({ usedBefore }: Checking, { own }: Header, { reject }: Findings, rows: readonly ReadyRow[]) {
  const used = await usedBefore?.(rows.map(({ reference }) => reference));
  for (const row of used && used.size > 0 ? rows : []) {
    const where = used?.get(row.reference);
    if (where === undefined) continue;
    const cell = { at: own.reference, text: row.reference };
    reject({ line: row.line, amount: row.movement?.amount }, cell, {
      problem: `was used before, in ${where}`,
      hint: 'give the row a reference of its own',
    });
  }
}

/** Different amounts whose fees are read. */
const MOST_AMOUNTS = 20;

const MOST_PAYERS = 20;

function collectorsOf({ columns }: RowCommand, header: Header) {
  const named: readonly Named[] = columns.flatMap(({ key, names }) =>
    names !== undefined && names !== 'bank' && header.at.has(key) ? [{ key, names, rows: new Map() }] : [],
  );
  const payers = new Map<string | null, Map<Asset, bigint>>();
  const amounts = new Map<string, { readonly value: Amount; count: bigint }>();
  return {
    named,
    payers,
    amounts,
    add: ({ line, texts, movement, name, request }: ReadyRow) => {
      for (const { key, names, rows } of named) {
        const value = texts[key];
        if (value === undefined) continue;
        const of = rows.get(value) ?? { lines: [], amounts: [], holders: [] };
        if (of.lines.length === 0) rows.set(value, of);
        of.lines.push(line);
        of.amounts.push(movement?.amount);
        if (hasHolder(names)) of.holders.push(name);
      }
      if (!movement) return;
      const { asset, minor } = movement.amount;
      const payer = (request as { readonly userId?: string }).userId ?? null;
      const sums = payers.get(payer) ?? new Map<Asset, bigint>();
      payers.set(payer, sums.set(asset, (sums.get(asset) ?? 0n) + minor));
      if (amounts.size > MOST_AMOUNTS) return;
      const same = amounts.get(`${minor} ${asset}`) ?? { value: movement.amount, count: 0n };
      same.count += 1n;
      amounts.set(`${minor} ${asset}`, same);
    },
  };
}

/** Adds the rows that name something which the service does not know, or that belongs to someone else. */
async function lookUp(
  account: Account,
  { reject, warning }: Findings,
  named: readonly Named[],
  header: Header,
): Promise<void> {
  for (const { key, names, rows } of named) {
    const look = await known(account, names, [...rows.keys()]);
    for (const [value, { lines, amounts, holders }] of look ? rows : []) {
      const { problem, holder } = look?.(value) ?? {};
      const cell = { at: header.at.get(key), text: value };
      if (problem !== undefined)
        for (const [at, line] of lines.entries()) reject({ line, amount: amounts[at] }, cell, { problem });
      for (const [at, name] of holders.entries()) {
        const odd = problemOfHolder(name, holder);
        if (odd !== undefined) warning({ ...cell, line: lines[at] ?? 0 }, { problem: odd });
      }
    }
  }
}

function compareTotals(check: RowCheck, { count, total }: Controls, header: Header): void {
  const { findings, totals } = check;
  const { error, sums } = findings;
  const rows = check.rows();
  const hasBadRows = findings.badRows() > 0;
  const line = header.line;
  if (count !== undefined && count !== rows)
    error({ line, text: String(count) }, { problem: `--count is ${count}, and the file has ${rows} rows` });
  // A sum without the bad rows says nothing.
  if (hasBadRows) return;
  const given = total === undefined ? undefined : problemOfTotal(total, sums, false, parseAmount);
  if (given) error({ line, text: total }, { ...given, problem: `--total: ${given.problem}` });
  for (const { line: at, text } of totals) {
    const found = text === '' ? undefined : problemOfTotal(text, sums, header.delimiter !== ',', parseAmount);
    if (found) error({ line: at, text }, found);
  }
}

/** Adds up the fees that come on top of amounts; undefined if they are not known, or none do. */
export async function feesOf(
  account: Account,
  { fees }: Pick<Checking, 'fees'>,
  amounts: ReadonlyMap<string, { readonly value: Amount; readonly count: bigint }>,
): Promise<Amount | undefined> {
  if (!fees || amounts.size === 0 || amounts.size > MOST_AMOUNTS) return undefined;
  let sum = amount('NGN', 0n);
  for (const { value, count } of amounts.values()) {
    const each = await fees(account, value).catch(unlessInterrupted);
    if (each?.asset !== 'NGN') return undefined;
    sum = amount('NGN', sum.minor + each.minor * count);
  }
  return sum;
}

function unlessInterrupted(error: unknown): undefined {
  if (!(error instanceof CliError) || error.category === 'interrupted') throw error;
  return undefined;
}

/** Compares what each payer pays with what the payer has. Of many users, nothing is read: each row checks its own payer before it is sent. */
export async function balancesOf(
  account: Account,
  payers: ReadonlyMap<string | null, ReadonlyMap<Asset, bigint>>,
  fees: Amount | undefined,
) {
  if (payers.size > MOST_PAYERS) return { balances: [], unread: payers.size };
  const balances: FileBalance[] = [];
  let unread = 0;
  for (const [userId, sums] of payers)
    for (const [asset, minor] of sums) {
      const token = asset === 'NGN' ? 'CNGN' : asset;
      const paid = asset === 'NGN' ? cngnBaseFromKobo(minor) : minor;
      const onTop = fees && payers.size === 1 && token === 'CNGN' ? cngnBaseFromKobo(fees.minor) : 0n;
      const before = await balanceOf(account, userId, token).catch(unlessInterrupted);
      if (!before || isUncertain(before)) unread += 1;
      else balances.push({ userId, before, after: amount(token, before.minor - paid - onTop) });
    }
  return { balances, unread };
}

const balanceOf = (account: Account, userId: string | null, token: Token): Promise<Stated | undefined> =>
  userId === null ? accountBalance(account, token, 'allNetworks') : userBalance(account, userId, token);

/** The error of a balance that does not suffice; undefined for one that does. */
export function shortage({ userId, before, after }: FileBalance): CliError | undefined {
  if (after.minor >= 0n) return undefined;
  const whose = userId === null ? 'the balance' : `the balance of user ${userId}`;
  const taken = amount(before.asset, before.minor - after.minor);
  return new CliError(
    'declined',
    `${whose} is ${amountForPeople(before)}, and the rows take ${amountForPeople(taken)}; nothing was sent`,
    { code: 'BALANCE_TOO_LOW', hint: 'add to the balance, or send fewer rows' },
  );
}
