import { parseArgsStringToArgv } from 'string-argv';
import { CliError } from '../../base/errors.ts';
import type { Secret } from '../../base/secret.ts';
import type { ProgramEnd, World } from '../../base/world.ts';
import { saidBy } from './said.ts';

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
export async function pushKey(world: World, command: string, key: Secret): Promise<string | undefined> {
  const options = { input: key.reveal(), timeoutMs: LIMIT_MS, keepsErrors: true };
  const end = await world.runProgram(parseArgsStringToArgv(command), options);
  if (end.kind === 'missing') return 'was not found or cannot be run';
  if (end.kind === 'late' && world.interrupted.aborted) return 'was interrupted';
  if (end.kind === 'ended' && end.code === 0) return undefined;
  const said = saidBy(end.stderr ?? '', key);
  return howItEnded(end) + (said === undefined ? '' : `; it said: ${said}`);
}

function howItEnded(end: Exclude<ProgramEnd, { kind: 'missing' }>): string {
  if (end.kind === 'late') return `did not finish within ${LIMIT_MS / 1000} s`;
  return end.code === null ? 'was terminated by a signal' : `failed with exit code ${end.code}`;
}
