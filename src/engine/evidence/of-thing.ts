import type { Endpoint } from '../../contract/endpoint.ts';
import type { Column } from '../../present/result.ts';
import { fieldWithValue, readRequest, reasonIn, valueAt } from '../../things/fields.ts';
import type { Wanted } from '../../things/likeness.ts';
import { endsOf, meaningIn, outcomeIn } from '../../things/states.ts';
import type { Thing } from '../../things/thing.ts';
import type { Account } from '../account.ts';
import { listingOf } from '../lists/listing-of.ts';
import type { Listing } from '../lists/pages.ts';
import type { Meanwhile } from './follow.ts';
import { shownIn, type UsualRow } from './listing.ts';
import { type FollowedWork, isFollowed, type Work } from './work.ts';

/** What the record of a thing does not say of its work: what has to be looked up elsewhere, or follows a rule of its own. */
interface Special extends Pick<Work, 'also' | 'retry' | 'terms' | 'find' | 'before' | 'priceNow'> {
  /** Where a person looks, if not in its list. */
  readonly evidence?: string;
  readonly status?: {
    readonly namesFor?: (account: Account, requestId: string, data: never) => Promise<object>;
    readonly watch?: (account: Account, requestId: string) => (data: never, leftMs: number) => Promise<Meanwhile>;
    readonly columns?: (data: never) => readonly Column[];
  };
}

/** The work that makes a thing. */
export function workOf(thing: Thing, { status, ...special }: Special = {}): Work {
  const { starts, read, events, shows = '', name } = thing;
  const { list, likeness, types } = thing;
  return {
    starts,
    evidence: `fiatrail ${thing.lists ?? ''}`,
    ...(Object.keys(events).length > 0 ? { events } : {}),
    ...(read
      ? {
          status: {
            endpoint: read.endpoint,
            command: shows,
            idField: read.id,
            what: `the ${name}`,
            input: (id: string) => readRequest(read, id),
            stateOf: (data: unknown) => stateIn(read.in ? valueAt(data, read.in) : data),
            words: (data: unknown) => reasonOf(thing, read.in ? valueAt(data, read.in) : data),
            ...(read.createdAt ? { createdOf: (data: unknown) => valueAt(data, read.createdAt ?? '') as string } : {}),
            columns: (data: unknown) => statusColumns(thing, data),
            ...endsOf(thing),
            ...status,
          },
        }
      : {}),
    ...(list && likeness
      ? {
          list: (request: Wanted) => {
            const type = types?.length === 1 ? { type: types[0] } : {};
            const listing = listingOf(list, { ...type, ...likeness.asked?.(request) });
            const known = { ...listing, ...(likeness.idOf ? { idOf: likeness.idOf } : {}) } as Listing<
              Endpoint,
              UsualRow
            >;
            return shownIn(known, {
              compare: (row) => likeness.compare(row, request),
              textOf: likeness.textOf,
              outcomeOf: (state) => outcomeIn(thing, state),
              isUnpaged: list.pages === 'limit',
              isByPage: list.pages === 'page',
            });
          },
        }
      : {}),
    ...special,
  } as Work;
}

/** The work that makes a thing whose status can be read. */
export function followedWorkOf(thing: Thing, special?: Special): FollowedWork {
  const work = workOf(thing, special);
  if (!isFollowed(work)) throw new Error(`nothing reads the status of ${thing.name}`);
  return work;
}

const stateIn = (data: unknown) => (data as { readonly status?: string | null } | undefined)?.status;

/** Why work failed: as the service says, or as its state does. */
function reasonOf(thing: Thing, data: unknown): string | undefined {
  const meaning = meaningIn(thing.states ?? {}, stateIn(data) ?? '');
  return reasonIn(thing, data) ?? (meaning && 'because' in meaning ? meaning.because : undefined);
}

/** The lines of a status for people: its id, its state, and every fact that the response has. */
export function statusColumns({ read, facts }: Thing, data: unknown): Column[] {
  const inside = read?.in === undefined ? '' : `${read.in}.`;
  const lines = [{ title: 'ID', fields: [read?.id ?? ''] }, { title: 'Status', fields: ['status'] }, ...facts];
  return lines.flatMap(({ title, fields }) => {
    const field = fieldWithValue(data, [...fields.map((each) => inside + each), ...fields]);
    return field === undefined ? [] : [{ title, field: field.startsWith(inside) ? field.slice(inside.length) : field }];
  });
}
