import { CliError } from '../../base/errors.ts';
import { directory } from '../../contract/directory.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { createLoader } from '../../contract/load.ts';
import type { Operation } from '../../journal/operations.ts';
import { parseExactJson } from '../../money/decimal.ts';
import type { Account } from '../account.ts';
import { timeForPeople } from '../guard.ts';
import { type Outcome, outcomeOf } from '../outcome.ts';
import { workStartedBy } from './find-work.ts';
import { failureCode } from './follow.ts';
import { followWork, printedWork, startedOutcome, withAlso } from './started.ts';
import { isFollowed, type Work } from './work.ts';

/** Returns an endpoint by its id, or undefined if this version does not know it. */
export async function endpointNamed(id: string | undefined): Promise<Endpoint | undefined> {
  const entry = directory.find((each) => each.id === id);
  return entry && createLoader()(entry);
}

/**
 * Prints what the journal recorded instead of sending again, and says when it was done. Work that has not ended yet is read
 * again, and followed for `waitMs`.
 */
export async function recordedOutcome(account: Account, operation: Operation, waitMs: number): Promise<Outcome> {
  const { operationId, idempotencyKey, summary, state, updatedAt, requestId, endpoint } = operation;
  await account.notices.note(
    `already done${idempotencyKey === null ? '' : ` under the idempotency key ${idempotencyKey}`} (${state}, ${updatedAt}): ${summary}; nothing was sent`,
  );
  const work = await workStartedBy(endpoint);
  if (state === 'accepted' && requestId !== null && isFollowed(work) && (waitMs > 0 || operation.result === null))
    return followWork(account, work, requestId, waitMs);
  const outcome = await resultOutcome(account, operation);
  if (state !== 'failed') return outcome;
  const why = operation.detail ? ` (${operation.detail})` : '';
  const failed = new CliError('failed', `this failed on ${timeForPeople(updatedAt)}: ${summary}${why}`, {
    code: failureCode(recordedData(operation).data),
    hint: 'this is final; fix the cause, then use another idempotency key',
    operationId,
  });
  return { ...outcome, error: failed };
}

/** Returns the service's data as recorded, and the id of the endpoint whose contract describes it. */
export function recordedData({ result }: Pick<Operation, 'result'>): {
  readonly endpoint?: string;
  readonly data?: unknown;
} {
  return result === null ? {} : (parseExactJson(result) as { endpoint?: string; data?: unknown });
}

/** The recorded data as the command would print it; the operation itself if the service's data was never recorded. */
async function resultOutcome(account: Account, operation: Operation): Promise<Outcome> {
  const { operationId, state, verdict, requestId, request } = operation;
  const { endpoint: id, data } = recordedData(operation);
  const endpoint = await endpointNamed(id);
  if (!endpoint) return { result: { data: { operationId, state, verdict, requestId } } };
  const reply = { data, body: JSON.stringify({ data }), problems: [], request: parseExactJson(request) };
  const outcome = outcomeOf(account, endpoint, reply);
  const work = await workStartedBy(operation.endpoint);
  const start = work?.starts.find((each) => each.id === operation.endpoint);
  if (!start || !isFollowed(work)) return outcome;
  const printed = printedWork(work, start);
  return startedOutcome(account, printed, withAlso(printed, outcome, await alsoOf(account, work, operation)));
}

/** Reads what is printed with the start of work while it can still matter; undefined if it cannot be read. */
async function alsoOf(
  account: Account,
  { also }: Pick<Work, 'also'>,
  { state, requestId }: Operation,
): Promise<object | undefined> {
  if (!also || state !== 'accepted' || requestId === null) return undefined;
  const { endpoint } = also;
  const reply = await account
    .call(endpoint, { requestId } as never, { isBeforehand: true })
    .catch(async (error: unknown) => {
      if (!(error instanceof CliError) || error.category === 'interrupted') throw error;
      // An account that has expired cannot be paid any more.
      await account.notices.note(`what to pay could not be read: ${error.message}`);
      return undefined;
    });
  const data = (reply?.data ?? {}) as Readonly<Record<string, unknown>>;
  return reply && { ...data, ...(data[endpoint.nests ?? ''] as object | undefined) };
}
