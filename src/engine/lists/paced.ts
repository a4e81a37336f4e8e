import { CliError } from '../../base/errors.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import type { Account } from '../account.ts';

/** The share of a rate limit that a long list leaves to other commands. */
const LEFT_FOR_OTHERS = 0.2;

/**
 * Returns a function that waits before a page of a long list is read, once the service refused one because of its rate limit: from
 * then on the list leaves room for other commands. It rejects with CliError interrupted.
 */
export function pacer(
  { world: { clock, interrupted }, progress }: Account,
  { rateLimit }: Endpoint,
): () => Promise<void> {
  const share = Math.max(1, Math.floor(rateLimit.max * (1 - LEFT_FOR_OTHERS)));
  const windowMs = rateLimit.windowSeconds * 1000;
  const times: number[] = [];
  return async () => {
    const oldest = times.length < share ? undefined : times.shift();
    const waitMs = oldest === undefined ? 0 : oldest + windowMs - clock.now();
    if (waitMs > 0 && progress.isLimited()) {
      await progress.waits(waitMs);
      await clock.sleep(waitMs, interrupted).catch(() => {
        throw new CliError('interrupted', 'interrupted');
      });
    }
    times.push(clock.now());
  };
}
