import { CliError } from '../../base/errors.ts';
import { PAGE_SIZE } from '../../engine/lists/pages.ts';
import type { Journal, Operation } from '../../journal/journal.ts';
import type { ListPosition, Selection } from '../../journal/list-query.ts';
import { NEXT, type OperationState } from '../../journal/states.ts';
import { command } from '../../terminal/command.ts';
import { id, oneOf, option, switchOn, wholeNumber, word } from '../../terminal/parse/parameters.ts';
import { periodOptions, timesOf } from '../../terminal/parse/period.ts';
import type { Session } from '../../terminal/session.ts';
import { COLUMNS, ONBOARDING_COLUMNS, OPERATION, printed } from './printed.ts';

const STATES = Object.keys(NEXT) as readonly OperationState[];
const KINDS = ['money', 'destructive', 'onboarding'] as const;
const DEFAULT_SIZE = 20;

const isInDoubt = ({ state }: Operation) => state === 'sent' || state === 'unknown';

/** The last operation of a page, and in which part of the list it was: among the unknown outcomes, or after them. */
interface PageCursor extends ListPosition {
  readonly isInDoubt: boolean;
}

const cursorOf = (operation: Operation): PageCursor => ({ ...operation, isInDoubt: isInDoubt(operation) });

interface Listing {
  readonly filter: Omit<Selection, 'limit' | 'state' | 'after'>;
  readonly state: OperationState | undefined;
  readonly inDoubt: boolean;
}

/** Returns a page of the list: unknown outcomes first, then the rest, each newest first. With --state, it has only one part. */
async function pageAfter(
  journal: Journal,
  { filter, state, inDoubt }: Listing,
  cursor: PageCursor | undefined,
  limit: number,
): Promise<Operation[]> {
  if (state) return journal.list({ ...filter, state, after: cursor, limit });
  const isPast = cursor !== undefined && !cursor.isInDoubt;
  const inDoubtPage = isPast ? [] : await journal.list({ ...filter, state: 'in-doubt', after: cursor, limit });
  if (inDoubt || inDoubtPage.length === limit) return inDoubtPage;
  const after = isPast ? cursor : undefined;
  const rest = await journal.list({ ...filter, state: 'not-in-doubt', after, limit: limit - inDoubtPage.length });
  return [...inDoubtPage, ...rest];
}

/** Reads the pages after the first one. An outcome that becomes known in the meantime is not listed a second time. */
async function* laterPages(journal: Journal, listing: Listing, first: readonly Operation[], size: number) {
  const printedInDoubt = new Set<string>();
  for (let page = first; page.length === size; ) {
    for (const operation of page) if (isInDoubt(operation)) printedInDoubt.add(operation.operationId);
    const last = page.at(-1);
    page = await pageAfter(journal, listing, last && cursorOf(last), size);
    const fresh = page.filter(({ operationId }) => !printedInDoubt.has(operationId));
    if (fresh.length > 0) yield Promise.all(fresh.map(printed));
  }
}

/** Finds the operation that --after names. Throws CliError usage. */
async function cursorNamed(journal: Journal, after: string | undefined): Promise<PageCursor | undefined> {
  if (after === undefined) return undefined;
  const named = await journal.find(after);
  const found = named.find(({ operationId }) => operationId === after);
  if (found) return cursorOf(found);
  throw new CliError('usage', '--after: no operation on this machine has this id', {
    hint: 'use the last operationId of the previous page',
  });
}

export const listCommand = command({
  words: ['ops', 'list'],
  summary: 'List the money operations of this machine, unknown outcomes first',
  details:
    'Operations with an unknown outcome come first, however old they are. The rest is listed newest first. For the next page, give the last id as --after.',
  examples: [
    'fiatrail ops list',
    'fiatrail ops list --in-doubt -o json --query "operations[].operationId"',
    'fiatrail ops list --since 2026-08-01 --all -o csv',
    'fiatrail ops list --once fees-2026-11',
    'fiatrail ops list --kind onboarding --state failed',
  ],
  endpoints: [],
  prints: { form: { operations: ['list of', OPERATION], pagination: 'pagination' } },
  isLocal: true,
  parameters: {
    limit: option('--limit <count>', 'operations per page (default 20)', wholeNumber(1, 10_000)),
    inDoubt: switchOn('--in-doubt', 'only operations with an unknown outcome'),
    state: option('--state <state>', STATES.join(', '), oneOf(...STATES)),
    kind: option('--kind <kind>', KINDS.join(', '), oneOf(...KINDS)),
    once: option('--once <key>', 'only operations that were given this idempotency key', word),
    since: {
      ...periodOptions.since,
      help: 'only operations recorded since then: today, 7d (7 days ago), 2026-08-01 or a time',
    },
    after: option('--after <operation-id>', 'continue after this operation, the last of the previous page', id),
    all: switchOn('--all', 'fetch all pages and print them as one list'),
  },
  run: async (session: Session, { limit, inDoubt, state, kind, once, since, after, all }) => {
    if (inDoubt && state)
      throw new CliError('usage', '--in-doubt and --state cannot be combined', {
        hint: '--in-doubt means the states sent and unknown',
      });
    const journal = await session.journal();
    await session.operators();
    const { sinceMs } = timesOf({ since, until: undefined }, session);
    const listing = { filter: { kind, givenIdempotencyKey: once, sinceMs }, state, inDoubt };
    const size = limit ?? (all ? PAGE_SIZE : DEFAULT_SIZE);
    const first = await pageAfter(journal, listing, await cursorNamed(journal, after), size);
    // The journal counts all its operations, and not those of a filter.
    const isFiltered = [state, kind, once, sinceMs, after, inDoubt || undefined].some((each) => each !== undefined);
    const total = isFiltered ? {} : { total: await journal.count() };
    const data = { operations: await Promise.all(first.map(printed)), ...total };
    const more = all ? { more: laterPages(journal, listing, first, size) } : {};
    const list = { isWhole: false };
    const request = { limit: size, startAfter: after };
    const columns = kind === 'onboarding' ? ONBOARDING_COLUMNS : COLUMNS;
    return { result: { data, request, lists: 'operations', list, columns, ...more } };
  },
});
