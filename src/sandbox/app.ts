import { Secret } from '../base/secret.ts';
import type { HttpRequest, HttpResponse } from '../base/world.ts';
import { type DirectoryEntry, directory } from '../contract/directory.ts';
import { type Endpoint, fieldsSentIn } from '../contract/endpoint.ts';
import { Fault } from '../contract/faults.ts';
import { createLoader } from '../contract/load.ts';
import { createPathMatcher, VERSION_PREFIX } from '../contract/paths.ts';
import { SANDBOX_CLOCK, SANDBOX_LIMITS } from '../contract/sandbox.ts';
import { openerOf, payloadIn, seal } from '../crypto/sealed-box.ts';
import { jsonAmbiguity } from '../money/json-text.ts';
import { signingSecret } from '../service/events/deliveries.ts';
import type { Service } from '../service/service.ts';
import { readSettings } from '../service/settings.ts';
import { type AnswerOptions, createAnswers, failure, httpRefusal } from './answer.ts';
import type { Deliverer } from './deliver.ts';
import { createRateLimiter, isKnownKey, type UnverifiedCaller } from './guard.ts';
import { createRequestHandler, injectFault, type ReceivedRequest } from './request-handler.ts';
import { createOperations, type FoundOperation, type Route, splitUrl } from './router.ts';

type Addressed = Pick<Endpoint, 'id' | 'method' | 'path' | 'aliases' | 'area'>;

/** Paths of older documentation that the service no longer has. Source: public, client. */
const OLDER_PATHS: ReadonlyMap<string, string> = new Map([
  ['/getbankaccount', '/getbankaccounts'],
  ['/fintechrequestwithdrawal', '/feewithdrawal'],
  ['/verify-withdrawal', '/verifywithdrawal'],
  ['/cngnrampstatus', '/cngnonrampstatus'],
]);

/** A step that earlier versions of the service had. Source: public. */
const REMOVED = '/verifyotp';

/** Matches a request's method and URL against the contract. */
export function createRouter(paths: Paths = createPathMatcher(directory)): Router {
  const load = createLoader();
  return (method, url) => {
    const { pathname, query } = splitUrl(url);
    const found = paths.match(method, pathname);
    if (!found) return undefined;
    const { group } = found.endpoint;
    const routeOf = (endpoint: Endpoint) => ({
      endpoint,
      group,
      path: Object.fromEntries(Object.entries(found.parameters).map(([name, part]) => [name, decoded(part)])),
      pathname,
      query,
    });
    const endpoint = load(found.endpoint);
    return endpoint instanceof Promise ? endpoint.then(routeOf) : routeOf(endpoint);
  };
}

/** Returns a hint at the endpoint for which a request that matched none was probably meant. */
function endpointHint<E extends Addressed>(
  { matchesAt }: ReturnType<typeof createPathMatcher<E>>,
  path: string,
): string | undefined {
  const tidy = path
    .replace(/\/{2,}/g, '/')
    .replace(/^(\/v\d+)+(?=\/|$)/i, '')
    .replace(/(?!^)\/$/, '');
  const bare = tidy.toLowerCase();
  if (bare === REMOVED) return 'the service no longer has this step';
  const current = OLDER_PATHS.get(bare) ?? bare;
  // Ids in a path keep their case, so the spelling of the request comes first.
  for (const candidate of [path, VERSION_PREFIX + tidy, tidy, VERSION_PREFIX + current, current]) {
    const methods = matchesAt(candidate).map(({ spelling }) => spelling.method);
    if (methods.length > 0) return `the current path is ${[...new Set(methods)].join(' or ')} ${candidate}`;
  }
  return undefined;
}

/** Returns the encrypted payload of a request; undefined for a plain request or an endpoint without a body. */
function encryptedPayload(endpoint: Endpoint, { body }: HttpRequest): string | undefined {
  const isRead = endpoint.area !== 'control' && fieldsSentIn(endpoint) === 'body';
  return isRead && body !== undefined ? payloadIn(body) : undefined;
}

/**
 * Returns a request with its payload decrypted as the body. A payload that cannot be opened is refused later, after the
 * caller is authenticated.
 */
async function openRequest(request: ReceivedRequest, payload: string, secretKey: string): Promise<ReceivedRequest> {
  // Another reader might open another one of two payloads.
  const ambiguity = jsonAmbiguity(request.body ?? '');
  if (ambiguity) return { ...request, bodyProblem: `body: ${ambiguity}` };
  const opened = (await openerOf([new Secret(secretKey)]))(payload);
  if ('text' in opened) return { ...request, body: opened.text };
  return { ...request, bodyProblem: `payload: the encrypted body cannot be decrypted: ${opened.problem}` };
}

/** Seals the whole envelope of a response; status and headers stay in plain text. Source: inferred. */
async function encryptResponse(answer: HttpResponse, key: string): Promise<HttpResponse> {
  return { ...answer, body: JSON.stringify({ payload: await seal(answer.body, key) }) };
}

