import { problemsOf, problemText } from '../contract/check.ts';
import { type Endpoint, type EnvelopeVariant, placeOf } from '../contract/endpoint.ts';
import { FAULTS, Fault, isFailedEnvelope } from '../contract/faults.ts';
import { isWireNumber, parseJson } from '../money/decimal.ts';
import type { Call, Context } from '../service/context.ts';
import type { AnyOperation } from '../service/operation.ts';
import { operations } from '../service/operations/index.ts';
import type { Service, WorkKind } from '../service/service.ts';
import { readSettings } from '../service/settings.ts';
import type { HttpRequest, HttpResponse } from '../world.ts';
import { createControls } from './control.ts';
import { authenticate, type Caller, createRateLimiter } from './guard.ts';
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
  const table: Readonly<Record<string, AnyOperation>> = operations;

  const handle = (context: Context, route: Route, request: HttpRequest, caller: Caller): unknown => {
    const { endpoint } = route;
    const call: Call = { ...context, fintech: authenticate(context, caller) };
    limiter.count(call, endpoint);
    const input = readInput(route, request);
    const operation = (endpoint.area === 'control' ? controls : table)[endpoint.id];
    if (!operation) throw new Error(`no operation for ${endpoint.id}`);
    return operation(call, input as never);
  };

  return {
    fetch: async (request, caller) => {
      const found = router(request.method, request.url);
      if (!found) return failure(new Fault('NOT_FOUND', 'no endpoint has this method and path'));
      const kind = kindOf(found.endpoint, limiter.unsaved());
      try {
        // A unit of its own in the same commit: a refused request is undone, and still counts.
        if (kind !== 'read' && limiter.unsaved() > 0)
          service.submit('write', ({ store }) => limiter.save(store)).catch(() => {});
        const data = await service.submit(kind, (context) => handle(context, found, request, caller));
        return success(found.endpoint, data);
      } catch (error) {
        if (error instanceof Fault) return failure(error, found.endpoint.envelope);
        throw error;
      }
    },
    apiKey: () => readSettings(service.store).embeddedApiKey,
    close: async () => {
      if (limiter.unsaved() > 0) await service.submit('write', ({ store }) => limiter.save(store));
      service.close();
    },
  };
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
