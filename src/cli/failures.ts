import { type Category, CliError, withDetails } from '../base/errors.ts';
import { HIDDEN } from '../base/secret.ts';
import type { World } from '../base/world.ts';
import { DatabaseError } from '../sqlite/database.ts';
import type { Changed } from './session.ts';

/** True for the error of a pipe whose reader has gone. */
export function isClosedPipe(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === 'EPIPE';
}

const STATE_PROBLEMS: Readonly<Record<DatabaseError['problem'], (path: string) => [message: string, hint: string]>> = {
  full: (path) => [
    `the disk is full: ${path} could not be written`,
    'make room, then run the command again; what could not be written was not done',
  ],
  corrupt: (path) => [
    `${path} is damaged or is no fiatrail file; it was left as it is`,
    'move it away to begin anew, or set FIATRAIL_STATE_DIR to another folder',
  ],
  unwritable: (path) => [
    `${path} cannot be opened for writing`,
    'check the permissions of the folder, or set FIATRAIL_STATE_DIR to another one',
  ],
  busy: (path) => [
    `${path} is held by another process for too long`,
    'wait for the other command to end, then run this one again',
  ],
  newer: (path) => [
    `${path} was made by a newer fiatrail`,
    'use that version, or set FIATRAIL_STATE_DIR to another folder',
  ],
  older: (path) => [
    `${path} was made by an earlier fiatrail, whose sandbox had other tables; it was left as it is`,
    'move it away to begin anew, or set FIATRAIL_STATE_DIR to another folder',
  ],
  other: (path) => [`${path} cannot be used`, 'set FIATRAIL_STATE_DIR to another folder'],
};

const IN_THE_WAY = 'a file stands where a folder is needed; move it away, or set FIATRAIL_STATE_DIR to another folder';
const FILE_HINTS: Readonly<Record<string, string>> = { EEXIST: IN_THE_WAY, ENOTDIR: IN_THE_WAY };

/** Any error as the one kind that is printed. */
export function asCliError(error: unknown, world: World): CliError {
  if (error instanceof CliError) return error;
  if (error instanceof DatabaseError) {
    const [message, hint] = STATE_PROBLEMS[error.problem](error.path);
    return new CliError('usage', message, { code: `STATE_${error.problem.toUpperCase()}`, hint, cause: error });
  }
  if (isClosedPipe(error)) return new CliError('interrupted', 'interrupted: nobody reads the output any more');
  const { code, path } = (error ?? {}) as { code?: unknown; path?: unknown };
  if (code === 'ENOSPC')
    return new CliError('usage', 'the disk is full', {
      code: 'STATE_FULL',
      hint: 'make room, then run the command again',
    });
  if (typeof code === 'string' && /^E[A-Z]+$/.test(code) && typeof path === 'string') {
    return new CliError('usage', `${path} cannot be used (${code})`, {
      code: 'STATE_UNWRITABLE',
      hint: FILE_HINTS[code] ?? 'check that it exists and its permissions',
    });
  }
  if (world.interrupted.aborted) return new CliError('interrupted', 'interrupted');
  return new CliError('internal', 'an internal error; nothing that moves money was left in doubt', {
    hint: 'please report it with the command you ran; FIATRAIL_DEBUG=1 shows where it happened',
    cause: error,
  });
}

/** Errors that say that nothing was sent. */
const NOT_SENT: readonly Category[] = ['usage', 'declined'];

/** What stops a command that has changed something already: the change is done, and what was to follow is not. */
export function failedAfterChange(error: CliError, changed: Changed | undefined): CliError {
  if (!changed || !NOT_SENT.includes(error.category)) return error;
  const message = `it was sent and accepted, and then: ${error.message}`;
  return withDetails(error, { category: 'failed', message, operationId: changed.operationId });
}

/** Once something was changed, a failure of ours must not read as "nothing was sent". */
export function changeNotShown(error: unknown, changed: Changed | undefined): unknown {
  if (!changed) return error;
  const { operationId, requestId } = changed;
  const why = error instanceof Error ? error.message : String(error);
  return new CliError('unknown', `it was sent and accepted, but its answer could not be shown: ${why}`, {
    code: 'ANSWER_NOT_SHOWN',
    hint:
      operationId && requestId
        ? `do not run it again: fiatrail ops show ${operationId} has the request id`
        : 'do not run it again before you have looked at the account',
    operationId,
    cause: error,
  });
}

/** What a person may have typed where it does not belong: a BVN, a key of a sandbox. */
const TYPED_SECRET = /(?<!\d)\d{11}(?!\d)|sandbox_[\w-]{6,}/g;
/** A key so short is no key, and may be part of any sentence. */
const SHORT_WORD = 8;

/** An error without the secrets that it repeats, since they were typed or stand in a variable: errors go to logs. */
export async function withoutSecrets(error: CliError, argv: readonly string[], { env }: World): Promise<CliError> {
  const { strikeOut } = await import('../contract/redact.ts');
  const variables = [env['FIATRAIL_API_KEY'], env['FIATRAIL_WEBHOOK_SECRET']].flatMap((text) => text?.trim() ?? []);
  const secrets = variables.filter((text) => text.length > SHORT_WORD);
  // What is repeated of a word may be a part of it.
  const isTyped = (text: string) => error.category === 'usage' && argv.some((word) => word.includes(text));
  const clean = (text: string) =>
    strikeOut(text, secrets).replace(TYPED_SECRET, (found) => (isTyped(found) ? HIDDEN : found));
  const hint = error.hint && clean(error.hint);
  const stack = (error.cause as Error | undefined)?.stack;
  return withDetails(error, { message: clean(error.message), hint, cause: stack && clean(stack) });
}
