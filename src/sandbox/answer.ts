import type * as z from 'zod/mini';
import type { HttpResponse } from '../base/world.ts';
import type { AnswerForm, AnswerForms, EnvelopeForm, RefusalForm, Writing } from '../contract/answer-forms.ts';
import type { Endpoint, EnvelopeVariant } from '../contract/endpoint.ts';
import { conditionOf, FAULTS, Fault, isFailedEnvelope } from '../contract/faults.ts';
import { PLATFORM } from '../contract/paths.ts';
import type { Fields } from '../contract/reading/values.ts';
import { elementOf, shapeOf, unwrap } from '../contract/rows.ts';
import { decimalText, isJsonObject, scaledInteger } from '../money/decimal.ts';

/** The owner of a wallet that the service itself holds, without a name and with one. Source: public. */
const MANAGED = 'service-managed';
/** `nowMs` returns the time of the sandbox. */
export function createAnswers({ forms, serviceName }: AnswerOptions, nowMs: () => number): Answers {
  const named = serviceName === undefined ? undefined : createNaming(serviceName);
  return {
    success: (endpoint, data, input) => {
      const form = formFor(forms?.answers[endpoint.id], input);
      const own = named ? named(endpoint, data) : data;
      if (form?.failedAs !== undefined && (own as Fields)['status'] === 'failed') return failedWork(form.failedAs, own);
      return success(endpoint, form ? inForm(form, own, input) : own, form?.envelope, form?.hasNoMessage);
    },
    refusal: (endpoint, fault) => {
      const form = forms?.refusals[endpoint.id]?.find((each) => each.fault === undefined || each.fault === fault.fault);
      if (!form) return failure(fault, endpoint.envelope);
      const data = form.hasNestedDetails ? nestedDetails(endpoint, fault, nowMs()) : fault.data;
      return failure(new Fault(fault.fault, fault.detail, data), form.envelope ?? endpoint.envelope, form);
    },
  };
}

/**
 * Returns a function that gives the fields of an answer that are named after the service the service's own name:
 * `acmeFeePercentage` for `platformFeePercentage`. What the contract does not know is the fintech's own, and stays.
 */
function createNaming(serviceName: string): (endpoint: Endpoint, data: unknown) => unknown {
  const nameOf = (field: string) =>
    field.startsWith(`${PLATFORM}Fee`) ? serviceName + field.slice(PLATFORM.length) : field;
  const named = (schema: z.ZodMiniType, value: unknown): unknown => {
    const { schema: inner } = unwrap(schema);
    const element = elementOf(inner);
    if (element && Array.isArray(value)) return value.map((each) => named(element, each));
    const shape = shapeOf(inner);
    if (!shape || !isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([field, each]) => {
        if (field === 'owner' && each === MANAGED) return [field, `${serviceName}-managed`];
        const known = Object.hasOwn(shape, field) ? shape[field] : undefined;
        return known ? [nameOf(field), named(known, each)] : [field, each];
      }),
    );
  };
  return (endpoint, data) => (endpoint.area === 'control' ? data : named(endpoint.response(), data));
}

/** How a sandbox answers. */
export interface AnswerOptions {
  /** Documented forms of answers, for the endpoints that have one. */
  readonly forms?: AnswerForms | undefined;
  /** The service's own name, which some fields contain. */
  readonly serviceName?: string | undefined;
}

/** Turns the result of an operation into a response. Forms and names change an answer here and nowhere else. */
interface Answers {
  /** `input` is the request, on which the form may depend. */
  success(endpoint: Endpoint, data: unknown, input: unknown): HttpResponse;
  refusal(endpoint: Endpoint, fault: Fault): HttpResponse;
}

/** Returns work that has failed as if the request for its status were refused. */
function failedWork(http: number, data: unknown): HttpResponse {
  const { details } = data as { readonly details?: unknown };
  return jsonResponse(http, { status: 'Failed', response_code: '05', message: 'It has failed', data: { details } });
}

type Envelope = EnvelopeVariant | EnvelopeForm | undefined;

/** Returns the error envelope of a refusal. */
export function failure({ fault, detail, data }: Fault, envelope?: Envelope, form: RefusalForm = {}): HttpResponse {
  const { code, http: usual, message } = FAULTS[fault];
  const { http = usual, name = conditionOf(fault) } = form;
  const isFailed = form.isFailed ?? isFailedEnvelope(fault);
  const error = form.error === 'name' ? name : form.error === 'object' ? { reason: detail } : detail;
  const text = form.isMessage ? name : message;
  return jsonResponse(http, {
    ...head({ status: isFailed ? 'Failed' : 'Error', code, http, message: text }, envelope),
    ...(isFailed || form.lacksError ? {} : { error }),
    ...(data || (isFailed && !form.isMessage) ? { data: { ...(isFailed ? { error } : {}), ...data } } : {}),
  });
}

