import { CliError } from '../base/errors.ts';
import type { Prompter } from '../base/world.ts';

/** The parts of the terminal that prompts use. */
interface PromptTerminal {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly signal: AbortSignal;
}

/** Returns a Prompter for a terminal with cursor control. Loads the prompt library. */
export async function loadPrompter(terminal: PromptTerminal): Promise<Prompter> {
  const { confirm, input, password, search, select } = await import('@inquirer/prompts');
  return {
    confirm: (message, preset = false) => ask(terminal, (context) => confirm({ message, default: preset }, context)),
    text: (message, check, preset) => {
      const question = { message, validate: check, ...(preset === undefined ? {} : { default: preset }) };
      return ask(terminal, (context) => input(question, context));
    },
    // Without `toggleMask: false`, Ctrl-T shows the secret.
    secret: (message, check) =>
      ask(terminal, (context) => password({ message, mask: '•', toggleMask: false, validate: check }, context)),
    select: (message, choices) => ask(terminal, (context) => select({ message, choices, loop: false }, context)),
    search: (message, find) =>
      ask(terminal, (context) =>
        search({ message, source: (typed, { signal: left }) => find(typed ?? '', left) }, context),
      ),
  };
}

/** Runs a prompt. Throws CliError `interrupted` on Ctrl-C, which the library reports, and on Ctrl-D, which it ignores. */
async function ask<T>(
  { input, output, signal }: PromptTerminal,
  start: (context: PromptTerminal) => Promise<T>,
): Promise<T> {
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  const onKey = (_text: unknown, key: { ctrl?: boolean; name?: string } = {}) => {
    if (key.ctrl && key.name === 'd') leave();
  };
  input.on('keypress', onKey).once('end', leave);
  try {
    return await start({ input, output, signal: AbortSignal.any([signal, leaving.signal]) });
  } catch (error) {
    const { name } = error as { name?: unknown };
    if (name !== 'ExitPromptError' && name !== 'AbortPromptError') throw error;
    throw new CliError('interrupted', 'interrupted; nothing was sent');
  } finally {
    input.off('keypress', onKey).off('end', leave);
  }
}
