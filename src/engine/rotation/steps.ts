import { parseArgsStringToArgv } from 'string-argv';
import type { Profile } from '../../account/profile.ts';
import { isOurStore } from '../../account/stored-profile.ts';
import { advice, type Hint } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import { HIDDEN, type Secret } from '../../base/secret.ts';
import type { ProgramEnd, World } from '../../base/world.ts';
import type { Rotation, RotationStage } from '../../journal/rotations.ts';
import { plainLine, plainLines } from '../../present/text.ts';
import type { Account } from '../account.ts';
import { rotationFile } from './files.ts';

export const RESUME_COMMAND = advice`[fiatrail keys rotate --resume]`;

/** The error of a rotation that --resume can finish. After Ctrl-C its category is `interrupted` instead of `pending`. */
export function unfinishedRotation(
  { world }: Account,
  message: string,
  { code, operationId, cause, hint }: { code: string; operationId: string; cause?: unknown; hint?: Hint },
): CliError {
  const { aborted } = world.interrupted;
  const next = `finish with: ${RESUME_COMMAND}`;
  const details = { code, operationId, cause, hint: aborted ? next : (hint ?? next) };
  return new CliError(aborted ? 'interrupted' : 'pending', message, details);
}

/** Closes a rotation, and its operation, in which the key was not rotated. */
export async function giveUp(
  account: Account,
  operationId: string,
  stage: RotationStage,
  detail: string,
): Promise<void> {
  const journal = await account.journal();
  await record(account, () => journal.moveRotation(operationId, stage, 'rejected', { detail }));
}

/** Writes to the journal. A failure is only a warning: the files of the rotation are enough to resume it. */
export async function record(account: Account, write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch {
    await account.notices.say(`warning: cannot write to the journal; once that is fixed, run: ${RESUME_COMMAND}`);
  }
}

/** How much of a program's standard error is shown. */
const MAX_LINES = 3;

const MAX_LENGTH = 200;

/** A part of a secret that is this long is no coincidence. Counted in letters and digits. */
const PART_LENGTH = 8;

/** Text that looks encoded: letters and digits without a break, or many numbers in a row. */
const ENCODED = /(?=[a-z=]*\d)(?=[\d=]*[a-z])[a-z\d=]{20,}|(?:\b\d{1,6}\b[\s,;]*){8,}/i;

/**
 * Returns the last lines of a program's standard error as one line; undefined if there are none. Redacts lines that contain a part of
 * the secret that the program was given, in a usual encoding, and lines that look encoded in another way, because a program may print
 * what it could not store.
 */
export function redactedStderr(stderr: string, secret: Secret): string | undefined {
  const lines = plainLines(stderr.replaceAll('\r', '\n'))
    .split('\n')
    .map((line) => plainLine(line).trim())
    .filter((line) => line !== '');
  if (lines.length === 0) return undefined;
  const parts = partsOf(secret.reveal());
  const texts = lines.map(lettersOf);
  const whole = texts.join('');
  const isIn = (text: string) => (part: string) => text.includes(part);
  // The secret may be spread over lines.
  const isSpread = (part: string) => whole.includes(part) && !texts.some((text) => text.includes(part));
  if (parts === undefined || parts.some(isSpread)) return HIDDEN;
  const shown = lines.map((line, index) =>
    ENCODED.test(line) || parts.some(isIn(texts[index] ?? '')) ? HIDDEN : cut(line),
  );
  return shown.slice(-MAX_LINES).join(' / ');
}

const cut = (line: string) => (line.length <= MAX_LENGTH ? line : `${line.slice(0, MAX_LENGTH).toWellFormed()}…`);

/** Returns the letters and digits of a text, without whatever separates, wraps or pads them. */
const lettersOf = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '');

