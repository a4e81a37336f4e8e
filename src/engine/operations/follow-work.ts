import type { Endpoint, ResponseOf } from '../../contract/endpoint.ts';
import type { Account } from '../account.ts';
import type { Outcome } from '../outcome.ts';
import { resultOf } from '../send.ts';
import { type Following, followStatus } from './follow.ts';
import type { FollowedWork } from './work.ts';

/** Follows work until it ends or the time is up, and records the end in the journal. */
export function followWork<E extends Endpoint>(
  account: Account,
  work: FollowedWork,
  requestId: string,
  waitMs: number,
  { names, ...more }: Pick<Following<E>, 'shows' | 'isBeforehand'> & { readonly names?: object } = {},
): Promise<Outcome> {
  const { starts, status: followed, retry } = work;
  const { input, command, idField: _id, namesFor, watch, createdOf: _created, ...rest } = followed;
  return followStatus(account, {
    ...rest,
    ...more,
    input: input(requestId),
    again: `fiatrail ${command} ${requestId} --wait`,
    retry: retry?.(requestId),
    waitMs,
    ...(watch ? { meanwhile: watch(account, requestId) } : {}),
    namesFor: async (data: ResponseOf<Endpoint>) => names ?? (await namesFor?.(account, requestId, data)) ?? {},
    openEndListener: async () => (await import('./event-evidence.ts')).endListenerFor(account, work, requestId),
    ended: (outcome: End['outcome'], data: ResponseOf<Endpoint>) =>
      recordEnd(account, {
        starts: starts.map(({ id }) => id),
        requestId,
        outcome,
        result: resultOf(followed.endpoint, data),
      }),
  });
}

interface End {
  readonly starts: readonly string[];
  readonly requestId: string;
  readonly outcome: 'settled' | 'failed';
  readonly result: string;
}

/** Carries the end of work into the journal. A journal that cannot be written does not change what the service said. */
async function recordEnd(account: Account, { starts, requestId, outcome, result }: End): Promise<void> {
  try {
    const names = await account.accountNames();
    const journal = await account.journal();
    await journal.ended({ account: names, endpoints: starts, requestId }, outcome, { result });
  } catch {
    await account.say('warning: cannot write to the journal; it does not know yet how this work ended');
  }
}
