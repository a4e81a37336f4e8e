import { evidenceRulesOf } from '../../account/money-rules.ts';
import { CliError } from '../../base/errors.ts';
import { requestIdOf } from '../../client/client.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import type { Journal, Operation } from '../../journal/journal.ts';
import { parseExactJson } from '../../money/decimal.ts';
import type { Account } from '../account.ts';
import { clockProblem } from './clocks.ts';
import { endpointNamed } from './recorded.ts';
import type { Candidate, Found } from './work.ts';

/** Sends a request that the journal has recorded, as it was recorded. Returns the service's id of the work. Throws CliError. */
async function sendRecorded(
  account: Account,
  endpoint: Endpoint,
  request: unknown,
  isLate: () => boolean,
): Promise<string | undefined> {
  const { data } = await account.call(endpoint, request as never, { isRecorded: true, isLate });
  return requestIdOf(endpoint, data);
}

/** Time that a request needs to arrive before its idempotency key expires. */
const MARGIN_MS = 5 * 60_000;

/**
 * Sends a request again under the idempotency key that it left with, once, and returns the work that it started then or now. Undefined if it may not be sent: it
 * has no key, the profile does not say that the service still holds it, a clock is wrong, or the service’s list could not be read as a whole. Also if the
 * service gave no usable answer, which proves nothing.
 */
export async function sentAgain(
  account: Account,
  journal: Journal,
  operation: Operation,
  { isComplete, candidates, wrongTimes }: Found,
): Promise<Candidate | undefined> {
  const { operationId, baseline } = operation;
  const request = parseExactJson(operation.request) as Record<string, unknown>;
  const { idempotencyLifetimeMs } = evidenceRulesOf(account.profile);
  if (typeof request['idempotencyKey'] !== 'string' || idempotencyLifetimeMs === undefined) return undefined;
  if (!isComplete || wrongTimes !== undefined || (await clockProblem(account, baseline ?? {}))) return undefined;
  const untilMs = (baseline?.serviceAtMs ?? 0) + idempotencyLifetimeMs - MARGIN_MS;
  if ((account.time.service.nowMs() ?? Infinity) > untilMs) return undefined;
  // More rows than requests that may have made them: another program uses the account, and its work is not ours to guess at.
  if (candidates.length > (await equalDoubts(account, journal, operation))) return undefined;
  const endpoint = await endpointNamed(operation.endpoint);
  const repeat = endpoint && (await journal.claimRepeat(operationId, account.globals.timeoutMs));
  if (!repeat) return undefined;
  try {
    const requestId = await sendRecorded(account, endpoint, request, repeat.isLate);
    return requestId === undefined ? undefined : acceptedAs(requestId);
  } catch (error) {
    // A refusal proves nothing: nobody documents whether the service looks for the key first.
    if (error instanceof CliError && error.category !== 'interrupted') return undefined;
    throw error;
  }
}

/** The work that the service named when a request was sent again. */
export const acceptedAs = (requestId: string): Candidate => ({
  ...{ requestId, createdAt: undefined, standing: 'accepted', isExact: true },
  state: 'accepted when it was sent again under its idempotency key',
});

/** Counts the requests in doubt that are equal but for their idempotency keys, this one among them: none of them blocks another. */
async function equalDoubts(account: Account, journal: Journal, { endpoint, request }: Operation): Promise<number> {
  const ids = await journal.accountIds(await account.accountNames());
  const inDoubt = await journal.list({ account: ids, state: 'in-doubt', limit: MAX_DOUBTS });
  const plain = withoutKey(request);
  return inDoubt.filter((each) => each.endpoint === endpoint && withoutKey(each.request) === plain).length;
}

const MAX_DOUBTS = 1_000;

function withoutKey(request: string): string {
  const { idempotencyKey: _, ...rest } = JSON.parse(request) as Record<string, unknown>;
  return JSON.stringify(rest);
}
