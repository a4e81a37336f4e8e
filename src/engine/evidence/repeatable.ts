import type { Operation } from '../../journal/operations.ts';
import type { Account } from '../account.ts';
import { clockDistance } from '../connection/service-time.ts';
import { clockProblem } from './absence.ts';
import { serviceKeyOf } from './evidence.ts';

/** How long after a request left the service still knows its idempotency key, at the least. Source: inferred. */
const REPEATABLE_MS = 10 * 60_000;

/** Whether the service does a request once, however often it is sent. */
export const isKeyed = ({ request }: Pick<Operation, 'request'>): boolean => serviceKeyOf(request) !== undefined;

/** Returns why a request with an unknown outcome may not be sent again under the service's idempotency key; undefined if it may. */
export async function whyNotRepeatable(account: Account, operation: Operation): Promise<string | undefined> {
  if (!isKeyed(operation)) return 'its request carries no idempotency key of the service, which could do it twice';
  if (operation.searchState.repeatedAtMs !== undefined) return 'it was sent again before';
  const { baseline } = operation;
  const clock = await clockProblem(account, baseline ?? {});
  if (clock !== undefined) return clock;
  const agoMs = (account.time.service.nowMs() ?? Infinity) - (baseline?.serviceAtMs ?? -Infinity);
  if (agoMs <= REPEATABLE_MS) return undefined;
  return `it was sent ${clockDistance(agoMs)} ago, and the service is not known to remember an idempotency key for longer than ${clockDistance(REPEATABLE_MS)}`;
}
