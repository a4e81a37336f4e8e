import { isUtf8 } from 'node:buffer';
import type * as z from 'zod/mini';
import { ExchangeError } from '../base/errors.ts';
import type { Clock, HttpRequest, HttpResponse } from '../base/world.ts';
import { problemsOf, problemText } from '../contract/check.ts';
import { type Endpoint, fieldsSentIn, refusalsOf } from '../contract/endpoint.ts';
import { Fault } from '../contract/faults.ts';
import type { FieldMeta } from '../contract/fields.ts';
import { fieldOf, rowsOf, unwrap } from '../contract/rows.ts';
import type { FaultKind } from '../contract/sandbox.ts';
import { type Asset, DECIMALS, fromWire, MAX_MINOR, wireForPeople } from '../money/amount.ts';
import { isJsonObject, isWireNumber, parseJson, scaledInteger, wireNumberText } from '../money/decimal.ts';
import { jsonAmbiguity } from '../money/json-text.ts';
import type { Call, Context } from '../service/context.ts';
import { type FaultRule, faultRuleFor, useFaultRule } from '../service/fault-rules.ts';
import type { Service, UnitKind } from '../service/service.ts';
import type { Settings } from '../service/settings.ts';
import { admit, type RateLimiter, type UnverifiedCaller } from './guard.ts';
import type { FoundOperation, Route } from './router.ts';

/** A fault to inject into one request and its response. */
interface InjectedFault {
  /** True if the request is performed and committed before the fault. */
  readonly isDone: boolean;
  readonly delayMs?: number;
  /** Turns the correct response into the one that arrives. Throws ExchangeError if none does. */
  readonly alter: (answer: HttpResponse) => HttpResponse;
}

const SLOW_MS = 3_000;

/** Returns the response as it arrives. Rejects with ExchangeError if the connection drops. */
export async function injectFault(
  { delayMs, alter }: InjectedFault,
  answer: HttpResponse,
  clock: Clock,
  closing: AbortSignal,
): Promise<HttpResponse> {
  // A closing sandbox responds at once.
  if (delayMs) await clock.sleep(delayMs, closing).catch(() => {});
  return alter(answer);
}

const drop = (): never => {
  throw new ExchangeError('the connection was lost before the whole response arrived', true);
};

const json = (status: number, body: object): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: JSON.stringify(body),
});

const failed = () =>
  json(500, { status: 'Error', response_code: '05', message: 'Internal error', error: 'injected fault' });

const badGateway = (): HttpResponse => ({
  status: 502,
  headers: { 'content-type': 'text/html' },
  body: '<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>\n',
});

const tooManyRequests = () =>
  json(429, {
    status: 'Error',
    response_code: '04',
    message: 'Too many requests',
    error: 'injected fault',
    data: { error: 'too many requests', retry_after: 1 },
  });

/** Cuts the body in half but keeps the full content-length; the half never looks complete. */
function truncate(answer: HttpResponse): HttpResponse {
  const bytes = Buffer.from(answer.body);
  const half = bytes
    .subarray(0, Math.floor(bytes.length / 2))
    .toString('utf8')
    .replace(/\}+$/, '');
  return { ...answer, headers: { ...answer.headers, 'content-length': String(bytes.length) }, body: half };
}

/** Faults of a request and its response; the other kinds apply to payouts and event delivery. */
const FAULTS: Readonly<Partial<Record<FaultKind, InjectedFault>>> = {
  'lost-request': { isDone: false, alter: drop },
  'lost-response': { isDone: true, alter: drop },
  slow: { isDone: true, delayMs: SLOW_MS, alter: (answer) => answer },
  'http-500': { isDone: false, alter: failed },
  'http-500-after': { isDone: true, alter: failed },
  'http-502-html': { isDone: false, alter: badGateway },
  'rate-limit': { isDone: false, alter: tooManyRequests },
  'malformed-json': { isDone: true, alter: (answer) => ({ ...answer, body: `${answer.body.slice(0, -1)},` }) },
  truncated: { isDone: true, alter: truncate },
};

const KINDS = ['reject', ...(Object.keys(FAULTS) as FaultKind[])] as const;

