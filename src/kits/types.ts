import type { Operations } from './operations.ts';

/**
 * What `createClient` takes.
 *
 * @example
 * ```ts
 * import assert from 'node:assert/strict';
 * import { type ClientOptions, createClient } from 'fiatrail/client';
 * import { startSandbox } from 'fiatrail/sandbox';
 *
 * await using sandbox = await startSandbox();
 * const options: ClientOptions = {
 *   baseUrl: sandbox.url,
 *   apiKey: sandbox.apiKey,
 *   timeoutMs: 10_000,
 *   signal: AbortSignal.timeout(60_000),
 *   fetch: sandbox.fetch,
 *   onWarning: (sentence) => process.stderr.write(`${sentence}\n`),
 * };
 * const { banks } = await createClient(options).call('banks.list-codes');
 * assert.equal(banks.length > 0, true);
 * ```
 */
export interface ClientOptions {
  /** The base URL of the service, ending in /v1. */
  readonly baseUrl: string;
  /** The API key of the account. */
  readonly apiKey: string;
  /** The service's own name, which one path contains. */
  readonly serviceName?: string | undefined;
  /** The service key, 64 hexadecimal digits. Requests are then encrypted to it. */
  readonly platformKey?: string | undefined;
  /** The X25519 private keys of the account, newest first, to decrypt responses. */
  readonly privateKeys?: readonly string[] | undefined;
  /** Whether a response that is not encrypted is rejected (default false). */
  readonly requiresEncryption?: boolean | undefined;
  /** The time limit of a call with all its retries, in milliseconds (default 60,000). */
  readonly timeoutMs?: number | undefined;
  /** Stops every call. What a stopped change did is unknown. */
  readonly signal?: AbortSignal | undefined;
  /** Sends the requests instead of the built-in transport, such as the `fetch` of a sandbox. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Called with a sentence about a response that is usable although it breaks the contract. */
  readonly onWarning?: ((sentence: string) => void) | undefined;
}

/**
 * A client of one account. It has no journal: record a payment before you send it, and look for it in the account before you send it
 * again.
 *
 * @example
 * ```ts
 * import assert from 'node:assert/strict';
 * import type { Client } from 'fiatrail/client';
 * import { startSandbox } from 'fiatrail/sandbox';
 *
 * async function balanceOf({ call }: Client): Promise<string | undefined> {
 *   const { totalBalance } = await call('wallets.balance-multi', { token: 'CNGN' });
 *   return totalBalance?.value;
 * }
 *
 * await using sandbox = await startSandbox();
 * assert.equal(await balanceOf(sandbox.client), '5250000.000000');
 * ```
 */
export interface Client {
  /**
   * Sends a request. A read is retried; a change is retried only after a 429, so it is made at most once. Resolves with the data of the
   * response, with exact amounts. Rejects with FiatrailError; its category `unknown` means that a change may have been made.
   */
  call<Id extends keyof Operations & string>(
    operation: Id,
    input?: Operations[Id]['input'],
  ): Promise<Operations[Id]['output']>;
}
