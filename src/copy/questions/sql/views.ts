import { stored } from '../../schema.ts';
import { type MirrorColumn, type MirrorTable, TABLES } from '../../tables.ts';
import { EVENT_COLUMNS, OPERATION_COLUMNS, TIME, type ViewColumn } from './copied.ts';

/** A view that a query can read. Its name and those of its columns are stable. */
interface View {
  readonly name: string;
  readonly about: string;
  readonly columns: readonly ViewColumn[];
}

const text = (name: string, about: string, field?: string): ViewColumn => ({
  name,
  type: 'text',
  about,
  ...(field ? { field } : {}),
});
const integer = (name: string, about: string, field?: string): ViewColumn => ({
  ...text(name, about, field),
  type: 'integer',
});

/** What every copied list has besides its own columns. */
const COMMON: readonly ViewColumn[] = [
  { name: 'is_open', type: 'integer', about: '1 if its status may still change by itself' },
  { name: 'first_seen_at', type: 'text', about: `when it was first copied; ${TIME}` },
  { name: 'changed_at', type: 'text', about: `when the copy last changed; ${TIME}` },
  { name: 'gone_at', type: 'text', about: `when the service was first seen not to list it any more; ${TIME}` },
];

const personal = ({ isPersonal }: MirrorColumn) => (isPersonal ? '; personal, so it is removed when it is old' : '');

function columnsOf(column: MirrorColumn): ViewColumn[] {
  const { name, field, kind, isKey } = column;
  const words = name.replaceAll('_', ' ');
  if (kind === 'amount')
    return [
      integer(`${name}_minor`, `${words}, in the smallest unit of ${name}_asset`, field),
      text(`${name}_asset`, `asset of ${name}_minor: NGN, CNGN, USDC or USDT`, field),
    ];
  if (kind === 'time') return [text(name, TIME, field)];
  if (kind === 'flag') return [integer(name, '1 for yes, 0 for no', field)];
  return [text(name, `${words}${isKey ? '; has an index' : ''}${personal(column)}`, field)];
}

function viewOf({ name, about, id, status, createdAt, columns }: MirrorTable): View {
  return {
    name,
    about,
    columns: [
      text('id', 'the service’s id; of a row without one, a digest of what it says', id),
      text('status', status ? 'state, as the service calls it' : 'always null', status),
      text('created_at', `when it was made; ${TIME}; has an index`, createdAt),
      ...columns.flatMap(columnsOf),
      ...COMMON,
    ],
  };
}

/** Views of the mirror that are no list of the service. */
const OWN: readonly View[] = [
  {
    name: 'balances',
    about: 'balances over time: a row for each change that a sync saw',
    columns: [
      { name: 'at', type: 'text', about: `when it was read; ${TIME}` },
      { name: 'source', type: 'text', about: 'wallet: the account’s Smart Wallet; fees: its earned fees' },
      { name: 'place', type: 'text', about: 'the network of a wallet, or which part of the fees' },
      { name: 'balance_minor', type: 'integer', about: 'balance, in the smallest unit of balance_asset' },
      { name: 'balance_asset', type: 'text', about: 'asset of balance_minor: NGN, CNGN, USDC or USDT' },
    ],
  },
  {
    name: 'status_changes',
    about:
      'when a sync first saw another status, and when what did not stay ended had ended; the service’s lists have only the last status',
    columns: [
      { name: 'kind', type: 'text', about: 'the view that has the row' },
      { name: 'id', type: 'text', about: 'id of the row' },
      { name: 'status', type: 'text', about: 'the new status' },
      { name: 'seen_at', type: 'text', about: `when it was seen; ${TIME}` },
    ],
  },
];

const COPIED: readonly View[] = [
  {
    name: 'operations',
    about: 'the journal’s operations of the account, without their requests',
    columns: OPERATION_COLUMNS,
  },
  { name: 'events', about: 'the inbox’s events of the profile, without their bodies', columns: EVENT_COLUMNS },
];

/** Returns every view, by name. */
export const views = (): readonly View[] =>
  [...TABLES.map(viewOf), ...OWN, ...COPIED].toSorted((a, b) => (a.name < b.name ? -1 : 1));

/** SQLite's functions that read JSON as a table. */
const JSON_TABLES = ['json_each', 'json_tree'];

/** Returns the names that a query may read. */
export const openNames = (): ReadonlySet<string> => new Set([...views().map(({ name }) => name), ...JSON_TABLES]);

/** Returns whether a query may read a column of a table: of a view, or what a view reads. */
export function readAccess(): (table: string, column: string) => boolean {
  const readable = new Map(
    views().flatMap(({ name, columns }) => {
      // The table of the balances has other names.
      const others = name === 'balances' ? ['minor', 'asset'] : [];
      const names = new Set([...columns.map((column) => column.name), ...others]);
      return [name, stored({ name })].map((table) => [table, names] as const);
    }),
  );
  return (table, column) => JSON_TABLES.includes(table) || readable.get(table)?.has(column) === true;
}
