import { filesNamedAfter } from '../files/inspect.ts';
import { writePrivateFile } from '../files/private-file.ts';
import type { OperationState } from './states.ts';
import type { Appended } from './transitions.ts';

/**
 * The outcome of a request that the journal could not take when it arrived: it was locked, or the disk was full. It waits in a
 * file beside the journal until a command can append it.
 */
export interface SpooledOutcome extends Pick<Appended, 'requestId' | 'detail' | 'result'> {
  readonly operationId: string;
  readonly state: OperationState;
  /** When it became known. */
  readonly at: number;
}

/** Where outcomes are spooled, and how this journal signs them. */
export interface Spool {
  /** The path of the journal. */
  readonly path: string;
  unique(): string;
  sign(text: string): string;
}

const START = '.outcome-';
const ENDING = '.json';

/** What is signed. No input of an operation begins like this, so a signature is never the digest of an input. */
export const signedText = (body: string) => `kept outcome\n${body}`;

/** The largest file that is read again. A longer outcome is spooled without the service's data. */
export const MAX_SPOOLED_BYTES = 4 * 1024 * 1024;

/** Writes an outcome to a private file beside the journal, flushed to disk. Throws CliError usage, or the system's error. */
export function spoolOutcome({ path, unique, sign }: Spool, outcome: SpooledOutcome): void {
  const whole = JSON.stringify(outcome);
  const isLong = Buffer.byteLength(whole) > MAX_SPOOLED_BYTES - 200;
  const body = isLong ? JSON.stringify({ ...outcome, result: undefined }) : whole;
  const id = unique();
  writePrivateFile(`${path}${START}${id}${ENDING}`, `${sign(signedText(body))}\n${body}\n`, id);
}

/** Returns the paths of the spooled outcomes; none for a journal in memory. */
export function spoolFiles(path: string): string[] {
  return path === ':memory:' ? [] : filesNamedAfter(path, START, ENDING);
}
