import { type Column, filled, integer, optional, type Table, table, text } from '../store/table.ts';
import type { Thing } from '../things/thing.ts';
import { type CopyColumn, type CopyTable, inRows, isOneOf, TABLES } from './tables.ts';

/** The layout of the local copy. */
export const VERSION = 1;

/** `frmi`, in ASCII: says of a SQLite file that it is a local copy, and is the advisory lock of whoever creates the tables in PostgreSQL. */
export const FILE_ID = 0x66726d69;

/** The columns that one field of a row fills. */
export const columnsFor = ({
  name,
  kind,
}: Pick<CopyColumn, 'name' | 'kind'>): readonly (readonly [name: string, column: Column])[] => {
  if (kind === 'flag') return [[name, optional(integer())]];
  if (kind !== 'amount') return [[name, optional(text())]];
  return [
    [`${name}_minor`, optional(integer())],
    [`${name}_asset`, optional(text())],
  ];
};

const namesOf = (column: CopyColumn) => columnsFor(column).map(([name]) => name);

/** The names of the columns that the list's rows fill, in their order. */
export const ownNames = (table: CopyTable): readonly string[] => inRows(table).flatMap(namesOf);

/** The names of those, and of what other responses say of its rows. */
export const allNames = ({ columns }: CopyTable): readonly string[] => columns.flatMap(namesOf);

/** The table that has the rows of a view, with what only the local copy itself needs. */
export const stored = ({ name }: Pick<CopyTable, 'name'>) => `stored_${name}`;

/** Which rows have completed and which have failed: SQL conditions, which indexes and statements have in the same words. */
export const isDone = ({ done }: Pick<CopyTable, 'done'>): string => isOneOf('status', done);
export const hasFailed = ({ failed }: Pick<CopyTable, 'failed'>): string => isOneOf('status', failed);

/** Which rows of its list are a thing: an SQL condition. */
export const isThing = ({ types }: Pick<Thing, 'types'>): string => (types ? isOneOf('type', types) : '1 = 1');

/** A condition as the planner looks for no index of it: there is a smaller one for the other conditions. */
export const unindexed = (condition: string) => `(CASE WHEN ${condition} THEN 1 ELSE 0 END) = 1`;

/** Whether the index of what failed has every row that meets an SQL condition. */
export const isOfFailed = (condition: string): boolean =>
  TABLES.some((table) => condition.startsWith(hasFailed(table)));

/** Which rows the service does not show: an SQL condition. They are few, so that counting them and all rows is faster than counting the others. */
export const APART = '(deleted_at IS NOT NULL OR digest IS NULL)';

/** The schema of a PostgreSQL database that has everything, beside the journal's. */
export const SCHEMA = 'fiatrail_copy';

/** The view of the books for queries of all accounts. It has the rows of `book_entries`. */
export const BOOK_ENTRIES_BY_SET = 'book_entries_by_set';

/**
 * What a role may do that is no owner. The owner fills the local copy, because it makes indexes and overwrites what was personal. A host asks, and a
 * reader of other tools has the views, and none of what is behind them.
 */
export const GRANTS = {
  host: [
    `GRANT USAGE ON SCHEMA ${SCHEMA} TO fiatrail_host`,
    `GRANT SELECT ON ALL TABLES IN SCHEMA ${SCHEMA} TO fiatrail_host`,
  ],
  reader: [
    `GRANT USAGE ON SCHEMA ${SCHEMA} TO fiatrail_reader`,
    ...[
      'balances',
      'book_entries',
      'changes',
      'fee_schedules',
      'owed',
      'status_changes',
      ...TABLES.map(({ name }) => name),
    ].map((name) => `GRANT SELECT ON ${SCHEMA}.${name} TO fiatrail_reader`),
  ],
} as const;

/** Times are ISO 8601 in UTC. */

export const SETTING = table('setting', ['name'], { name: text(), value: text() });

/** The setting with the earliest time that a row is of which changed since what balances say was noted. */
export const CHANGED_FROM = 'changed-from';

/** The process that fills the local copy. On a server, it loses its turn at `until` unless it writes before; times are in milliseconds since the epoch. */
export const FILLER = table('filler', ['id'], {
  id: integer({ isOnly: true }),
  holder: text(),
  host: text(),
  process: integer(),
  run: optional(text()),
  since: integer(),
  until: optional(integer()),
});

export const PERSON_NAME = table('person_name', ['name'], { name: text(), folded: text() });

export const STATUS_CHANGES = table('stored_status_changes', ['kind', 'id', 'seen_at'], {
  kind: text(),
  id: text(),
  status: text(),
  seen_at: text(),
});

/** What became of a row: a sync found it new, changed, listed no more, or listed again. */
export const CHANGE_STATUSES = ['new', 'changed', 'deleted', 'restored'] as const;

