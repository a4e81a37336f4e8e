/**
 * The program's own client, as the package's entry `fiatrail/client`: the contract's checks, encryption, retries by effect and exact
 * amounts. It keeps no journal, so whoever calls it records what was sent.
 */
import { ExchangeError } from '../base/errors.ts';
import type { Exchange } from '../base/world.ts';
import { createNetwork } from '../client/network.ts';
import { systemClock, turn } from '../system/time-and-chance.ts';
import { clientOver } from './sender.ts';
import type { Client, ClientOptions } from './types.ts';

export { CliError as FiatrailError } from '../base/errors.ts';
export type { Amount, Operations } from './operations.ts';
export type { Client, ClientOptions } from './types.ts';

/**
 * Creates a client. Throws FiatrailError with the category `usage` for an option that cannot work.
 *
 * @example
 * ```ts
 * import assert from 'node:assert/strict';
 * import { createClient } from 'fiatrail/client';
 * import { startSandbox } from 'fiatrail/sandbox';
 *
 * await using sandbox = await startSandbox();
 * // In production: the base URL and the API key of your account, and no fetch.
 * const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, fetch: sandbox.fetch });
 * const { users } = await client.call('users.list', { limit: 20 });
 * assert.equal(users.length, 0);
 * ```
 */
export function createClient(options: ClientOptions): Client {
  const { fetch } = options;
  return clientOver(fetch ? over(fetch) : createNetwork(process.env, { clock: systemClock, turn }), options);
}

/** Sends through a function like `fetch`. What was sent before it failed is unknown. */
function over(fetch: typeof globalThis.fetch): Exchange {
  return async ({ method, url, headers, body }, signal) => {
    try {
      const answer = await fetch(url, { method, headers, body: body ?? null, signal, redirect: 'manual' });
      return { status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.text() };
    } catch (error) {
      throw new ExchangeError(error instanceof Error ? error.message : 'the request failed', true, error);
    }
  };
}
