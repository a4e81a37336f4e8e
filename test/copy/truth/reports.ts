import { ASSETS, type Asset, type Lines, type Period, type Postings } from './postings.ts';
import type { Machine } from './rig.ts';
import { compare, compareCount, type Printed, type Tally } from './tally.ts';

/** Every figure of the reports of a machine, compared with the ledger. */

const LINES = [
  'opening',
  'in',
  'earned',
  'out',
  'fees',
  'traded',
  'refunds',
  'inFlight',
  'unlisted',
  'closing',
] as const;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

type Json = Readonly<Record<string, unknown>>;

/** A period as a command takes it, and as the ledger does. */
export interface Asked extends Period {
  readonly name: string;
  readonly argv: readonly string[];
}

export const lagosDay = (atMs: number) => new Date(atMs + HOUR_MS).toISOString().slice(0, 10);

/** The start of the day in Lagos. */
export const dayStart = (day: string): number => Date.parse(`${day}T00:00:00Z`) - HOUR_MS;

export const daysIn = ({ fromMs, toMs }: Period): readonly string[] => {
  const days: string[] = [];
  for (let atMs = fromMs + 1; atMs <= toMs; atMs += DAY_MS) days.push(lagosDay(atMs));
  return days;
};

export const month = (name: string, nowMs: number): Asked => {
  const [year = 0, number = 1] = name.split('-').map(Number);
  const endMs = Date.UTC(year, number, 1) - HOUR_MS;
  return { name, argv: [name], fromMs: dayStart(`${name}-01`) - 1, toMs: Math.min(endMs - 1, nowMs) };
};

export const days = (first: string, last: string): Asked => ({
  name: `${first} to ${last}`,
  argv: ['--since', first, '--until', last],
  fromMs: dayStart(first) - 1,
  toMs: dayStart(last) + DAY_MS - 1,
});

/** Runs a report. What no list explains and figures that are not known are no failure here. */
export async function ask(machine: Machine, ...argv: readonly string[]): Promise<Json> {
  const { code, stdout, stderr } = await machine.run('report', ...argv, '-o', 'json');
  if (stdout === '' || ![0, 9].includes(code))
    throw new Error(`report ${argv.join(' ')} exits with ${code}: ${stderr}`);
  return JSON.parse(stdout) as Json;
}

/** Of a period that goes on, a report is of the part that it says. */
export const saidOf = (data: Json, asked: Asked): Asked => ({
  ...asked,
  toMs: Math.min(asked.toMs, Date.parse(String(data['until']))),
});

export const listOf = (data: Json, name: string) => (data[name] ?? []) as readonly Json[];
export const figure = (data: Json | undefined, name: string) => data?.[name] as Printed | undefined;

/** The report itself: of a period, of its days, and by kind. */
export async function compareReport(machine: Machine, truth: Postings, typed: Asked, tally: Tally): Promise<void> {
  const data = await ask(machine, ...typed.argv);
  const asked = saidOf(data, typed);
  const is = truth.lines(asked);
  for (const asset of ASSETS) compareLines(listOf(data, 'assets'), asset, is.get(asset), asked, tally);
  const [anyAsset] = listOf(data, 'assets');
  const byDay = await ask(machine, ...asked.argv, '--by', 'day');
  for (const day of daysIn(asked)) {
    const period = { fromMs: dayStart(day) - 1, toMs: Math.min(dayStart(day) + DAY_MS - 1, asked.toMs) };
    const lines = truth.lines(period);
    for (const asset of ASSETS) {
      const of = listOf(byDay, 'parts').find((part) => part['day'] === day && part['asset'] === asset);
      const own = lines.get(asset);
      // Nor has one on which only balances could show something, before the first sync.
      const unlisted = figure(listOf(data, 'assets').find((each) => each['asset'] === asset) ?? anyAsset, 'unlisted');
      const isBeforeFirst = unlisted?.known?.why === 'BEFORE_FIRST_SYNC';
      for (const line of ['in', 'earned', 'out', 'fees', 'traded', 'refunds', 'unlisted'] as const) {
        // A day on which nothing moved has no row.
        if (!of && own?.[line] === 0n) tally.equal += 1;
        else if (!of && line === 'unlisted' && isBeforeFirst)
          compare(tally, `report --by day, ${line} @ ${day} ${asset}`, unlisted, 0n);
        else compare(tally, `report --by day, ${line} @ ${day} ${asset}`, figure(of, line), own?.[line] ?? 0n);
      }
    }
  }
}

function compareLines(
  assets: readonly Json[],
  asset: Asset,
  is: Lines | undefined,
  { name }: Asked,
  tally: Tally,
): void {
  const said = assets.find((each) => each['asset'] === asset);
  for (const line of LINES) {
    if (!said && is?.[line] === 0n) tally.equal += 1;
    else compare(tally, `report, ${line} @ ${name} ${asset}`, figure(said, line), is?.[line] ?? 0n);
  }
}

