import { CliError } from '../base/errors.ts';
import { isJsonObject, isWireNumber, parseJson } from '../money/decimal.ts';
import { visible } from '../present/text.ts';
import type { Ran } from './commands.ts';

/** What a call is answered with. Texts that strangers may have written are in `data`, `warnings` and `error.fromService` alone. */
export interface Answer {
  readonly data?: unknown;
  readonly warnings?: readonly string[];
  /** What follows, for the next call. */
  readonly cursor?: string;
  readonly error?: AnswerError;
}

/** Why a call failed, as `error` of a command that fails says it. */
interface AnswerError {
  readonly code: string;
  readonly category: string;
  readonly message?: string;
  readonly fromService?: string;
  readonly hint: string | null;
  readonly retryable: boolean;
  readonly operationId: string | null;
}

/** Where a list goes on: at a cursor of the service, and some rows into the page that is there. */
interface Position {
  readonly after?: string;
  readonly skip?: number;
}

export const cursorText = (position: Position): string => Buffer.from(JSON.stringify(position)).toString('base64url');

/** Reads a cursor of an answer. Throws CliError usage. */
export function positionOf(cursor: string): Position {
  const problem = new CliError('usage', 'the cursor is not one of an answer', {
    code: 'INVALID_CURSOR',
    hint: 'give the cursor of the last answer unchanged, or omit it to start anew',
  });
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor.slice(0, 2_000), 'base64url').toString('utf8'));
    if (!isJsonObject(value)) throw problem;
    const { after, skip } = value;
    const isText = after === undefined || typeof after === 'string';
    const isCount = skip === undefined || (Number.isSafeInteger(skip) && (skip as number) >= 0);
    if (!isText || !isCount || Object.keys(value).some((name) => name !== 'after' && name !== 'skip')) throw problem;
    return value as Position;
  } catch {
    throw problem;
  }
}

/** Longer texts are cut: nobody pays for a novel in a narration. */
const LONGEST_TEXT = 4_000;
/** An answer of more bytes is cut to fewer rows. */
const MOST_BYTES = 48 * 1024;

/** Writes out what is invisible in a text, and cuts it. */
function safeText(text: string): string {
  const clean = visible(text);
  const characters = [...clean];
  return characters.length <= LONGEST_TEXT
    ? clean
    : `${characters.slice(0, LONGEST_TEXT).join('')}… (cut; ${characters.length} characters)`;
}

function safe(value: unknown): unknown {
  if (typeof value === 'string') return safeText(value);
  if (Array.isArray(value)) return value.map(safe);
  if (typeof value !== 'object' || value === null || isWireNumber(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [safeText(name), safe(each)]));
}

/** How a list is cut. */
export interface Cut {
  readonly limit: number;
  readonly position: Position;
}

/** Returns some rows of the longest list of a document, and where it goes on. */
function cutDocument(
  document: unknown,
  { limit, position }: Cut,
): { readonly data: unknown; readonly next?: Position } {
  if (!isJsonObject(document)) return { data: document };
  const { pagination, ...rest } = document;
  const after = isJsonObject(pagination) && typeof pagination['after'] === 'string' ? pagination['after'] : undefined;
  const shown = isJsonObject(pagination) ? { ...rest, total: pagination['total'] } : rest;
  const [name, rows] = Object.entries(rest).reduce<readonly [string, readonly unknown[]]>(
    (longest, [key, value]) => (Array.isArray(value) && value.length > longest[1].length ? [key, value] : longest),
    ['', []],
  );
  const skip = position.skip ?? 0;
  if (rows.length > skip + limit)
    return {
      data: { ...shown, [name]: rows.slice(skip, skip + limit) },
      next: { ...(position.after === undefined ? {} : { after: position.after }), skip: skip + limit },
    };
  return {
    data: skip > 0 && name !== '' ? { ...shown, [name]: rows.slice(skip) } : shown,
    ...(after === undefined ? {} : { next: { after } }),
  };
}

/** Cuts a document to rows that fit into an answer. Throws CliError if not even one does. */
function fitting(document: unknown, cut: Cut): Pick<Answer, 'data' | 'cursor'> {
  for (let { limit } = cut; ; limit = Math.floor(limit / 2)) {
    const { data, next } = cutDocument(document, { ...cut, limit: Math.max(limit, 1) });
    const shown = safe(data);
    if (Buffer.byteLength(JSON.stringify(shown)) <= MOST_BYTES)
      return { data: shown, ...(next && { cursor: cursorText(next) }) };
    if (limit <= 1)
      throw new CliError('failed', `the answer is longer than ${MOST_BYTES / 1024} KiB`, {
        code: 'ANSWER_TOO_LONG',
        hint: 'ask for less: one row, or fewer columns with query',
      });
  }
}

/** Returns the error of a command that failed, from the line of JSON that it printed. */
function errorIn(line: string): AnswerError {
  const { error } = JSON.parse(line) as { readonly error: Readonly<Record<string, unknown>> };
  const text = (name: string) => (typeof error[name] === 'string' ? safeText(error[name]) : undefined);
  const message = text('message') ?? '';
  // What the service says in a rejection is its own text, and may repeat a narration.
  const isForeign = typeof error['httpStatus'] === 'number';
  return {
    code: text('code') ?? 'INTERNAL',
    category: text('category') ?? 'internal',
    ...(isForeign ? { fromService: message } : { message }),
    hint: text('hint') ?? null,
    retryable: error['retryable'] === true,
    operationId: text('operationId') ?? null,
  };
}

/** Returns the answer to a call whose command ran. */
export function answerOf({ code, stdout, stderr }: Ran, cut: Cut): Answer {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const isErrorLine = (line: string) => line.startsWith('{"error":');
  const warnings = lines.filter((line) => !isErrorLine(line)).map(safeText);
  const error = lines.findLast(isErrorLine);
  const failed = code === 0 ? undefined : (error ?? noError(code));
  return {
    ...(stdout.trim() === '' ? {} : fitting(parseJson(stdout), cut)),
    ...(warnings.length > 0 && { warnings: warnings.slice(0, MOST_WARNINGS) }),
    ...(failed !== undefined && { error: errorIn(failed) }),
  };
}

const MOST_WARNINGS = 20;

const noError = (code: number) =>
  JSON.stringify({ error: { code: 'INTERNAL', category: 'internal', message: `the command exited with ${code}` } });

/** Returns the answer to a call that was wrong, or that could not be made. */
export function answerOfError({ code, category, message, hint }: CliError): Answer {
  return {
    error: {
      code,
      category,
      message: safeText(message),
      hint: hint === undefined ? null : safeText(hint),
      retryable: false,
      operationId: null,
    },
  };
}
