/** A sandbox that notes the first success of each endpoint and each of its refusals, as examples. Equal on every run. */
import { createHmac } from 'node:crypto';
import { Secret } from '../../src/base/secret.ts';
import type { Clock, HttpResponse, Ids } from '../../src/base/world.ts';
import { decodeAnswer, encodeRequest } from '../../src/client/codec.ts';
import { uncheckedRequest } from '../../src/client/request.ts';
import { type Endpoint, type RequestOf, type ResponseOf, refusalsOf } from '../../src/contract/endpoint.ts';
import { createSandbox } from '../../src/sandbox/app.ts';
import { openService } from '../../src/service/service.ts';

export type Json = Readonly<Record<string, unknown>>;

/** What is known of an endpoint by example. */
export interface EndpointExamples {
  request: Json | undefined;
  response: Json | undefined;
  /** By the position of the condition in what the endpoint declares. */
  readonly refusals: Map<number, Json>;
}

/** A Monday morning, so that no bank is closed. */
const START_MS = Date.UTC(2026, 0, 5, 9);

/** Longer than any work at the pace `quick`, and much shorter than 30 minutes. */
const SETTLED_MS = 10_000;

const CALLER = '127.0.0.1';

/** Ids that count, and bytes of a keyed digest. */
function countingIds(): Ids {
  let count = 0;
  const nextBytes = (length: number) => {
    count += 1;
    const parts = Array.from({ length: Math.ceil(length / 32) }, (_, part) =>
      createHmac('sha256', 'examples').update(`${count} ${part}`).digest(),
    );
    return Uint8Array.from(Buffer.concat(parts).subarray(0, length));
  };
  return {
    uuid: () => {
      const hex = Buffer.from(nextBytes(16)).toString('hex');
      return `019b8d6d-${hex.slice(0, 4)}-7${hex.slice(4, 7)}-8${hex.slice(7, 10)}-${hex.slice(10, 22)}`;
    },
    bytes: nextBytes,
    digest: (key, text) => createHmac('sha256', key).update(text).digest('base64url'),
  };
}

export type Recorder = Awaited<ReturnType<typeof openRecorder>>;

export async function openRecorder(options: { readonly rateLimits?: boolean } = {}) {
  let nowMs = START_MS;
  const clock: Clock = {
    now: () => nowMs,
    sleep: async (durationMs) => {
      nowMs += durationMs;
    },
  };
  const { rateLimits = false } = options;
  const seed = { pace: 'quick', rateLimits } as const;
  const service = await openService({ path: ':memory:', clock, ids: countingIds(), gather: queueMicrotask, seed });
  const sandbox = createSandbox(service);
  const examples = new Map<string, EndpointExamples>();
  const examplesFor = (id: string): EndpointExamples => {
    const found = examples.get(id) ?? { request: undefined, response: undefined, refusals: new Map() };
    examples.set(id, found);
    return found;
  };

  /** Sends a request unchanged, and returns the response. */
  const fetch = (
    endpoint: Endpoint,
    input: object,
    apiKey = sandbox.apiKey(),
    address = CALLER,
  ): Promise<HttpResponse> => {
    const target = { baseUrl: 'http://sandbox.invalid/v1', apiKey: new Secret(apiKey) };
    const request = encodeRequest(uncheckedRequest(endpoint, input as RequestOf<Endpoint>), target);
    return sandbox.fetch(request, { apiKey, address });
  };

  return {
    examples,
    apiKey: sandbox.apiKey(),
    fetch,
    /** The key of a seeded fintech: 1 is the caller, 3 and 4 are market makers. */
    keyOf: (fintech: number, kind: 'sandbox' | 'production'): Promise<string> =>
      service.submit('read', ({ store }) => {
        const sql = 'SELECT key FROM api_key WHERE fintech = ? AND kind = ? AND revoked_at IS NULL';
        const found = store.get<{ readonly key: string }>(sql, fintech, kind);
        if (!found) throw new Error(`the seeded fintech ${fintech} has no ${kind} key`);
        return found.key;
      }),
    /** Lets time pass, and runs what is due by then. */
    async pass(durationMs = SETTLED_MS): Promise<void> {
      nowMs += durationMs;
      await service.submit('write', () => undefined);
    },
    /** Calls an endpoint, which must succeed. The first call of each endpoint is its example, unless `isExample` says otherwise. */
    async ok<E extends Endpoint>(
      endpoint: E,
      input: RequestOf<E>,
      { apiKey = sandbox.apiKey(), isExample = true } = {},
    ): Promise<ResponseOf<E>> {
      const response = await fetch(endpoint, input as object, apiKey);
      const answer = decodeAnswer(endpoint, response);
      if (answer.kind !== 'success') throw new Error(`${endpoint.id}: ${response.status} ${response.body}`);
      const example = examplesFor(endpoint.id);
      if (isExample && example.response === undefined) {
        example.request = JSON.parse(JSON.stringify(input)) as Json;
        example.response = JSON.parse(response.body) as Json;
      }
      return answer.data;
    },
    /** Calls an endpoint, which must refuse for the condition that contains `when`. */
    async refused(endpoint: Endpoint, when: string, input: object, apiKey = sandbox.apiKey()): Promise<void> {
      const rows = refusalsOf(endpoint);
      const index = rows.findIndex((row) => row.when.includes(when));
      const { status, body } = await fetch(endpoint, input, apiKey);
      const answer = JSON.parse(body) as Json;
      const row = rows[index];
      if (row?.http !== status || row.code !== answer['response_code'])
        throw new Error(`${endpoint.id}: "${when}" was answered ${status} ${body}`);
      examplesFor(endpoint.id).refusals.set(index, answer);
    },
    close: () => sandbox.close(),
  };
}
