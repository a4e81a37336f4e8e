import { CliError } from '../base/errors.ts';
import { errorNameIn } from '../client/refusals.ts';
import { failureIn } from '../contract/compare.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { shapeOf } from '../contract/rows.ts';
import { isJsonObject, parseExactJson } from '../money/decimal.ts';
import type { Result } from '../present/result.ts';
import type { Account, AccountReply } from './account.ts';
import { shapeOfResponse } from './requests.ts';

/** The outcome of a command: data to print, and an error to exit with after printing it. */
export interface Outcome {
  readonly result?: Result;
  /** Printed whole: --fields and --query do not apply. */
  readonly isWhole?: boolean;
  readonly error?: CliError;
}

/** Converts a reply to an outcome, which is an error if the response says that the work failed. */
export function outcomeOf(
  { globals: { present } }: Pick<Account, 'globals'>,
  endpoint: Endpoint,
  { data, body, request }: AccountReply<unknown>,
  more: Pick<Result, 'columns' | 'more' | 'list' | 'isContinued'> & { readonly isAsReceived?: boolean } = {},
): Outcome {
  const { isAsReceived = true, ...shown } = more;
  const raw = present.format === 'raw' && isAsReceived ? { raw: JSON.stringify(rawData(body, data)) } : {};
  const result = { data, request, ...shapeOfResponse(endpoint), ...listExtentOf(endpoint), ...raw, ...shown };
  const error = failedError(endpoint, data);
  return error ? { result, error } : { result };
}

/** The service's own data with every digit: `data`, or the whole response if its fields or its list stand alone. */
function rawData(body: string, read: unknown): unknown {
  const json = parseExactJson(body);
  if (isJsonObject(json) && Object.hasOwn(json, 'data')) return json['data'] ?? null;
  return Object.keys(read ?? {}).length > 0 ? json : null;
}

/** Returns how much of a list an endpoint returns. The results of a change are no list. */
function listExtentOf({ lists, effect, request }: Endpoint): Pick<Result, 'list'> {
  if (lists === undefined || effect !== 'read') return {};
  return { list: { isWhole: !Object.hasOwn(shapeOf(request()) ?? {}, 'limit') } };
}

/** The error of a response that says itself that the work failed; undefined for any other. */
function failedError(endpoint: Endpoint, data: unknown): CliError | undefined {
  const failure = failureIn(endpoint, data);
  if (failure === undefined) return undefined;
  const what = endpoint.effect === 'read' ? 'it failed' : 'it accepted the request, and that it failed';
  return new CliError('failed', `the service says that ${what}: ${failure}`, {
    code: errorNameIn(data) ?? 'FAILED',
    hint: endpoint.effect === 'read' ? undefined : 'this is final; fix the cause, then start again',
  });
}
