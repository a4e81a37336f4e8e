import { CliError } from '../base/errors.ts';
import { directory } from '../contract/directory.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { createLoader } from '../contract/load.ts';
import type { Operation } from '../journal/journal.ts';
import { parseExactJson } from '../money/decimal.ts';
import type { Outcome } from './outcome.ts';
import { outcomeOf, type Session } from './session.ts';

/** Returns an endpoint by its id, or undefined if this version does not know it. */
async function endpointNamed(id: string): Promise<Endpoint | undefined> {
  const entry = directory.find((each) => each.id === id);
  return entry && createLoader()(entry);
}

/** Prints what the journal recorded instead of sending again, and says when it was done. */
export async function recordedOutcome(session: Session, operation: Operation): Promise<Outcome> {
  const { operationId, onceKey, summary, state, verdict, updatedAt } = operation;
  await session.note(
    `already done under the once key ${onceKey} (${state}, ${updatedAt}): ${summary}; nothing was sent`,
  );
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
  const recorded = result === null ? undefined : (parseExactJson(result) as { endpoint: string; data: unknown });
  const endpoint = recorded && (await endpointNamed(recorded.endpoint));
  if (!recorded || !endpoint) return { result: { data: { operationId, state, verdict, requestId } } };
  return outcomeOf(session, endpoint, {
    data: recorded.data,
    body: JSON.stringify({ data: recorded.data }),
    problems: [],
  });
}