function success(
  endpoint: Endpoint,
  data: unknown,
  form: EnvelopeForm | undefined,
  hasNoMessage = false,
): HttpResponse {
  const { done, envelope } = endpoint;
  const isVersionOnTop = envelope === 'top-level-version';
  const { version, ...rest } = (isVersionOnTop ? data : {}) as Record<string, unknown>;
  return jsonResponse(200, {
    ...head({ status: 'Success', code: '00', http: 200, message: hasNoMessage ? undefined : done }, form ?? envelope),
    ...(isVersionOnTop ? { data: rest, version } : { data }),
  });
}

/** Returns the fields of an envelope around its data. */
function head(
  { status, code, http, message }: { status: string; code: string; http: number; message: string | undefined },
  envelope: Envelope,
): object {
  const common = { status, response_code: code, message };
  switch (envelope) {
    case 'lower-case':
      return { ...common, status: status.toLowerCase() };
    case 'camel':
      return { ...common, responseCode: code, responseMessage: message };
    case 'camel-only':
      return { responseCode: code, responseMessage: message };
    case 'code':
      return { code, message };
    case 'code-in-status':
      return { status: code, message };
    case 'http-code':
      return { ...common, status: status.toLowerCase(), response_code: String(http) };
    default:
      return common;
  }
}

/** Returns what an older form says about a rate limit. */
function nestedDetails({ rateLimit }: Endpoint, { data = {} }: Fault, nowMs: number) {
  const { error, retry_after: wait } = data;
  const resetTime = Math.ceil(nowMs / 1000) + Number(wait);
  return { error, details: { limit: rateLimit.max, remaining: 0, reset_time: resetTime, retry_after: wait } };
}

function jsonResponse(status: number, body: object): HttpResponse {
  return { status, headers: JSON_HEADERS, body: JSON.stringify(body) };
}

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' };

/** Returns the first form that is meant for a request. */
function formFor(forms: readonly AnswerForm[] | undefined, input: unknown): AnswerForm | undefined {
  return forms?.find(({ when }) => {
    if (!when) return true;
    const value = (input as Fields | undefined)?.[when.field];
    return value !== undefined && (!when.is || when.is.some((each) => each === value));
  });
}

/** Returns the data of an answer as a form has it; undefined if the form has none. Leaves `data` as it is. */
function inForm(form: AnswerForm, data: unknown, input: unknown): unknown {
  if (form.data === 'missing') return undefined;
  let formed = data;
  for (const [path, writing] of Object.entries(form.writes ?? {}))
    formed = changedAt(formed, stepsOf(path), (value) => written(value, writing));
  for (const name of form.echoes ?? []) formed = { ...(formed as Fields), [name]: (input as Fields)[name] };
  if (form.names) formed = renamed(formed, form.names);
  for (const path of form.without ?? []) formed = withoutAt(formed, stepsOf(path));
  if (form.only) formed = picked(formed, treeOf(form.only));
  return form.data ? (formed as Fields)[form.data.list] : formed;
}

/** Splits a path; a list and its items are two steps. */
function stepsOf(path: string): string[] {
  return path.replaceAll('[]', '.[]').split('.');
}

/** Changes every value at a path and copies what is around it. */
function changedAt(value: unknown, steps: readonly string[], change: (value: unknown) => unknown): unknown {
  const [step, ...rest] = steps;
  if (step === undefined) return change(value);
  if (step === '[]') return Array.isArray(value) ? value.map((each) => changedAt(each, rest, change)) : value;
  if (!isJsonObject(value) || !Object.hasOwn(value, step)) return value;
  return { ...value, [step]: changedAt(value[step], rest, change) };
}

function withoutAt(value: unknown, steps: readonly string[]): unknown {
  const last = steps.at(-1) ?? '';
  return changedAt(value, steps.slice(0, -1), (parent) => {
    if (!isJsonObject(parent)) return parent;
    const { [last]: _, ...rest } = parent;
    return rest;
  });
}

function renamed(data: unknown, names: Readonly<Record<string, string>>): unknown {
  const values = Object.entries(names).map(([name, path]) => [name, valueAt(data, stepsOf(path))] as const);
  let rest = data;
  for (const path of Object.values(names)) rest = withoutAt(rest, stepsOf(path));
  return { ...(rest as Fields), ...Object.fromEntries(values.filter(([, value]) => value !== undefined)) };
}

