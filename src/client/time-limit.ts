import ky, { isTimeoutError } from 'ky';
import { ExchangeError } from '../base/exchange-error.ts';

/**
 * Runs one step of a connection (a look-up, a handshake) under ky's time limit, without retries. `run` must stop when
 * its signal aborts. Throws ExchangeError `reason`, with nothing sent, when the limit passes first.
 */
export async function withTimeLimit<T>(
  url: string,
  limitMs: number,
  reason: string,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const results: T[] = [];
  const fetch = async (request: unknown) => {
    results.push(await run((request as Request).signal));
    return new globalThis.Response(null);
  };
  try {
    await ky(url, { timeout: limitMs, retry: 0, fetch });
  } catch (error) {
    throw isTimeoutError(error) ? new ExchangeError(reason, false, error) : error;
  }
  return results[0] as T;
}
