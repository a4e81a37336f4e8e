import { CATEGORIES, type CliError } from '../base/errors.ts';
import { jsonText, plainLine, plainLines } from './text.ts';

/** Formats an error for people, with its hint on the next line: `error: insufficient balance (code 01, HTTP 400)`. */
export function errorText(error: CliError, color: boolean): string {
  const codes = [
    error.responseCode === undefined ? '' : `code ${error.responseCode}`,
    error.httpStatus === undefined ? '' : `HTTP ${error.httpStatus}`,
  ].filter((code) => code !== '');
  const suffix = codes.length > 0 ? plainLine(` (${codes.join(', ')})`) : '';
  // Two fixed escape sequences are not worth loading chalk for.
  const label = color ? '\u001b[1;31merror:\u001b[0m' : 'error:';
  const hint = error.hint === undefined ? '' : `  hint: ${hintLines(error.hint)}\n`;
  return `${label} ${plainLine(error.message)}${suffix}\n${hint}`;
}

/** Formats a hint, which may have several lines, such as alternative commands. */
function hintLines(hint: string): string {
  return hint.trimEnd().split('\n').map(plainLine).join('\n  ');
}

/** Formats the cause of an internal error, for FIATRAIL_DEBUG. */
export function causeText({ cause }: CliError): string {
  return `${plainLines(String(cause ?? ''))}\n`;
}

/** Formats an error for programs: one line of JSON with null for unknown values. */
export function errorJson(error: CliError): string {
  const { code, category, message } = error;
  return `${jsonText({
    error: {
      code,
      category,
      message,
      hint: error.hint ?? null,
      httpStatus: error.httpStatus ?? null,
      responseCode: error.responseCode ?? null,
      retryable: CATEGORIES[category].retryable,
      operationId: error.operationId ?? null,
    },
  })}\n`;
}
