import { requestIdOf } from '../../client/client.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import type { Account } from '../account.ts';

/** Sends a request that the journal has recorded, as it was recorded. Returns the service's id of the work. Throws CliError. */
export async function sendRecorded(
  account: Account,
  endpoint: Endpoint,
  request: unknown,
  isLate: () => boolean,
): Promise<string | undefined> {
  const { data } = await account.call(endpoint, request as never, { isRecorded: true, isLate });
  return requestIdOf(endpoint, data);
}
