import type { Endpoint, RequestOf, RequestWithoutConsent, ResponseOf } from '../../contract/endpoint.ts';
import type { Column } from '../../present/result.ts';
import { titleOf, valueAt } from '../../things/fields.ts';
import type { ServiceList } from '../../things/thing.ts';
import type { ListPeriod } from './cursor.ts';
import { DEFAULT_LIMIT, type Listing, PAGE_SIZE, type PageRequest, type RowFilter, totalOf } from './pages.ts';

type Way = Pick<Listing<Endpoint, unknown>, 'isById' | 'skipped' | 'pageSize'> & {
  request(page: PageRequest, period: ListPeriod): Readonly<Record<string, unknown>>;
};

/** How a page is asked for. */
const WAYS: Readonly<Record<ServiceList['pages'], Way>> = {
  offset: { request: ({ size, offset }) => ({ limit: size, offset }) },
  page: {
    request: ({ size = DEFAULT_LIMIT, offset }) => ({
      limit: size,
      page: offset === undefined ? undefined : Math.floor(offset / size) + 1,
    }),
    // The service counts pages, so an offset that falls inside a page skips its first rows.
    skipped: (offset, size) => offset % size,
  },
  after: { isById: true, request: ({ size, startAfter }) => ({ limit: size, startAfter }) },
  limit: {
    request: ({ size = 0, offset = 0 }) => ({ limit: size + offset || undefined }),
    skipped: (offset) => offset,
    pageSize: PAGE_SIZE * 10,
  },
  // A second page of it has no rows.
  whole: { request: () => ({}), skipped: (offset) => offset },
};

/** What a list is filtered by, apart from its period. */
type ListFilters<E extends Endpoint> = Partial<
  Omit<RequestOf<E>, 'limit' | 'offset' | 'page' | 'startAfter' | 'startDate' | 'endDate'>
>;

/** How a list of the service is read. */
export function listingOf<E extends Endpoint, Row>(
  list: ServiceList<E, Row>,
  wanted: ListFilters<E> = {},
  more: { readonly filter?: RowFilter<Row> | undefined; readonly columns?: readonly Column[] } = {},
): Listing<E, Row> {
  const { request, ...way } = WAYS[list.pages];
  const isDated = list.readBy === 'dated';
  const asText = (row: Row, field: string) => valueAt(row, field) as string | null | undefined;
  return {
    ...way,
    endpoint: list.endpoint,
    columns: more.columns ?? columnsOf(list, wanted),
    request: (page, period) =>
      ({
        ...list.request,
        ...wanted,
        ...(isDated ? period : {}),
        ...request(page, period),
      }) as RequestWithoutConsent<E>,
    rowsOf: (data: ResponseOf<E>) => (data as Readonly<Record<string, readonly Row[] | null>>)[list.rows],
    idOf: (row) => asText(row, list.id),
    // What such a list calls its total may be that of the page.
    ...(list.pages === 'after' || list.pages === 'limit' ? {} : { totalOf }),
    ...(isDated ? {} : { timeOf: (row) => asText(row, list.createdAt) }),
    filter: more.filter,
  };
}

/** The columns of a printed list. The type is shown where the rows have several. */
export function columnsOf<E extends Endpoint, Row>(list: ServiceList<E, Row>, wanted: object = {}): readonly Column[] {
  return list.columns.flatMap((each): Column[] => {
    const { field, isWide = false } = typeof each === 'string' ? { field: each } : each;
    if (field === 'type' && (wanted as { readonly type?: string }).type !== undefined) return [];
    const title = titleOf(list, field);
    return [{ field, title, ...(isWide ? { isWide } : {}), ...(field === list.createdAt ? { isBrief: true } : {}) }];
  });
}