/** Returns the refusal that a rule asks for; undefined if it asks for none, or for one that this endpoint no longer has. */
function refusalBy({ kind, name }: FaultRule, endpoint: Endpoint): Fault | undefined {
  const row = kind === 'reject' ? refusalsOf(endpoint).find((each) => each.name === name) : undefined;
  return row && new Fault(row.fault, row.when);
}

/**
 * Returns what a refused amount would have to be, to append to the message: `; at most 2 decimals are allowed`. Empty if the field is
 * not an amount, or if its value is neither too fine nor too large.
 */
function amountHint(schema: z.ZodMiniType, input: unknown, field: string): string {
  const found = fieldAt(schema, input, field);
  const { unit, asset: rule } = found?.meta ?? {};
  // US dollars have a pattern of their own.
  if (!unit || unit === 'percent' || rule === undefined || rule === 'USD') return '';
  const asset: Asset = typeof rule === 'string' ? rule : 'CNGN';
  const text = isWireNumber(found?.value) ? wireNumberText(found?.value) : found?.value;
  // Of a text that is not a number, there is nothing to add.
  if (typeof text !== 'string' || scaledInteger(text, MAX_SCALE) === undefined) return '';
  const parsed = fromWire(text, unit, asset);
  if (!parsed)
    return unit === 'kobo' || unit === 'base'
      ? `; the number of ${unit === 'base' ? 'base units' : unit} must be whole`
      : `; at most ${DECIMALS[asset]} decimals are allowed`;
  const max = { asset, minor: MAX_MINOR[asset] };
  return parsed.minor > max.minor ? `; the maximum is ${wireForPeople(max, unit)}` : '';
}

/** No number within a body has more decimals than this and an exponent of three digits. */
const MAX_SCALE = 5_000;

function fieldAt(
  schema: z.ZodMiniType,
  input: unknown,
  field: string,
): { readonly meta: FieldMeta | undefined; readonly value: unknown } | undefined {
  let at: z.ZodMiniType | undefined = schema;
  let value = input;
  for (const name of field.split('.')) {
    at = at && fieldOf(unwrap(at).schema, name);
    value = (value as Readonly<Record<string, unknown>> | undefined)?.[name];
  }
  return at && { meta: unwrap(at).meta, value };
}

/** Returns the key that responses to a caller are encrypted with; undefined if they are not encrypted. */
function answerKey({ fintech }: Call, endpoint: Endpoint): string | undefined {
  return endpoint.area === 'control' || endpoint.staysPlain ? undefined : fintech.publicKey;
}

/** A rate-limited caller must be able to read how long to wait, even if its keys are wrong. Source: inferred. */
function staysPlain({ fault }: Fault): boolean {
  return fault === 'RATE_LIMIT_EXCEEDED';
}

/** A request as it arrived, or with its body decrypted if it was encrypted. */
export interface ReceivedRequest extends HttpRequest {
  /** Why the body cannot be read. It is reported only after the caller is authenticated. */
  readonly bodyProblem?: string;
}

/** A request matched to an endpoint. */
interface MatchedRequest extends FoundOperation {
  readonly route: Route;
  readonly request: ReceivedRequest;
  readonly caller: UnverifiedCaller;
}

/**
 * A request in progress. The key to encrypt the response to is known once the caller is admitted, and applies to refusals
 * too.
 */
interface Job extends MatchedRequest {
  sealTo: string | undefined;
  settings: StatedSettings | undefined;
}

/** What a sandbox says of its settings with each response. */
type StatedSettings = Pick<Settings, 'clockOffsetMs' | 'rateLimits'>;

/** The result of a request: data or a refusal, and the fault to inject into the response. */
interface HandledRequest {
  readonly data?: unknown;
  /** The request's fields, as the endpoint read them. */
  readonly input?: unknown;
  readonly refusal?: Fault;
  readonly injected?: InjectedFault;
  /** The public key to encrypt the response to. */
  readonly sealTo?: string | undefined;
  /** The settings when the request was handled; undefined if it may have changed them. */
  readonly settings?: StatedSettings | undefined;
  /** Nothing was done: the fault has to be counted, and a read transaction cannot write. */
  readonly mustWrite?: true;
}

