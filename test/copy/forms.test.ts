import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { openCopyFile } from '../../src/copy/database.ts';
import { FORM, type RowRecord, rowReader } from '../../src/copy/forms.ts';
import { rowsOf } from '../../src/copy/rows.ts';
import { saveRows } from '../../src/copy/save-rows.ts';
import { stored } from '../../src/copy/schema.ts';
import { type CopyTable, inRows, TABLES } from '../../src/copy/tables.ts';
import { main } from '../../src/main.ts';
import { parseExactJson } from '../../src/money/decimal.ts';
import type { Plain } from '../../src/present/plain.ts';
import { ACCOUNT, fakeClock, fakeWorld } from '../support/world.ts';
import { movingService } from './moving-service.ts';

const AT = '2026-11-27T09:00:00.000Z';

/** What a service may write into any field: what its column says, and all that a column would say otherwise. */
const VALUES = [
  'completed',
  '',
  'a\u0000b',
  '1,5',
  '2026-11-27T09:00:00.000Z',
  '2026-11-27T10:00:00+01:00',
  '2026-11-27 09:00:00',
  null,
  true,
  false,
  0,
  1,
  -1.5,
  JSON.rawJSON('1.50'),
  JSON.rawJSON('12345678901234567890'),
  { value: '5000.00', asset: 'NGN' },
  { value: '-0.00', asset: 'NGN' },
  { value: '5000.0', asset: 'NGN' },
  { value: '5000.001', asset: 'NGN' },
  { value: '1.500000', asset: 'USDC' },
  { asset: 'CNGN', value: '1.000000' },
  { value: '7', asset: null },
  { value: '7', asset: 'USDC', unit: 'unknown' },
  { value: '99999999999999999999.00', asset: 'NGN' },
  { value: '1.00', asset: 'NGN', more: 1 },
  {},
  [],
  [1, 'x', { id: 'y' }],
  { id: 'inner', name: null, accountNumber: '0123456789' },
] as unknown as readonly Plain[];

const anyValue = fc.constantFrom(...VALUES);

/** Rows of a list: with any of its fields, others, and some with the path of a nested one as its name, in any order. */
function rowsIn(table: CopyTable): fc.Arbitrary<Plain> {
  const paths = ['id', table.id, table.status, table.createdAt, ...inRows(table).map(({ field }) => field)];
  const names = paths.filter((path) => path !== '');
  const field = fc.tuple(fc.constantFrom(...names, 'unknown', '__proto__', 'a"b', '7'), anyValue, fc.boolean());
  return fc.uniqueArray(field, { selector: ([name]) => name, maxLength: 12 }).map((fields) => {
    const row: [string, Plain][] = [];
    for (const [name, value, isFlat] of fields) {
      const [head = '', tail] = name.split('.', 2);
      row.push(tail === undefined || isFlat ? [name, value] : [head, { before: 1, [tail]: value } as Plain]);
    }
    return Object.fromEntries(row) as Plain;
  });
}

test('a row that was kept is read again as it came, to the last character', async () => {
  const world = fakeWorld();
  world.ensurePrivateDir(world.stateDir);
  const copy = await openCopyFile(join(world.stateDir, 'copy.db'), world);
  onTestFinished(() => copy.close());
  for (const table of TABLES)
    await fc.assert(
      fc.asyncProperty(fc.array(rowsIn(table), { minLength: 1, maxLength: 5 }), async (rows) => {
        const made = rows.map(rowsOf(table, () => true));
        const found = await copy.write(async (queries) => {
          await saveRows(queries, table, made, { at: AT, pass: 1 });
          return queries.all<RowRecord>(`SELECT *, ${FORM} FROM ${stored(table)}`);
        });
        const read = new Map(found.map((record) => [record['id'], JSON.stringify(rowReader(table)(record))]));
        const last = new Map(made.map(({ id, row }) => [id, JSON.stringify(row)]));
        for (const [id, text] of last) expect(read.get(id)).toBe(text);
      }),
      { numRuns: Number(process.env['FIATRAIL_SOAK_RUNS'] ?? 15) },
    );
});

test('a row keeps no value twice', () => {
  const table = TABLES.find(({ name }) => name === 'deposits');
  if (!table) throw new Error('no table of deposits');
  const row = parseExactJson(
    '{"id":"d-1","status":"completed","createdAt":"2026-11-27T09:00:00.000Z","amount":{"value":"5000.00","asset":"NGN"},"provider":"x","depositor":{"name":"ADA","bankCode":"058"}}',
  ) as Plain;
  expect(rowsOf(table, () => true)(row)).toMatchObject({
    form: '{"id":"id","status":0,"createdAt":"created_at","amount":"amount","provider":0,"depositor":{"name":"sender_name","bankCode":0}}',
    rest: '["completed","x","058"]',
  });
});

/** An account whose transfers are copied, and what opens its copy. */
async function copiedTransfers() {
  const clock = fakeClock();
  const service = movingService(clock.now);
  const world = fakeWorld({ clock, network: (...given) => service.exchange(...given), env: ACCOUNT });
  const sync = async (...more: string[]) =>
    expect(await main(['sync', '-q', ...more], world), world.stderr.text()).toBe(0);
  const inFile = <T>(work: (database: DatabaseSync) => T): T => {
    const database = new DatabaseSync(join(world.stateDir, 'copy-environment.db'));
    try {
      return work(database);
    } finally {
      database.close();
    }
  };
  const query = (sql: string) =>
    inFile((database) =>
      database
        .prepare(sql)
        .all()
        .map((row) => Object.values(row)),
    );
  service.add('withdrawals');
  await sync();
  return { sync, query, edit: (sql: string) => inFile((database) => database.exec(sql)) };
}

test.each([
  ['a column', "amount_minor = 1, wallet_address = 'evil'"],
  ['what no column says', `rest = replace(rest, '"', '"x')`],
  ['its form', 'form = NULL'],
])(
  'a reading of the whole list mends %s of a row that was edited, and takes it for no change of the service',
  async (_, set) => {
    const { sync, query, edit } = await copiedTransfers();
    const rows = () =>
      query('SELECT id, status, amount_minor, wallet_address, rest, form, digest FROM stored_withdrawals');
    const before = rows();
    edit(`UPDATE stored_withdrawals SET ${set}`);
    expect(rows()).not.toEqual(before);
    await sync('--full');
    expect(rows()).toEqual(before);
    expect(query('SELECT * FROM changes')).toEqual([]);
  },
);
