import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parse } from 'csv-parse/sync';
import { unzipSync } from 'fflate';
import { beforeEach, describe, expect, test } from 'vitest';
import { AUTUMN, accountAfter, ran } from '../../questions/books/life.ts';
import { json } from '../../questions/reports.ts';
import type { FakeWorld } from '../../support/world.ts';

type Row = Readonly<Record<string, string>>;

let world: FakeWorld;
beforeEach(async () => {
  world = await accountAfter(AUTUMN);
});

function edited(sql: string): void {
  const database = new DatabaseSync(join(world.stateDir, 'copy-embedded.db'));
  database.exec(sql);
  database.close();
}

/** Writes the archive of November, and reads its files. */
async function archive() {
  const path = join(world.homeDir, 'november.zip');
  const { code, stderr } = await ran(world, 'report', 'export', '2025-11', '--save-to', path);
  // Some fees are not known: the archive says so.
  expect([0, 9], stderr).toContain(code);
  const files = unzipSync(readFileSync(path));
  const textOf = (name: string) => Buffer.from(files[name] ?? []).toString();
  return {
    names: Object.keys(files),
    textOf,
    rowsOf: (name: string): readonly Row[] => parse(textOf(name), { columns: true }) as Row[],
  };
}

/** Asks the sandbox, in the smallest unit. */
function ledger(sql: string): readonly (readonly string[])[] {
  const database = new DatabaseSync(join(world.stateDir, 'sandbox.db'), { readOnly: true });
  const rows = database.prepare(sql).all();
  database.close();
  return rows.map((row) => Object.values(row).map(String));
}

const kobo = (value = '') => value.replace('.', '');