interface Resources {
  readonly service: Service;
  readonly limiter: RateLimiter;
}

/** Returns a function that handles requests with a service. */
export function createRequestHandler(
  service: Service,
  limiter: RateLimiter,
): (matched: MatchedRequest) => Promise<HandledRequest> {
  const resources: Resources = { service, limiter };
  return async (matched) => {
    const job: Job = { ...matched, sealTo: undefined, settings: undefined };
    const outcome = await handled(resources, job);
    const sealTo = outcome.refusal && staysPlain(outcome.refusal) ? undefined : job.sealTo;
    return { ...outcome, sealTo, settings: job.settings };
  };
}

async function handled(resources: Resources, job: Job): Promise<HandledRequest> {
  try {
    return await (job.isOnFile ? outsideTransaction : inTransaction)(resources, job);
  } catch (error) {
    if (error instanceof Fault) return { refusal: error };
    throw error;
  }
}

/** Admits the caller and handles the request in one transaction. */
async function inTransaction(resources: Resources, job: Job): Promise<HandledRequest> {
  const { service, limiter } = resources;
  const submit = (kind: UnitKind) => {
    // A separate unit in the same commit, because a refused request is rolled back but still counts.
    if (kind !== 'read' && limiter.unsaved() > 0) service.submit('write', limiter.save).catch(() => {});
    return service.submit(kind, (context) => withFaultRule(resources, context, kind, job));
  };
  const outcome = await submit(kindOf(job.route.endpoint, limiter.unsaved()));
  return outcome.mustWrite ? submit('write') : outcome;
}

/** Admits the caller and validates the request in a transaction, then runs the operation outside. */
async function outsideTransaction(
  { service, limiter }: Resources,
  { route, request, caller, operation }: Job,
): Promise<HandledRequest> {
  const { call, input } = await service.submit('read', (context) => {
    const admitted = admit(context, caller, route.endpoint);
    limiter.count(admitted, route.endpoint);
    return { call: admitted, input: readInput(route, request) };
  });
  return { data: await operation(call, input as never), input };
}

/** After this many unsaved requests, a read also saves the counters. */
const UNSAVED_REQUESTS = 500;

function kindOf({ effect, area, isRecorded }: Endpoint, unsaved: number): UnitKind {
  if (effect === 'read' && !isRecorded) return unsaved < UNSAVED_REQUESTS ? 'read' : 'write';
  return area === 'control' ? 'alone' : 'write';
}

/** Runs the operation and applies a fault rule, if there is one. */
function withFaultRule(resources: Resources, context: Context, kind: UnitKind, job: Job): HandledRequest {
  const { endpoint } = job.route;
  job.settings = kind === 'alone' ? undefined : context.settings;
  const call = admit(context, job.caller, endpoint);
  job.sealTo = answerKey(call, endpoint);
  const rule = endpoint.area === 'control' ? undefined : faultRuleFor(call.store, endpoint.id, KINDS);
  if (!rule) return runOperation(resources, call, job);
  if (kind === 'read') return { mustWrite: true };
  useFaultRule(call.store, rule);
  const refusal = refusalBy(rule, endpoint);
  if (refusal) return { refusal };
  const injected = FAULTS[rule.kind];
  if (!injected) return runOperation(resources, call, job);
  if (!injected.isDone) return { injected };
  try {
    return { injected, ...call.store.savepoint(() => runOperation(resources, call, job)) };
  } catch (error) {
    // The rule counts as used even though the request changed nothing.
    if (error instanceof Fault) return { injected, refusal: error };
    throw error;
  }
}

function runOperation(
  resources: Resources,
  call: Call,
  { route, request, operation }: Job,
): Pick<HandledRequest, 'data' | 'input'> {
  resources.limiter.count(call, route.endpoint);
  const input = readInput(route, request);
  return { data: operation(call, input as never), input };
}