/** The whole service as a function from request to response. */
export interface Sandbox {
  /** Rejects with ExchangeError to drop the connection. */
  fetch(request: ReceivedRequest, caller: UnverifiedCaller): Promise<HttpResponse>;
  /** The headers with the sandbox's time, which may be ahead of this machine's: clients judge by it what may still appear in a list. */
  timeHeaders(): Readonly<Record<string, string>>;
  /** The API key of the seeded fintech, used by the embedded client. */
  apiKey(): string;
  /** Whether a key is registered and not revoked, whatever it may be used for. */
  knowsKey(apiKey: string): boolean;
  /** What the deliveries of the seeded fintech are signed with. */
  webhookSecret(): string;
  /** Sends the events that are due, until `signal` aborts. */
  deliverDue(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** What a response says that only the world outside knows, found out after the transaction: by endpoint. */
type Completion = (data: unknown, input: unknown, deliverer: Deliverer) => Promise<unknown>;
const COMPLETIONS: Readonly<Record<string, Completion>> = {
  'management.set-webhook': async (data, input, { reaches }) => ({
    ...(data as object),
    urlValidated: await reaches((input as { webhookUrl: string }).webhookUrl),
  }),
};

/** Returns a promise only for an endpoint that is not loaded yet. */
type Router = (method: string, url: string) => Route | undefined | Promise<Route>;

type Paths = ReturnType<typeof createPathMatcher<DirectoryEntry>>;

/** A stray percent sign matches nothing, so the text is looked up unchanged. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Without a deliverer, no event leaves the sandbox, and no URL counts as reachable. */
export function createSandbox(service: Service, options: AnswerOptions = {}, deliverer?: Deliverer): Sandbox {
  const paths = createPathMatcher(directory);
  const router = createRouter(paths);
  const operationOf = createOperations(service);
  const limiter = createRateLimiter();
  const handleRequest = createRequestHandler(service, limiter);
  const answers = createAnswers(options, service.nowMs);
  const inTurn = createTurns();
  const closing = new AbortController();
  // Read on every request, because restoring a state replaces the key.
  const secretKey = () => readSettings(service.store).platformSecretKey;
  // What the last request found, so that its response needs no further read: undefined from the start of each request.
  let stated: Awaited<ReturnType<typeof handleRequest>>['settings'];
  const find = (request: ReceivedRequest) => {
    // A HEAD is a GET without the body of the response, which node:http leaves out.
    const isHead = request.method === 'HEAD';
    const route = router(isHead ? 'GET' : request.method, request.url);
    const answerable = (each: Route) => (isHead && each.endpoint.effect !== 'read' ? undefined : withOperation(each));
    return route instanceof Promise ? route.then(answerable) : route && answerable(route);
  };
  const withOperation = (route: Route): FoundRoute | Promise<FoundRoute> => {
    const found = operationOf(route);
    return found instanceof Promise ? found.then((each) => ({ route, ...each })) : { route, ...found };
  };
  return {
    fetch: async (request, caller) => {
      stated = undefined;
      const found = await inTurn(() => find(request));
      if (!found) {
        const { pathname } = splitUrl(request.url);
        if (request.method === 'HEAD' && paths.matchesAt(pathname).length > 0)
          return httpRefusal(405, 'HEAD is answered only where a GET changes nothing');
        const hint = endpointHint(paths, pathname);
        const detail = `no endpoint has this method and path${hint ? `; ${hint}` : ''}`;
        return failure(new Fault('NOT_FOUND', detail));
      }
      const { endpoint } = found.route;
      const payload = encryptedPayload(endpoint, request);
      const received = payload === undefined ? request : await openRequest(request, payload, secretKey());
      const handled = await handleRequest({ ...found, request: received, caller });
      const { data = {}, input, refusal, injected, sealTo } = handled;
      stated = handled.settings;
      const complete = deliverer && !refusal ? COMPLETIONS[endpoint.id] : undefined;
      const completed = complete && deliverer ? await complete(data, input, deliverer) : data;
      const plain = refusal ? answers.refusal(endpoint, refusal) : answers.success(endpoint, completed, input);
      const answer = sealTo === undefined ? plain : await encryptResponse(plain, sealTo);
      return injected ? injectFault(injected, answer, service.clock, closing.signal) : answer;
    },
    timeHeaders: () => {
      const { clockOffsetMs: aheadMs, rateLimits } = stated ?? readSettings(service.store);
      const nowMs = service.clock.now() + aheadMs;
      const limits: Record<string, string> = rateLimits ? {} : { [SANDBOX_LIMITS]: 'off' };
      return { date: new Date(nowMs).toUTCString(), [SANDBOX_CLOCK]: `${nowMs} ${aheadMs}`, ...limits };
    },
    apiKey: () => readSettings(service.store).embeddedApiKey,
    webhookSecret: () => signingSecret(service.store, 1n),
    deliverDue: async (signal) => deliverer?.deliverDue(signal),
    knowsKey: (apiKey) => isKnownKey(service.store, apiKey),
    close: async () => {
      closing.abort(new Error('the sandbox was closed'));
      if (limiter.unsaved() > 0) await service.submit('write', limiter.save);
      service.close();
    },
  };
}

interface FoundRoute extends FoundOperation {
  readonly route: Route;
}

/**
 * Returns a function that looks something up in the order of the calls: while one waits for a group of endpoints to load, the
 * next ones wait for it, so that a request is not overtaken. Without anything to wait for, the result is there at once.
 */
function createTurns(): <T>(find: () => T | Promise<T>) => T | Promise<T> {
  let last: Promise<unknown> | undefined;
  return (find) => {
    const found = last === undefined ? find() : last.then(find, find);
    if (!(found instanceof Promise)) return found;
    last = found;
    // One step after the caller has gone on, so that nothing comes in between.
    const goneOn = found.then(nothing, nothing);
    goneOn.then(() => {
      if (last === found) last = undefined;
    });
    return found;
  };
}

const nothing = () => {};
