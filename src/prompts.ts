import { CliError } from './exit.ts';
import type { Prompter } from './world.ts';

/** What a prompter needs of the terminal. */
export interface PromptContext {
  readonly output: NodeJS.WriteStream;
  readonly signal: AbortSignal;
  /** Calls back when nothing is left that could wake the process: standard input has ended. Gives back how to stop. */
  onNothingLeft(callback: () => void): () => void;
}

/** Questions on a terminal that can be written over. Loads the prompt library. */
export async function loadPrompter({ output, signal, onNothingLeft }: PromptContext): Promise<Prompter> {
  const { confirm, input, password, search, select } = await import('@inquirer/prompts');
  const context = { output, signal };
  const asked = <T>(question: Promise<T>) => ask(question, output, onNothingLeft);
  return {
    confirm: (message, preset = false) => asked(confirm({ message, default: preset }, context)),
    text: (message, check, preset) =>
      asked(input({ message, validate: check, ...(preset === undefined ? {} : { default: preset }) }, context)),
    secret: (message, check) => asked(password({ message, mask: '•', validate: check }, context)),
    select: (message, choices) => asked(select({ message, choices, loop: false }, context)),
    search: (message, find) =>
      asked(search({ message, source: (typed, { signal: left }) => find(typed ?? '', left) }, context)),
  };
}

/** An answer, or the end of the command: Ctrl-C, for which the library has errors of its own, and Ctrl-D, after which it is silent. */
function ask<T>(
  question: Promise<T>,
  output: NodeJS.WriteStream,
  onNothingLeft: PromptContext['onNothingLeft'],
): Promise<T> {
  const left = () => new CliError('interrupted', 'interrupted; nothing was sent');
  return new Promise((resolve, reject) => {
    const stop = onNothingLeft(() => {
      // The question still stands on the line.
      output.write('\n');
      reject(left());
    });
    question.then(resolve, (error: { name?: unknown }) => {
      reject(error.name === 'ExitPromptError' || error.name === 'AbortPromptError' ? left() : error);
    });
    question.finally(stop).catch(() => {});
  });
}
