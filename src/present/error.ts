import { CATEGORIES, type CliError } from '../base/errors.ts';
import type { Paint } from './style.ts';
import { jsonText, plainLine, plainLines } from './text.ts';
import { wrap } from './width.ts';

/** Which run an error is of, for logs that many runs write to. Contains no secret; null where it is not known yet. */
export interface ErrorContext {
  /** When it was printed, in ISO 8601. */
  readonly at: string;
  /** The command without its arguments: `fiatrail payout create`. */
  readonly command: string | null;
  readonly profile: string | null;
  readonly host: string;
  readonly baseUrl: string | null;
}

/** A command line that fits, without `fiatrail`; `needs` names the arguments and options that someone has to give it. */
export interface Action {
  readonly argv: readonly string[];
  readonly needs?: readonly string[];
}

/** Where an error is printed. `width` is that of the terminal; without one, lines are not wrapped. */
interface ErrorStyle {
  readonly paint: Paint;
  readonly width?: number | undefined;
  /** Printed on a line of its own; a person who typed the command knows it. */
  readonly context?: ErrorContext | undefined;
}

/** Narrower terminals are not worth wrapping for. */
const MIN_WIDTH = 30;

/** Formats an error for people, with its hint on the next line: `error: insufficient balance (code 01, HTTP 400)`. */
export function errorText(error: CliError, { paint, width, context }: ErrorStyle): string {
  const codes = [
    error.responseCode === undefined ? '' : `code ${error.responseCode}`,
    error.httpStatus === undefined ? '' : `HTTP ${error.httpStatus}`,
  ].filter((code) => code !== '');
  const suffix = codes.length > 0 ? plainLine(` (${codes.join(', ')})`) : '';
  const label = paint(paint('error:', 'red'), 'bold');
  const columns = width !== undefined && width >= MIN_WIDTH ? width : Number.POSITIVE_INFINITY;
  const [first = '', ...others] = wrap(`error: ${plainLine(error.message)}${suffix}`, columns - INDENT.length);
  const message = [label + first.slice('error:'.length), ...others.map((line) => INDENT + line)];
  return [...message, ...hintLines(error.hint, columns), ...contextLines(context)].map((line) => `${line}\n`).join('');
}

const INDENT = '  ';

function contextLines(context: ErrorContext | undefined): string[] {
  if (!context) return [];
  const { at, command, profile, host, baseUrl } = context;
  const where = profile === null ? [] : [`profile ${profile}`];
  const parts = [at, command ?? 'fiatrail', ...where, `host ${host}`, ...(baseUrl === null ? [] : [baseUrl])];
  return [`${INDENT}run: ${plainLine(parts.join(' · '))}`];
}

/** Formats a hint, which may have several lines, such as alternative commands. */
function hintLines(hint: string | undefined, columns: number): string[] {
  if (hint === undefined) return [];
  const lines = `hint: ${hint.trimEnd()}`.split('\n').map(plainLine);
  return lines.flatMap((line) => {
    const [first = '', ...others] = wrappedHint(line, columns - 2 * INDENT.length);
    return [INDENT + first, ...others.map((other) => INDENT + INDENT + other)];
  });
}

/** Wraps a hint at words, but puts a command that does not fit on a line of its own, so that it can be copied. */
function wrappedHint(line: string, columns: number): string[] {
  if (line.length <= columns) return [line];
  const [, before, command = '', after = ''] = /^(.*: )(fiatrail [^;]*;?)(.*)$/.exec(line) ?? [];
  const isList = command.includes(', fiatrail ');
  if (before === undefined || isList) return wrap(line, columns);
  const rest = after.trim() === '' ? [] : wrap(after.trim(), columns);
  return [...wrap(before.trimEnd(), columns), command, ...rest];
}

/** Formats the cause of an internal error, for FIATRAIL_DEBUG. */
export function causeText({ cause }: CliError): string {
  return `${plainLines(String(cause ?? ''))}\n`;
}

/** Formats an error for programs: one line of JSON with null for unknown values. */
export function errorJson(error: CliError, context: ErrorContext, actions: readonly Action[]): string {
  const { code, category, message } = error;
  return `${jsonText({
    error: {
      code,
      category,
      message,
      hint: error.hint ?? null,
      actions,
      httpStatus: error.httpStatus ?? null,
      responseCode: error.responseCode ?? null,
      candidates: error.candidates,
      retryable: CATEGORIES[category].retryable,
      operationId: error.operationId ?? null,
      ...context,
    },
  })}\n`;
}
