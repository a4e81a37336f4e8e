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
    confirm: (message) => ask(terminal, (context) => confirm({ message, default: false }, context)),
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

/** Makes the terminal mark pasted text (bracketed paste), to distinguish it from typed text. */
const MARK_PASTES = '\u001b[?2004h';
const MARK_NO_PASTES = '\u001b[?2004l';
/** How long a paste may pause before it counts as over, for a terminal that never marks its end. A slow connection pauses too. */
const PASTE_PAUSE_MS = 2_000;

/** A key, as Node's readline reports it to every listener in turn. */
interface Key {
  name?: string | undefined;
  ctrl?: boolean;
}

/** Keeps a key from the listeners that come after this one: neither readline nor the library has a use for it. */
const drop = (key: Key) => void Object.assign(key, { name: 'none', ctrl: true });

/**
 * Runs a prompt. Throws CliError `interrupted` on Ctrl-C, which the library reports, and on Ctrl-D, which it ignores; `usage` for a
 * paste of several lines, which would answer questions that nobody has read yet. Line breaks at the end of a paste are dropped.
 */
async function ask<T>(
  { input, output, signal }: PromptTerminal,
  start: (context: PromptTerminal) => Promise<T>,
): Promise<T> {
  const leaving = new AbortController();
  let isPasting = false;
  let hasEndedLine = false;
  let hasPastedLines = false;
  let lastKeyMs = 0;
  const leave = () => leaving.abort();
  const onKey = (_text: unknown, key: Key = {}) => {
    const { name, ctrl } = key;
    const now = Date.now();
    if (name === 'paste-start' || name === 'paste-end') isPasting = name === 'paste-start';
    else if (now - lastKeyMs > PASTE_PAUSE_MS) isPasting = false;
    lastKeyMs = now;
    if (!isPasting) hasEndedLine = false;
    else if (name === 'return' || name === 'enter') {
      hasEndedLine = true;
      drop(key);
    } else if (hasEndedLine) hasPastedLines = true;
    if (hasPastedLines || (ctrl && name === 'd')) leave();
  };
  // Before the library's own listener, which would submit the answer at a pasted line break.
  input.on('keypress', onKey).once('end', leave);
  output.write(MARK_PASTES);
  try {
    return await start({ input, output, signal: AbortSignal.any([signal, leaving.signal]) });
  } catch (error) {
    const { name } = error as { name?: unknown };
    if (name !== 'ExitPromptError' && name !== 'AbortPromptError') throw error;
    if (!hasPastedLines) throw new CliError('interrupted', 'interrupted; nothing was sent');
    await swallow(input, () => isPasting);
    throw new CliError('usage', 'the pasted text has several lines; nothing was sent', {
      hint: 'paste a single line',
    });
  } finally {
    output.write(MARK_NO_PASTES);
    input.off('keypress', onKey).off('end', leave);
  }
}

/** Discards the rest of a paste, which the shell would otherwise run as commands. */
async function swallow(input: NodeJS.ReadStream, isPasting: () => boolean): Promise<void> {
  input.setRawMode(true);
  input.resume();
  for (let isQuiet = false; isPasting() && !isQuiet; ) {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const onData = () => resolve(false);
    const timer = setTimeout(resolve, PASTE_PAUSE_MS, true);
    input.once('data', onData);
    isQuiet = await promise;
    clearTimeout(timer);
    input.off('data', onData);
  }
  input.pause();
  input.setRawMode(false);
}
