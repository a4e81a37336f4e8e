import type { Zone } from '../../../base/zone.ts';
import type { Queries } from '../../../journal/store.ts';
import { amountText, isAsset } from '../../../money/amount.ts';
import { csvRecord } from '../../../present/csv.ts';
import { timeText } from '../../../present/times.ts';
import type { SqlValue } from '../../../sqlite/database.ts';
import { thingOfRow } from '../../../things/index.ts';
import { ENTRY_KINDS } from '../../entry-kinds.ts';
import { stored } from '../../schema.ts';
import { type CopyTable, TABLES, tableOf } from '../../tables.ts';
import type { Span } from '../report/movements.ts';

/** The lists whose rows begin and end, and so have a place in a period. */
export const EXPORTED: readonly CopyTable[] = TABLES.filter(({ hasStates }) => hasStates);

/** What a column of an exported list is, for the page that explains them. */
interface ExportedColumn {
  readonly title: string;
  readonly about: string;
}

const KINDS = {
  text: 'as the service states it',
  time: 'in the time zone named above',
  amount: 'in whole units, and its asset',
  flag: 'yes or no',
} as const;

/** What amounts are that their titles alone do not say. */
const AMOUNTS: Readonly<Record<string, string>> = {
  fee: 'all fees of the row, as the service states them, and their asset',
  funding: 'what was credited after fees, and its asset',
  deducted: 'the amount and all fees together, and their asset',
  arrived: 'what arrived after the fee of the bridge, and its asset',
  net: 'what arrived after the fee of the trade, and its asset',
};

const FIRST: readonly ExportedColumn[] = [
  { title: 'ID', about: 'the service’s id' },
  { title: 'What', about: 'what it is' },
  { title: 'Status', about: 'as it was read last' },
  { title: 'Created', about: KINDS.time },
];

/** The parts of a row’s fees, in Naira, where it has any. */
const FEE_PARTS = [
  {
    title: 'Own fee',
    column: 'own_fee_minor',
    about: 'the account’s part of the fees, in Naira; counted when the row completes',
  },
  { title: 'Service’s fee', column: 'platform_fee_minor', about: 'the service’s part of the fees, in Naira' },
] as const;

const FEE_KNOWN: ExportedColumn = {
  title: 'Fee not known',
  about: 'why the parts of the fees are not known; empty if they are, or if there are none',
};

/** A row that has moved money stays in the books, whatever the service shows today. */
const REMOVED: ExportedColumn = {
  title: 'Removed',
  about: 'when a sync found that the service no longer shows the row; it is still in the books',
};

const ownColumns = (table: CopyTable) => table.columns.filter(({ name }) => name !== 'type');

/** The columns of a list, in their order. An amount is two: its value, and its asset. */
export const columnsOf = (table: CopyTable): readonly ExportedColumn[] => [
  ...FIRST,
  ...ownColumns(table).flatMap(({ name, title, kind }) =>
    kind === 'amount'
      ? [
          { title, about: AMOUNTS[name] ?? KINDS.amount },
          { title: `${title} asset`, about: '' },
        ]
      : [{ title, about: KINDS[kind] }],
  ),
  ...(table.hasFees ? [...FEE_PARTS, FEE_KNOWN] : []),
  REMOVED,
];

const feeCells = (row: Readonly<Record<string, SqlValue>>): readonly string[] => [
  ...FEE_PARTS.map(({ column }) => {
    const minor = row[column];
    return typeof minor === 'bigint' ? amountText({ asset: 'NGN', minor }) : '';
  }),
  String(row['fee_known'] ?? ''),
];

const timeOf = (zone: Zone, value: SqlValue): string =>
  typeof value === 'string' ? (timeText(value, { zone }) ?? value) : '';

function cellsOf(
  { name, kind }: CopyTable['columns'][number],
  row: Readonly<Record<string, SqlValue>>,
  zone: Zone,
): string[] {
  if (kind === 'amount') {
    const [minor, asset] = [row[`${name}_minor`], row[`${name}_asset`]];
    return typeof minor === 'bigint' && typeof asset === 'string' && isAsset(asset)
      ? [amountText({ asset, minor }), asset]
      : ['', ''];
  }
  const value = row[name] ?? null;
  if (kind === 'time') return [timeOf(zone, value)];
  if (kind === 'flag') return [value === null ? '' : value === 0n ? 'no' : 'yes'];
  return [value === null ? '' : String(value)];
}

/** How many rows are in memory at once. */
const PAGE = 1_000;

/** When a row has a place in a period: as SQL expressions, when it began, when it ended, and when books have entries of it. */
function momentsOf(table: CopyTable): readonly string[] {
  const kinds = ENTRY_KINDS.filter(({ thing }) => tableOf(thing) === table);
  return [...new Set(['created_at', 'ended_at', ...kinds.flatMap(({ sets }) => sets.map(({ at }) => at))])];
}

/** Where a page goes on, by the index of when rows began. Of some, nothing says it: they are the first ones. */
const PAGES = [
  { where: 'created_at IS NULL AND id > ?', order: 'id', keys: ['id'] },
  { where: '(created_at, id) > (?, ?)', order: 'created_at, id', keys: ['created_at', 'id'] },
] as const;

/**
 * Yields the rows of a list that have a place in a period, oldest first, as CSV. Amounts and times are in columns that a spreadsheet reads.
 * Rejects with DatabaseError.
 */
export async function* listCsv(
  queries: Queries,
  table: CopyTable,
  { from, to }: Span,
  zone: Zone,
): AsyncGenerator<string> {
  yield csvRecord(columnsOf(table).map(({ title }) => title));
  const moments = momentsOf(table);
  const isPlaced = moments.map((at) => `(${at} > ? AND ${at} <= ?)`).join(' OR ');
  for (const { where, order, keys } of PAGES) {
    let after = keys.map(() => '');
    for (let count = PAGE; count === PAGE; ) {
      const rows = await queries.all<Readonly<Record<string, SqlValue>>>(
        `SELECT * FROM ${stored(table)} WHERE (${isPlaced}) AND ${where} ORDER BY ${order} LIMIT ${PAGE}`,
        ...moments.flatMap(() => [from, to]),
        ...after,
      );
      yield rows.map((row) => recordOf(table, row, zone)).join('');
      const last = rows.at(-1);
      after = keys.map((key) => String(last?.[key] ?? ''));
      count = rows.length;
    }
  }
}

const recordOf = (table: CopyTable, row: Readonly<Record<string, SqlValue>>, zone: Zone): string =>
  csvRecord([
    String(row['id']),
    thingOfRow(table.name, row['type']).name,
    String(row['status'] ?? ''),
    timeOf(zone, row['created_at'] ?? null),
    ...ownColumns(table).flatMap((column) => cellsOf(column, row, zone)),
    ...(table.hasFees ? feeCells(row) : []),
    timeOf(zone, row['deleted_at'] ?? null),
  ]);
