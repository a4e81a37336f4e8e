import * as z from 'zod/mini';
import { CliError } from '../../base/errors.ts';
import type { LocalCopy } from '../../copy/database.ts';
import { existingCopy, noCopy } from '../../copy/open.ts';
import {
  type ChangeKey,
  type ChangesAsked,
  changedLists,
  changesIn,
  type FoundChange,
  lastChangeAt,
} from '../../copy/questions/changes.ts';
import { reachOf } from '../../copy/questions/in-copy.ts';
import { spanOf } from '../../copy/questions/report/periods.ts';
import { CHANGE_STATUSES } from '../../copy/schema.ts';
import { TABLES } from '../../copy/tables.ts';
import type { Account } from '../../engine/account.ts';
import { cursorOf, listDigest, pointOf } from '../../engine/lists/cursor.ts';
import { DEFAULT_LIMIT, PAGE_SIZE } from '../../engine/lists/pages.ts';
import type { Outcome } from '../../engine/outcome.ts';
import { amountSchema, paginationSchema } from '../../present/prints.ts';
import type { Below, Column } from '../../present/result.ts';
import { timeText } from '../../present/times.ts';
import { command } from '../../terminal/command.ts';
import { pageOptions } from '../../terminal/list-command.ts';
import { oneOf, option } from '../../terminal/parse/parameters.ts';
import { periodOptions } from '../../terminal/parse/period.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { checkLines } from './lines.ts';
import { iso, periodArgument, periodIn, periodSchema } from './period.ts';

const COLUMNS: readonly Column[] = [
  { field: 'seenAt', title: 'Seen', isBrief: true },
  { field: 'list', title: 'List' },
  { field: 'status', title: 'Status' },
  { field: 'id', title: 'ID' },
  { field: 'amount', title: 'Amount', align: 'right' },
  { field: 'who', title: 'Name' },
  { field: 'field', title: 'Field' },
  { field: 'before', title: 'Before' },
  { field: 'after', title: 'After' },
];

type Lists = Awaited<ReturnType<typeof changedLists>>;

/** The lists in which something changed, and since when that is known. */
function listLines(lists: Lists, zone: Terminal['globals']['zone']): readonly Below[] {
  const shown = lists.filter((each) => CHANGE_STATUSES.some((status) => each[status] > 0));
  const rows = shown.map(({ list, knownSince, ...counts }) => ({
    list,
    ...Object.fromEntries(CHANGE_STATUSES.map((status) => [status, String(counts[status])])),
    knownSince: (knownSince && timeText(knownSince, { zone }, true)) ?? 'not read completely yet',
  }));
  const columns: readonly Column[] = [
    { field: 'list', title: 'List' },
    { field: 'new', title: 'New', align: 'right' },
    { field: 'changed', title: 'Changed', align: 'right' },
    { field: 'deleted', title: 'Deleted', align: 'right' },
    { field: 'restored', title: 'Restored', align: 'right' },
    { field: 'knownSince', title: 'Known since' },
  ];
  return rows.length > 0 ? [{ title: 'Rows', rows, columns }] : [];
}

/** What is not known of a period: what changed before a list was first read to its end. */
function unknownText(lists: Lists, from: string, zone: Terminal['globals']['zone']): string | undefined {
  const never = lists.filter(({ knownSince }) => knownSince === null);
  if (never.length > 0)
    return `not known yet of ${never.map(({ list }) => list.replaceAll('_', ' ')).join(', ')}; run: fiatrail sync`;
  const [last = ''] = lists.flatMap(({ knownSince }) => knownSince ?? []).toSorted((a, b) => (a < b ? 1 : -1));
  return last > from
    ? `known since the first sync, ${timeText(last, { zone }, true)}; nothing says what changed before`
    : undefined;
}

/** Reads the pages after the first one. */
async function* laterPages(copy: LocalCopy, asked: ChangesAsked, first: ChangeKey | undefined) {
  for (let after = first; after; ) {
    const page = await copy.read((queries) => changesIn(queries, asked, { after, limit: PAGE_SIZE }));
    yield page.changes;
    after = page.next;
  }
}

/** Reads the key of the last change of the previous page. Throws CliError usage. */
function keyIn(cursor: string, digest: string): ChangeKey {
  const { last } = pointOf(cursor, digest);
  try {
    const [seenAt, list, id, field, status] = JSON.parse(last ?? '') as unknown[];
    return [String(seenAt), String(list), String(id), String(field), String(status)];
  } catch {
    throw new CliError('usage', '--after: invalid cursor; nothing was read', {
      code: 'CURSOR_INVALID',
      hint: 'copy the whole cursor that the previous page printed',
    });
  }
}

