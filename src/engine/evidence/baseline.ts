import { CliError, withDetails } from '../../base/errors.ts';
import { type Endpoint, effectOf } from '../../contract/endpoint.ts';
import { redact } from '../../contract/redact.ts';
import type { Baseline } from '../../journal/intent.ts';
import { parseExactJson } from '../../money/decimal.ts';
import type { Account } from '../account.ts';
import { PREVIEW_READ } from '../previews/previews.ts';
import { workStartedBy } from './find-work.ts';
import { rowsBefore } from './listing.ts';
import type { RowsBefore } from './work.ts';

/**
 * Returns what is known of the service before a request leaves. Before one that moves money, reads the list that will show the work: that shows the
 * service's time, and which rows are older than the request.
 */
export async function baselineOf(
  account: Account,
  endpoint: Endpoint,
  input: unknown,
  terms: Baseline['terms'],
): Promise<Baseline> {
  const { service } = account.time;
  const before =
    effectOf(endpoint, input) === 'money'
      ? await rowsNow(account, endpoint, { ...requestOf(endpoint, input), ...terms })
      : undefined;
  // A clock that was set while this command ran says nothing about the past.
  const serviceAtMs = service.jumpMs() === 0 ? service.nowMs() : undefined;
  return { serviceAtMs, hostAheadMs: service.hostAheadMs(), before, terms };
}

const requestOf = (endpoint: Endpoint, input: unknown) =>
  parseExactJson(JSON.stringify(redact(endpoint.request(), input))) as Record<string, unknown>;

/** A list that cannot be read stops no payment that a person waits for; without it, less will be evidence. */
async function rowsNow(
  account: Account,
  { id }: Endpoint,
  request: Readonly<Record<string, unknown>>,
): Promise<RowsBefore | undefined> {
  const work = await workStartedBy(id);
  try {
    if (work?.before) return await work.before(account, request);
    const { totalMs } = account.mayWait ? { totalMs: account.globals.timeoutMs } : PREVIEW_READ;
    return work?.list && (await rowsBefore(account, work.list(request), { totalMs, isBeforehand: true }));
  } catch (error) {
    const isOwn = error instanceof CliError;
    if (isOwn && error.category === 'interrupted') throw error;
    if (!isOwn || !account.mayWait) return undefined;
    if (error.category === 'rate-limited') throw error;
    const message = `the list that would show it cannot be read: ${error.message}; nothing was sent`;
    throw withDetails(error, { category: 'network', message });
  }
}