/** Returns every part that reveals the secret; undefined if the secret is too short to tell from other text. */
function partsOf(secret: string): string[] | undefined {
  const own = lettersOf(secret);
  if (own.length < PART_LENGTH / 2) return undefined;
  const bytes = Buffer.from(secret);
  const texts = [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret),
    bytes.toString('hex'),
    // Text before it, such as a user name, moves where the groups of three bytes begin.
    ...[0, 1, 2].flatMap((start) => [
      bytes.subarray(start).toString('base64'),
      bytes.subarray(start).toString('base64url'),
    ]),
  ].map(lettersOf);
  const length = Math.min(PART_LENGTH, own.length);
  return [...new Set(texts.flatMap((text) => windowsOf(text, length)))];
}

const windowsOf = (text: string, length: number) =>
  Array.from({ length: Math.max(0, text.length - length + 1) }, (_, start) => text.slice(start, start + length));

/** The time that a push command gets to store the key. */
const LIMIT_MS = 60_000;

/** Splits a push command into words. Throws CliError usage if its program does not exist. */
export function pushWords(world: World, command: string): string[] {
  const words = parseArgsStringToArgv(command);
  const [program = ''] = words;
  if (world.findProgram(program) !== undefined) return words;
  throw new CliError('usage', `--push-command: program "${program.slice(0, 60)}" not found`, {
    code: 'PUSH_COMMAND_MISSING',
    hint: 'pass a program and its arguments; for a shell command use: sh -c "…"',
  });
}

/** Writes a key to the standard input of a push command, without a line break. Returns what went wrong, or undefined. */
async function pushKey(world: World, command: string, key: Secret): Promise<string | undefined> {
  const options = { input: key.reveal(), timeoutMs: LIMIT_MS, capturesErrors: true };
  const end = await world.runProgram(parseArgsStringToArgv(command), options);
  if (end.kind === 'missing') return 'was not found or cannot be run';
  if (end.kind === 'late' && world.interrupted.aborted) return 'was interrupted';
  if (end.kind === 'ended' && end.code === 0) return undefined;
  const stderr = redactedStderr(end.stderr ?? '', key);
  return howItEnded(end) + (stderr === undefined ? '' : `; it said: ${stderr}`);
}

function howItEnded(end: Exclude<ProgramEnd, { kind: 'missing' }>): string {
  if (end.kind === 'late') return `did not finish within ${LIMIT_MS / 1000} s`;
  return end.code === null ? 'was terminated by a signal' : `failed with exit code ${end.code}`;
}

/** Whether fiatrail can write a new key to the profile's store. */
export function isWritable({ stored, mode }: Profile): boolean {
  return mode !== 'embedded' && stored !== undefined && isOurStore(stored.store);
}

/** Runs the push commands that have not received the new key yet. */
export async function push(account: Account, { operationId, pushes, pushed }: Rotation, key: Secret): Promise<void> {
  const journal = await account.journal();
  for (const [index, words] of pushes.entries()) {
    if (index < pushed) continue;
    const problem = await pushKey(account.world, words, key);
    if (problem !== undefined) {
      const message = `the API key was rotated and the new key works, but push command ${index + 1} of ${pushes.length} ${problem}`;
      const hint = advice`fix it, then finish with: ${RESUME_COMMAND}; add --push-command to that to run another command instead`;
      throw unfinishedRotation(account, message, { code: 'PUSH_FAILED', operationId, hint });
    }
    await record(account, () => journal.rotations.pushed(operationId, index + 1));
  }
  await requireSameKey(account, operationId, key);
}

/** Checks that the profile's key command prints the new key; fiatrail cannot write to such a store. */
async function requireSameKey(account: Account, operationId: string, key: Secret): Promise<void> {
  const { profile } = account;
  if (profile.stored?.store.kind !== 'command' || !profile.key) return;
  const found = await profile.key.load().catch((error: unknown) => {
    if (error instanceof CliError) return undefined;
    throw error;
  });
  if (found?.reveal() === key.reveal()) return;
  const file = rotationFile(account.world, operationId, 'key');
  const message = `the API key was rotated and the new key works, but the key command does not print it yet${file ? `; the new key is in ${file}` : ''}`;
  throw unfinishedRotation(account, message, { code: 'KEY_COMMAND_OLD', operationId });
}