interface ChangesInput {
  readonly period: readonly string[] | undefined;
  readonly list: string | undefined;
  readonly status: FoundChange['status'] | undefined;
  readonly since: Parameters<typeof periodIn>[4]['since'];
  readonly until: Parameters<typeof periodIn>[4]['until'];
  readonly limit: number | undefined;
  readonly after: string | undefined;
  readonly all: boolean;
}

async function changesReport(
  account: Account,
  terminal: Terminal,
  copy: LocalCopy,
  { period: name, list, status, since, until, limit, after, all }: ChangesInput,
): Promise<Outcome> {
  const { zone } = terminal.globals;
  const digest = listDigest('', 'report changes', [name, list, status, since?.text, until?.text]);
  const size = limit ?? (all ? PAGE_SIZE : DEFAULT_LIMIT);
  const from = after === undefined ? undefined : keyIn(after, digest);
  return copy.read(async (queries) => {
    const period = await periodIn(account, terminal, queries, name, { since, until });
    // Rows are read after the balances, which say what time it is at the service.
    const lastMs = Date.parse((await lastChangeAt(queries)) ?? '') || 0;
    const untilMs = period.isOver ? period.untilMs : Math.max(period.untilMs, lastMs + 1);
    const asked = { ...spanOf(period.sinceMs, untilMs), list, status };
    const { changes, next } = await changesIn(queries, asked, { after: from, limit: size });
    const [lists, reach] = [await changedLists(queries, asked), await reachOf(queries)];
    const checks = checkLines(undefined, reach, zone);
    const lacks = unknownText(lists, asked.from, zone);
    const data = {
      since: iso(period.sinceMs),
      until: iso(untilMs - 1),
      syncedAt: reach.syncedAt,
      partial: reach.partial,
      lists,
      changes,
    };
    const last = next && !all ? cursorOf({ list: digest, next: 0, total: null, last: JSON.stringify(next) }) : null;
    const position = { limit: size, ...(from ? { offset: null } : { offset: 0 }), hasMore: last !== null, after: last };
    const below = [
      ...listLines(lists, zone),
      lacks === undefined ? checks : { ...checks, rows: [{ check: 'Changes', says: lacks }, ...checks.rows] },
    ];
    const more = all ? { more: laterPages(copy, asked, next) } : {};
    return {
      result: {
        data,
        lists: 'changes',
        list: { isWhole: all, position },
        columns: COLUMNS,
        below,
        close: () => void copy.close(),
        ...more,
      },
    };
  });
}

const value = () =>
  z.nullable(z.union([z.string(), z.number(), z.boolean(), amountSchema(), z.array(z.unknown()), z.looseObject({})]));

export const changesCommand = command({
  words: ['report', 'changes'],
  summary: 'List what is new, changed and deleted in the lists of the account',
  details:
    'Reads what each fiatrail sync found: rows that are new, each field that has another value, with the value before and after, and rows that the service no longer lists. A change counts when a sync found it. A row counts as deleted once a later complete reading of its list did not have it. What changed before the first sync is not known.',
  examples: [
    'fiatrail report changes --since yesterday',
    'fiatrail report changes --since 7d --list payouts --all -o csv',
    'fiatrail report changes last month --status deleted',
  ],
  endpoints: [],
  prints: () =>
    z.object({
      ...periodSchema(),
      syncedAt: z.nullable(z.iso.datetime()),
      partial: z.array(z.string()),
      lists: z.array(
        z.object({
          list: z.string(),
          ...Object.fromEntries(CHANGE_STATUSES.map((status) => [status, z.int()])),
          knownSince: z.nullable(z.iso.datetime()),
        }),
      ),
      changes: z.array(
        z.object({
          seenAt: z.iso.datetime(),
          list: z.string(),
          status: z.enum(CHANGE_STATUSES),
          id: z.string(),
          createdAt: z.nullable(z.string()),
          amount: value(),
          who: z.nullable(z.string()),
          field: z.nullable(z.string()),
          before: value(),
          after: value(),
        }),
      ),
      pagination: paginationSchema(),
    }),
  isLocal: true,
  parameters: {
    period: periodArgument,
    list: option(
      '--list <list>',
      'only this list: a view of fiatrail sql --views, such as payouts',
      oneOf(...TABLES.map(({ name }) => name)),
    ),
    status: option('--status <status>', `${CHANGE_STATUSES.join(', ')} (default all)`, oneOf(...CHANGE_STATUSES)),
    ...periodOptions,
    ...pageOptions(),
  },
  run: async (account, terminal, input) => {
    const copy = await existingCopy(account.world, account.profile);
    if (!copy) throw noCopy();
    try {
      return await changesReport(account, terminal, copy, input);
    } catch (error) {
      await copy.close();
      throw error;
    }
  },
});
