import type { Endpoint } from '../contract/endpoint.ts';
import type { Account } from '../engine/account.ts';
import { shareOf } from '../engine/lists/pages.ts';

/**
 * Returns how long a row must wait so that files leave room for other commands: until fewer requests than their share of the rate limit were sent to its endpoint in
 * the last window. The journal counts those of all files, commands and hosts that share it, so that nothing else has to be agreed on.
 */
export async function waitForTurnMs(account: Account, { id, rateLimit }: Endpoint): Promise<number> {
  const { service } = account.time;
  // The first response says whether a sandbox has limits at all.
  if (service.isUnlimited() || service.nowMs() === undefined) return 0;
  const journal = await account.journal();
  const share = shareOf(rateLimit);
  const nowMs = account.world.clock.now() + journal.aheadMs();
  const windowMs = rateLimit.windowSeconds * 1000;
  const recent = await journal.list({
    account: await journal.accountIds(await account.accountNames()),
    endpoint: id,
    sinceMs: nowMs - windowMs,
    limit: share,
  });
  const oldest = recent.length < share ? undefined : recent.at(-1);
  return oldest ? Math.max(0, Date.parse(oldest.createdAt) + windowMs - nowMs) : 0;
}
