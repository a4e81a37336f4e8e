import { CliError } from '../base/errors.ts';
import type { Outcome } from '../cli/outcome.ts';
import { outcomeOf, type Session } from '../cli/session.ts';
import { directory } from '../contract/directory.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { createLoader } from '../contract/load.ts';
import type { Operation } from '../journal/journal.ts';
import { parseExactJson } from '../money/decimal.ts';
import { workStartedBy } from './find-work.ts';
import { followWork } from './work.ts';

/** Returns an endpoint by its id, or undefined if this version does not know it. */
async function endpointNamed(id: string): Promise<Endpoint | undefined> {
  const entry = directory.find((each) => each.id === id);
  return entry && createLoader()(entry);
}

/**
 * Prints what the journal recorded instead of sending again, and says when it was done. Work that has not ended yet is read
 * again, and followed for `waitMs`.
 */
export async function recordedOutcome(session: Session, operation: Operation, waitMs: number): Promise<Outcome> {
  const { operationId, onceKey, summary, state, verdict, updatedAt, requestId, endpoint } = operation;
  await session.note(
    `already done under the once key ${onceKey} (${state}, ${updatedAt}): ${summary}; nothing was sent`,
  );
  const work = await workStartedBy(endpoint);
  if (state === 'accepted' && requestId !== null && work?.status && (waitMs > 0 || operation.result === null))
    return followWork(session, work, requestId, waitMs);
  const outcome = await resultOutcome(session, operation);
  if (state !== 'failed') return outcome;
  const failed = new CliError('failed', `${summary} failed: ${operation.detail ?? verdict ?? 'no reason given'}`, {
    hint: 'this is final; fix the cause, then use another once key',
    operationId,
  });
  return { ...outcome, error: failed };
}

/** The recorded data as the command would print it; the operation itself if the service's data was never recorded. */
async function resultOutcome(session: Session, operation: Operation): Promise<Outcome> {
  const { result, operationId, state, verdict, requestId } = operation;
  const { endpoint: id, data } =
    result === null ? {} : (parseExactJson(result) as { endpoint?: string; data?: unknown });
  const endpoint = id === undefined ? undefined : await endpointNamed(id);
  if (!endpoint) return { result: { data: { operationId, state, verdict, requestId } } };
  return outcomeOf(session, endpoint, { data, body: JSON.stringify({ data }), problems: [] });
}
