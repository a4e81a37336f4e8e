import { problemsOf, problemText } from '../contract/check.ts';
import { type Endpoint, type EnvelopeVariant, placeOf } from '../contract/endpoint.ts';
import { FAULTS, Fault, isFailedEnvelope } from '../contract/faults.ts';
import { isWireNumber, parseJson } from '../money/decimal.ts';
import type { Call, Context } from '../service/context.ts';
import { useFaultRule } from '../service/fault-rules.ts';
import type { AnyOperation } from '../service/operation.ts';
import { operations } from '../service/operations/index.ts';
import type { Service, WorkKind } from '../service/service.ts';
import { readSettings } from '../service/settings.ts';
import type { HttpRequest, HttpResponse } from '../world.ts';
import { createControls, createFileControls } from './control.ts';
import { admit, type Caller, createRateLimiter } from './guard.ts';
import { type Mishap, mishapFor, suffer } from './mishap.ts';
import { createRouter, type Route, readQuery } from './router.ts';

/** The whole service as a function from request to answer. */
export interface Sandbox {
  fetch(request: HttpRequest, caller: Caller): Promise<HttpResponse>;
  /** The seeded fintech's key, with which the embedded client calls. */
  apiKey(): string;
  close(): Promise<void>;
}

/** After this many uncounted requests the counters are written in between. */
const UNSAVED_REQUESTS = 500;

export function createSandbox(service: Service): Sandbox {
  const router = createRouter();
  const limiter = createRateLimiter();
  const controls: Readonly<Record<string, AnyOperation>> = createControls(service);
  const files: Readonly<Record<string, AnyOperation>> = createFileControls(service);
  const table: Readonly<Record<string, AnyOperation>> = operations;
  const closing = new AbortController();

  const handle = (call: Call, route: Route, request: HttpRequest): unknown => {
    const { endpoint } = route;
    limiter.count(call, endpoint);
    const input = readInput(route, request);
    const operation = (endpoint.area === 'control' ? controls : table)[endpoint.id];
    if (!operation) throw new Error(`no operation for ${endpoint.id}`);
    return operation(call, input as never);
  };

  /** Inside the open transaction: does what is asked, and what is to go wrong with it on purpose. */
  const perform = (context: Context, kind: WorkKind, route: Route, request: HttpRequest, caller: Caller): Outcome => {
    const call = admit(context, caller, route.endpoint);
    const found = route.endpoint.area === 'control' ? undefined : mishapFor(call.store, route.endpoint.id);
    if (!found) return { data: handle(call, route, request) };
    const { rule, mishap } = found;
    if (kind === 'read') return { mishap, mustWrite: true };
    useFaultRule(call.store, rule);
    if (!mishap.isDone) return { mishap };
    try {
      return { mishap, data: call.store.savepoint(() => handle(call, route, request)) };
    } catch (error) {
      // The rule is used up, although the request changed nothing.
      if (error instanceof Fault) return { mishap, refusal: error };
      throw error;
    }
  };

  /** Let in and checked inside a transaction, done after it. */
  const onFile = async (found: Route, request: HttpRequest, caller: Caller): Promise<unknown> => {
    const letIn = (context: Context) => {
      const call = admit(context, caller, found.endpoint);
      limiter.count(call, found.endpoint);
      return { call, input: readInput(found, request) };
    };
    const { call, input } = await service.submit('read', letIn);
    return files[found.endpoint.id]?.(call, input as never);
  };

  const outcomeOf = async (found: Route, request: HttpRequest, caller: Caller): Promise<Outcome> => {
    const submit = (kind: WorkKind) => {
      // A unit of its own in the same commit: a refused request is undone, and still counts.
      if (kind !== 'read' && limiter.unsaved() > 0) service.submit('write', limiter.save).catch(() => {});
      return service.submit(kind, (context) => perform(context, kind, found, request, caller));
    };
    try {
      if (Object.hasOwn(files, found.endpoint.id)) return { data: await onFile(found, request, caller) };
      const outcome = await submit(kindOf(found.endpoint, limiter.unsaved()));
      return outcome.mustWrite ? await submit('write') : outcome;
    } catch (error) {
      if (error instanceof Fault) return { refusal: error };
      throw error;
    }
  };

  return {
    fetch: async (request, caller) => {
      const found = router(request.method, request.url);
      if (!found) return failure(new Fault('NOT_FOUND', 'no endpoint has this method and path'));
      const { data = {}, refusal, mishap } = await outcomeOf(found, request, caller);
      const answer = refusal ? failure(refusal, found.endpoint.envelope) : success(found.endpoint, data);
      return mishap ? suffer(mishap, answer, service.clock, closing.signal) : answer;
    },
    apiKey: () => readSettings(service.store).embeddedApiKey,
    close: async () => {
      closing.abort();
      if (limiter.unsaved() > 0) await service.submit('write', limiter.save);
      service.close();
    },
  };
}

