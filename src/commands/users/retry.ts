import { CliError, withDetails } from '../../base/errors.ts';
import type { Secret } from '../../base/secret.ts';
import { type Change, confirmChange } from '../../cli/confirm.ts';
import type { Session } from '../../cli/session.ts';
import type { ResponseOf } from '../../contract/endpoint.ts';
import type { onboardStatus } from '../../contract/endpoints/users.ts';
import type { Journal, Operation } from '../../journal/journal.ts';
import { followWork } from '../../works/follow-work.ts';
import { recordedData } from '../../works/recorded.ts';
import { onboarding } from '../../works/users.ts';

const EVERY = 1_000;

/** An earlier onboarding that is tried again. */
interface Earlier {
  readonly operation: Operation;
  /** Whether it is unknown if the service took it. */
  readonly isInDoubt: boolean;
  /** What the service said about its failure. */
  readonly why: string | undefined;
  /** Whether the service said that trying the same again does not help. */
  readonly isFinal: boolean;
}

/** Finds an onboarding of this account that trying again can help. Throws CliError usage. */
export async function earlierOnboarding(session: Session, id: string): Promise<Earlier> {
  const journal = await session.journal();
  const found = await onboardingNamed(session, journal, id);
  // The journal may not know yet how it ended.
  if (found.state === 'accepted' && found.requestId)
    await followWork(session, onboarding, found.requestId, 0, { isBeforehand: true });
  const [operation = found] = await journal.find(found.operationId);
  const { state, requestId, operationId, verdict } = operation;
  if (journal.isBusy(operation)) throw unhelpful('its command is still running', 'wait for it');
  if (state === 'accepted')
    throw unhelpful('it is still in progress', `check it with: fiatrail users onboarding ${requestId} --wait`);
  if (state === 'settled' || verdict === 'completed')
    throw unhelpful('the user was onboarded', `see: fiatrail ops show ${operationId}`);
  const { message, retryable } = endOf(operation);
  return {
    ...{ operation, isInDoubt: state === 'sent' || state === 'unknown' },
    ...{ why: message ?? operation.detail ?? undefined, isFinal: state === 'failed' && retryable === false },
  };
}

const unhelpful = (why: string, hint: string) =>
  new CliError('usage', `this onboarding cannot be tried again: ${why}`, { hint });

async function onboardingNamed(session: Session, journal: Journal, id: string): Promise<Operation> {
  const ids = await journal.accountIds(await session.accountNames());
  const named = [...(await journal.find(id)), ...(await journal.list({ requestId: id, limit: 2 }))];
  const found = named.filter(({ kind, account }) => kind === 'onboarding' && ids.includes(account));
  const [operation, other] = found;
  if (operation && !other) return operation;
  const many = 'more than one onboarding of this account matches this id';
  throw new CliError('usage', `--retry: ${other ? many : 'no onboarding of this account has this id'}`, {
    hint: 'list them with: fiatrail ops list --kind onboarding',
  });
}

/** The service's last word on an onboarding that failed. */
function endOf(operation: Operation): Partial<ResponseOf<typeof onboardStatus>> {
  if (operation.state !== 'failed') return {};
  return (recordedData(operation).data ?? {}) as Partial<ResponseOf<typeof onboardStatus>>;
}

/**
 * Decides whether this BVN may be sent again. One whose outcome is unknown must be the same: the service takes a BVN once, so that
 * only then nobody is onboarded twice. Throws CliError: `usage`, `declined`.
 */
export async function requireUseful(session: Session, { operation, ...earlier }: Earlier, bvn: Secret): Promise<void> {
  const journal = await session.journal();
  // As the operation recorded what was typed.
  const isSame = journal.digest(JSON.stringify([operation.command, { bvn: bvn.reveal() }])) === operation.inputDigest;
  if (earlier.isInDoubt && !isSame)
    throw new CliError('usage', 'this is not the BVN of that onboarding, whose outcome is unknown; nothing was sent', {
      hint: 'onboard another BVN without --retry; a journal that was imported without its digest key knows no BVN again',
    });
  if (!earlier.isFinal || !isSame) return;
  const { yes, dryRun } = session.globals;
  const change: Change = {
    summary: 'send a BVN again that the service refused',
    lines: [
      ['refused', `${earlier.why ?? 'without a reason'}; the service says that trying again does not help`],
      ['risk', 'many refused BVNs in a row can block the account'],
    ],
  };
  await confirmChange(session, change, !yes && !dryRun);
}

/** Ends every doubt about a BVN that was taken now: an earlier onboarding that took it has failed, or it would still have it. */
export async function recordRetried(session: Session, { operation, isInDoubt }: Earlier): Promise<void> {
  if (!isInDoubt) return;
  const resolve = `fiatrail ops resolve ${operation.operationId} --not-done --reason TEXT`;
  const taken = session.changed()?.operationId;
  const detail = `it onboarded nobody: the service took its BVN again, for operation ${taken}`;
  const { inputDigest, account, kind } = operation;
  try {
    const journal = await session.journal();
    const doubts = await journal.list({ state: 'in-doubt', kind, inputDigest, account: [account], limit: EVERY });
    // A later one, of another process, may be what has the BVN. Ids are in the order of time.
    const earlier = doubts.filter((each) => !journal.isBusy(each) && taken !== undefined && each.operationId < taken);
    for (const { operationId } of earlier)
      await journal.append(operationId, 'resolved', { verdict: 'not-done', detail });
  } catch {
    await session.say(`warning: cannot write to the journal; record that the earlier one onboarded nobody: ${resolve}`);
  }
}

/** What a refusal says about an earlier onboarding in doubt: the BVN may be the user's that it made, or that another one made. */
export async function refusedAgain(session: Session, error: unknown, earlier: Earlier): Promise<unknown> {
  if (!earlier.isInDoubt || !(error instanceof CliError) || error.category !== 'refused') return error;
  const alike = await onboardingsLike(session, earlier.operation).catch(() => []);
  const resolve = `fiatrail ops resolve ${earlier.operation.operationId}`;
  const settled = alike.find(({ state }) => state === 'settled');
  const open = alike.find(({ state }) => state === 'accepted');
  if (settled)
    return withDetails(error, {
      hint: `the BVN belongs to the user of operation ${settled.operationId}, so record: ${resolve} --not-done --reason TEXT`,
    });
  if (open)
    return withDetails(error, {
      hint: `operation ${open.operationId} may have the BVN; see how it ends, then run this again: fiatrail users onboarding ${open.requestId} --wait`,
    });
  const ids = alike.filter(({ state }) => state === 'sent' || state === 'unknown').map((each) => each.operationId);
  const rest =
    ids.length > 1 ? `; it is the user of one operation only, the others get --not-done: ${ids.join(', ')}` : '';
  return withDetails(error, {
    hint: `if the BVN belongs to a user now (fiatrail users list): ${resolve} --completed --reason TEXT${rest}`,
  });
}

/** The onboardings of the same BVN. */
async function onboardingsLike(session: Session, { inputDigest, account, kind }: Operation) {
  const journal = await session.journal();
  return journal.list({ kind, inputDigest, account: [account], limit: EVERY });
}
