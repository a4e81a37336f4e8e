import * as z from 'zod/mini';
import { CliError } from '../../base/errors.ts';
import type { Account } from '../../engine/account.ts';
import { cursorOf, listDigest, pointOf } from '../../engine/lists/cursor.ts';
import { DEFAULT_LIMIT, PAGE_SIZE } from '../../engine/lists/pages.ts';
import { refreshAccepted } from '../../engine/opening/refresh.ts';
import { warnOfChanges } from '../../engine/plans/approver-list.ts';
import type { Journal } from '../../journal/interface.ts';
import type { ListPosition, Operation, Selection } from '../../journal/operations.ts';
import { NEXT, type OperationState } from '../../journal/states.ts';
import { paginationSchema } from '../../present/prints.ts';
import type { Column } from '../../present/result.ts';
import { command } from '../../terminal/command.ts';
import { pageOptions } from '../../terminal/list-command.ts';
import { oneOf, option, plainText, switchOn, word } from '../../terminal/parse/parameters.ts';
import { periodOptions, timesOf } from '../../terminal/parse/period.ts';
import { COLUMNS, operationSchema, printed } from './printed.ts';

const STATES = Object.keys(NEXT) as readonly OperationState[];

const KINDS = ['money', 'destructive', 'onboarding'] as const;

const isOutcomeUnknown = ({ state }: Operation) => state === 'sent' || state === 'unknown';

/** The last operation of a page, and in which part of the list it was: among the unknown outcomes, or after them. */
interface ListedAt extends ListPosition {
  readonly isOutcomeUnknown: boolean;
}

const positionIn = (operation: Operation): ListedAt => ({
  ...operation,
  isOutcomeUnknown: isOutcomeUnknown(operation),
});

interface OperationSelection {
  readonly filter: Omit<Selection, 'limit' | 'state' | 'after'>;
  readonly state: Selection['state'];
}

/** Returns a page of the list: unknown outcomes first, then the rest, each newest first. With --status, it has only one part. */
async function pageAfter(
  journal: Journal,
  { filter, state }: OperationSelection,
  cursor: ListedAt | undefined,
  limit: number,
): Promise<Operation[]> {
  if (state) return journal.list({ ...filter, state, after: cursor, limit });
  const isPast = cursor !== undefined && !cursor.isOutcomeUnknown;
  const unknownPage = isPast ? [] : await journal.list({ ...filter, state: 'unknown-outcome', after: cursor, limit });
  if (unknownPage.length === limit) return unknownPage;
  const after = isPast ? cursor : undefined;
  const rest = await journal.list({ ...filter, state: 'known-outcome', after, limit: limit - unknownPage.length });
  return [...unknownPage, ...rest];
}

/** Reads the pages after the first one. An outcome that becomes known in the meantime is not listed a second time. */
async function* laterPages(journal: Journal, listing: OperationSelection, first: readonly Operation[], size: number) {
  const printedUnknown = new Set<string>();
  for (let page = first; page.length === size; ) {
    for (const operation of page) if (isOutcomeUnknown(operation)) printedUnknown.add(operation.operationId);
    const last = page.at(-1);
    page = await pageAfter(journal, listing, last && positionIn(last), size);
    const fresh = page.filter(({ operationId }) => !printedUnknown.has(operationId));
    if (fresh.length > 0) yield Promise.all(fresh.map(printed));
  }
}

/** Which part of the list a cursor is in, before the id of its operation. */
const PARTS = { unknownOutcomes: 'd', rest: 'r' } as const;

const pointAt = (list: string, { operationId, isOutcomeUnknown: isFirstPart }: ListedAt) =>
  cursorOf({ list, next: 0, total: null, last: `${isFirstPart ? PARTS.unknownOutcomes : PARTS.rest}${operationId}` });

/** Finds where a cursor is. An operation whose outcome became known since then is still in the part of the page before. Throws CliError usage. */
async function positionAt(journal: Journal, cursor: string, list: string): Promise<ListedAt> {
  const last = pointOf(cursor, list).last ?? '';
  const found = (await journal.find(last.slice(1))).find(({ operationId }) => operationId === last.slice(1));
  if (found) return { ...found, isOutcomeUnknown: last.startsWith(PARTS.unknownOutcomes) };
  throw new CliError('declined', '--after: the journal no longer has the last operation of the previous page', {
    code: 'CURSOR_LOST',
    hint: 'read the list from its start, without --after',
  });
}

