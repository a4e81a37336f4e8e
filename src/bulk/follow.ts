import { CliError } from '../base/errors.ts';
import type { Account } from '../engine/account.ts';
import { workStartedBy } from '../engine/evidence/find-work.ts';
import { followWork } from '../engine/evidence/started.ts';
import { isFollowed } from '../engine/evidence/work.ts';
import { ALWAYS } from '../engine/lists/cursor.ts';
import { listingOf } from '../engine/lists/listing-of.ts';
import { PAGE_SIZE, startReading } from '../engine/lists/pages.ts';
import type { Operation } from '../journal/operations.ts';
import { LOAD_BY_START } from '../things/by-start.ts';
import { reasonIn, valueAt } from '../things/fields.ts';
import { outcomeIn } from '../things/states.ts';
import type { ServiceList, Thing } from '../things/thing.ts';
import type { FollowedRow } from './progress.ts';

/** How much older than its operation a row of a list may seem: the clocks of the service and of this machine differ. */
const SKEW_MS = 10 * 60_000;

/** Work of one thing that goes on, by its request id. */
type Open = Map<string, Operation>;

/**
 * Reads how the accepted rows ended, and records it: in the list of their thing, newest first, until all were found. What no list shows is asked for one by one.
 * Returns how many have ended now.
 */
export async function followAccepted(account: Account, rows: readonly FollowedRow[]): Promise<number> {
  const accepted = rows.flatMap(({ status, operation }) => (status === 'accepted' && operation ? [operation] : []));
  const [first] = accepted;
  const load = first && LOAD_BY_START[first.endpoint];
  if (!load) return 0;
  const thing = await load();
  const open: Open = new Map(
    accepted.flatMap((each) => (each.requestId === null ? [] : [[each.requestId, each] as const])),
  );
  return thing.list ? followList(account, thing, thing.list, open) : followEach(account, first, open);
}

async function followList(account: Account, thing: Thing, list: ServiceList, open: Open): Promise<number> {
  const journal = await account.journal();
  const names = await account.accountNames();
  const endpoints = thing.starts.map(({ id }) => id);
  const oldestMs = Math.min(...[...open.values()].map(({ createdAt }) => Date.parse(createdAt))) - SKEW_MS;
  const type = thing.types?.length === 1 ? { type: thing.types[0] } : {};
  const listing = listingOf(list, type);
  const reading = await startReading(
    { account, listing, list: list.name, point: undefined, period: ALWAYS },
    PAGE_SIZE,
  );
  let ended = 0;
  for await (const page of reading.pages) {
    for (const row of page) {
      const requestId = String(valueAt(row, list.id));
      if (!open.delete(requestId)) continue;
      const outcome = outcomeIn(thing, String(valueAt(row, list.status) ?? ''));
      if (outcome === 'accepted') continue;
      await journal.ended({ account: names, endpoints, requestId }, outcome, { detail: reasonIn(thing, row) });
      ended += 1;
    }
    const last = Date.parse(String(valueAt(page.at(-1), list.createdAt)));
    if (open.size === 0 || last < oldestMs) break;
  }
  return ended;
}

async function followEach(account: Account, { endpoint }: Operation, open: Open): Promise<number> {
  const work = await workStartedBy(endpoint);
  if (!isFollowed(work)) return 0;
  let ended = 0;
  for (const requestId of open.keys())
    try {
      const { error } = await followWork(account, work, requestId, 0);
      if (!error) ended += 1;
    } catch (error) {
      if (!(error instanceof CliError) || error.category === 'interrupted') throw error;
      if (error.category === 'failed') ended += 1;
    }
  return ended;
}
