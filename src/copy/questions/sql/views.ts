import type { Account } from '../../../engine/account.ts';
import { existingJournal } from '../../../engine/connection/journal-location.ts';
import type { Operation } from '../../../journal/operations.ts';
import type { SqlValue } from '../../../sqlite/database.ts';
import { columnNames } from '../../../store/table.ts';
import type { InboxEvent } from '../../../webhooks/inbox/events.ts';
import { QUARANTINE_REASONS } from '../../../webhooks/inbox/states.ts';
import { ACCOUNTS } from '../../entry-kinds.ts';
import { thingsWithFees } from '../../fees.ts';
import { ACCOUNT_WALLETS, stored, UNLISTED } from '../../schema.ts';
import { type CopyColumn, type CopyTable, TABLES } from '../../tables.ts';

/** A column of a view, as docs/data.md describes it. */
export interface ViewColumn {
  readonly name: string;
  readonly type: 'text' | 'integer';
  readonly about: string;
  /** The field of the service's row that it copies; undefined for what fiatrail adds. */
  readonly field?: string;
}

/** A column that is copied from the journal or the inbox, and its value. What has no column here never reaches a query. */
interface CopiedColumn<Row> extends ViewColumn {
  of(row: Row): SqlValue;
}

/** The unit of every time. */
const TIME = 'time in UTC, ISO 8601';

const isoTime = (atMs: number) => new Date(atMs).toISOString();

export const OPERATION_COLUMNS: readonly CopiedColumn<Operation>[] = [
  { name: 'id', type: 'text', about: 'operation id, as ops show takes it', of: ({ operationId }) => operationId },
  { name: 'kind', type: 'text', about: 'money, destructive or onboarding', of: ({ kind }) => kind },
  {
    name: 'state',
    type: 'text',
    about: 'prepared, sent, accepted, settled, failed, rejected, unknown or resolved',
    of: ({ state }) => state,
  },
  {
    name: 'verdict',
    type: 'text',
    about: 'what a person or a search decided: completed, not-done or destroyed',
    of: ({ verdict }) => verdict,
  },
  { name: 'command', type: 'text', about: 'the command, without its arguments', of: ({ command }) => command },
  { name: 'summary', type: 'text', about: 'what it does, in words', of: ({ summary }) => summary },
  { name: 'endpoint', type: 'text', about: 'id of the endpoint', of: ({ endpoint }) => endpoint },
  {
    name: 'request_id',
    type: 'text',
    about: 'the service’s id of the work; joins the other views',
    of: ({ requestId }) => requestId,
  },
  { name: 'idempotency_key', type: 'text', about: 'as given with --once', of: ({ idempotencyKey }) => idempotencyKey },
  {
    name: 'amount_minor',
    type: 'integer',
    about: 'what it moves, in the smallest unit of amount_asset',
    of: ({ moves }) => moves?.minor ?? null,
  },
  {
    name: 'amount_asset',
    type: 'text',
    about: 'asset of amount_minor: NGN, CNGN, USDC or USDT',
    of: ({ moves }) => moves?.asset ?? null,
  },
  { name: 'profile', type: 'text', about: 'profile that it was recorded under', of: ({ profile }) => profile },
  { name: 'mode', type: 'text', about: 'embedded, sandbox or live', of: ({ mode }) => mode },
  { name: 'run_by', type: 'text', about: 'user who ran the command', of: ({ runBy }) => runBy },
  { name: 'host', type: 'text', about: 'machine that ran it', of: ({ host }) => host },
  {
    name: 'planned_by',
    type: 'text',
    about: 'user who wrote the plan, if there was one',
    of: ({ authority }) => authority?.author.user ?? null,
  },
  {
    name: 'approved_by',
    type: 'text',
    about: 'who approved the plan, separated by commas',
    of: ({ authority }) => namesOf(authority),
  },
  { name: 'detail', type: 'text', about: 'why it has this state', of: ({ detail }) => detail },
  { name: 'created_at', type: 'text', about: `when it was recorded; ${TIME}`, of: ({ createdAt }) => createdAt },
  { name: 'updated_at', type: 'text', about: `when its state last changed; ${TIME}`, of: ({ updatedAt }) => updatedAt },
];

const namesOf = (authority: Operation['authority']) => authority?.signers.map(({ name }) => name).join(', ') || null;

const countIn = ({ forwards }: InboxEvent, wanted: string) =>
  BigInt(forwards.filter(({ state }) => state === wanted).length);