function valueAt(data: unknown, steps: readonly string[]): unknown {
  return steps.reduce<unknown>((at, step) => (isJsonObject(at) ? at[step] : undefined), data);
}

/** The steps of several paths as a tree. A branch without steps keeps everything below it. */
type Tree = Map<string, Tree>;

function treeOf(paths: readonly string[]): Tree {
  const root: Tree = new Map();
  for (const path of paths) {
    let at = root;
    for (const step of stepsOf(path)) {
      const next: Tree = at.get(step) ?? new Map();
      at.set(step, next);
      at = next;
    }
  }
  return root;
}

function picked(value: unknown, tree: Tree): unknown {
  const items = tree.get('[]');
  if (items && Array.isArray(value)) return value.map((each) => picked(each, items));
  if (tree.size === 0 || !isJsonObject(value)) return value;
  const names = [...tree].filter(([name]) => Object.hasOwn(value, name));
  return Object.fromEntries(names.map(([name, below]) => [name, picked(value[name], below)]));
}

/** Returns a value as it is written; a value of another type stays as it is. */
function written(value: unknown, writing: Writing): unknown {
  if (writing === 'net-in-stablecoin') return isJsonObject(value) ? netInStablecoin(value) : value;
  if (typeof value !== 'string') return value;
  if (writing === 'base') return String(scaledInteger(value, BASE_DECIMALS) ?? value);
  if (writing === 'no-zone') return value.replace(/\.\d+Z$/, '');
  if (writing === 'seconds') {
    const timeMs = Date.parse(value);
    return { _seconds: Math.floor(timeMs / 1000), _nanoseconds: (timeMs % 1000) * 1_000_000 };
  }
  return Object.hasOwn(writing, value) ? writing[value] : value;
}

const BASE_DECIMALS = 6;

/** Returns a trade with the same part of its stablecoin as net amount that the taker gets of the cNGN. */
function netInStablecoin(trade: Fields): Fields {
  const { side, cngnAmount, usdcAmount, usdtAmount, fintechNetAmount } = trade;
  const [cngn, token, net] = [cngnAmount, usdcAmount ?? usdtAmount, fintechNetAmount].map((text) =>
    scaledInteger(String(text), BASE_DECIMALS),
  );
  if (side !== 'sell' || !cngn || token === undefined || net === undefined) return trade;
  return { ...trade, fintechNetAmount: decimalText((token * net + cngn / 2n) / cngn, BASE_DECIMALS) };
}

/** The HTTP statuses of refusals that concern the HTTP request itself, with their response codes. Source: inferred. */
const REFUSALS = {
  400: { code: '01', reason: 'Bad Request', message: 'The HTTP request is malformed' },
  403: { code: '03', reason: 'Forbidden', message: 'This sandbox does not accept the request' },
  404: { code: '02', reason: 'Not Found', message: 'Not found' },
  405: { code: '02', reason: 'Method Not Allowed', message: 'The method is not allowed' },
  408: { code: '01', reason: 'Request Timeout', message: 'The request took too long to arrive' },
  413: { code: '01', reason: 'Content Too Large', message: 'The request or its response is too large' },
  417: { code: '01', reason: 'Expectation Failed', message: 'The expectation cannot be met' },
  431: { code: '01', reason: 'Request Header Fields Too Large', message: 'The headers are too large' },
} as const;

export type RefusalStatus = keyof typeof REFUSALS;

/** Returns the service's envelope for a request that does not reach an endpoint. */
export function httpRefusal(status: RefusalStatus, error: string): HttpResponse {
  const { code, message } = REFUSALS[status];
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify({ status: 'Error', response_code: code, message, error }),
  };
}

/** Returns the refusal as the text of a whole response, for a connection without a usable request. It closes the connection. */
export function refusalText(status: RefusalStatus, error: string): string {
  const { headers, body } = httpRefusal(status, error);
  const lines = [
    `HTTP/1.1 ${status} ${REFUSALS[status].reason}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** Returns the refusal of a request that Node's parser gave up on. */
export function parseRefusal(code: string | undefined): readonly [status: RefusalStatus, error: string] {
  if (code === 'HPE_HEADER_OVERFLOW') return [431, 'the request line and headers are too long'];
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return [413, 'the chunk extensions are too long'];
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return [408, 'the request was not complete in time'];
  return [400, 'expected an HTTP/1.1 request'];
}