/**
 * What a sync found in the lists. A row that changed has one row here for each of its fields, with both values as JSON; NULL is no value, or a
 * personal one that was removed when it was old. What is new, deleted or restored has no field.
 */
export const CHANGES = table('stored_changes', ['seen_at', 'kind', 'id', 'field', 'status'], {
  seen_at: text(),
  kind: text(),
  id: text(),
  field: text(),
  status: text({ oneOf: CHANGE_STATUSES }),
  before_json: optional(text()),
  after_json: optional(text()),
  is_personal: integer(),
});

export const BALANCES = table('stored_balances', ['source', 'place', 'asset', 'at'], {
  source: text(),
  place: text(),
  asset: text(),
  minor: integer(),
  at: text(),
});

export const BALANCE_CHECKS = table('stored_balance_checks', ['at'], { at: text() });

/** What a user's wallets held when they were read; NULL if the service did not say it. */
export const OWED = table('stored_owed', ['user_id', 'asset'], {
  user_id: text(),
  asset: text(),
  minor: optional(integer()),
  at: text(),
});

/** What they held at the readings before and after each change, so that what they held in between is known. */
export const OWED_BEFORE = table('stored_owed_before', ['user_id', 'asset', 'at'], {
  user_id: text(),
  asset: text(),
  at: text(),
  minor: integer(),
});

/**
 * What balances say and no list does, as entries of an account of the books: what there was at the first look (`opening`), what came or went
 * between two looks (`unlisted`), after `since`, and what amounts took that are not known (`unknown`), with the code for that in `known`.
 */
export const UNLISTED = table('stored_unlisted', ['at', 'account', 'asset', 'user_id', 'step'], {
  at: text(),
  account: text(),
  asset: text(),
  /** Empty for the account's own. */
  user_id: text(),
  step: text(),
  minor: integer(),
  since: text(),
  known: optional(text()),
});

/** The addresses that the account's wallet has or had, in lower case. */
export const ACCOUNT_WALLETS = table('stored_account_wallets', ['address'], { address: text() });

/**
 * Fees that were seen in force. Of the account's own (`own`), there is one row in a direction for each time it was changed; of the service's
 * (`platform`), one for each tier of amounts and each time that it was another one. A row made from `since` until `seen_at` had this fee.
 */
export const FEE_SCHEDULES = table('stored_fee_schedules', ['taker', 'direction', 'from_minor', 'since'], {
  taker: text(),
  direction: text(),
  /** The amounts that it is for: from this one to below the other one, in kobo. */
  from_minor: integer(),
  below_minor: optional(integer()),
  percent_millionths: integer(),
  /** NULL without a cap, or if no amount reached it. */
  cap_minor: optional(integer()),
  enabled: integer(),
  since: text(),
  /** The same before rows showed that it was in force earlier. */
  stated_since: text(),
  first_seen_at: text(),
  seen_at: text(),
  /** Until when someone could pay an account that was opened under it, and from when on every account that could be paid was. */
  payable_until: text(),
  opened_from: optional(text()),
});

/**
 * What the service says of a user's offramp outside its list: with the amounts that the list had then, so that it counts no more for a row that
 * has others. `status_read_at` is NULL until its user was looked for in its status.
 */
const OFFRAMP_PARTS = table('stored_offramp_parts', ['id'], {
  id: text(),
  amount_minor: optional(integer()),
  fee_minor: optional(integer()),
  platform_fee_minor: optional(integer()),
  at: text(),
  status_read_at: optional(text()),
});

/** The forms of rows (forms.ts). */
export const FORMS = table('stored_forms', ['id'], { id: filled(integer(), 'numbered'), text: text() });

/**
 * The rows of a list. `form` and `rest` are what its columns do not say of a row (forms.ts); they are NULL, and so is `digest`, for one that only an
 * event told of. `pass` is the last reading of the whole list that had the row.
 * `ended_at` is when it ended: as the list says, or as far as is known. Then the other end of the time in which it did is `end_bound`, unless that is the same.
 */
export const listTable = (list: CopyTable) =>
  table(stored(list), ['id'], {
    id: text(),
    status: optional(text()),
    created_at: optional(text()),
    ...(Object.fromEntries(list.columns.flatMap(columnsFor)) as Readonly<Record<never, Column>>),
    is_open: integer(),
    is_personal: integer(),
    form: optional(integer()),
    rest: optional(text()),
    digest: optional(text()),
    pass: integer(),
    first_seen_at: text(),
    changed_at: text(),
    deleted_at: optional(text()),
    ended_at: optional(text()),
    end_bound: optional(text()),
    ...((list.hasFees ? FEE_COLUMNS : {}) as Readonly<Record<never, Column>>),
  });

/** What was taken from a row, as the last sync that settled it knew. Why a fee is not known, and by which rule it is, are in words of fees.ts. */
const FEE_COLUMNS = {
  own_fee_minor: optional(integer()),
  platform_fee_minor: optional(integer()),
  fee_known: optional(text()),
  fee_rule: optional(text()),
};

