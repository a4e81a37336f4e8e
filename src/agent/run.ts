import { CliError } from '../base/errors.ts';
import type { OutputStream, World } from '../base/world.ts';
import type { RunCommand } from './commands.ts';

/** A command that prints more than this is stopped. */
const MOST_BYTES = 16 * 1024 * 1024;

/** What a command prints, as a text. */
function captured(): OutputStream & { text(): string } {
  const parts: Buffer[] = [];
  let bytes = 0;
  return {
    isTerminal: false,
    columns: undefined,
    write: async (part) => {
      const added = typeof part === 'string' ? Buffer.from(part) : Buffer.from(part);
      bytes += added.length;
      if (bytes > MOST_BYTES)
        throw new CliError('failed', 'the command printed more than an answer can have', { code: 'ANSWER_TOO_LONG' });
      parts.push(added);
    },
    text: () => Buffer.concat(parts).toString('utf8'),
  };
}

/** What decides how a command prints, or who it works for, is said in its command line alone. */
const IGNORED = ['FIATRAIL_OUTPUT', 'FIATRAIL_DEBUG', 'COLUMNS'];

/**
 * Returns what runs a command line in this process, through the function that runs those of a shell: nobody can be asked, there is no
 * input, and what it prints is returned.
 */
export function commandsIn(
  world: World,
  program: (argv: readonly string[], world: World) => Promise<number>,
): RunCommand {
  const env = Object.fromEntries(Object.entries(world.env).filter(([name]) => !IGNORED.includes(name)));
  return async (argv, signal) => {
    const [stdout, stderr] = [captured(), captured()];
    const code = await program(argv, {
      ...world,
      env,
      stdout,
      stderr,
      stdin: { isTerminal: false, readAll: async () => '' },
      inputParts: async function* () {},
      interrupted: AbortSignal.any([world.interrupted, signal]),
      prompter: () => Promise.reject(new Error('a prompt in a call of an agent')),
      // Only this process decides when it ends, and how it uses its memory.
      exit: () => {},
      steadyMemory: () => {},
    });
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  };
}
