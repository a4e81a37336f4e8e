import { parseArgsStringToArgv } from 'string-argv';
import { advice, type Hint } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import type { ProgramEnd, World } from '../../base/world.ts';
import { isTrusted, type KeyCommand, untrustedCommand } from '../stored-profile.ts';
import type { SecretStore } from './secret-store.ts';

const LIMIT_MS = 10_000;

/** Reads the API key from the output of a command that the user trusted. The store is read-only and has no encryption keys. */
export function createCommandStore(world: World, settings: KeyCommand, limitMs = LIMIT_MS): SecretStore {
  const { command, isShell } = settings;
  return {
    kind: 'command',
    location: () => command,
    read: async (profile, name) => {
      if (name !== 'api-key') return undefined;
      if (!isTrusted(settings)) throw untrustedCommand(profile);
      return secretPrintedBy({ command, isShell, name: 'the key command', change: CHANGE }, world, limitMs);
    },
    write: async () => {
      throw refuse(
        'READ_ONLY',
        'a key command is read-only, so nothing can be stored with it',
        'add --push-command, which receives the new key on standard input',
      );
    },
    remove: async () => {},
  };
}

interface SecretCommand {
  readonly command: string;
  readonly isShell: boolean;
  /** For messages. */
  readonly name: string;
  /** How to give another command, for messages. */
  readonly change: Hint;
}

/** Runs a command and returns the secret that it prints. Throws CliError usage, which never contains what was printed. */
export async function secretPrintedBy(
  { command, isShell, name, change }: SecretCommand,
  world: Pick<World, 'runProgram' | 'interrupted'>,
  limitMs = LIMIT_MS,
): Promise<Secret> {
  const words = isShell ? [command] : parseArgsStringToArgv(command);
  if (!words[0]?.trim()) throw refuse('EMPTY', `${name} is empty`, change);
  const end = await world.runProgram(words, { timeoutMs: limitMs, isShell });
  if (end.kind === 'late' && world.interrupted.aborted) throw new CliError('interrupted', 'interrupted');
  // The arguments may contain a secret, so only the program is named.
  const label = isShell ? name : `${name} ${words[0].slice(0, 60)}`;
  return new Secret(keyIn(outputOf(end, { label, isShell, limitMs, change }), label));
}

const CHANGE = advice`change it with: [fiatrail profiles add NAME --key-command CMD]`;
const TRY = 'run it yourself in this terminal and fix the problem it reports';

function refuse(code: string, message: string, hint: Hint): CliError {
  return new CliError('usage', message, { code: `COMMAND_${code}`, hint });
}

/** A shell's exit code for a command that it cannot find. */
const SHELL_NOT_FOUND = 127;

function outputOf(
  end: ProgramEnd,
  { label, isShell, limitMs, change }: { label: string; isShell: boolean; limitMs: number; change: Hint },
): string {
  if (end.kind === 'late')
    throw refuse('TIMEOUT', `${label} did not finish within ${limitMs / 1000} s`, `it must not prompt; ${TRY}`);
  if (end.kind !== 'ended' || (isShell && end.code === SHELL_NOT_FOUND))
    throw refuse('NOT_FOUND', `${label} was not found or cannot be run`, advice`install it, or ${change}`);
  if (end.code === null) throw refuse('FAILED', `${label} was terminated by a signal`, TRY);
  if (end.code !== 0) throw refuse('FAILED', `${label} failed with exit code ${end.code}`, TRY);
  return end.stdout;
}

function keyIn(output: string, label: string): string {
  const hint = 'it must print only the key, on one line';
  const key = output.replace(/\r?\n$/, '');
  if (key === '') throw refuse('NO_OUTPUT', `${label} printed nothing`, hint);
  if (/[\r\n]/.test(key)) throw refuse('TWO_LINES', `${label} printed more than one line`, hint);
  if (!/^[\x21-\x7e]+$/.test(key))
    throw refuse('NO_KEY', `${label} printed spaces or characters that keys do not contain`, hint);
  return key;
}
