import type * as z from 'zod/mini';
import type { HttpResponse } from '../base/world.ts';
import type { AnswerForms, EnvelopeForm, RefusalForm } from '../contract/answer-forms.ts';
import type { Endpoint, EnvelopeVariant } from '../contract/endpoint.ts';
import { FAULTS, Fault, isFailedEnvelope } from '../contract/faults.ts';
import { PLATFORM } from '../contract/paths.ts';
import { elementOf, shapeOf, unwrap } from '../contract/rows.ts';
import { isJsonObject } from '../money/decimal.ts';
import { formFor, inForm } from './answer-form.ts';

/** The owner of a wallet that the service itself holds, without a name and with one. Source: public. */
const MANAGED = 'service-managed';
const managedBy = (serviceName: string) => `${serviceName}-managed`;

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
        if (field === 'owner' && each === MANAGED) return [field, managedBy(serviceName)];
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

/** `nowMs` returns the time of the sandbox. */
export function createAnswers({ forms, serviceName }: AnswerOptions, nowMs: () => number): Answers {
  const named = serviceName === undefined ? undefined : createNaming(serviceName);
  return {
    success: (endpoint, data, input) => {
      const form = formFor(forms?.answers[endpoint.id], input);
      const own = named ? named(endpoint, data) : data;
      return success(endpoint, form ? inForm(form, own, input) : own, form?.envelope, form?.hasNoMessage);
    },
    refusal: (endpoint, fault) => {
      const form = forms?.refusals[endpoint.id];
      const isMeant = form !== undefined && (form.fault === undefined || form.fault === fault.fault);
      if (!isMeant) return failure(fault, endpoint.envelope);
      const data = form.hasNestedDetails ? nestedDetails(endpoint, fault, nowMs()) : fault.data;
      return failure(new Fault(fault.fault, fault.detail, data), form.envelope ?? endpoint.envelope, form);
    },
  };
}

type Envelope = EnvelopeVariant | EnvelopeForm | undefined;

/** Returns the error envelope of a refusal. */
export function failure({ fault, detail, data }: Fault, envelope?: Envelope, form?: RefusalForm): HttpResponse {
  const { code, http, message } = FAULTS[fault];
  const isFailed = isFailedEnvelope(fault);
  return jsonResponse(http, {
    ...head({ status: isFailed ? 'Failed' : 'Error', code, http, message }, envelope),
    ...(isFailed || form?.lacksError ? {} : { error: detail }),
    ...(data || isFailed ? { data: { ...(isFailed ? { error: detail } : {}), ...data } } : {}),
  });
}

function success(
  endpoint: Endpoint,
  data: unknown,
  form: EnvelopeForm | undefined,
  hasNoMessage = false,
): HttpResponse {
  const { done, envelope } = endpoint;
  const isBeside = envelope === 'version-beside';
  const { version, ...rest } = (isBeside ? data : {}) as Record<string, unknown>;
  return jsonResponse(200, {
    ...head({ status: 'Success', code: '00', http: 200, message: hasNoMessage ? undefined : done }, form ?? envelope),
    ...(isBeside ? { data: rest, version } : { data }),
  });
}

interface Head {
  readonly status: string;
  readonly code: string;
  readonly http: number;
  readonly message: string | undefined;
}

/** Returns the fields of an envelope around its data. */
function head({ status, code, http, message }: Head, envelope: Envelope): object {
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
