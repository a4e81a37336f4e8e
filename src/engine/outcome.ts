import type { CliError } from '../base/errors.ts';
import { isJsonObject, parseExactJson } from '../money/decimal.ts';
import type { Result } from '../present/result.ts';

/** The outcome of a command: data to print, and an error to exit with after printing it. */
export interface Outcome {
  readonly result?: Result;
  /** Printed whole: --fields and --query do not apply. */
  readonly isWhole?: boolean;
  readonly error?: CliError;
}

/** The service's own data with every digit: `data`, or the whole response if its fields or its list stand alone. */
export function rawData(body: string, read: unknown): unknown {
  const json = parseExactJson(body);
  if (isJsonObject(json) && Object.hasOwn(json, 'data')) return json['data'] ?? null;
  return Object.keys(read ?? {}).length > 0 ? json : null;
}
