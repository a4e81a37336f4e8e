import { planNoticeUrl, planNoticeWords } from '../../account/plan-notices.ts';
import type { Profile } from '../../account/profile.ts';
import { CliError } from '../../base/errors.ts';
import type { World } from '../../base/world.ts';
import type { Notices } from '../connection/notices.ts';
import type { Author, Plan } from './plan.ts';
import type { PlanStatus } from './queue.ts';
import { authorForPeople, personForPeople } from './shown.ts';

/** How long the command and the URL may take: nobody waits longer for somebody else to be told. */
const NOTICE_MS = 10_000;

/** The account whose plan waits or was decided. */
interface NotifyingAccount {
  readonly world: Pick<World, 'runProgram' | 'network' | 'interrupted'>;
  readonly profile: Profile;
  readonly notices: Pick<Notices, 'say'>;
}

/** What just happened to a plan. */
interface PlanEvent {
  readonly status: PlanStatus;
  readonly by: Author;
  readonly reason?: string | null;
}

/** Returns what is told about a plan: facts, and no secret. */
function factsOf({ profile }: NotifyingAccount, { content, hash }: Plan, { status, by, reason = null }: PlanEvent) {
  return {
    plan: content.id,
    status,
    summary: content.summary,
    author: authorForPeople(content),
    by: personForPeople(by),
    reason,
    expiresAt: content.expiresAt,
    hash,
    profile: profile.name,
    mode: profile.mode,
  };
}

type Facts = ReturnType<typeof factsOf>;

/** The variable of each fact. */
const VARIABLES: Readonly<Record<keyof Facts, string>> = {
  plan: 'FIATRAIL_PLAN_ID',
  status: 'FIATRAIL_PLAN_STATUS',
  summary: 'FIATRAIL_PLAN_SUMMARY',
  author: 'FIATRAIL_PLAN_AUTHOR',
  by: 'FIATRAIL_PLAN_BY',
  reason: 'FIATRAIL_PLAN_REASON',
  expiresAt: 'FIATRAIL_PLAN_EXPIRES_AT',
  hash: 'FIATRAIL_PLAN_HASH',
  profile: 'FIATRAIL_PLAN_PROFILE',
  mode: 'FIATRAIL_PLAN_MODE',
};

/** Runs the profile’s command. Returns why it failed; undefined if it did not. */
async function informCommand({ world }: NotifyingAccount, command: string, facts: Facts): Promise<string | undefined> {
  const entries = Object.entries(facts) as [keyof Facts, string | null][];
  const env = Object.fromEntries(entries.map(([name, value]) => [VARIABLES[name], value ?? '']));
  const input = `${JSON.stringify(facts)}\n`;
  const end = await world.runProgram(planNoticeWords(command), { timeoutMs: NOTICE_MS, input, env });
  if (end.kind === 'missing') return 'it cannot be started';
  if (end.kind === 'late') return `it took longer than ${NOTICE_MS / 1000} seconds`;
  return end.code === 0 ? undefined : `it ended with ${end.code}`;
}

/** Sends the facts to the profile’s URL. Returns why it failed; undefined if it did not. */
async function informUrl({ world }: NotifyingAccount, url: string, facts: Facts): Promise<string | undefined> {
  const request = {
    method: 'POST',
    // A profile file may have been edited.
    url: planNoticeUrl(url),
    headers: { 'content-type': 'application/json', 'user-agent': 'fiatrail' },
    body: JSON.stringify(facts),
  };
  const signal = AbortSignal.any([AbortSignal.timeout(NOTICE_MS), world.interrupted]);
  const { status } = await world.network(request, signal);
  return status >= 200 && status < 300 ? undefined : `it responded with ${status}`;
}

/** Tells the command and the URL of the profile what happened to a plan. What fails is said, and changes nothing. */
export async function notifyOfPlan(account: NotifyingAccount, plan: Plan, event: PlanEvent): Promise<void> {
  const { command, url } = account.profile.stored?.planNotices ?? {};
  const facts = factsOf(account, plan, event);
  const inform = async (what: string, tell: () => Promise<string | undefined>) => {
    const why = await tell().catch((error: unknown) =>
      error instanceof CliError || error instanceof Error ? error.message : String(error),
    );
    if (why === undefined) return;
    await account.notices.say(`warning: the plan is ${event.status}, but ${what} failed: ${why}`);
  };
  await Promise.all([
    command === undefined ? undefined : inform('the notify command', () => informCommand(account, command, facts)),
    url === undefined ? undefined : inform('the notify URL', () => informUrl(account, url, facts)),
  ]);
}
