import { advice, type Hint } from '../../base/advice.ts';
import { CliError, withDetails } from '../../base/errors.ts';
import { requestIdOf } from '../../client/client.ts';
import type { Operation } from '../../journal/operations.ts';
import { isOutcomeUnknown } from '../../journal/states.ts';
import { parseExactJson } from '../../money/decimal.ts';
import type { Account } from '../account.ts';
import { sendRequest } from '../connection/connect.ts';
import { workStartedBy } from '../evidence/find-work.ts';
import { reconcile } from '../evidence/reconcile.ts';
import { endpointNamed } from '../evidence/recorded.ts';
import { isKeyed, whyNotRepeatable } from '../evidence/repeatable.ts';
import { outcomeOfStart } from '../evidence/started.ts';
import { isFollowed, type Work } from '../evidence/work.ts';
import { AlreadyDone, conflictError, reconcileHint, timeForPeople } from '../guard.ts';
import { type Outcome, outcomeOf } from '../outcome.ts';
import type { ShownLine } from '../plans/line.ts';
import { prepareRequest, warnOf } from '../requests.ts';
import type { ChangePrompt } from './change.ts';
import { requireSigned, type Signatures, sendJournaled } from './send.ts';

/** How a request is sent again. */
export interface Retrying {
  readonly asking: ChangePrompt;
  /**
   * Of a plan that is applied a second time: compares it with the account, and returns the signatures that count now. Throws CliError declined if it does not
   * hold any more.
   */
  readonly requirePlan: (() => Promise<Signatures>) | undefined;
  /** How long to wait for the end of the work, in milliseconds; undefined: not at all. */
  readonly waitMs: number | undefined;
}

/**
 * Sends a request with an unknown outcome again, as it was recorded, under the idempotency key of the service that it carried: the service answers with what it
 * did then, or does it now. It meets the rules, limits, hours and approvers of now, and is agreed to at the price of now. Throws AlreadyDone if
 * its outcome is known or is found, and CliError: usage or declined if it may not be sent again, unknown if its outcome stays unknown.
 */
export async function retry(account: Account, given: Operation, retrying: Retrying): Promise<Outcome> {
  const { asking, requirePlan, waitMs } = retrying;
  const endpoint = await endpointNamed(given.endpoint);
  if (!endpoint || !isKeyed(given)) throw notKeyed(given);
  const { agent } = account.globals;
  // A dry run ends here: it looks for nothing.
  if (account.globals.dryRun) await prepareRequest(account, endpoint, parseExactJson(given.request) as never);
  await requireOwn(account, given);
  const operation = await stillUnknown(account, given);
  const input = parseExactJson(operation.request) as never;
  const request = await prepareRequest(account, endpoint, input, { isRecorded: true });
  const terms = operation.baseline?.terms;
  const require = async (codeFor?: string) => {
    await requireRepeatable(account, operation);
    const signed = await requirePlan?.();
    if (agent !== undefined) (await import('./agent.ts')).requireApproved(signed);
    await requireSigned(account, endpoint, input, signed).catch((error: unknown) => {
      throw error instanceof CliError ? withDetails(error, { hint: signedHint(operation) }) : error;
    });
    await account.rules.require(endpoint, input, { codeFor, terms, recorded: operation });
  };
  await require();
  const work = await workStartedBy(endpoint.id);
  await asking.confirm({
    summary: `send again: ${operation.summary}`,
    lines: [
      ['sent first', timeForPeople(operation.createdAt)],
      ['effect', 'the service responds with what it did then, or does it now'],
    ],
    previews: async () => [
      ...(await pricesNow(account, work, operation)),
      ...(await (await import('../rules/market.ts')).marketWarning(account, endpoint, input, terms)),
    ],
  });
  // Its time may be over, and the rules may be others, since the question was asked.
  await require(operation.summary);
  await account.connection(endpoint);
  const { reply, operationId } = await sendJournaled(account, {
    endpoint,
    input,
    summary: operation.summary,
    guard: undefined,
    again: operation,
    call: (isLate, beforeResend) => sendRequest(account, request, { isLate, beforeResend, terms }),
  });
  account.activity.changed = { operationId, requestId: requestIdOf(endpoint, reply.data) };
  await warnOf(account, reply, false);
  const answered = { ...reply, request: input };
  return isFollowed(work)
    ? outcomeOfStart(account, work, endpoint, answered, { wait: waitMs })
    : outcomeOf(account, endpoint, answered);
}

