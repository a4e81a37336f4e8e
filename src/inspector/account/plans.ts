import { ownApprover } from '../../account/approvers.ts';
import type { Account } from '../../engine/account.ts';
import { approverListOf } from '../../engine/plans/approver-list.ts';
import { findQueued, listedPlans } from '../../engine/plans/queue.ts';
import { claimedLines, personForPeople } from '../../engine/plans/shown.ts';
import { type Held, MOST_HELD } from '../held.ts';
import type { Look } from '../look.ts';
import type { Row } from '../source.ts';

type Listed = Awaited<ReturnType<typeof listedPlans>>[number];

const WAITS_FOR_YOU = 'waits for you';

const BY_STATE: Readonly<Record<string, Look>> = {
  ...{ [WAITS_FOR_YOU]: 'you', waiting: 'open', approved: 'open', applied: 'done' },
  ...{ rejected: 'bad', withdrawn: 'bad', expired: 'bad', 'applied-in-part': 'bad' },
};

const lookOfPlan = (state: string): Look => BY_STATE[state] ?? 'open';

function rowOf({ plan: { content }, review, waitsForYou }: Listed): Row {
  return {
    id: content.id,
    at: content.createdAt,
    state: waitsForYou ? WAITS_FOR_YOU : review.status,
    look: lookOfPlan(waitsForYou ? WAITS_FOR_YOU : review.status),
    summary: content.summary,
    who: personForPeople(content.author),
    expires: content.expiresAt,
  };
}

async function listed(account: Account): Promise<readonly Listed[]> {
  const { world, profile, time } = account;
  const own = await ownApprover((await approverListOf(account)).approvers, profile, world);
  // Nothing is asked of the service for a page that only shows.
  return listedPlans(account, time.service.nowMs() ?? world.clock.now(), own?.publicKey);
}

/** The plans of the account that may be open or ended lately, and what waits for whoever looks. */
export async function newestPlans(account: Account): Promise<Held> {
  const rows = (await listed(account)).map(rowOf);
  return { rows: rows.slice(0, MOST_HELD).toReversed(), hasOlder: rows.length > MOST_HELD };
}

/** The lines of a plan that the page shows in its own way. */
const SHOWN: ReadonlySet<string> = new Set(['plan', 'expires']);

/** What the author of a plan wrote, and who decided about it. Nothing of it is compared with the account here. */
export async function planOf(account: Account, id: string) {
  const found = (await listed(account)).find(({ plan: { content } }) => content.id === id);
  if (!found) return undefined;
  const { plan, acts } = await findQueued(account, id);
  return {
    ...rowOf(found),
    hash: plan.hash,
    lines: claimedLines(plan, found.review.signed)
      .filter(([label]) => !SHOWN.has(label))
      .map(([label, value]) => ({ label, value })),
    history: acts.map(({ act, by, at, reason, operationId }) => ({
      act,
      at,
      by: personForPeople(by),
      reason,
      operationId,
    })),
  };
}
