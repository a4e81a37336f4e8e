import { CliError } from '../base/errors.ts';
import type { ResponseOf } from '../contract/endpoint.ts';
import { listTransactions } from '../contract/endpoints/history.ts';
import type { Account } from '../engine/account.ts';
import { SERVICE_SKEW_MS } from '../engine/evidence/listing.ts';
import type { ListPeriod } from '../engine/lists/cursor.ts';
import { type Listing, PAGE_SIZE, pacer, startReading, totalOf } from '../engine/lists/pages.ts';
import type { Queries } from '../journal/store.ts';
import { fromWire } from '../money/amount.ts';
import { offramp } from '../things/bank-transfers.ts';
import { readRequest, valueAt } from '../things/fields.ts';
import type { Thing } from '../things/thing.ts';
import type { LocalCopy } from './database.ts';
import { noteParts, UNASKED_OFFRAMPS } from './fees.ts';
import { IS_NEW, isThing, stored } from './schema.ts';
import { periodsOf } from './sync-table.ts';
import { tableOf } from './tables.ts';

const PAYOUTS = stored(tableOf(offramp));

type Transfer = NonNullable<ResponseOf<typeof listTransactions>['transactions']>[number];

/** The list of all transfers says of an offramp whose it is and which fee the service takes; the list of payouts says neither. Source: inferred. */
const LISTING: Listing<typeof listTransactions, Transfer> = {
  endpoint: listTransactions,
  columns: [],
  request: ({ size, offset }, period) => ({ type: 'user_offramp', limit: size, offset, ...period }),
  rowsOf: ({ transactions }) => transactions,
  idOf: ({ id }) => id,
  totalOf,
};

/** How often the list is read for what was not found: rows that move while it is read may be missed once. */
const TRIES = 2;

/** Reads what the list of payouts does not say of each offramp, once for each. What was read is saved; the next sync goes on. Rejects with CliError. */
export async function readOfframpParts(account: Account, copy: LocalCopy): Promise<void> {
  const { asked, total } = await extentOf(copy);
  let done = 0;
  for (let tries = 0; tries < TRIES; tries += 1)
    for await (const rows of unasked(copy))
      for (const [fromMs, toMs] of periodsFor(rows, asked === 0n && tries === 0)) {
        const startDate = new Date(fromMs - SERVICE_SKEW_MS).toISOString();
        const endDate = new Date(toMs + SERVICE_SKEW_MS).toISOString();
        for await (const saved of partsIn(account, copy, { startDate, endDate })) {
          done += saved;
          await account.notices.progress.rows(done, total, 'offramps');
        }
      }
  // The list does not have them: their fees and users are not known from it.
  const some = () =>
    copy.read((queries) => queries.all<{ id: string }>(`SELECT ${PAYOUTS}.id ${UNASKED_OFFRAMPS} LIMIT ${PAGE_SIZE}`));
  for (let left = await some(); left.length > 0; left = await some()) {
    const parts = left.map(({ id }) => ({ id, fee: null, userId: null }));
    await copy.write((queries) => saveParts(queries, parts, isoNow(account)));
  }
  await readUsers(account, copy);
}

/** How many offramps were asked for before, and how many are to be. */
const extentOf = (copy: LocalCopy) =>
  copy.read(async (queries) => {
    const asked = await queries.get<{ n: bigint }>('SELECT count(*) AS n FROM stored_offramp_parts');
    const left = await queries.get<{ n: bigint }>(`SELECT count(*) AS n ${UNASKED_OFFRAMPS}`);
    return { asked: asked?.n ?? 0n, total: Number(left?.n ?? 0n) };
  });

interface UnaskedRow extends Readonly<Record<string, string>> {
  readonly id: string;
  readonly created_at: string;
}

/** Returns the periods of the list to read for rows. Until one was asked for, nothing that is known lies between those that are not: then one takes the fewest pages. */
function periodsFor(
  rows: readonly UnaskedRow[],
  isFirst: boolean,
): readonly (readonly [fromMs: number, toMs: number])[] {
  const times = rows.map(({ created_at: at }) => Date.parse(at));
  const [first, last] = [times[0], times.at(-1)];
  return isFirst && first !== undefined && last !== undefined ? [[first, last]] : periodsOf(times);
}

const isoNow = ({ world }: Account) => new Date(world.clock.now()).toISOString();

/** How many rows are in memory at once. Their periods overlap a little, and the service counts the rows of a period for each page. */
const BATCH = 5_000;

