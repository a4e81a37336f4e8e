import { columnNames } from '../store/table.ts';
import { feesOf, type RowFees, thingsWithFees } from './fees.ts';
import { allNames, FEE_SCHEDULES, isThing, STATUS_CHANGES, stored } from './schema.ts';
import { type CopyTable, TABLES } from './tables.ts';

/** The views, and the indexes that a list has from the beginning. */
export function creation(): readonly string[] {
  const view = (name: string, select: string) => `CREATE VIEW ${name} AS ${select}`;
  return [
    view('status_changes', `SELECT ${columnNames(STATUS_CHANGES).join(', ')} FROM ${STATUS_CHANGES.name}`),
    view('balances', 'SELECT at, source, place, minor AS balance_minor, asset AS balance_asset FROM stored_balances'),
    view('owed', 'SELECT user_id, minor AS owed_minor, asset AS owed_asset, at AS read_at FROM stored_owed'),
    view(
      'fee_schedules',
      `SELECT taker, direction, from_minor, below_minor, percent_millionths, cap_minor, enabled, since, first_seen_at, seen_at FROM ${FEE_SCHEDULES.name}`,
    ),
    ...TABLES.flatMap((table) => [
      `CREATE INDEX ${table.name}_open ON ${stored(table)} (created_at) WHERE is_open = 1`,
      view(table.name, `SELECT ${viewColumns(table).join(', ')} FROM ${stored(table)}`),
    ]),
  ];
}

/** The columns of a view. */
const viewColumns = (table: CopyTable): readonly string[] => [
  'id',
  'status',
  'created_at',
  ...allNames(table),
  'is_open',
  'first_seen_at',
  'changed_at',
  'deleted_at',
  ...feeColumns(table),
];

/** What was taken from a row, which the service states in several places, or not at all. */
function feeColumns(table: CopyTable): readonly string[] {
  const things = thingsWithFees(table);
  if (things.length === 0) return [];
  const each = (name: string, ofFree: string, otherwise: string, of: (fees: RowFees) => string) => {
    const branches = things.flatMap((thing) => {
      const fees = feesOf(thing);
      return [`WHEN ${isThing(thing)} AND ${fees.isFree} THEN ${ofFree}`, `WHEN ${isThing(thing)} THEN ${of(fees)}`];
    });
    return `CASE ${branches.join(' ')} ELSE ${otherwise} END AS ${name}`;
  };
  return [
    each('own_fee_minor', '0', 'NULL', ({ own }) => own),
    each('platform_fee_minor', '0', 'NULL', ({ platform }) => platform),
    each('fee_known', 'NULL', "'FEE_NOT_STATED'", ({ known }) => known),
    each('fee_rule', "'row'", 'NULL', ({ rule }) => rule),
  ];
}
