import type { Session } from '../cli/session.ts';
import type { Endpoint, RequestOf, ResponseOf } from '../contract/endpoint.ts';
import { type Amount, type Asset, amount } from '../money/amount.ts';
import type { WireNumber } from '../money/decimal.ts';
import { fromWire, type MoneyUnit } from '../money/units.ts';
import type { Candidate, Found, Sought, Standing } from './work.ts';

/** The service's clock may be behind ours by this much. */
const SKEW_MS = 5 * 60_000;
const PAGE = 100;
/** More pages than this are not read; the search is then incomplete. */
const MAX_PAGES = 100;
/** The largest page of a list without pages. */
const MAX_SIZE = 1_000_000;

/** What a search reads of a row. */
interface Row {
  readonly requestId: string | null | undefined;
  readonly createdAt: string | null | undefined;
  readonly state: string | null | undefined;
  /** Text that may contain the tag. */
  readonly text?: string | null | undefined;
  /** Whether the row says what the request said. */
  readonly isLike: boolean;
}

interface Search<L extends Endpoint, R> {
  readonly endpoint: L;
  /** The request for a page, after `count` rows of which the last has the id `lastId`. */
  readonly page: (size: number, count: number, lastId: string | undefined) => RequestOf<L>;
  readonly rowsOf: (data: ResponseOf<L>) => readonly R[] | null | undefined;
  readonly read: (row: R) => Row;
  readonly done: readonly string[];
  readonly failed: readonly string[];
  /** The list has no pages: a larger limit is asked for until it is not full. */
  readonly isUnpaged?: boolean;
}

/** Reads a newest-first list back to the time of the request, and returns the rows that may be it. */
export async function search<L extends Endpoint, R>(
  session: Session,
  { sinceMs, tag }: Sought,
  { endpoint, page, rowsOf, read, done, failed, isUnpaged }: Search<L, R>,
): Promise<Found> {
  const candidates = new Map<string, Candidate>();
  const found = (isComplete: boolean): Found => ({ candidates: exactOr([...candidates.values()]), isComplete });
  const isOld = ({ createdAt }: Row) => isPast(createdAt, sinceMs);
  let lastId: string | undefined;
  for (let count = 0, pages = 0, size = PAGE; pages < MAX_PAGES && size <= MAX_SIZE; pages++) {
    const { data } = await session.call(endpoint, page(size, count, lastId));
    const rows = (rowsOf(data) ?? []).map(read);
    for (const row of rows) {
      const isExact = tag !== undefined && (row.text ?? '').includes(tag);
      if (!row.requestId || isOld(row) || !(isExact || row.isLike)) continue;
      const { requestId, createdAt, state } = row;
      const standing = standingOf(state ?? '', done, failed);
      candidates.set(requestId, { requestId, createdAt, state: state ?? 'unknown', standing, isExact });
    }
    count = isUnpaged ? rows.length : count + rows.length;
    // The whole page, because nobody promises that a list is sorted.
    if (rows.length > 0 && rows.every(isOld)) return found(true);
    // A service may return fewer rows than it was asked for, and say that there are more.
    if (rows.length < size && !saysMore(data, count)) return found(true);
    if (rows.length === 0 || (isUnpaged && rows.length < size)) return found(false);
    lastId = rows.at(-1)?.requestId ?? undefined;
    if (isUnpaged) size *= 2;
  }
  return found(false);
}

/** Whether a row is older than a request, by more than two clocks may differ. */
export function isPast(createdAt: string | null | undefined, sinceMs: number): boolean {
  return createdAt != null && Date.parse(createdAt) < sinceMs - SKEW_MS;
}

/** Whether a list says that it has more rows than the ones that were read. */
export function saysMore(data: unknown, count: number): boolean {
  const { pagination, ...own } = data as { readonly pagination?: Extent | null } & Extent;
  const { hasMore, total } = { ...own, ...pagination };
  return hasMore === true || (typeof total === 'number' && total > count);
}

interface Extent {
  readonly hasMore?: boolean | null;
  readonly total?: number | null;
}

/** A row with the tag is the request, whatever else looks like it. */
function exactOr(candidates: readonly Candidate[]): readonly Candidate[] {
  const exact = candidates.filter(({ isExact }) => isExact);
  return exact.length > 0 ? exact : candidates;
}

export function standingOf(state: string, done: readonly string[], failed: readonly string[]): Standing {
  if (done.includes(state)) return 'settled';
  return failed.includes(state) ? 'failed' : 'accepted';
}

/** Whether two ids, addresses or names are equal; a value that is missing on either side says nothing. `*` masks characters. */
export function agrees(one: unknown, other: unknown): boolean {
  if (typeof one !== 'string' || typeof other !== 'string') return true;
  const [a, b] = [one.toLowerCase(), other.toLowerCase()];
  if (a === b) return true;
  if (a.length !== b.length || !(a + b).includes('*')) return false;
  return [...a].every((character, index) => character === '*' || b[index] === '*' || character === b[index]);
}

/** Parses a wire amount; undefined if it is missing or malformed. */
export function amountAt(value: unknown, unit: MoneyUnit, asset: Asset): Amount | undefined {
  return value === undefined || value === null ? undefined : fromWire(value as WireNumber | string, unit, asset);
}

/** Whether both amounts are known and equal. */
export function isSameAmount(one: Amount | undefined, other: Amount | undefined): boolean {
  return one !== undefined && other !== undefined && one.asset === other.asset && one.minor === other.minor;
}

export const cngnOfNaira = (naira: Amount | undefined) => naira && amount('CNGN', naira.minor * 10_000n);