export const EVENT_COLUMNS: readonly CopiedColumn<InboxEvent>[] = [
  {
    name: 'number',
    type: 'integer',
    about: 'number in the order of arrival, as webhooks inbox show takes it',
    of: ({ id }) => id,
  },
  { name: 'event', type: 'text', about: 'name of the event', of: ({ event }) => event },
  { name: 'kind', type: 'text', about: 'event, unknown, encrypted or unreadable', of: ({ kind }) => kind },
  { name: 'event_id', type: 'text', about: 'the service’s id of the event', of: ({ eventId }) => eventId },
  {
    name: 'request_id',
    type: 'text',
    about: 'id of the work that it is about; joins the other views',
    of: ({ requestId }) => requestId,
  },
  {
    name: 'user_id',
    type: 'text',
    about: 'id of the user that it is about; joins users.id',
    of: ({ userId }) => userId,
  },
  { name: 'webhook_id', type: 'text', about: 'id of the delivery', of: ({ webhookId }) => webhookId },
  {
    name: 'is_late',
    type: 'integer',
    about: '1 if it arrived long after it was sent',
    of: ({ isLate }) => BigInt(isLate),
  },
  {
    name: 'is_early',
    type: 'integer',
    about: '1 if it arrived long before it was sent, by this machine’s clock',
    of: ({ isEarly }) => BigInt(isEarly),
  },
  {
    name: 'quarantined',
    type: 'text',
    about: `why it is not forwarded until a person decides: ${Object.keys(QUARANTINE_REASONS).join(', ')}`,
    of: ({ quarantined }) => quarantined,
  },
  {
    name: 'is_encrypted',
    type: 'integer',
    about: '1 if it arrived encrypted',
    of: ({ isEncrypted }) => BigInt(isEncrypted),
  },
  { name: 'copies', type: 'integer', about: 'how often it arrived again', of: ({ copies }) => BigInt(copies) },
  {
    name: 'forwards_acknowledged',
    type: 'integer',
    about: 'targets that took it',
    of: (event) => countIn(event, 'acknowledged'),
  },
  {
    name: 'forwards_waiting',
    type: 'integer',
    about: 'targets that it still has to reach',
    of: (event) => countIn(event, 'waiting'),
  },
  {
    name: 'forwards_dead',
    type: 'integer',
    about: 'targets that were given up',
    of: (event) => countIn(event, 'dead'),
  },
  { name: 'problem', type: 'text', about: 'why it could not be read', of: ({ problem }) => problem },
  {
    name: 'happened_at',
    type: 'text',
    about: 'when it happened, as the service says',
    of: ({ happenedAt }) => happenedAt,
  },
  { name: 'sent_at', type: 'text', about: `when it was sent; ${TIME}`, of: ({ sentAtMs }) => isoTime(sentAtMs) },
  {
    name: 'received_at',
    type: 'text',
    about: `when it arrived; ${TIME}`,
    of: ({ receivedAtMs }) => isoTime(receivedAtMs),
  },
];

const PAGE = 1_000;

/** The views whose rows are copied for a query that names them. Each yields the rows in pages. Rejects with DatabaseError and CliError. */
export const COPIES: Readonly<Record<string, (account: Account) => AsyncIterable<readonly (readonly SqlValue[])[]>>> = {
  operations,
  events,
};

async function* operations(account: Account) {
  const { profile } = account;
  const journal = await existingJournal(account);
  if (!journal) return;
  // Another profile may have recorded operations of the same account, and a journal has those of other accounts too.
  const own = await journal.list({ profile: profile.name, limit: PAGE });
  const accounts = new Set(own.filter(({ mode }) => mode === profile.mode).map((each) => each.account));
  if (accounts.size === 0) return;
  let after: Operation | undefined;
  do {
    // In the order of time alone: those of some accounts would be sorted again for each page.
    const page = await journal.list({ limit: PAGE, after });
    yield page.filter(({ account: id }) => accounts.has(id)).map((row) => OPERATION_COLUMNS.map(({ of }) => of(row)));
    after = page.length === PAGE ? page.at(-1) : undefined;
  } while (after);
}

async function* events({ world, profile }: Account) {
  // The process of a query reads no inbox.
  const { existingProfileInbox } = await import('../../../engine/connection/inbox.ts');
  const inbox = await existingProfileInbox(world, profile);
  try {
    let before: bigint | undefined;
    do {
      const page: readonly InboxEvent[] = (await inbox?.list({ limit: PAGE, before })) ?? [];
      yield page.map((row) => EVENT_COLUMNS.map(({ of }) => of(row)));
      before = page.length === PAGE ? page.at(-1)?.id : undefined;
    } while (before !== undefined);
  } finally {
    await inbox?.close();
  }
}

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
  { name: 'deleted_at', type: 'text', about: `when the service was first seen not to list it any more; ${TIME}` },
];

