/**
 * The sandbox inside another program, as the package's entry `fiatrail/sandbox`: the whole service, with or without a port, whose
 * clock, banks and faults a test controls.
 */
import { ExchangeError } from '../base/errors.ts';
import type { Clock, Exchange } from '../base/world.ts';
import { createNetwork } from '../client/network.ts';
import { controls } from '../contract/control.ts';
import type { Sandbox } from '../sandbox/app.ts';
import { openRunning } from '../sandbox/running.ts';
import { listen } from '../sandbox/serve.ts';
import { createIds, quietClock, systemClock, turn } from '../system/time-and-chance.ts';
import { type Controls, controlName } from './operations.ts';
import { clientOver } from './sender.ts';
import type { Client } from './types.ts';

export type { Controls } from './operations.ts';

/**
 * What `startSandbox` takes.
 *
 * @example
 * ```ts
 * import assert from 'node:assert/strict';
 * import { type SandboxOptions, startSandbox } from 'fiatrail/sandbox';
 *
 * const options: SandboxOptions = { clock: '2026-11-02T09:00:00Z', pace: 'real', rateLimits: true };
 * await using sandbox = await startSandbox(options);
 * await sandbox.control.advance({ durationMs: 60_000 });
 * assert.equal((await sandbox.control.clock()).now, '2026-11-02T09:01:00.000Z');
 * ```
 */
export interface SandboxOptions {
  /** The port of 127.0.0.1 to listen on; 0 picks a free one. Without it, nothing listens. */
  readonly port?: number | undefined;
  /** The path of the state file, created if it does not exist (default: in memory). */
  readonly state?: string | undefined;
  /** The start time; the clock then moves only with `control.advance` (default: the clock of this machine). */
  readonly clock?: Date | string | number | undefined;
  /** How fast banks and chains are (default quick). `control.settle` completes everything that is pending. */
  readonly pace?: 'instant' | 'quick' | 'real' | undefined;
  /** Whether to enforce the rate limits of the service (default false). */
  readonly rateLimits?: boolean | undefined;
  /** The documented form of the responses (default interface). */
  readonly responses?: 'interface' | 'public' | 'public-older' | undefined;
}

/**
 * A sandbox that runs until it is closed. `await using` closes it at the end of the block.
 *
 * @example
 * ```ts
 * import assert from 'node:assert/strict';
 * import { type RunningSandbox, startSandbox } from 'fiatrail/sandbox';
 *
 * // Pays Naira into a new onramp, as a customer does in their bank's app.
 * async function paidOnramp({ client, control }: RunningSandbox, userId: string): Promise<string | null | undefined> {
 *   const onramp = await client.call('transactions.onramp', { userId, amount: { value: '5000', asset: 'NGN' } });
 *   const { accountNumber } = await client.call('virtual-accounts.get', { requestId: onramp.requestId });
 *   await control.pay({ accountNumber, amount: { value: '5100', asset: 'NGN' }, senderName: 'ADA OBI' });
 *   await control.settle();
 *   return (await client.call('transactions.onramp-status', { requestId: onramp.requestId })).status;
 * }
 *
 * const sandbox = await startSandbox({ pace: 'instant' });
 * try {
 *   const { requestId } = await sandbox.client.call('users.onboard', { bvn: '22222222222' });
 *   await sandbox.control.settle();
 *   const { userId } = await sandbox.client.call('users.onboard-status', { requestId });
 *   assert.equal(await paidOnramp(sandbox, userId ?? ''), 'completed');
 * } finally {
 *   await sandbox.close();
 * }
 * ```
 */
export interface RunningSandbox extends AsyncDisposable {
  /** The base URL, ending in /v1. Without a port, only `fetch` of this sandbox knows it. */
  readonly url: string;
  /** The API key of the initial account. */
  readonly apiKey: string;
  /** The secret that its webhooks are signed with. */
  readonly webhookSecret: string;
  /** Like the global `fetch`, for the URLs of this sandbox, without a port and a socket. */
  readonly fetch: typeof globalThis.fetch;
  /** A client of its account. */
  readonly client: Client;
  /** Moves the clock, pays as a customer of a bank, injects faults, and shows what happened. */
  readonly control: Controls;
  /** Stops the sandbox. What is under way ends first. */
  close(): Promise<void>;
}