/** What became of a request: its data or its refusal, and what goes wrong with the answer. */
interface Outcome {
  readonly data?: unknown;
  readonly refusal?: Fault;
  readonly mishap?: Mishap;
  /** Nothing was done: the transaction may not write, and that something goes wrong must be. */
  readonly mustWrite?: true;
}

function kindOf({ effect, area, isRecorded }: Endpoint, unsaved: number): WorkKind {
  if (effect === 'read' && !isRecorded) return unsaved < UNSAVED_REQUESTS ? 'read' : 'write';
  return area === 'control' ? 'alone' : 'write';
}

/** The request's fields from path, query and body, checked. Throws VALIDATION_ERROR. */
function readInput({ endpoint, path, query }: Route, request: HttpRequest): unknown {
  const schema = endpoint.request();
  const fields = placeOf(endpoint) === 'query' ? readQuery(schema, query) : readBody(request);
  const input: Record<string, unknown> = { ...fields, ...path };
  for (const [name, meant] of Object.entries(endpoint.synonyms ?? {})) input[meant] ??= input[name];
  const problems = problemsOf(schema, input);
  if (problems.length > 0) throw new Fault('VALIDATION_ERROR', problems.map(problemText).join('; '));
  return input;
}

function readBody(request: HttpRequest): Record<string, unknown> {
  if (request.body === undefined || request.body === '') return {};
  try {
    const body = parseJson(request.body);
    const isObject = typeof body === 'object' && body !== null && !Array.isArray(body) && !isWireNumber(body);
    if (isObject) return body as Record<string, unknown>;
  } catch {
    // Said below, in the same words as for a body of another shape.
  }
  throw new Fault('VALIDATION_ERROR', 'the body: expected one JSON object');
}

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' };

function success({ summary, envelope }: Endpoint, data: unknown): HttpResponse {
  const { version, ...rest } = (envelope === 'version-beside' ? data : {}) as Record<string, unknown>;
  const body = {
    ...head('Success', '00', summary, envelope),
    ...(envelope === 'version-beside' ? { data: rest, version } : { data }),
  };
  return { status: 200, headers: JSON_HEADERS, body: JSON.stringify(body) };
}

/** The error envelope of a refusal. */
export function failure({ fault, detail, data }: Fault, variant?: EnvelopeVariant): HttpResponse {
  const { code, http, message } = FAULTS[fault];
  const isFailed = isFailedEnvelope(fault);
  const status = isFailed ? 'Failed' : 'Error';
  return {
    status: http,
    headers: JSON_HEADERS,
    body: JSON.stringify({
      ...head(status, code, message, variant),
      ...(isFailed ? {} : { error: detail }),
      ...(data || isFailed ? { data: { ...(isFailed ? { error: detail } : {}), ...data } } : {}),
    }),
  };
}

/** The keys of an envelope around its data, in the variant the endpoint has. */
function head(status: string, code: string, message: string, variant: EnvelopeVariant | undefined) {
  return {
    status: variant === 'lower-case' ? status.toLowerCase() : status,
    response_code: code,
    message,
    ...(variant === 'camel' ? { responseCode: code, responseMessage: message } : {}),
  };
}
