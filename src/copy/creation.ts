import type { Queries } from '../journal/store.ts';
import { columnNames } from '../store/table.ts';
import { BOOK_VIEWS } from './book-entries.ts';
import { allNames, CHANGES, FEE_NAMES, FEE_SCHEDULES, STATUS_CHANGES, stored } from './schema.ts';
import { type CopyTable, TABLES } from './tables.ts';

/** The views, and the indexes that a list has from the beginning. */
export function creation(engine: Queries['engine']): readonly string[] {
  const view = (name: string, select: string) => `CREATE VIEW ${name} AS ${select}`;
  return [
    ...(engine === 'postgres' ? Object.entries(BOOK_VIEWS).map(([name, select]) => view(name, select(engine))) : []),
    view('status_changes', `SELECT ${columnNames(STATUS_CHANGES).join(', ')} FROM ${STATUS_CHANGES.name}`),
    view(
      'changes',
      `SELECT ${columnNames(CHANGES)
        .filter((name) => name !== 'is_personal')
        .join(', ')} FROM ${CHANGES.name}`,
    ),
    `CREATE INDEX changes_personal ON ${CHANGES.name} (seen_at) WHERE is_personal = 1`,
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
  ...(table.hasFees ? FEE_NAMES : []),
];
