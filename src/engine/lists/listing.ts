import type { Endpoint, RequestOf, ResponseOf } from '../../contract/endpoint.ts';
import type { Column } from '../../present/result.ts';
import type { Period } from './resume.ts';

/** A page to request: `size` rows, after `offset` rows or after the row with an id. */
export interface PageRequest {
  readonly size?: number;
  readonly offset?: number;
  readonly startAfter?: string | undefined;
}

/** How a list of the service is read. */
export interface Listing<E extends Endpoint, Row> {
  readonly endpoint: E;
  readonly columns: readonly Column[];
  readonly request: (page: PageRequest, period: Period) => RequestOf<E>;
  readonly rowsOf: (data: ResponseOf<E>) => readonly Row[] | null | undefined;
  readonly idOf: (row: Row) => string | null | undefined;
  /** The service continues after the id of a row instead of after a number of rows. */
  readonly isById?: boolean;
  /** The number of rows in the whole list, if the response says it. */
  readonly totalOf?: (data: ResponseOf<E>) => number | null | undefined;
  readonly isOldestFirst?: boolean;
  /** The number of rows to drop from the start of a response, for a service that cannot skip exactly this many. */
  readonly skipped?: (offset: number, size: number) => number;
  /** The page size of --all, if it is not the usual one. */
  readonly pageSize?: number;
  /** A filter that the service does not have. */
  readonly filter?: RowFilter<Row> | undefined;
  /** When a row is from, if the service cannot filter by period. */
  readonly timeOf?: (row: Row) => string | null | undefined;
}

export interface RowFilter<Row> {
  /** What was typed, by the words that name it: `--since`. */
  readonly typed: Readonly<Record<string, string | undefined>>;
  matches(row: Row): boolean;
}

/** The rows of a page, if --limit does not say it. Source: inferred. */
export const DEFAULT_LIMIT = 20;

/** The period of a list that has no limits. */
export const ALWAYS: Period = { startDate: undefined, endDate: undefined };

/** Declares a list, whose rows are what `rowsOf` returns. */
export const listOf = <E extends Endpoint, Row>(
  endpoint: E,
  list: Omit<Listing<E, Row>, 'endpoint'>,
): Listing<E, Row> => ({
  endpoint,
  ...list,
});