export async function compareKinds(machine: Machine, truth: Postings, typed: Asked, tally: Tally): Promise<void> {
  const data = await ask(machine, ...typed.argv, '--by', 'kind');
  const asked = saidOf(data, typed);
  const rows = listOf(data, 'kinds');
  const partial = listOf(data, 'partial');
  const is = truth.kinds(asked);
  const opened = truth.openAt(asked.toMs);
  const [seen, openSeen] = [new Set<string>(), new Set<string>()];
  for (const row of rows) {
    const known = row['countsKnown'] ? [row['countsKnown']] : [];
    const amount = row['amount'] as (Printed & { asset: string }) | null;
    const refunded = row['refunded'] as (Printed & { asset: string }) | null;
    const asset = amount?.asset ?? refunded?.asset;
    // Of what only failed, no asset is said.
    const key = [...is.keys()].find((each) =>
      asset ? each === `${row['kind']} ${asset}` : each.startsWith(`${row['kind']} `) && !seen.has(each),
    );
    if (key !== undefined) seen.add(key);
    const own = key === undefined ? { completed: 0, amount: 0n, failed: 0 } : is.get(key);
    const where = `@ ${asked.name} ${row['kind']} ${asset}`;
    compareCount(tally, `report --by kind, completed ${where}`, row['completed'] as number, own?.completed ?? 0, known);
    compareCount(tally, `report --by kind, failed ${where}`, row['failed'] as number, own?.failed ?? 0, known);
    if (!openSeen.has(String(row['kind'])))
      compareCount(
        tally,
        `report --by kind, open ${where}`,
        row['open'] as number | null,
        opened.get(String(row['kind'])) ?? 0,
        known,
      );
    openSeen.add(String(row['kind']));
    if (amount) compare(tally, `report --by kind, amount ${where}`, amount, own?.amount ?? 0n);
    else compareCount(tally, `report --by kind, amount ${where}`, 0, Number(own?.amount ?? 0n), known);
  }
  for (const [kind, count] of opened)
    if (!openSeen.has(kind)) compareCount(tally, `report --by kind, open @ ${asked.name} ${kind}`, 0, count, partial);
  for (const key of is.keys())
    if (!seen.has(key)) compareCount(tally, `report --by kind, rows @ ${asked.name} ${key}`, 0, 1, partial);
}

export async function compareFees(machine: Machine, truth: Postings, typed: Asked, tally: Tally): Promise<void> {
  const data = await ask(machine, 'fees', ...typed.argv);
  const asked = saidOf(data, typed);
  const is = truth.lines(asked);
  const naira = is.get('NGN');
  compare(tally, `report fees, earned @ ${asked.name}`, figure(data, 'earned'), naira?.earned ?? 0n);
  compare(tally, `report fees, withdrawn @ ${asked.name}`, figure(data, 'withdrawn'), -(naira?.out ?? 0n));
  compare(tally, `report fees, withdrawable @ ${asked.name}`, figure(data, 'withdrawable'), naira?.closing ?? 0n);
  for (const paid of listOf(data, 'paid') as unknown as readonly Printed[])
    compare(tally, `report fees, paid @ ${asked.name} ${paid.asset}`, paid, -(is.get(paid.asset as Asset)?.fees ?? 0n));
}

export async function compareBalances(machine: Machine, truth: Postings, typed: Asked, tally: Tally): Promise<void> {
  for (const token of ASSETS) {
    if (token === 'NGN') continue;
    const data = await ask(machine, 'balance', ...typed.argv, '--token', token);
    const [asked, rows] = [saidOf(data, typed), listOf(data, 'balances')];
    compareCount(tally, `report balance, days @ ${asked.name}`, rows.length, daysIn(asked).length);
    for (const row of rows) {
      const endMs = Math.min(dayStart(String(row['at'])) + DAY_MS - 1, asked.toMs);
      compare(tally, `report balance @ ${row['at']} ${token}`, row['balance'] as Printed, truth.balance(token, endMs));
    }
  }
}

export async function compareUsers(machine: Machine, truth: Postings, typed: Asked, tally: Tally): Promise<void> {
  const data = await ask(machine, ...typed.argv, '--by', 'user');
  const asked = saidOf(data, typed);
  const [rows, partial] = [listOf(data, 'users'), listOf(data, 'partial')];
  const is = truth.users(asked);
  compareCount(tally, `report users, rows @ ${asked.name}`, rows.length, is.size, partial);
  for (const row of rows) {
    const own = is.get(String(row['user']));
    const where = `@ ${asked.name} ${row['user']}`;
    for (const name of ['onramps', 'offramps', 'withdrawals'] as const)
      compareCount(
        tally,
        `report users, ${name} ${where}`,
        row[name] as number,
        own?.[name] ?? 0,
        row['countsKnown'] ? [row['countsKnown']] : [],
      );
    compare(tally, `report users, amount ${where}`, figure(row, 'amount'), own?.amount ?? 0n);
    compare(tally, `report users, paidOut ${where}`, figure(row, 'paidOut'), own?.paidOut ?? 0n);
  }
}