/** Throws VALIDATION_ERROR if a path or query, still percent-encoded, does not stand for valid UTF-8. */
function requireUtf8(encoded: string, part: 'path' | 'query'): void {
  // Node passes each byte of the request line on as one character.
  if (/[^\x20-\x7e]/.test(encoded))
    throw new Fault('VALIDATION_ERROR', `${part}: expected characters outside ASCII to be percent-encoded as UTF-8`);
  if (!encoded.includes('%')) return;
  // A query may have a bare percent sign, as forms have it.
  if (part === 'path' && /%(?![0-9a-f]{2})/i.test(encoded))
    throw new Fault('VALIDATION_ERROR', 'path: expected two hexadecimal digits after each %');
  const bytes = encoded.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  if (!isUtf8(Buffer.from(bytes, 'latin1')))
    throw new Fault('VALIDATION_ERROR', `${part}: expected percent-encoded UTF-8`);
}

/**
 * Returns the query's fields with the contract's types: `limit=5` is a number if the field is one. Throws
 * VALIDATION_ERROR for text that is not UTF-8 and for a repeated parameter.
 */
function readQuery(schema: z.ZodMiniType, query: string): Record<string, unknown> {
  if (query === '') return {};
  requireUtf8(query, 'query');
  const types = new Map(rowsOf(schema).map((row) => [row.name, row.type]));
  const fields: Record<string, unknown> = {};
  for (const [name, value] of new URLSearchParams(query)) {
    if (Object.hasOwn(fields, name))
      throw new Fault('VALIDATION_ERROR', 'query: a parameter appears more than once; send each one once');
    const type = types.get(name);
    const isPlain = /^-?\d+(\.\d+)?$/.test(value);
    if ((type === 'number' || type === 'integer') && isPlain)
      fields[name] = parseJson(value.replace(/^(-?)0+(?=\d)/, '$1'));
    else if (type === 'boolean' && (value === 'true' || value === 'false')) fields[name] = value === 'true';
    else fields[name] = value;
  }
  return fields;
}

/** Reads the request's fields from path, query and body. Throws VALIDATION_ERROR. */
function readInput({ endpoint, path, pathname, query }: Route, request: ReceivedRequest): unknown {
  requireUtf8(pathname, 'path');
  const schema = endpoint.request();
  const fields = fieldsSentIn(endpoint) === 'query' ? readQuery(schema, query) : readBody(request);
  const input: Record<string, unknown> = { ...fields, ...path };
  for (const [name, meant] of Object.entries(endpoint.synonyms ?? {})) input[meant] ??= input[name];
  const problems = problemsOf(schema, input);
  if (problems.length === 0) return input;
  const texts = problems.map((problem) => problemText(problem) + amountHint(schema, input, problem.field));
  throw new Fault('VALIDATION_ERROR', [...new Set(texts)].join('; '));
}

function readBody(request: ReceivedRequest): Record<string, unknown> {
  const problem = request.bodyProblem ?? (request.body ? mediaTypeProblem(request) : undefined);
  if (problem !== undefined) throw new Fault('VALIDATION_ERROR', problem);
  if (request.body === undefined || request.body === '') return {};
  const body = parsedObject(request.body);
  const ambiguity = jsonAmbiguity(request.body);
  if (ambiguity) throw new Fault('VALIDATION_ERROR', `body: ${ambiguity}`);
  return body;
}

/** Returns what is wrong with the headers that describe the body. A missing content type is accepted. Source: inferred. */
function mediaTypeProblem({ headers }: ReceivedRequest): string | undefined {
  const { 'content-type': type, 'content-encoding': encoding } = headers;
  if (encoding !== undefined && encoding !== 'identity')
    return 'content-encoding: expected a body that is not compressed';
  if (type !== undefined && !/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(type))
    return 'content-type: expected application/json, in UTF-8';
  return undefined;
}

function parsedObject(text: string): Record<string, unknown> {
  try {
    const body = parseJson(text);
    if (isJsonObject(body) && isWithin(body, MAX_DEPTH)) return body;
  } catch {
    // Falls through to the error below, which also covers bodies of another shape.
  }
  throw new Fault('VALIDATION_ERROR', 'body: expected one JSON object');
}

/** Deeper nesting than any field has could overflow the stack when it is serialized. */
const MAX_DEPTH = 50;

function isWithin(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((each) => isWithin(each, depth - 1));
}