/** What the lists with fees have besides. */
const FEE_COLUMNS: readonly ViewColumn[] = [
  {
    name: 'own_fee_minor',
    type: 'integer',
    about: 'what the account earned, in kobo; 0 if it failed, null if it is not known',
  },
  {
    name: 'platform_fee_minor',
    type: 'integer',
    about: 'what the service took, in kobo; 0 if it failed, null if it is not known',
  },
  {
    name: 'fee_known',
    type: 'text',
    about: 'null if both fees are known, or else the code of the reason why one is not',
  },
  {
    name: 'fee_rule',
    type: 'text',
    about:
      'what says it: row, its amounts; list, the list of all transfers; schedule, the fees in force when it was made; null if a fee is not known',
  },
];

const personal = ({ isPersonal }: CopyColumn) => (isPersonal ? '; personal, so it is removed when it is old' : '');

function columnsOf(column: CopyColumn): ViewColumn[] {
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

function viewOf({ name, about, id, status, createdAt, columns }: CopyTable): View {
  return {
    name,
    about,
    columns: [
      text('id', 'the service’s id; of a row without one, a digest of what it says', id),
      text('status', status ? 'state, as the service calls it' : 'always null', status),
      text('created_at', `when it was made; ${TIME}; has an index`, createdAt),
      ...columns.flatMap(columnsOf),
      ...COMMON,
      ...(thingsWithFees({ name }).length > 0 ? FEE_COLUMNS : []),
    ],
  };
}

/** Views of the local copy that are no list of the service. */
const OWN: readonly View[] = [
  {
    name: 'balances',
    about: 'balances over time: a row for each change that a sync saw',
    columns: [
      { name: 'at', type: 'text', about: `when it was read; ${TIME}` },
      { name: 'source', type: 'text', about: 'wallet: the account wallet; fees: its earned fees' },
      { name: 'place', type: 'text', about: 'the network of a wallet, or which part of the fees' },
      { name: 'balance_minor', type: 'integer', about: 'balance, in the smallest unit of balance_asset' },
      { name: 'balance_asset', type: 'text', about: 'asset of balance_minor: NGN, CNGN, USDC or USDT' },
    ],
  },
  {
    name: 'changes',
    about:
      'what syncs found in the lists: rows that are new, deleted or restored, and each field that changed, with its values before and after; since the first sync',
    columns: [
      { name: 'seen_at', type: 'text', about: `when a sync found it; ${TIME}; has an index` },
      { name: 'kind', type: 'text', about: 'the view that has the row' },
      { name: 'id', type: 'text', about: 'id of the row' },
      {
        name: 'field',
        type: 'text',
        about: 'the field of the service’s row, as -o json prints it; empty unless status is changed',
      },
      {
        name: 'status',
        type: 'text',
        about: 'new, changed, deleted (the service no longer lists it) or restored (it lists it again)',
      },
      {
        name: 'before_json',
        type: 'text',
        about: 'value before, as JSON; null for none; personal, so it is removed when it is old',
      },
      {
        name: 'after_json',
        type: 'text',
        about: 'value after, as JSON; null for none; personal, so it is removed when it is old',
      },
    ],
  },
  {
    name: 'book_entries',
    about:
      'the books, double entry: a set for each step of each movement, with the same thing, id and step, whose amounts sum to zero by asset',
    columns: [
      { name: 'at', type: 'text', about: `when it was; ${TIME}` },
      { name: 'day', type: 'text', about: 'the day in Lagos' },
      {
        name: 'account',
        type: 'text',
        about: `account of the books: ${Object.keys(ACCOUNTS).join(', ')}, which the id of the user follows`,
      },
      {
        name: 'amount_minor',
        type: 'integer',
        about:
          'what came to the account, negative for what left it, in the smallest unit of asset; null if it is not known',
      },
      { name: 'asset', type: 'text', about: 'NGN, CNGN, USDC or USDT' },
      { name: 'thing', type: 'text', about: 'what moved it: deposit, payout, offramp, trade' },
      { name: 'id', type: 'text', about: 'id of its row in the view of such things' },
      { name: 'user_id', type: 'text', about: 'id of the user that it is about; joins users.id' },
      { name: 'step', type: 'text', about: 'taken, done, returned or came-back; opening or unlisted of balances' },
      { name: 'note', type: 'text', about: 'what else is to be said of it, such as why it was returned' },
      { name: 'known', type: 'text', about: 'null, or a code: why the amount or its day is not known exactly' },
      {
        name: 'bound',
        type: 'text',
        about: 'null if at is exact; else it was some time between at and this one, which may be the earlier',
      },
    ],
  },
  {
    name: 'fee_schedules',
    about:
      'fees that a sync saw in force, of the account and of the service: what was made from since to seen_at had this fee',
    columns: [
      { name: 'taker', type: 'text', about: 'own: the account; platform: the service' },
      { name: 'direction', type: 'text', about: 'onramp or offramp' },
      { name: 'from_minor', type: 'integer', about: 'the smallest amount that it is for, in kobo' },
      {
        name: 'below_minor',
        type: 'integer',
        about: 'the first amount that it is no longer for, in kobo; null without one',
      },
      { name: 'percent_millionths', type: 'integer', about: 'millionths of one percent of the amount' },
      { name: 'cap_minor', type: 'integer', about: 'the most that it takes, in kobo; null without a cap' },
      { name: 'enabled', type: 'integer', about: '1 if it is charged, 0 if not' },
      { name: 'since', type: 'text', about: `since when it applied, as far as is known; ${TIME}` },
      { name: 'first_seen_at', type: 'text', about: `when a sync first saw it; ${TIME}` },
      { name: 'seen_at', type: 'text', about: `when a sync last saw it; ${TIME}` },
    ],
  },
  {
    name: 'owed',
    about: 'what each user’s wallets held when report owed read them',
    columns: [
      { name: 'user_id', type: 'text', about: 'id of the user; joins users.id' },
      {
        name: 'owed_minor',
        type: 'integer',
        about: 'balance, in the smallest unit of owed_asset; null if the service did not say it',
      },
      { name: 'owed_asset', type: 'text', about: 'asset of owed_minor: CNGN, USDC or USDT' },
      { name: 'read_at', type: 'text', about: `when it was read; ${TIME}` },
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

/** The names that the columns of a view have in its table. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  balances: ['minor', 'asset'],
  fee_schedules: ['opened_from', 'payable_until', 'stated_since'],
  owed: ['minor', 'asset', 'at'],
};

/** What views read besides the tables of lists. */
const BEHIND: Readonly<Record<string, readonly string[]>> = {
  [ACCOUNT_WALLETS.name]: columnNames(ACCOUNT_WALLETS),
  [UNLISTED.name]: columnNames(UNLISTED),
  stored_offramp_parts: ['id', 'amount_minor', 'fee_minor', 'platform_fee_minor'],
};

/** Columns of the tables of lists that only views read. */
const OF_ENDS = ['ended_at', 'end_bound'];

/** Returns whether a query may read a column of a table: of a view, or what a view reads. */
export function readAccess(): (table: string, column: string) => boolean {
  const readable = new Map([
    ...Object.entries(BEHIND).map(([table, names]) => [table, new Set(names)] as const),
    ...views().flatMap(({ name, columns }) => {
      const others = OTHER_NAMES[name] ?? [];
      const names = new Set([...columns.map((column) => column.name), ...others, ...OF_ENDS]);
      return [name, stored({ name })].map((table) => [table, names] as const);
    }),
  ]);
  return (table, column) => JSON_TABLES.includes(table) || readable.get(table)?.has(column) === true;
}

/** Columns of the journal and the inbox with texts that may name someone. */
const NAMING = ['summary', 'detail', 'run_by', 'host', 'planned_by', 'approved_by', 'idempotency_key', 'problem'];

/** Columns with an address, which is not personal to the service but leads to someone. */
const LEADS_TO_SOMEONE = /(?:^|_)(?:address|wallet)$|^failure_reason$/;

/** Returns whether a column of a table tells about someone: of a view, or what a view reads. */
export function tellsAboutSomeone(): (table: string, column: string) => boolean {
  const hidden = new Map<string, ReadonlySet<string>>();
  for (const { name, columns } of TABLES) {
    const names = columns
      .filter((each) => each.isPersonal || LEADS_TO_SOMEONE.test(each.name))
      .map((each) => each.name);
    for (const table of [name, stored({ name })]) hidden.set(table, new Set(names));
  }
  for (const { name } of COPIED) hidden.set(name, new Set(NAMING));
  return (table, column) => hidden.get(table)?.has(column) === true;
}