/** Where a sandbox without a port responses. */
const NO_PORT = 'http://sandbox.invalid/v1';

/**
 * Starts a sandbox. Rejects if the port is in use or the state file cannot be used.
 *
 * @example
 * ```ts
 * import assert from 'node:assert/strict';
 * import { startSandbox } from 'fiatrail/sandbox';
 *
 * await using sandbox = await startSandbox();
 * const response = await sandbox.fetch(`${sandbox.url}/getfintechwallet`, { headers: { 'x-api-key': sandbox.apiKey } });
 * assert.equal(response.status, 200);
 * ```
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<RunningSandbox> {
  const { state = ':memory:', port, clock, pace, rateLimits = false, responses } = options;
  const world = { clock: clockAt(clock), ids: createIds() };
  const network = createNetwork(process.env, { clock: systemClock, turn });
  const sandbox = await openRunning(world, {
    path: state,
    pace,
    rateLimits,
    responses,
    exchange: network,
    webhooksToLoopback: true,
  });
  const listening = port === undefined ? undefined : await listen(sandbox, { port }).catch(closed(sandbox));
  const url = listening?.url ?? NO_PORT;
  const apiKey = sandbox.apiKey();
  const exchange: Exchange = async (request) => {
    const caller = { apiKey: request.headers['x-api-key'], address: '127.0.0.1' };
    const answer = await sandbox.fetch(request, caller);
    return { ...answer, headers: { ...answer.headers, ...sandbox.timeHeaders() } };
  };
  const client = clientOver(exchange, { baseUrl: url, apiKey });
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= (async () => {
      await listening?.close();
      await sandbox.close();
    })();
    return closing;
  };
  return {
    url,
    apiKey,
    client,
    close,
    webhookSecret: sandbox.webhookSecret(),
    fetch: (input, init) => fetchWith(exchange, url, new Request(input, init)),
    control: Object.fromEntries(
      controls.map(
        ({ id }) => [controlName(id), (input = {}) => client.call(id, input)] satisfies [string, Controls[string]],
      ),
    ),
    [Symbol.asyncDispose]: close,
  };
}

/** Closes a sandbox that cannot listen, and rejects with the reason. */
const closed = (sandbox: Sandbox) => async (error: unknown) => {
  await sandbox.close();
  throw error;
};

/** A clock that stands at a time, or the system's. Neither keeps the program running. Throws RangeError for no valid time. */
function clockAt(time: Date | string | number | undefined): Clock {
  if (time === undefined) return quietClock;
  const standsAtMs = new Date(time).getTime();
  if (Number.isNaN(standsAtMs)) throw new RangeError(`clock: expected a time, not ${String(time)}`);
  return { now: () => standsAtMs, sleep: quietClock.sleep };
}

/** Answers a fetch. Rejects with TypeError for another address and for a dropped connection, as fetch does. */
async function fetchWith(exchange: Exchange, baseUrl: string, request: Request): Promise<Response> {
  const { origin, pathname, search } = new URL(request.url);
  if (origin !== new URL(baseUrl).origin) throw new TypeError(`this sandbox answers at ${baseUrl}, not at ${origin}`);
  request.signal.throwIfAborted();
  const hasBody = request.method !== 'GET' && request.method !== 'HEAD';
  const sent = {
    method: request.method,
    url: pathname + search,
    headers: Object.fromEntries(request.headers),
    body: hasBody ? await request.text() : undefined,
  };
  const { status, headers, body } = await exchange(sent, request.signal).catch((error: unknown) => {
    throw error instanceof ExchangeError ? new TypeError('fetch failed', { cause: error }) : error;
  });
  return new Response(status === 204 || request.method === 'HEAD' ? null : body, { status, headers: { ...headers } });
}
