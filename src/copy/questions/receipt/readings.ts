import type * as z from 'zod/mini';
import { CliError } from '../../../base/errors.ts';
import { failureIn } from '../../../contract/compare.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { elementOf, fieldOf, unwrap } from '../../../contract/rows.ts';
import type { Account } from '../../../engine/account.ts';
import { endpointNamed, recordedData } from '../../../engine/evidence/recorded.ts';
import { ALWAYS, type ListPeriod } from '../../../engine/lists/cursor.ts';
import { listingOf } from '../../../engine/lists/listing-of.ts';
import { PAGE_SIZE, startReading } from '../../../engine/lists/pages.ts';
import { resultIn } from '../../../journal/states.ts';
import { parseExactJson } from '../../../money/decimal.ts';
import { isPlainObject, type PlainObject, rowConverter, toPlain } from '../../../present/plain.ts';
import { readRequest, timesOf, valueAt } from '../../../things/fields.ts';
import type { ServiceList, Thing } from '../../../things/thing.ts';
import type { Recorded } from '../known.ts';
import type { FindMatch } from '../look.ts';
import { textIn } from '../typed.ts';

/** What one source says of a thing. */
export interface Reading {
  /** `status` and `list` were read from the service just now. */
  readonly source: 'status' | 'list' | 'journal' | 'copy';
  readonly row: PlainObject;
  /** What the contract says of its fields. */
  readonly schema: z.ZodMiniType | undefined;
}

/** Everything that is known of a thing now, the best source first. */
export interface Readings {
  readonly all: readonly Reading[];
  /** What the service says of its parts that means that it failed: `payout.status is failed`. */
  readonly failures: readonly string[];
  /** Why the service could not be asked. */
  readonly problem: CliError | undefined;
  /** Why a list of the service could not be read, although its status could. */
  readonly listProblem: CliError | undefined;
}

/** Whether the service said it just now. */
export const isFresh = ({ source }: Reading): boolean => source === 'status' || source === 'list';

interface Answered {
  readonly readings: readonly Reading[];
  readonly failure?: string | undefined;
  readonly problem?: CliError;
}

/** Reads a thing from the service, and adds what this machine knows of it. Rejects with CliError interrupted. */
export async function readingsOf(
  account: Account,
  { kind, id, found }: FindMatch,
  recorded: readonly Recorded[],
): Promise<Readings> {
  const local = [...(await recordedReadings(recorded)), ...copiedReading(kind, found?.row)];
  const status = kind.read ? await attempt(() => statusReading(account, kind, id)) : undefined;
  const known = [...(status?.readings ?? []), ...local];
  const createdAt = known.map(({ row }) => createdIn(kind, row)).find((each) => each !== undefined);
  // A status that the service could not be asked for says that its list cannot be asked for either.
  const listed =
    status?.problem || !isListWorthReading(kind, createdAt)
      ? undefined
      : await attempt(() => listedReadings(account, kind, id, createdAt));
  const isRead = (status?.readings.length ?? 0) > 0;
  return {
    all: [...(status?.readings ?? []), ...(listed?.readings ?? []), ...local],
    failures: [status?.failure, listed?.failure].filter((each) => each !== undefined),
    problem: status?.problem ?? (isRead ? undefined : listed?.problem),
    listProblem: isRead ? listed?.problem : undefined,
  };
}

/** What the service says; nothing if it does not know the thing. */
async function attempt(read: () => Promise<Answered>): Promise<Answered> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof CliError) || error.category === 'interrupted') throw error;
    return error.category === 'rejected' || error.category === 'usage'
      ? { readings: [] }
      : { readings: [], problem: error };
  }
}

async function statusReading(account: Account, { read }: Thing, id: string): Promise<Answered> {
  if (!read) return { readings: [] };
  const { endpoint } = read;
  const request = readRequest(read, id);
  const { data } = await account.call(endpoint, request as never);
  const plain = toPlain(data, endpoint.response(), endpoint.nests, request);
  const schema = read.in ? fieldOf(unwrap(endpoint.response()).schema, read.in) : endpoint.response();
  const readings = isPlainObject(plain) ? [{ source: 'status', row: plain, schema } as const] : [];
  return { readings, failure: failureIn(endpoint, data) };
}

