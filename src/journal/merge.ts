import * as z from 'zod/mini';
import { attempt, CliError } from '../base/errors.ts';
import { entryAt } from '../files/inspect.ts';
import { readPrivateFile, removePrivateFile } from '../files/private-file.ts';
import { DatabaseError } from '../sqlite/errors.ts';
import type { Recording } from './entries.ts';
import { MAX_SPOOLED_BYTES, type Spool, type SpooledOutcome, signedText } from './spool.ts';
import type { OperationState } from './states.ts';
import { tryMove } from './transitions.ts';

/** What became of the spooled outcomes. */
export interface Merged {
  readonly count: number;
  /** One sentence for each file that was ignored. */
  readonly warnings: readonly string[];
}

/** The only states that a response leads to. */
const SPOOLED_STATES = [
  'accepted',
  'settled',
  'failed',
  'rejected',
  'unknown',
] as const satisfies readonly OperationState[];

const spooledOutcome = () =>
  z.strictObject({
    operationId: z.string().check(z.minLength(1), z.maxLength(100)),
    state: z.enum(SPOOLED_STATES),
    at: z.int().check(z.positive()),
    requestId: z.optional(z.string()),
    detail: z.optional(z.string()),
    result: z.optional(z.string()),
  });

/**
 * Appends the outcomes in these files to the journal in one transaction, then deletes the files. A file that this journal did not
 * sign, or that contradicts what it knows, is left where it is and decides nothing. A second merge of a file appends nothing.
 * While the journal still cannot be written, every file stays.
 */
export async function mergeSpool(
  append: (work: (recording: Recording) => Promise<void>) => Promise<void>,
  spool: Spool,
  paths: readonly string[],
): Promise<Merged> {
  const found = paths.map((path) => ({ path, spooled: read(path, spool) }));
  const warnings: string[] = [];
  const merged: string[] = [];
  try {
    await append(async (recording) => {
      for (const { path, spooled } of found) {
        const problem = typeof spooled === 'string' ? spooled : await problemOf(recording, spooled);
        if (problem === undefined) merged.push(path);
        else warnings.push(`${path} was ignored: ${problem}`);
      }
    });
  } catch (error) {
    if (error instanceof DatabaseError && error.problem !== 'corrupt') return { count: 0, warnings: [] };
    throw error;
  }
  for (const path of merged) removePrivateFile(path);
  return { count: merged.length, warnings };
}

/** Returns the outcome in a file, or why it is not one. */
function read(path: string, { sign }: Spool): SpooledOutcome | string {
  const isLong = (entryAt(path)?.sizeBytes ?? 0) > MAX_SPOOLED_BYTES;
  const text = attempt(() => (isLong ? '' : (readPrivateFile(path) ?? '')));
  if (text instanceof CliError) return text.message;
  const [signature, body = ''] = text.split('\n');
  if (signature !== sign(signedText(body))) return 'this journal did not write it, or it was changed';
  const parsed = spooledOutcome().safeParse(JSON.parse(body));
  return parsed.success ? parsed.data : 'its content is not an outcome';
}

/** Appends an outcome. Returns why it contradicts the journal, if it does. */
async function problemOf(recording: Recording, spooled: SpooledOutcome): Promise<string | undefined> {
  const { operationId, state, ...appended } = spooled;
  const known = await recording.queries.get<KnownOutcome>(
    'SELECT state, verdict, request_id FROM operation WHERE id = ?',
    operationId,
  );
  if (!known) return `this journal has no operation ${operationId}`;
  if ((await isAppended(recording, spooled)) || agrees(known, spooled)) return undefined;
  if (await tryMove(recording, operationId, state, appended)) return undefined;
  const isDone = state === 'accepted' || state === 'settled' || state === 'failed';
  const what = isDone ? `accepted (request id ${spooled.requestId ?? 'unknown'})` : state;
  return `it says that operation ${operationId} was ${what}, but the journal says ${known.verdict ?? known.state}`;
}

interface KnownOutcome {
  readonly state: OperationState;
  readonly verdict: string | null;
  readonly request_id: string | null;
}

/** Whether an earlier merge, which was killed before it deleted the file, has appended it. */
async function isAppended(
  { queries }: Recording,
  { operationId, state, at, requestId }: SpooledOutcome,
): Promise<boolean> {
  const sql =
    'SELECT 1 AS found FROM entry WHERE operation_id = ? AND state = ? AND at = ? AND request_id IS NOT DISTINCT FROM ?';
  return (await queries.get(sql, operationId, state, at, requestId ?? null)) !== undefined;
}

/** Whether the journal learned the same from another source, or more. */
function agrees({ state, verdict, request_id }: KnownOutcome, spooled: SpooledOutcome): boolean {
  const isOutcomeUnknown = state === 'sent' || state === 'unknown';
  if (isOutcomeUnknown || state === 'prepared') return false;
  if (spooled.state === 'unknown') return true;
  const isUndone = state === 'rejected' || verdict === 'not-done';
  if (spooled.state === 'rejected') return isUndone;
  return !isUndone && (spooled.requestId === undefined || spooled.requestId === request_id);
}
