import { CliError, StepBack } from '../base/errors.ts';
import type { Asking, Choice, Prompter } from '../base/world.ts';
import { shownLines } from '../present/shown-text.ts';
import { openPaint, type Paint } from '../present/style.ts';
import { widthOf } from '../present/width.ts';

/** The parts of the terminal that prompts use. */
interface PromptTerminal {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly signal: AbortSignal;
  /** Stops the programs of this job, as the terminal does on Ctrl-Z outside a prompt. */
  readonly suspend: () => void;
}

/** Columns that are kept free behind a question for its answer. */
const ROOM = { confirm: ' (y/N) yes'.length, text: 12, list: 0 } as const;

/** Returns a Prompter for a terminal with cursor control. Loads the prompt library. */
export async function loadPrompter(terminal: PromptTerminal): Promise<Prompter> {
  const { confirm, input, password, search, select } = await import('@inquirer/prompts');
  const { themeOf, rowsOf } = layoutOf(terminal.output, await openPaint(terminal.output.hasColors?.() ?? false));
  return {
    confirm: (message, asking) => {
      const question = { message, default: false, theme: themeOf(message, ROOM.confirm) };
      return ask(terminal, asking, (context) => confirm(question, context));
    },
    text: (message, check, asking) => {
      const { preset } = asking ?? {};
      const theme = themeOf(message, ROOM.text + (preset === undefined ? 0 : widthOf(preset) + 3));
      const question = { message, validate: check, theme, ...(preset === undefined ? {} : { default: preset }) };
      return ask(terminal, asking, (context) => input(question, context));
    },
    // Without `toggleMask: false`, Ctrl-T shows the secret.
    secret: (message, check, asking) => {
      const question = { message, mask: '•', toggleMask: false, validate: check, theme: themeOf(message, ROOM.text) };
      return ask(terminal, asking, (context) => password(question, context));
    },
    select: (message, choices, asking) => {
      const question = { message, loop: false, theme: themeOf(message, ROOM.list), ...presetOf(asking) };
      return ask(terminal, asking, (context) => select({ ...question, choices: rowsOf(choices) }, context));
    },
    search: (message, find, asking) => {
      const typed = asking?.typed ? { initialValue: asking.typed } : {};
      const question = { message, theme: themeOf(message, ROOM.text), ...typed, ...presetOf(asking) };
      const source = async (text: string | undefined, { signal }: { signal: AbortSignal }) =>
        rowsOf(await find(text ?? '', signal));
      return ask(terminal, asking, (context) => search({ ...question, source }, context));
    },
  };
}

const presetOf = <T>(asking: Asking<T> | undefined) =>
  asking?.preset === undefined ? {} : { default: asking.preset as NoInfer<T> };

/** The `? ` before a question, and the `❯ ` before a row. */
const INDENT = 2;

/** How questions and rows are laid out at the width that the terminal has when they are shown. */
function layoutOf(output: PromptTerminal['output'], paint: Paint) {
  const widthNow = () => Math.max(1, (output.columns || 80) - INDENT);
  const indented = (lines: readonly string[]) => lines.join(`\n${' '.repeat(INDENT)}`);
  const isFull = (lines: readonly string[], room: number) => widthOf(lines.at(-1) ?? '') + room > widthNow();
  return {
    /** The library breaks lines at the edge of the terminal, so they are wrapped before. `room` columns follow the question. */
    themeOf: (question: string, room: number) => {
      const lines = () => shownLines(question, widthNow());
      return {
        style: {
          message: (_text: string, status: string) => {
            const isBelow = status !== 'done' && isFull(lines(), room);
            return paint(indented(lines()), 'bold') + (isBelow ? '\n ' : '');
          },
          answer: (text: string) => {
            const isBelow = isFull(lines(), 1 + widthOf(text));
            return (isBelow ? '\n  ' : '') + paint(indented(shownLines(text, widthNow())), 'cyan');
          },
          error: (text: string) => paint(`> ${indented(shownLines(text, widthNow()))}`, 'red'),
          keysHelpTip: (keys: [key: string, action: string][]) => {
            const tips = keys.map((tip) => tip.join(' '));
            const line = tips.join(' • ');
            return paint(widthOf(line) > widthNow() ? tips.join('\n') : line, 'dim');
          },
        },
      };
    },
    /** Rows are padded to where the library breaks them: a line break in a name would end a search. */
    rowsOf: <T>(choices: readonly Choice<T>[]) =>
      choices.map(({ name, value }) => {
        const lines = shownLines(name, widthNow());
        const padded = lines.map((line) => line + ' '.repeat(widthNow() - widthOf(line) + INDENT));
        return { value, name: padded.join('').trimEnd(), short: name };
      }),
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

/** How long the signal may take to stop this process. Without a shell that could continue it, the system ignores the signal. */
const STOP_MS = 50;

/** Why a question ended without an answer. */
type Leaving = 'interrupt' | 'lines' | 'back' | 'suspend';

/**
 * Runs a prompt. Throws CliError `interrupted` on Ctrl-C, which the library reports, and on Ctrl-D, which it ignores; `usage` for a
 * paste of several lines, which would answer questions that nobody has read yet; StepBack. Line breaks at the end of a paste are
 * dropped. After Ctrl-Z, the question is asked again when the program continues.
 */
async function ask<T>(
  { input, output, signal, suspend }: PromptTerminal,
  asking: Asking | undefined,
  start: (context: Pick<PromptTerminal, 'input' | 'output' | 'signal'>) => Promise<T>,
): Promise<T> {
  let left = new AbortController();
  let isPasting = false;
  let hasEndedLine = false;
  let lastKeyMs = 0;
  const leave = (why: Leaving) => left.abort(why);
  const onEnd = () => leave('interrupt');
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
    } else if (hasEndedLine) leave('lines');
    if (name === 'escape' || (ctrl && name === 'b')) {
      drop(key);
      if (asking?.hasBack) leave('back');
    } else if (ctrl && name === 'd') leave('interrupt');
    else if (ctrl && name === 'z' && process.platform !== 'win32') {
      drop(key);
      leave('suspend');
    }
  };
  // Before the library's own listener, which would submit the answer at a pasted line break.
  input.on('keypress', onKey).once('end', onEnd);
  try {
    for (;;) {
      left = new AbortController();
      output.write(MARK_PASTES);
      try {
        return await start({ input, output, signal: AbortSignal.any([signal, left.signal]) });
      } catch (error) {
        const { name } = error as { name?: unknown };
        if (name !== 'ExitPromptError' && name !== 'AbortPromptError') throw error;
        const why = left.signal.aborted ? (left.signal.reason as Leaving) : 'interrupt';
        if (why === 'back') throw new StepBack();
        if (why === 'interrupt') throw new CliError('interrupted', 'interrupted; nothing was sent');
        if (why === 'lines') {
          await swallow(input, () => isPasting);
          throw new CliError('usage', 'the pasted text has several lines; nothing was sent', {
            hint: 'paste a single line',
          });
        }
      } finally {
        output.write(MARK_NO_PASTES);
      }
      suspend();
      await new Promise((resolve) => setTimeout(resolve, STOP_MS));
    }
  } finally {
    input.off('keypress', onKey).off('end', onEnd);
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
