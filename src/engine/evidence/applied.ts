import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import { parseExactJson } from '../../money/decimal.ts';
import type { Account } from '../account.ts';
import { journalLocationOf } from '../connection/journal-location.ts';
import { approversOf, FILES, isOfJournal, LIST_CHANGES } from '../plans/approver-list.ts';
import type { Plan } from '../plans/plan.ts';
import { listed } from './evidence.ts';
import { workStartedBy } from './find-work.ts';

/** How far the clock of the plan's author may be ahead of the service's. */
const CLOCK_MS = 24 * 60 * 60_000;

/** Whether another machine could apply a plan of this account too: its idempotency key is in the journal of this machine alone. */
const isAlone = ({ world, profile }: Account): boolean =>
  profile.mode !== 'embedded' && journalLocationOf(world, profile).server === undefined;

const isSoleHost = ({ profile }: Account): boolean => profile.stored?.soleHost === true;

/**
 * Throws CliError usage for a plan of two approvers if another machine could apply it too and nobody said that none does. Warns of it if
 * there is only one approver.
 */
export async function requireOneJournal(account: Account, { signatures, content }: Plan): Promise<void> {
  const { name } = account.profile;
  // The rows of a file are in this journal alone.
  if (!isAlone(account) || isSoleHost(account) || isOfJournal(content.endpoint) || content.endpoint === FILES) return;
  const { approvers, needsAnother } = await approversOf(account);
  const why = 'only this machine’s journal knows that the plan is applied, so another machine could apply it too';
  const share = advice`[fiatrail profiles journal set ${name} --url URL]`;
  if (needsAnother)
    throw new CliError('usage', `${why}; nothing was sent`, {
      code: 'JOURNAL_NOT_SHARED',
      hint: advice`share a journal: ${share}; or, if no other machine applies plans of this account: [fiatrail profiles journal set ${name} --sole-host]`,
    });
  if (signatures.length === 0 && approvers.length === 0) return;
  await account.notices.say(`warning: ${why}; share a journal: ${share}`);
}

/** Says what a plan does if it is applied a second time, where another journal does not know of the first. */
export async function appliedTwice(account: Account, { content }: Plan): Promise<string> {
  const { endpoint, request, tag, amounts } = content;
  if (endpoint === LIST_CHANGES) return 'changes the approvers in each journal where it is applied';
  if (isOfJournal(endpoint)) return 'records the same decision in each journal where it is applied';
  if (endpoint === FILES)
    return 'sends the rows that were not sent: each is sent at most once, and only this journal has them';
  if (!isAlone(account))
    return 'sends nothing: the journal that every host of this profile has knows of the first time';
  const here = isSoleHost(account) ? 'this profile says that plans are applied on this machine alone; ' : '';
  const again = amounts.map(({ value, asset }) => `${value} ${asset}`).join(', ') || 'the request';
  const { serviceKeyOf } = await import('./evidence.ts');
  if (serviceKeyOf(JSON.stringify(request)) !== undefined)
    return `${here}with another machine’s journal, it sends the same idempotency key, under which the service does it once`;
  if (tag !== null && (await workStartedBy(endpoint)))
    return `${here}with another machine’s journal, it sends ${again} again unless the service’s list shows ${tag} by then`;
  return `${here}with another machine’s journal, it sends ${again} again: nothing in the service’s lists shows that a plan was applied`;
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
    {
      code: 'PLAN_APPLIED',
      hint: advice`see it with: [fiatrail ${work.evidence.replace('fiatrail ', '').split(' ')}]`,
    },
  );
}