/**
 * Does for a command that runs again under its idempotency key what `retry` does. While its outcome is unknown, no error may say that nothing was done: throws
 * CliError unknown that says why it was not sent again.
 */
export async function retryOfRerun(account: Account, operation: Operation, retrying: Retrying): Promise<Outcome> {
  try {
    return await retry(account, operation, retrying);
  } catch (error) {
    if (!(error instanceof CliError) || ['unknown', 'interrupted'].includes(error.category)) throw error;
    if (account.activity.changed || !(await isStillUnknown(account, operation))) throw error;
    throw new CliError(
      'unknown',
      `${operation.summary}, sent on ${timeForPeople(operation.createdAt)} under key ${operation.idempotencyKey}: the outcome is unknown, and it was not sent again: ${error.message}`,
      {
        code: 'OUTCOME_UNKNOWN',
        operationId: operation.operationId,
        cause: error,
        hint: reconcileHint(operation.operationId),
      },
    );
  }
}

async function isStillUnknown(account: Account, { operationId }: Operation): Promise<boolean> {
  const [now] = await (await account.journal()).find(operationId);
  return now === undefined || isOutcomeUnknown(now);
}

/** Says how a request that needs a signature is sent again. A new plan would be another request. */
const signedHint = ({ authority, operationId }: Operation): Hint =>
  authority ? advice`apply its plan again, within 10 minutes: [fiatrail plans apply FILE]` : reconcileHint(operationId);

const notKeyed = (operation: Operation) =>
  new CliError(
    'usage',
    `this request carries no idempotency key of the service, so it cannot be sent again; nothing was sent`,
    {
      code: 'NOT_REPEATABLE',
      operationId: operation.operationId,
      hint: reconcileHint(operation.operationId),
    },
  );

/** Throws CliError usage if an operation is of another account than the command: its rules would be those of another profile. */
async function requireOwn(account: Account, { account: of, profile, operationId }: Operation): Promise<void> {
  const journal = await account.journal();
  if ((await journal.accountIds(await account.accountNames())).includes(of)) return;
  throw new CliError(
    'usage',
    `this operation is of another account than profile ${account.profile.name}; nothing was sent`,
    {
      code: 'OTHER_ACCOUNT',
      operationId,
      hint: `run it with: --profile ${profile}`,
    },
  );
}

/** Looks for an operation, and returns it if its outcome is still unknown. Throws AlreadyDone, and CliError declined. */
async function stillUnknown(account: Account, given: Operation): Promise<Operation> {
  const looked = await reconcile(account, given);
  const { operation, kind } = looked;
  const { operationId, state, verdict } = operation;
  if (kind === 'busy')
    throw new CliError(
      'declined',
      'the command that sent it, or one with an equal request, is still running; nothing was sent',
      {
        operationId,
        hint: 'wait for it to end',
      },
    );
  if (kind === 'contradicted') throw conflictError('equal-unknown', operation);
  if (isOutcomeUnknown(operation)) return operation;
  if (state !== 'rejected' && verdict !== 'not-done') throw new AlreadyDone(operation);
  throw new CliError('declined', `the outcome of this operation is known: ${verdict ?? state}; nothing was sent`, {
    operationId,
    hint: advice`see it with: [fiatrail ops show ${operationId}]`,
  });
}

async function requireRepeatable(account: Account, operation: Operation): Promise<void> {
  const why = await whyNotRepeatable(account, operation);
  if (why === undefined) return;
  throw new CliError('declined', `this cannot be sent again: ${why}; nothing was sent`, {
    code: 'NOT_REPEATABLE',
    operationId: operation.operationId,
    hint: reconcileHint(operation.operationId),
  });
}

/** Returns what a trade gets now. What cannot be read is said, because the price is what someone agrees to. */
async function pricesNow(
  account: Account,
  work: Work | undefined,
  { request, baseline }: Operation,
): Promise<readonly ShownLine[]> {
  const terms = { ...baseline?.terms, ...(parseExactJson(request) as Readonly<Record<string, unknown>>) };
  const price = await work?.priceNow?.(account, terms).catch((error: unknown) => {
    if (!(error instanceof CliError) || error.category === 'interrupted') throw error;
    return undefined;
  });
  return [['price now', price ?? 'cannot be read']];
}