/** Whether a list may say more than the status does, and can be asked for one row without being read from its start. */
function isListWorthReading({ read, list }: Thing, createdAt: string | undefined): boolean {
  if (!list) return false;
  return !read || list.pages === 'limit' || (list.readBy === 'dated' && createdAt !== undefined);
}

/** The day before and after a row was made: clocks differ, and some services read times as days. */
const AROUND_MS = 86_400_000;

function periodAround(list: ServiceList, createdAt: string | undefined): ListPeriod {
  const atMs = Date.parse(createdAt ?? '');
  if (list.readBy !== 'dated' || Number.isNaN(atMs)) return ALWAYS;
  const iso = (ms: number) => new Date(ms).toISOString();
  return { startDate: iso(atMs - AROUND_MS), endDate: iso(atMs + AROUND_MS) };
}

/** Reads the rows with an id from the list of a thing: one, or several if the service repeats it. */
async function listedReadings(
  account: Account,
  { list }: Thing,
  id: string,
  createdAt: string | undefined,
): Promise<Answered> {
  if (!list) return { readings: [] };
  const listing = listingOf(list);
  const reader = { account, listing, list: '', point: undefined, period: periodAround(list, createdAt) };
  const reading = await startReading(reader, listing.pageSize ?? PAGE_SIZE);
  for await (const page of reading.pages) {
    const rows = page.filter((row) => listing.idOf(row) === id);
    if (rows.length > 0) return { readings: rowReadings(list, rows, reading.reply()) };
  }
  return { readings: [] };
}

/** What rows of a list say. */
export function rowReadings(
  list: ServiceList,
  rows: readonly unknown[],
  { request, data }: { readonly request?: unknown; readonly data: unknown },
): readonly Reading[] {
  const schema = rowSchema(list);
  const convert = rowConverter(schema, [request, data]);
  return rows.flatMap((each) => {
    const row = convert(each);
    return isPlainObject(row) ? [{ source: 'list', row, schema } as const] : [];
  });
}

function rowSchema({ endpoint, rows }: ServiceList): z.ZodMiniType | undefined {
  const field = fieldOf(unwrap(endpoint.response()).schema, rows);
  return field && elementOf(unwrap(field).schema);
}

const copiedReading = ({ list }: Thing, row: PlainObject | undefined): readonly Reading[] =>
  list && row ? [{ source: 'copy', row, schema: rowSchema(list) }] : [];

/** What was sent for a thing, and what the service answered then, the newest first. */
async function recordedReadings(recorded: readonly Recorded[]): Promise<readonly Reading[]> {
  const readings: Reading[] = [];
  const add = (endpoint: Endpoint | undefined, value: unknown, isRequest: boolean) => {
    const schema = isRequest ? endpoint?.request() : endpoint?.response();
    const row = schema && toPlain(value, schema, isRequest ? undefined : endpoint?.nests);
    if (isPlainObject(row)) readings.push({ source: 'journal', row, schema });
  };
  for (const { operation, transitions } of recorded) {
    for (const { result } of transitions.toReversed()) {
      const { endpoint, data } = recordedData(resultIn(result));
      add(await endpointNamed(endpoint), data, false);
    }
    add(await endpointNamed(operation.endpoint), parseExactJson(operation.request), true);
  }
  return readings;
}

/** When a thing was made, by one of its rows. */
const createdIn = (kind: Thing, row: PlainObject): string | undefined => {
  const named = [kind.read?.createdAt, kind.list?.createdAt].filter((each) => each !== undefined);
  const at = textIn(row, [...named, ...(timesOf(kind)[0]?.fields ?? [])]);
  return at !== undefined && !Number.isNaN(Date.parse(at)) ? at : undefined;
};

/** The values of a row at some fields, in their order, without those that are missing. */
export const valuesIn = (
  { row }: Pick<Reading, 'row'>,
  fields: readonly string[],
): readonly { field: string; value: unknown }[] =>
  fields.flatMap((field) => {
    const value = valueAt(row, field);
    return value === undefined || value === null || value === '' ? [] : [{ field, value }];
  });