/** Yields the offramps that were not asked for and say when they were made, oldest first, and each once. */
async function* unasked(copy: LocalCopy): AsyncGenerator<readonly UnaskedRow[]> {
  const [at, id] = [`${PAYOUTS}.created_at`, `${PAYOUTS}.id`];
  for (let last: UnaskedRow | undefined; ; ) {
    const after = [last?.created_at ?? '', last?.id ?? ''];
    const rows = await copy.read((queries) =>
      queries.all<UnaskedRow>(
        `SELECT ${id}, ${at} ${UNASKED_OFFRAMPS} AND (${at}, ${id}) > (?, ?) ORDER BY ${at}, ${id} LIMIT ${BATCH}`,
        ...after,
      ),
    );
    last = rows.at(-1);
    if (!last) return;
    yield rows;
  }
}

/** Reads a period of the list, and yields how many offramps each page told of. */
async function* partsIn(account: Account, copy: LocalCopy, period: ListPeriod): AsyncGenerator<number> {
  const reader = { account, listing: LISTING, list: 'transactions', point: undefined, period };
  const { pages } = await startReading(reader, PAGE_SIZE);
  for await (const page of pages)
    yield await copy.write((queries) => saveParts(queries, page.flatMap(partOf), isoNow(account)));
}

/** What the service says of an offramp, as far as it says it. */
interface OfframpPart {
  readonly id: string;
  readonly fee: bigint | null;
  readonly userId: string | null;
}

function partOf({ id, userId, platformFee, type }: Transfer): OfframpPart[] {
  if (typeof id !== 'string' || type !== 'user_offramp') return [];
  const fee = platformFee == null ? undefined : fromWire(platformFee, 'naira', 'NGN');
  return [{ id, fee: fee?.minor ?? null, userId: typeof userId === 'string' ? userId : null }];
}

/** Writes what was read of offramps. Returns how many of them were not known before. */
async function saveParts(queries: Queries, parts: readonly OfframpPart[], at: string): Promise<number> {
  if (parts.length === 0) return 0;
  const valuesOf = (count: number, row: string) => `VALUES ${new Array(count).fill(row).join(', ')}`;
  const saved = await queries.run(
    noteParts(valuesOf(parts.length, '(?, CAST(? AS bigint))')),
    ...parts.flatMap(({ id, fee }) => [id, fee]),
    at,
  );
  const named = parts.filter(({ userId }) => userId !== null);
  if (named.length > 0)
    await queries.run(
      `WITH part (part_id, part_user) AS (${valuesOf(named.length, '(?, ?)')})
       UPDATE ${PAYOUTS} SET user_id = (SELECT part_user FROM part WHERE part_id = id)
       WHERE id IN (SELECT part_id FROM part) AND ${isThing(offramp)}`,
      ...named.flatMap(({ id, userId }) => [id, userId]),
    );
  return saved;
}

/** Reads the users of the offramps that the list did not tell, each from its status. */
async function readUsers(account: Account, copy: LocalCopy): Promise<void> {
  const { read } = offramp;
  if (!read?.user) return;
  const from = `FROM stored_offramp_parts p JOIN ${PAYOUTS} ON ${PAYOUTS}.id = p.id
    WHERE ${IS_NEW} AND p.status_read_at IS NULL AND ${PAYOUTS}.user_id IS NULL AND ${PAYOUTS}.deleted_at IS NULL`;
  const total = await copy.read((queries) => queries.get<{ n: bigint }>(`SELECT count(*) AS n ${from}`));
  const next = () =>
    copy.read((queries) => queries.all<{ id: string }>(`SELECT p.id ${from} ORDER BY p.id LIMIT ${PAGE_SIZE}`));
  let done = 0;
  const wait = pacer(account, read.endpoint);
  for (let rows = await next(); rows.length > 0; rows = await next())
    for (const { id } of rows) {
      await wait();
      const user = await userOf(account, read, id);
      await copy.write(async (queries) => {
        await queries.run(`UPDATE stored_offramp_parts SET status_read_at = ? WHERE id = ?`, isoNow(account), id);
        if (typeof user === 'string') await queries.run(`UPDATE ${PAYOUTS} SET user_id = ? WHERE id = ?`, user, id);
      });
      done += 1;
      await account.notices.progress.rows(done, Number(total?.n ?? 0n), 'users of offramps');
    }
}

/** Reads whose something is from its status; undefined if the service does not look it up. */
async function userOf(account: Account, read: NonNullable<Thing['read']>, id: string): Promise<unknown> {
  try {
    const { data } = await account.call(read.endpoint, readRequest(read, id) as never);
    return valueAt(data, read.user ?? '');
  } catch (error) {
    // The list may have rows that the service does not look up.
    if (error instanceof CliError && error.category === 'rejected') return undefined;
    throw error;
  }
}
