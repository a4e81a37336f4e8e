import { parseArgsStringToArgv } from 'string-argv';
import { CliError } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import type { ProgramEnd, World } from '../../base/world.ts';
import type { SecretStore } from './secret-store.ts';

interface CommandSettings {
  /** As typed: `op read "op://ops/fiatrail/key"`. */
  readonly command: string;
  /** For the system's shell; else its words are a program and what is given to it. */
  readonly isShell: boolean;
}

const LIMIT_MS = 10_000;

/** Reads the API key from what a command prints. It keeps no sealing keys, and nothing can be written to it. */
export function createCommandStore(world: World, settings: CommandSettings, limitMs = LIMIT_MS): SecretStore {
  const { command, isShell } = settings;
  return {
    kind: 'command',
    place: () => command,
    read: async (_profile, name) => {
      if (name !== 'api-key') return undefined;
      const words = isShell ? [command] : parseArgsStringToArgv(command);
      if (!words[0]?.trim()) throw refuse('EMPTY', 'the key command is empty', CHANGE);
      const end = await world.runProgram(words, { timeoutMs: limitMs, isShell });
      if (end.kind === 'late' && world.interrupted.aborted) throw new CliError('interrupted', 'interrupted');
      // The words after the first may hold what nobody should see.
      const who = isShell ? 'the key command' : `the key command ${words[0].slice(0, 60)}`;
      return new Secret(keyIn(outputOf(end, who, isShell, limitMs), who));
    },
    write: async () => {
      throw refuse(
        'READ_ONLY',
        'a key command only reads, so nothing can be kept with it',
        'give --push-command, which takes the new key on its standard input',
      );
    },
    remove: async () => {},
  };
}

const CHANGE = 'change it: fiatrail profiles add NAME --key-command CMD';
const TRY = 'run it by hand in this terminal and mend what it says';

function refuse(code: string, message: string, hint: string): CliError {
  return new CliError('usage', message, { code: `COMMAND_${code}`, hint });
}

/** What a shell says of a program that it cannot find. */
const SHELL_NOT_FOUND = 127;

function outputOf(end: ProgramEnd, who: string, isShell: boolean, limitMs: number): string {
  if (end.kind === 'late')
    throw refuse('TIMEOUT', `${who} did not end within ${limitMs / 1000} s`, `it must ask nothing: ${TRY}`);
  if (end.kind !== 'ended' || (isShell && end.code === SHELL_NOT_FOUND))
    throw refuse('NOT_FOUND', `${who} was not found or cannot be run`, `install it, or ${CHANGE}`);
  if (end.code === null) throw refuse('FAILED', `${who} was ended by a signal`, TRY);
  if (end.code !== 0) throw refuse('FAILED', `${who} failed with exit code ${end.code}`, TRY);
  return end.stdout;
}

function keyIn(output: string, who: string): string {
  const only = 'it must print the key, on one line, and nothing else';
  const key = output.replace(/\r?\n$/, '');
  if (key === '') throw refuse('NO_OUTPUT', `${who} printed nothing`, only);
  if (/[\r\n]/.test(key)) throw refuse('TWO_LINES', `${who} printed more than one line`, only);
  if (!/^[\x21-\x7e]+$/.test(key)) throw refuse('NO_KEY', `${who} printed blanks or characters that no key has`, only);
  return key;
}