/** Asks how the accepted operations of the list are, and says how many were asked about. Returns the error that ends the command after the list. */
async function refreshed(account: Account, filter: OperationSelection['filter']): Promise<CliError | undefined> {
  const { asked, changed, error } = await refreshAccepted(account, filter);
  const count = `${asked} operation${asked === 1 ? '' : 's'}`;
  await account.notices.note(
    `the service was asked how ${count} ${asked === 1 ? 'is' : 'are'}; ${changed} ended since the last look`,
  );
  return error;
}

/** The columns of onboardings, which can be retried. */
const ONBOARDING_COLUMNS = [
  ...COLUMNS.filter(({ field }) => field !== 'idempotencyKey'),
  { field: 'advice', title: 'Advice' },
] as const;

export const listCommand = command({
  words: ['ops', 'list'],
  summary: 'List operations, unknown outcomes first',
  details:
    'The others follow, newest first. --status unknown includes requests that were sent and have no response yet. --refresh first reads the status of accepted operations from the service. To resolve unknown outcomes, run fiatrail ops reconcile.',
  examples: [
    'fiatrail ops list',
    'fiatrail ops list --status unknown -o json --query "operations[].operationId"',
    'fiatrail ops list --since 2026-08-01 --all -o csv',
    'fiatrail ops list --refresh --status accepted',
    'fiatrail ops list --once fees-2026-11',
    'fiatrail ops list --agent claude-code',
    'fiatrail ops list --kind onboarding --status failed',
  ],
  endpoints: [],
  prints: () => z.object({ operations: z.array(operationSchema()), pagination: paginationSchema() }),
  isLocal: true,
  parameters: {
    state: option('--status <status>', `${STATES.join(', ')} (default all)`, oneOf(...STATES)),
    kind: option('--kind <kind>', KINDS.join(', '), oneOf(...KINDS)),
    once: option('--once <key>', 'only operations that were given this idempotency key', word),
    agent: option('--agent <name>', 'only operations that this agent planned or had applied', plainText),
    refresh: switchOn('--refresh', 'first read the status of accepted operations from the service'),
    ...periodOptions,
    ...pageOptions(),
  },
  run: async (account, terminal, { limit, state, kind, once, agent, since, until, after, all, refresh }) => {
    const journal = await account.journal();
    await warnOfChanges(account);
    const filter = { kind, givenIdempotencyKey: once, agent, ...timesOf({ since, until }, terminal) };
    const error = refresh ? await refreshed(account, filter) : undefined;
    // A request that was sent and has no response yet has no known outcome either.
    const listing = { filter, state: state === 'unknown' ? ('unknown-outcome' as const) : state };
    const digest = listDigest('', 'ops list', [state, kind, once, agent, since?.text, until?.text]);
    const size = limit ?? (all ? PAGE_SIZE : DEFAULT_LIMIT);
    const from = after === undefined ? undefined : await positionAt(journal, after, digest);
    // One more than the page has, to know whether another one follows.
    const found = await pageAfter(journal, listing, from, all ? size : size + 1);
    const first = found.slice(0, size);
    const hasMore = found.length > size;
    // The journal counts all its operations, and not those of a filter.
    const isFiltered = [state, kind, once, agent, since, until, after].some((each) => each !== undefined);
    const total = isFiltered ? (from || hasMore ? null : first.length) : await journal.count();
    const data = { operations: await Promise.all(first.map(printed)) };
    const more = all ? { more: laterPages(journal, listing, first, size) } : {};
    const last = first.at(-1);
    const position = {
      total: all ? null : total,
      limit: size,
      offset: from ? null : 0,
      hasMore,
      after: hasMore && last ? pointAt(digest, positionIn(last)) : null,
    };
    const columns = kind === 'onboarding' ? ONBOARDING_COLUMNS : columnsOf(first);
    const list = { isWhole: all === true, position };
    return { result: { data, lists: 'operations', list, columns, ...more }, ...(error ? { error } : {}) };
  },
});

/** The columns of a list of operations, with what contradicts each other where there is such an operation. */
function columnsOf(operations: readonly Operation[]): readonly Column[] {
  const isContradicted = operations.some(({ searchState }) => searchState.contradiction);
  const both = [
    { field: 'contradiction.asked', title: 'Asked for' },
    { field: 'contradiction.answered', title: 'The response says' },
  ];
  return isContradicted ? [...COLUMNS, ...both] : COLUMNS;
}
