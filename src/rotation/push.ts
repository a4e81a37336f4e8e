import { parseArgsStringToArgv } from 'string-argv';
import { CliError } from '../base/errors.ts';
import type { Secret } from '../base/secret.ts';
import type { World } from '../base/world.ts';

/** For a secret manager or another host to take a key. */
const LIMIT_MS = 60_000;

/** The words of a push command, whose first is a program that is there. Throws CliError usage. */
export function pushWords(world: World, command: string): string[] {
  const words = parseArgsStringToArgv(command);
  const [program = ''] = words;
  if (world.findProgram(program) !== undefined) return words;
  throw new CliError('usage', `--push-command: there is no program "${program.slice(0, 60)}"`, {
    code: 'PUSH_COMMAND_MISSING',
    hint: 'write a program and its words; a line for the shell as: sh -c "…"',
  });
}

/** Gives a key to a push command, on its standard input and without a line end; undefined, or what went wrong. */
export async function pushKey(world: World, command: string, key: Secret): Promise<string | undefined> {
  const end = await world.runProgram(parseArgsStringToArgv(command), { input: key.reveal(), timeoutMs: LIMIT_MS });
  if (end.kind === 'missing') return 'was not found or cannot be run';
  if (end.kind !== 'ended')
    return world.interrupted.aborted ? 'was interrupted' : `did not end within ${LIMIT_MS / 1000} s`;
  if (end.code === 0) return undefined;
  return end.code === null ? 'was ended by a signal' : `failed with exit code ${end.code}`;
}
