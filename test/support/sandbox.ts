import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Secret } from '../../src/base/secret.ts';
import type { Clock, HttpResponse, Ids } from '../../src/base/world.ts';
import { decodeAnswer, encodeRequest } from '../../src/client/codec.ts';
import { uncheckedRequest } from '../../src/client/request.ts';
import type { Endpoint, RequestOf, ResponseOf } from '../../src/contract/endpoint.ts';
import { parseJson } from '../../src/money/decimal.ts';
import type { AnswerOptions } from '../../src/sandbox/answer.ts';
import { createSandbox, type Sandbox } from '../../src/sandbox/app.ts';
import { createDeliverer, type DeliveryOptions } from '../../src/sandbox/deliver.ts';
import type { UnverifiedCaller } from '../../src/sandbox/guard.ts';
import type { Context } from '../../src/service/context.ts';
import { openService, type Service, type UnitKind } from '../../src/service/service.ts';
import type { PaceName } from '../../src/service/settings.ts';
import { firstPlace, idsFrom } from './ids.ts';
import { type Image, openSeeded } from './seeded.ts';

/** A Monday morning, so that no business-day rule interferes. */
export const START_MS = Date.UTC(2026, 0, 5, 9);

/** A clock that only moves when a test moves it. */
export interface FakeClock extends Clock {
  set(timeMs: number): void;
  pass(durationMs: number): void;
}

export function fakeClock(startMs = START_MS): FakeClock {
  let timeMs = startMs;
  const clock: FakeClock = {
    now: () => timeMs,
    set: (next) => {
      timeMs = next;
    },
    pass: (durationMs) => {
      timeMs += durationMs;
    },
    sleep: async (durationMs) => clock.pass(durationMs),
  };
  return clock;
}

/** Ids from a counter and a small generator, equal on every run. Different seeds never produce equal ids. */
export function countingIds(seed = 1): Ids {
  return idsFrom(firstPlace(seed));
}

/** Creates a folder that is removed at the end of its `using` block. */
export function temporaryFolder(): Disposable & { readonly path: string; file(name: string): string } {
  const path = mkdtempSync(join(tmpdir(), 'fiatrail-test-'));
  return {
    path,
    file: (name) => join(path, name),
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** The envelope of every response. Fields that a response lacks are undefined. */
export interface Envelope {
  readonly status: string;
  readonly response_code: string;
  readonly message: string;
  readonly error?: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

export interface Reply {
  readonly status: number;
  readonly envelope: Envelope;
}

export function replyOf({ status, body }: Pick<HttpResponse, 'status' | 'body'>): Reply {
  return { status, envelope: parseJson(body) as Envelope };
}

/** The data of a successful response, typed by the contract. Throws if the request was refused. */
export function dataOf<E extends Endpoint>(endpoint: E, response: HttpResponse): ResponseOf<E> {
  const answer = decodeAnswer(endpoint, response);
  if (answer.kind !== 'success') throw new Error(`${endpoint.id}: ${JSON.stringify(answer)}`);
  return answer.data;
}

export interface OpenOptions {
  /** In memory by default. */
  readonly path?: string;
  readonly clock?: FakeClock;
  readonly ids?: Ids;
  /** It begins with what another sandbox in memory had, at the time of that one. */
  readonly beginning?: Beginning;
  readonly pace?: PaceName;
  /** Off by default: few tests are about limits. */
  readonly rateLimits?: boolean;
  readonly gather?: (flush: () => void) => void;
  /** How the sandbox answers. */
  readonly answers?: AnswerOptions;
  /** Delivers webhooks through this, by default also to this machine; without it, none leave. */
  readonly delivery?: Pick<DeliveryOptions, 'exchange'> & Partial<DeliveryOptions>;
}

/** A copy of all that a sandbox in memory had at a time. */
export interface Beginning {
  readonly image: Image;
  readonly nowMs: number;
}

/** A sandbox with its own service, and time and randomness controlled by the test. */
export interface TestSandbox extends AsyncDisposable {
  readonly clock: FakeClock;
  readonly service: Service;
  readonly sandbox: Sandbox;
  readonly apiKey: string;
  /** Sends a request unchanged: any method, URL, body text and caller. */
  fetch(method: string, url: string, body?: string, caller?: UnverifiedCaller): Promise<HttpResponse>;
  /** Calls an operation with the seeded key, or another one. Paths of the service are given without /v1. */
  call(method: string, path: string, body?: unknown, apiKey?: string): Promise<Reply>;
  /** The raw response to a request encoded by the client's codec. */
  send<E extends Endpoint>(endpoint: E, input: RequestOf<E>, apiKey?: string): Promise<HttpResponse>;
  /** Calls an endpoint through the client's codec and returns the data of the response. Throws if it is refused. */
  ask<E extends Endpoint>(endpoint: E, input: RequestOf<E>, apiKey?: string): Promise<ResponseOf<E>>;
  /** Runs `work` in a transaction of the service, after all due work. */
  inside<T>(work: (context: Context) => T, kind?: UnitKind): Promise<T>;
  /** Only of a sandbox in memory. */
  copy(): Beginning;
  close(): Promise<void>;
}

export async function openSandbox(options: OpenOptions = {}): Promise<TestSandbox> {
  const { path, ids, beginning, clock = fakeClock(beginning?.nowMs), gather = queueMicrotask } = options;
  const seed = { pace: options.pace ?? 'quick', rateLimits: options.rateLimits ?? false };
  const { delivery } = options;
  const how = { clock, gather, seed, allowsLoopback: delivery !== undefined };
  const opened: { service: Service; copy?: () => Image } =
    path || ids
      ? { service: await openService({ ...how, path: path ?? ':memory:', ids: ids ?? countingIds() }) }
      : await openSeeded(how, beginning?.image);
  const { service } = opened;
  const deliverer = delivery && createDeliverer(service, { allowsLoopback: true, ...delivery });
  const sandbox = createSandbox(service, options.answers, deliverer);
  const apiKey = sandbox.apiKey();
  const callerOf = (key: string): UnverifiedCaller => ({ apiKey: key, address: '127.0.0.1' });
  const fetch: TestSandbox['fetch'] = (method, url, body, caller = callerOf(apiKey)) =>
    sandbox.fetch({ method, url, headers: {}, body }, caller);
  const send: TestSandbox['send'] = (endpoint, input, key = apiKey) => {
    const target = { baseUrl: 'http://sandbox.invalid/v1', apiKey: new Secret(key) };
    return sandbox.fetch(encodeRequest(uncheckedRequest(endpoint, input), target), callerOf(key));
  };
  let isOpen = true;
  const close = async () => {
    if (isOpen) await sandbox.close();
    isOpen = false;
  };
  return {
    clock,
    service,
    sandbox,
    apiKey,
    fetch,
    call: async (method, path, body, key = apiKey) => {
      const url = path.startsWith('/_sandbox') ? path : `/v1${path}`;
      const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
      return replyOf(await fetch(method, url, text, callerOf(key)));
    },
    send,
    ask: async (endpoint, input, key) => dataOf(endpoint, await send(endpoint, input, key)),
    inside: (work, kind = 'write') => service.submit(kind, work),
    copy: () => {
      if (!opened.copy) throw new Error('only a sandbox in memory with its own ids can be copied');
      return { image: opened.copy(), nowMs: clock.now() };
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
