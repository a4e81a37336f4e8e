import { CliError } from '../../base/errors.ts';
import { parseExactJson } from '../../money/decimal.ts';
import type { Account } from '../account.ts';
import { journalLocationOf } from '../journal-location.ts';
import type { Plan } from '../plans/plan.ts';
import { listed } from './evidence.ts';
import { workStartedBy } from './find-work.ts';

/** How far the clock of the plan's author may be ahead of the service's. */
const CLOCK_MS = 24 * 60 * 60_000;

/** Whether another machine could apply a plan of this account too: its idempotency key is in the journal of this machine alone. */
const isAlone = ({ world, profile }: Account): boolean =>
  profile.mode !== 'embedded' && journalLocationOf(world, profile).server === undefined;

/** Warns that a plan which several people hold is applied once on this machine only. */
export async function warnIfAlone(account: Account, { signatures }: Plan): Promise<void> {
  const { profile } = account;
  if (!isAlone(account)) return;
  if (signatures.length === 0 && (await account.operators()).operators.length === 0) return;
  await account.say(
    `warning: only this machine’s journal knows that the plan is applied, so another machine could apply it too; share a journal: fiatrail profiles journal set ${profile.name} --url URL`,
  );
}

/** Throws CliError declined if the service's list has the tag of a plan, which another machine applied. */
export async function requireUnapplied(account: Account, { content }: Plan): Promise<void> {
  const { tag, endpoint, request, createdAt } = content;
  const work = tag !== null && isAlone(account) ? await workStartedBy(endpoint) : undefined;
  if (!work || tag === null) return;
  const query = {
    request: parseExactJson(JSON.stringify(request)) as Record<string, unknown>,
    tag,
    sinceMs: Date.parse(createdAt) - CLOCK_MS,
  };
  const found = (await listed(account, work, query)).candidates.find(({ isExact }) => isExact);
  if (!found) return;
  throw new CliError(
    'declined',
    `the plan was applied on another machine: the service has ${found.requestId} (${found.state}); nothing was sent`,
    { code: 'PLAN_APPLIED', hint: `see it with: ${work.evidence}` },
  );
}