export const FEE_NAMES = Object.keys(FEE_COLUMNS);

/** The fees of a row of which nothing was settled yet: values of the columns. */
export const UNSETTLED: readonly (string | null)[] = [null, null, 'FEE_NOT_READ', null];

/** Matches a row that is new or has changed since fees were settled last, whatever its clock said. */
export const IS_NEW = `fee_known = '${UNSETTLED[2]}'`;

/** Matches a row whose amounts contradict each other. */
export const CONTRADICTS = "fee_known = 'FEE_PARTS'";

export const tables = (): readonly Table[] => [
  SETTING,
  FILLER,
  PERSON_NAME,
  STATUS_CHANGES,
  CHANGES,
  BALANCES,
  BALANCE_CHECKS,
  OWED,
  OWED_BEFORE,
  ACCOUNT_WALLETS,
  UNLISTED,
  FEE_SCHEDULES,
  OFFRAMP_PARTS,
  FORMS,
  ...TABLES.map(listTable),
];

type AddIndex = (name: string, columns: readonly string[], where?: string) => string;

/** What makes an index of a list: its name begins with that of the list. */
const adderFor =
  (table: CopyTable): AddIndex =>
  (name, columns, where = '') =>
    `CREATE INDEX IF NOT EXISTS ${table.name}_${name} ON ${stored(table)} (${columns.join(', ')})${where && ` WHERE ${where}`}`;

/** The indexes by which a sync finds what it asks for once its lists are there. */
export const needed = (): readonly string[] =>
  TABLES.flatMap((table) => {
    const index = adderFor(table);
    const type = table.columns.some(({ name }) => name === 'type') ? ['type'] : [];
    return [
      index('created_at', ['created_at']),
      ...(table.hasStates ? [index('ends', ['changed_at', 'id'], 'end_bound IS NOT NULL')] : []),
      ...(table.hasFees ? [index('contradicts', ['changed_at', 'id'], CONTRADICTS)] : []),
      ...(table.failed.length > 0 ? [index('new_failures', ['changed_at', 'id', ...type], hasFailed(table))] : []),
    ];
  });

/** The indexes that wait until a sync has filled its lists: without them, it does so in half the time. */
export function indexesOf(table: CopyTable): readonly string[] {
  const index = adderFor(table);
  const keys = table.columns.flatMap((column) =>
    column.isKey || column.isName
      ? namesOf(column)
          .slice(0, 1)
          .map((name) => ({ name, isName: column.isName }))
      : [],
  );
  return [
    ...indexesOfTimes(table, index),
    ...(table.hasFees ? [index('unsettled', ['created_at', 'id'], IS_NEW)] : []),
    // Most old rows have nothing personal left, and nobody looks for what is not there.
    // Many rows can have a name, of which the newest are looked for.
    ...keys.map(({ name, isName }) => index(name, isName ? [name, 'created_at'] : [name], `${name} IS NOT NULL`)),
    index('personal', ['created_at'], 'is_personal = 1'),
    index('apart', ['deleted_at'], APART),
  ];
}

/** By when rows began and ended. What a report adds up and counts is in the index, so that it reads no row. */
function indexesOfTimes(table: CopyTable, index: AddIndex): readonly string[] {
  const { owners } = table;
  const has = (name: string) => table.columns.some((column) => column.name === name);
  const type = has('type') ? ['type'] : [];
  const user = has('user_id') ? ['user_id'] : [];
  const ofOwners = owners && [
    // The rows of the account are few beside those of its users.
    ...['created_at', 'ended_at'].map((name) => index(`own_${name}`, [name], owners.own)),
    index('users_ended_at', ['ended_at'], owners.ofUsers),
    ...(table.hasFees
      ? [
          index(
            'earned',
            ['ended_at', 'own_fee_minor', 'fee_known', 'end_bound'],
            `${owners.ofUsers} AND ${isDone(table)}`,
          ),
        ]
      : []),
  ];
  const ended = [
    ...(ofOwners ?? [index('ended_at', ['ended_at'])]),
    // What may be in another period is few, and looked for in all of them.
    index('bound', ['ended_at', 'end_bound', 'created_at', ...type, 'status'], 'end_bound IS NOT NULL'),
  ];
  const completed = ['ended_at', 'created_at', ...type, 'amount_asset', 'amount_minor', ...user];
  return [
    ...(table.hasStates ? ended : []),
    ...(has('completed_at') ? [index('completed', completed, isDone(table))] : []),
    ...(table.failed.length > 0
      ? [
          index('failed', ['created_at', ...type, 'status', 'id', 'ended_at'], hasFailed(table)),
          index('failed_ended_at', ['ended_at', ...type], hasFailed(table)),
        ]
      : []),
  ];
}

/** What a copy has besides, once a sync has filled it. */
export const later = (): readonly string[] => [...needed(), ...TABLES.flatMap(indexesOf)];
