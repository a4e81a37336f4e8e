import { cpSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { sharedEnd } from '../../support/built.ts';
import { copyOf, type Restore } from '../../support/folder-copy.ts';
import { chances } from '../served.ts';
import { compared, FIRST_DAY } from './campaign.ts';
import { dayStart, lagosDay } from './reports.ts';
import { type Machine, type MachineOptions, type Served, served } from './rig.ts';
import { DAY_MS, working } from './work.ts';

type Row = Record<string, unknown>;

const shared = sharedEnd();

/** What a machine had copied before the account worked: the rows as they are, or as something changed them. */
type Before = (rows: Row[]) => Row[];

/** Three days of an account, and the day after them, with what machines had copied before. The clock goes on from test to test. */
async function lived(all: readonly Before[]) {
  const service = await served(dayStart(FIRST_DAY) - DAY_MS, shared);
  const account = await working(service, chances(5));
  // What it sold at the start is over.
  await service.moveTo(service.now() + DAY_MS / 4);
  const copies = new Map<Before, Restore>();
  for (const before of all) {
    const machine = service.machine({ alter: rowsOf('/deposits', 'deposits', before) });
    await machine.run('sync');
    copies.set(before, copyOf(machine.world.homeDir));
  }
  await service.moveTo(dayStart(FIRST_DAY));
  await account.work(dayStart(FIRST_DAY) + 3 * DAY_MS - 1, 60);
  await service.moveTo(service.now() + DAY_MS / 2);
  return { service, copies };
}

let life: ReturnType<typeof lived> | undefined;

/** A machine of the account after it worked, which has synced before: all tests look at one account. */
async function worked(
  options: MachineOptions = {},
  before: Before = AS_IT_IS,
): Promise<{ service: Served; machine: Machine }> {
  life ??= lived([AS_IT_IS, WITHOUT_ZONE, IN_EUROS]);
  const { service, copies } = await life;
  const machine = service.machine(options);
  const restore = copies.get(before);
  if (!restore) throw new Error('no machine had copied that');
  restore(machine.world.homeDir);
  return { service, machine };
}

/** Changes the rows of a list of responses, wherever it is. */
const rowsOf =
  (path: string, list: string, change: (rows: Row[]) => Row[]): Required<MachineOptions>['alter'] =>
  (asked, body) => {
    if (asked !== `/v1${path}`) return body;
    const all = JSON.parse(body) as { data: Record<string, Row[]> };
    const rows = all.data[list];
    if (rows) all.data[list] = change(rows);
    return JSON.stringify(all);
  };

const own = (row: Row) => row['type'] === 'fintech_deposit' && row['status'] === 'completed';
const first = (rows: readonly Row[]) => rows.find(own) ?? {};

/** What a machine says that had the right rows first, or already those, and then those: of the whole, and what a sync says. */
async function told(change: (rows: Row[]) => Row[], { isFirst = false } = {}) {
  let isBad = isFirst;
  const changed = rowsOf('/deposits', 'deposits', change);
  const { service, machine } = await worked(
    { alter: (path, body) => (isBad ? changed(path, body) : body) },
    isFirst ? change : AS_IT_IS,
  );
  const before = await machine.run('sync');
  isBad = true;
  await service.moveTo(service.now() + 60_000);
  const sync = await machine.run('sync', '--full');
  const report = await machine.run('report', '2026-10');
  const changes = await machine.run('report', 'changes', '--since', '1h', '-o', 'json');
  return { service, machine, before, sync, report, changes };
}

/** What is wrong in the reports of the month; with `asks`, also in those of the days inside it. */
const wrongIn = async (service: Served, machine: Machine, asks?: 'days') => {
  const last = asks ? lagosDay(service.now() - DAY_MS) : FIRST_DAY;
  return (await compared(service, machine, [FIRST_DAY, last])).wrong;
};

const isMore = (row: Row): Row => ({ ...row, amount: Number(row['amount']) + 1000 });
const withoutZone = (row: Row): Row => ({
  ...row,
  ...Object.fromEntries(['createdAt', 'completedAt'].map((name) => [name, String(row[name]).replace('Z', '')])),
});

const inEuros = (row: Row): Row => ({ ...row, currency: 'EUR' });

const AS_IT_IS: Before = (rows) => rows;
/** Changes the first deposit of the account itself. */
const withOne =
  (change: (row: Row) => Row): Before =>
  (rows) =>
    rows.map((row) => (row === first(rows) ? change(row) : row));
const WITHOUT_ZONE = withOne(withoutZone);
const IN_EUROS = withOne(inEuros);

test('a past row that changes is named with what it was, and the balances disagree with it', async () => {
  const { report, changes } = await told(withOne(isMore));
  expect(report).toMatchObject({ code: 9, stderr: expect.stringContaining('-990.00 cNGN') });
  expect(JSON.parse(changes.stdout)).toMatchObject({
    changes: expect.arrayContaining([
      expect.objectContaining({ list: 'deposits', status: 'changed', field: 'amount' }),
    ]),
  });
});

test('a row that is removed stays in every sum, and the list is said to be incomplete', async () => {
  const { service, machine, sync } = await told((rows) => rows.filter((row) => row !== first(rows)));
  expect(sync.stderr).toContain('the service counts 14 deposits but returned only 13');
  expect(await wrongIn(service, machine)).toEqual([]);
});

test('a row that is repeated counts once', async () => {
  const { service, machine } = await told((rows) => rows.flatMap((row) => (row === first(rows) ? [row, row] : [row])));
  expect(await wrongIn(service, machine)).toEqual([]);
});

test('two rows with one id are named, and the balances disagree with the wrong one', async () => {
  const { sync, report } = await told((rows) =>
    rows.flatMap((row) => (row === first(rows) ? [row, isMore(row)] : [row])),
  );
  expect(sync.stderr).toMatch(/the service shows different deposits with the id \S+; the copy keeps the last of them/);
  expect(report).toMatchObject({ code: 9, stderr: expect.stringContaining('-990.00 cNGN') });
});

test('a row whose times have no zone is in no sum of a day as if its time were known', async () => {
  const { service, machine } = await told(WITHOUT_ZONE, { isFirst: true });
  expect(await wrongIn(service, machine, 'days')).toEqual([]);
});

test('an amount in an unknown asset is said with the field, is in no sum, and is a difference', async () => {
  const { sync, report, machine } = await told(IN_EUROS, { isFirst: true });
  expect(sync.stderr).toContain('currency is "EUR"');
  expect(report.code).toBe(9);
  const { assets } = JSON.parse((await machine.run('report', '2026-10', '-o', 'json')).stdout) as {
    assets: { asset: string; in: { known?: { why: string } } }[];
  };
  expect(assets.find(({ asset }) => asset === 'CNGN')?.in.known?.why).toBe('NOT_STATED');
});

test('a clock that jumps forward and back changes no figure', async () => {
  let aheadMs = 0;
  const { service, machine } = await worked({ aheadMs: () => aheadMs });
  for (const jump of [40 * DAY_MS, -3 * DAY_MS, 0]) {
    aheadMs = jump;
    expect((await machine.run('sync')).code).toBe(0);
    await service.moveTo(service.now() + 60_000);
  }
  expect(await wrongIn(service, machine, 'days')).toEqual([]);
});

test('a copy of another machine goes on where that one stopped', async () => {
  const { service, machine: one } = await worked({ name: 'one' });
  const other = service.machine({ name: 'other' });
  mkdirSync(dirname(other.copyPath), { recursive: true, mode: 0o700 });
  cpSync(one.copyPath, other.copyPath);
  expect(await wrongIn(service, other)).toEqual([]);
  expect((await other.run('sync')).code).toBe(0);
  expect(await wrongIn(service, other, 'days')).toEqual([]);
});