/** What was earned by user, by day and by kind. */
export async function compareIncome(machine: Machine, truth: Postings, typed: Asked, tally: Tally): Promise<void> {
  for (const by of ['user', 'day', 'kind'] as const) {
    const data = await ask(machine, 'income', ...typed.argv, '--by', by);
    const [asked, partial] = [saidOf(data, typed), listOf(data, 'partial')];
    const is = truth.income(asked, by);
    const parts = listOf(data, 'parts');
    const sum = [...is.values()].reduce((all, kobo) => all + kobo, 0n);
    compare(tally, `report income, earned @ ${asked.name}`, figure(data, 'earned'), sum);
    for (const part of parts)
      compare(
        tally,
        `report income --by ${by} @ ${asked.name} ${part['name']}`,
        figure(part, 'earned'),
        is.get(String(part['name'])) ?? 0n,
      );
    const said = new Set(parts.map((part) => String(part['name'])));
    for (const [name, kobo] of is)
      if (!said.has(name) && kobo !== 0n)
        compareCount(tally, `report income --by ${by}, rows @ ${name}`, 0, 1, partial);
  }
}

/** The statement of each token: that it adds up, and every balance in it. */
export async function compareStatements(machine: Machine, truth: Postings, typed: Asked, tally: Tally): Promise<void> {
  for (const asset of ASSETS) {
    const data = await ask(machine, 'statement', asset, ...typed.argv);
    const asked = saidOf(data, typed);
    const [sums] = listOf(data, 'balances');
    const where = `@ ${asked.name} ${asset}`;
    const [opening, closing] = [truth.balance(asset, asked.fromMs), truth.balance(asset, asked.toMs)];
    if (sums) {
      compare(tally, `report statement, opening ${where}`, figure(sums, 'opening'), opening);
      compare(tally, `report statement, closing ${where}`, figure(sums, 'closing'), closing);
      const [first, came, went, last] = ['opening', 'in', 'out', 'closing'].map((name) => figure(sums, name));
      if ([first, came, went, last].every((each) => each && !each.known))
        compare(
          tally,
          `report statement, sum ${where}`,
          last,
          BigInt(minorText(first)) + BigInt(minorText(came)) + BigInt(minorText(went)),
        );
    } else if (opening !== 0n || closing !== 0n) tally.wrong.push(`report statement ${where}: no balance`);
    const rows = listOf(data, 'rows');
    for (const [index, row] of rows.entries()) {
      // Of several at one time, the last one has what there was after it.
      if (rows[index + 1]?.['at'] === row['at']) continue;
      const at = String(row['at']);
      compare(
        tally,
        `report statement, balance ${where} ${at} ${row['id']}`,
        figure(row, 'balance'),
        truth.balance(asset, Date.parse(at)),
      );
    }
  }
}

const minorText = (printed: Printed | undefined) => (printed?.value ?? '0').replace('.', '');

/** What users held at the end of each day, by the lists and what was read since. */
export async function compareOwedAt(machine: Machine, truth: Postings, asked: Asked, tally: Tally): Promise<void> {
  for (const day of daysIn(asked)) {
    const data = await ask(machine, 'owed', '--at', day);
    const held = truth.held(Date.parse(String(data['at'])));
    for (const row of listOf(data, 'owed'))
      compare(
        tally,
        `report owed --at @ ${day} ${row['asset']}`,
        figure(row, 'amount'),
        held.get(row['asset'] as Asset) ?? 0n,
      );
  }
}

/** What is open, and what users hold: as of now. */
export async function compareNow(machine: Machine, truth: Postings, tally: Tally): Promise<void> {
  const pending = listOf(await ask(machine, 'pending'), 'pending');
  const is = truth.open();
  for (const row of pending) {
    const own = is.get(String(row['id']));
    compare(tally, `report pending @ ${row['kind']} ${row['id']}`, figure(row, 'amount'), own?.minor ?? -1n);
  }
  compareCount(tally, 'report pending, rows', pending.length, is.size);
  const owed = listOf(await ask(machine, 'owed'), 'owed');
  const held = truth.held(Number.MAX_SAFE_INTEGER);
  for (const row of owed)
    compare(tally, `report owed @ ${row['asset']}`, figure(row, 'amount'), held.get(row['asset'] as Asset) ?? 0n);
}
