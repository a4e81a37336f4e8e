import type { Endpoint } from '../contract/endpoint.ts';
import { listingOf } from '../engine/lists/listing-of.ts';
import type { Listing } from '../engine/lists/resume.ts';
import { LISTS, THINGS } from '../things/index.ts';
import { endsOf } from '../things/states.ts';
import type { Fact, ServiceList } from '../things/thing.ts';

/** A column of a table: the field of a row that it copies. An amount has two columns; a time is ISO 8601 in UTC; a flag is 0 or 1. */
export interface MirrorColumn extends Pick<Fact, 'kind' | 'isKey' | 'isPersonal' | 'isName'> {
  readonly name: string;
  readonly field: string;
}

/** A list that is copied. */
export interface MirrorTable
  extends Pick<ServiceList, 'name' | 'about' | 'readBy' | 'id' | 'status' | 'createdAt' | 'rows'> {
  /** The statuses in which a row is final; a row with any other one is read again until it is. Empty: no row is awaited. */
  readonly ends: readonly string[];
  /** The rows that change the account's own balances, where the list has those of users too: an SQL condition. */
  readonly own?: string;
  readonly columns: readonly MirrorColumn[];
  readonly listing: Listing<Endpoint, unknown>;
}

function tableOf(list: ServiceList): MirrorTable {
  const things = THINGS.filter((thing) => thing.list === list);
  const ends = things.map(endsOf).flatMap(({ done, failed }) => [...done, ...failed]);
  const ownTypes = things.flatMap(({ of, types = [] }) => (of === 'account' ? types : []));
  return {
    ...list,
    ends: [...new Set(ends)],
    ...(ownTypes.length > 0 ? { own: `type = '${ownTypes.join("' OR type = '")}'` } : {}),
    columns: list.facts.flatMap(({ column, fields: [field = ''], ...fact }) =>
      column === undefined ? [] : [{ ...fact, name: column, field }],
    ),
    listing: listingOf(list),
  };
}

/** Every list that is copied, small ones first, so that a long one does not hold up the others. */
export const TABLES: readonly MirrorTable[] = LISTS.map(tableOf);
