import type { Endpoint, RequestOf, ResponseOf } from '../contract/endpoint.ts';
import type { Column } from '../present/result.ts';
import { pagesAfter } from './cursor.ts';
import type { Outcome } from './outcome.ts';
import { allPages, PAGE_SIZE } from './pages.ts';
import { option, switchOn, wholeNumber } from './parameters.ts';
import { outcomeOf, type Session } from './session.ts';

/** The options --limit, --offset and --all of a list that is paged by position; `rows` names its rows in the help. */
export function positionOptions(rows: string) {
  return {
    limit: option('--limit <count>', `${rows} per page, 1 to 100 (default 20)`, wholeNumber(1, 100)),
    offset: option('--offset <count>', `${rows} to skip (default 0)`, wholeNumber(0, 1_000_000_000)),
    all: switchOn('--all', 'fetch every page as one list'),
  };
}

interface Listing<E extends Endpoint, Row> {
  readonly endpoint: E;
  readonly columns: readonly Column[];
  readonly rowsOf: (data: ResponseOf<E>) => readonly Row[] | null | undefined;
  readonly idOf: (row: Row) => string | null | undefined;
}

interface ByPosition<E extends Endpoint, Row> extends Listing<E, Row> {
  readonly request: (size: number | undefined, offset: number | undefined) => RequestOf<E>;
  /** The number of rows in the whole list, if the response says it. */
  readonly totalOf: (data: ResponseOf<E>) => number | null | undefined;
  readonly isOldestFirst?: boolean;
  /** The number of rows to drop from the start of a response, for a service that counts pages instead of rows. */
  readonly skipped?: (offset: number, size: number) => number;
}

export interface Position {
  readonly limit: number | undefined;
  readonly offset: number | undefined;
  readonly all: boolean | undefined;
}

/** Reads one page of a list by position, or all pages as one list. */
export async function listedByPosition<E extends Endpoint, Row>(
  session: Session,
  listing: ByPosition<E, Row>,
  { limit, offset, all }: Position,
): Promise<Outcome> {
  const { endpoint, columns, rowsOf, totalOf, idOf, request, skipped = () => 0 } = listing;
  const call = (size: number | undefined, at: number | undefined) => session.call(endpoint, request(size, at));
  if (!all) return outcomeOf(session, endpoint, await call(limit, offset), { columns });
  const [size, from] = [limit ?? PAGE_SIZE, offset ?? 0];
  const pageOf = (data: ResponseOf<E>, at: number) => ({
    rows: (rowsOf(data) ?? []).slice(skipped(at, size)),
    total: totalOf(data) ?? undefined,
  });
  const first = await call(size, from);
  const more = allPages({
    first: pageOf(first.data, from),
    offset: from,
    size,
    idOf,
    isOldestFirst: listing.isOldestFirst ?? false,
    fetchPage: async (at) => pageOf((await call(size, at)).data, at),
    turn: session.world.turn,
  });
  return outcomeOf(session, endpoint, first, { columns, more });
}

/** The service's default. */
const DEFAULT_CURSOR_PAGE_SIZE = 50;

interface ByCursor<E extends Endpoint, Row> extends Listing<E, Row> {
  readonly request: (size: number | undefined, startAfter: string | undefined) => RequestOf<E>;
}

/** Reads one page of a list by the id of the previous row, or all pages as one list. */
export async function listedByCursor<E extends Endpoint, Row>(
  session: Session,
  { endpoint, columns, rowsOf, idOf, request }: ByCursor<E, Row>,
  {
    limit,
    after,
    all,
  }: { readonly limit: number | undefined; readonly after: string | undefined; readonly all: boolean },
): Promise<Outcome> {
  // Sent even if it is the service's default, because the response does not repeat it.
  const size = limit ?? (all ? PAGE_SIZE : DEFAULT_CURSOR_PAGE_SIZE);
  const call = (startAfter: string | undefined) => session.call(endpoint, request(size, startAfter));
  const first = await call(after);
  if (!all) return outcomeOf(session, endpoint, first, { columns });
  const more = pagesAfter(
    rowsOf(first.data) ?? [],
    size,
    idOf,
    async (startAfter) => rowsOf((await call(startAfter)).data) ?? [],
  );
  return outcomeOf(session, endpoint, first, { columns, more });
}
