import { CliError } from '../base/errors.ts';
import type { Account } from '../engine/account.ts';
import { workStartedBy } from '../engine/evidence/find-work.ts';
import { followWork } from '../engine/evidence/started.ts';
import { isFollowed } from '../engine/evidence/work.ts';
import type { Operation } from '../journal/operations.ts';
import { LOAD_BY_START } from '../things/by-start.ts';
import { isListed, listedRows } from './listed.ts';
import type { FollowedRow } from './progress.ts';

/**
 * Reads how the accepted rows ended, and records it: in the list of their thing, a page for many rows. What no list shows is asked for one by one. Returns how many
 * have ended now.
 */
export async function followAccepted(account: Account, rows: readonly FollowedRow[]): Promise<number> {
  const accepted = rows.flatMap(({ status, operation }) => (status === 'accepted' && operation ? [operation] : []));
  const [first] = accepted;
  const load = first && LOAD_BY_START[first.endpoint];
  if (!load) return 0;
  const thing = await load();
  if (!isListed(thing)) return followEach(account, first.endpoint, accepted);
  const journal = await account.journal();
  const names = await account.accountNames();
  const endpoints = thing.starts.map(({ id }) => id);
  let ended = 0;
  for await (const { requestId, outcome, reason } of listedRows(account, thing, accepted)) {
    if (outcome === 'accepted') continue;
    await journal.ended({ account: names, endpoints, requestId }, outcome, { detail: reason });
    ended += 1;
  }
  return ended;
}

async function followEach(account: Account, endpoint: string, operations: readonly Operation[]): Promise<number> {
  const work = await workStartedBy(endpoint);
  if (!isFollowed(work)) return 0;
  let ended = 0;
  for (const { requestId } of operations) {
    if (requestId === null) continue;
    try {
      const { error } = await followWork(account, work, requestId, 0);
      if (!error) ended += 1;
    } catch (error) {
      if (!(error instanceof CliError) || error.category === 'interrupted') throw error;
      if (error.category === 'failed') ended += 1;
    }
  }
  return ended;
}