describe('the archive of a month', () => {
  test('has each payout with its payee, bank account, fees and times in Lagos, as the ledger has them', async () => {
    const rows = (await archive()).rowsOf('payouts.csv');
    expect(rows.length).toBeGreaterThan(20);
    const is = new Map(
      ledger(
        `SELECT request_id, account_name, account_number, amount_kobo, platform_fee_kobo, 0 AS own_kobo, created_at FROM payout
         UNION ALL SELECT request_id, account_name, account_number, amount_kobo, platform_fee_kobo, fintech_fee_kobo, created_at FROM offramp`,
      ).map(([id = '', ...row]) => [id, row]),
    );
    let fees = 0;
    for (const row of rows) {
      const [name, number, amount, platform = '', own = '', at] = is.get(row['ID'] ?? '') ?? [];
      expect([row['To'], row['Account number'], kobo(row['Amount'])], row['ID']).toEqual([name, number, amount]);
      const lagos = new Date(Number(at) + 3_600_000).toISOString().replace('T', ' ').slice(0, 19);
      expect(row['Created']).toBe(`${lagos} +01`);
      if (row['Status'] !== 'completed' || row['Fee not known'] !== '') continue;
      fees++;
      expect([kobo(row['Service’s fee']), row['What'] === 'offramp' ? kobo(row['Own fee']) : '0'], row['ID']).toEqual(
        [platform, own].map((each) => each.padStart(each === '0' && row['What'] !== 'offramp' ? 1 : 3, '0')),
      );
    }
    expect(fees).toBeGreaterThan(10);
  });

  test('names each column of each list on its page, and only these', async () => {
    const { names, textOf } = await archive();
    const page = textOf('README.txt');
    for (const name of names.filter((each) => /^(?!books|balances).*\.csv$/.test(each))) {
      const [, section = ''] = page.split(`\n${name}\n`);
      const lines = (section.split('\n\n')[0] ?? '').split('\n').filter((line) => line.startsWith('  '));
      const [head = []] = parse(textOf(name)) as string[][];
      expect(
        lines.flatMap((line) => (/^ {2}(.*?):/.exec(line)?.[1] ?? '').split(', ')),
        name,
      ).toEqual(head);
    }
    for (const name of ['books.csv', 'balances.csv']) {
      const [, section = ''] = page.split(`\nColumns of ${name}\n`);
      const said = (section.split('\n\n')[0] ?? '').split('\n').filter((line) => line.startsWith('  '));
      const columns = said.flatMap((line) =>
        line.split(';').flatMap((part) => (part.split(':')[0] ?? '').trim().split(', ')),
      );
      const [head = []] = parse(textOf(name)) as string[][];
      expect(
        head.filter((column) => !columns.includes(column)),
        name,
      ).toEqual([]);
    }
  });

  test('has balances that are those of the report, and that the entries add up to', async () => {
    const { rowsOf } = await archive();
    const balances = rowsOf('balances.csv');
    const minorOf = (value = '') => BigInt(value.replace('.', ''));
    const sumOf = (rows: readonly Row[], field: string) => rows.reduce((sum, row) => sum + minorOf(row[field]), 0n);
    const { assets } = (await json(world, 'report', '2025-11')) as {
      assets: { asset: string; closing: { value: string | null }; opening: { value: string | null } }[];
    };
    let compared = 0;
    for (const { asset, opening, closing } of assets) {
      const own = balances.filter(
        (row) => row['asset'] === asset && /^assets:(?:wallet|vault|fees)$/.test(row['account'] ?? ''),
      );
      for (const [field, { value }] of Object.entries({ opening, closing })) {
        if (value === null) continue;
        compared++;
        expect(sumOf(own, field), `${asset} ${field}`).toBe(minorOf(value));
      }
    }
    expect(compared).toBeGreaterThan(4);
    const entries = rowsOf('books.csv').filter((row) => row['at'] !== '');
    for (const row of balances) {
      const own = entries.filter((each) => each['account'] === row['account'] && each['asset'] === row['asset']);
      expect(sumOf(own, 'amount'), `${row['account']} ${row['asset']}`).toBe(minorOf(row['change']));
      expect(minorOf(row['opening']) + minorOf(row['change'])).toBe(minorOf(row['closing']));
    }
  });

  test('has no cell that a spreadsheet runs, and says which rows the service has removed', async () => {
    const [evil, gone] = ["=HYPERLINK(''https://attacker.test'')", '019a0000-0000-7000-8000-000000000001'];
    edited(
      `UPDATE stored_payouts SET account_name = '${evil}', bank_name = '@SUM(A1)', reference = '+1+cmd|x' WHERE type = 'user_offramp'`,
    );
    edited(
      `INSERT INTO stored_payouts (id, status, created_at, type, amount_minor, amount_asset, is_open, is_personal, digest, pass, first_seen_at, changed_at, deleted_at)
       VALUES ('${gone}', 'completed', '2025-11-10T10:00:00.000Z', 'user_offramp', 5, 'NGN', 0, 0, 'x', 1, '2025-11-10T10:00:00.000Z', '2025-11-10T10:00:00.000Z', '2025-11-11T09:00:00.000Z')`,
    );
    const { names, textOf, rowsOf } = await archive();
    const cells = names
      .filter((name) => name.endsWith('.csv'))
      .flatMap((name) => (parse(textOf(name)) as string[][]).flat());
    const isNumber = (cell: string) => /^-?\d+(?:\.\d+)?$/.test(cell);
    expect(cells.filter((cell) => /^\s*[=+\-@]/.test(cell) && !isNumber(cell))).toEqual([]);
    expect(cells).toContain("'=HYPERLINK('https://attacker.test')");
    const removed = rowsOf('payouts.csv').filter((row) => row['Removed'] !== '');
    expect(removed).toMatchObject([{ ID: gone, Removed: '2025-11-11 10:00:00 +01' }]);
  });

  test('has what ended in it, however long before it began, and nothing of another month', async () => {
    const rowOf = (id: string, times: string) =>
      `INSERT INTO stored_payouts (id, status, type, amount_minor, amount_asset, is_open, is_personal, digest, pass, first_seen_at, changed_at, created_at, ended_at)
       VALUES ('${id}', 'failed', 'fintech_offramp', 5, 'NGN', 0, 0, 'x', 1, '2025-11-30T10:00:00.000Z', '2025-11-30T10:00:00.000Z', ${times});`;
    edited(rowOf('ended-in-it', `'2025-10-31T10:00:00.000Z', '2025-11-02T10:00:00.000Z'`));
    edited(rowOf('began-at-no-time', `NULL, '2025-11-03T10:00:00.000Z'`));
    edited(rowOf('ended-before', `'2025-10-30T10:00:00.000Z', '2025-10-31T10:00:00.000Z'`));
    edited(rowOf('ended-after-at-no-time', `NULL, '2025-12-03T10:00:00.000Z'`));
    const ids = (await archive()).rowsOf('payouts.csv').map((row) => row['ID'] ?? '');
    expect(ids.filter((id) => /^(?:ended|began)/.test(id))).toEqual(['began-at-no-time', 'ended-in-it']);
    expect(ids[0]).toBe('began-at-no-time');
  });
});
