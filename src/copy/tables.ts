import type { Endpoint } from '../contract/endpoint.ts';
import { listingOf } from '../engine/lists/listing-of.ts';
import type { Listing } from '../engine/lists/pages.ts';
import { LISTS, THINGS } from '../things/index.ts';
import { endsOf, usualStateOf } from '../things/states.ts';
import type { Fact, ServiceList, Thing } from '../things/thing.ts';

/** A column of a table: the field of a row that it copies. An amount has two columns; a time is ISO 8601 in UTC; a flag is 0 or 1. */
export interface CopyColumn
  extends Pick<Fact, 'title' | 'kind' | 'isKey' | 'isUnique' | 'isPersonal' | 'isName' | 'isElsewhere'> {
  readonly name: string;
  readonly field: string;
}

/** A list that is copied. */
export interface CopyTable
  extends Pick<ServiceList, 'name' | 'about' | 'readBy' | 'id' | 'status' | 'createdAt' | 'rows' | 'endsWithinMs'> {
  /** The statuses in which a row is final, well or badly; a row with any other one is read again until it is. Empty: no row is awaited. */
  readonly done: readonly string[];
  readonly failed: readonly string[];
  /** What it says of a row that goes on, if nothing more exact is known. */
  readonly usual: string | undefined;
  /** Whether its rows begin and end, or are there for as long as someone keeps them. */
  readonly hasStates: boolean;
  /** Whether fees in Naira are taken from its rows. */
  readonly hasFees: boolean;
  /** Where the list has rows of the account itself and of users, which are which: SQL conditions, as each thing has them. */
  readonly owners?: { readonly own: string; readonly ofUsers: string };
  readonly columns: readonly CopyColumn[];
  readonly listing: Listing<Endpoint, unknown>;
}

/** The columns that the rows of its list fill. The others are filled by what else the service says of a row. */
export const inRows = ({ columns }: Pick<CopyTable, 'columns'>): readonly CopyColumn[] =>
  columns.filter(({ isElsewhere }) => !isElsewhere);

/** Whether a column has one of some values: an SQL condition. */
export const isOneOf = (column: string, values: readonly string[]): string =>
  values.length === 1 ? `${column} = '${values[0]}'` : `${column} IN ('${values.join("', '")}')`;

function tableFor(list: ServiceList): CopyTable {
  const things = THINGS.filter((thing) => thing.list === list);
  const ends = things.map(endsOf);
  const typesOf = (owner: Thing['of']) => things.flatMap(({ of, types = [] }) => (of === owner ? types : []));
  const [own, ofUsers] = [typesOf('account'), typesOf('user')];
  return {
    ...list,
    done: [...new Set(ends.flatMap(({ done }) => done))],
    failed: [...new Set(ends.flatMap(({ failed }) => failed))],
    usual: things.map(usualStateOf).find((state) => state !== undefined),
    hasStates: things.some(({ states }) => states !== undefined),
    hasFees: list.facts.some(({ column }) => column === 'fee'),
    ...(own.length > 0 ? { owners: { own: isOneOf('type', own), ofUsers: isOneOf('type', ofUsers) } } : {}),
    columns: list.facts.flatMap(({ column, fields: [field = ''], ...fact }) =>
      column === undefined ? [] : [{ ...fact, name: column, field }],
    ),
    listing: listingOf(list),
  };
}

/** Every list that is copied, small ones first, so that a long one does not hold up the others. */
export const TABLES: readonly CopyTable[] = LISTS.map(tableFor);

/** Whether a row with a status is final. */
export const isFinal = ({ done, failed }: CopyTable, status: string | null): boolean =>
  status !== null && (done.includes(status) || failed.includes(status));

/** The copy of a thing's list. Throws for a thing that no list has. */
export function tableOf({ list, name }: Pick<Thing, 'list' | 'name'>): CopyTable {
  const found = TABLES.find((table) => table.name === list?.name);
  if (!found) throw new Error(`no list has ${name}`);
  return found;
}
