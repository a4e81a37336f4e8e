import { CliError, StepBack } from '../base/errors.ts';
import type { Asking, Check, Choice, Prompter } from '../base/world.ts';
import { shownLines } from '../present/shown-text.ts';

/** The parts of standard input and standard error that prompts use. */
interface PlainTerminal {
  readonly input: Pick<NodeJS.ReadStream, 'on' | 'off' | 'resume' | 'pause' | 'setEncoding' | 'setRawMode'>;
  readonly output: { write(text: string): unknown; readonly columns?: number | undefined };
  readonly signal: AbortSignal;
}

/**
 * Returns a Prompter for screen readers and TERM=dumb: each question and each answer is one line, without escape codes
 * or cursor movement.
 */
export function plainPrompter(terminal: PlainTerminal): Prompter {
  const { write, wrapped, say, offer, line } = linesOf(terminal);
  return {
    confirm: (message, asking) => askUntilValid(say, () => line(`${message} (y/N)`, asking), yesOrNo),
    text: (message, check, asking) => {
      const { preset } = asking ?? {};
      return askUntilValid(
        say,
        () => line(preset === undefined ? message : `${message} (${preset})`, asking),
        (text) => checked(text === '' && preset !== undefined ? preset : text, check),
      );
    },
    secret: (message, check, asking) => {
      const hidden = () => readHidden(terminal, () => write(`${wrapped(message)} `), asking).finally(() => write('\n'));
      return askUntilValid(say, hidden, (text) => checked(text, check));
    },
    select: (message, choices, asking) => {
      say(message);
      offer(choices);
      const preset = String(1 + Math.max(0, indexOf(asking, choices)));
      return askUntilValid(
        say,
        () => line(`Type a number or the start of a name (${preset}):`, asking),
        (text) => chosen(text === '' ? preset : text, choices),
      );
    },
    search: async (message, find, asking) => {
      say(message);
      const before = asking?.typed ?? '';
      let typed = (await line(`Type text to search for${before && ` (${before})`}:`, asking)) || before;
      for (;;) {
        const choices = await find(typed, terminal.signal);
        const preset = choices[indexOf(asking, choices)];
        if (choices.length > 0) offer(choices);
        else say('No matches.');
        const number = preset ? ` (${choices.indexOf(preset) + 1})` : '';
        const what = choices.length > 0 ? `Type a number, or other text${number}:` : 'Type other text:';
        const answer = await line(what, asking);
        const picked = answer === '' ? preset : /^\d+$/.test(answer) ? choices[Number(answer) - 1] : undefined;
        if (picked) return picked.value;
        typed = answer;
      }
    },
  };
}

/** Writes wrapped lines, and reads answers of one line. */
function linesOf(terminal: PlainTerminal) {
  const write = (text: string) => void terminal.output.write(text);
  const wrapped = (text: string, indent = '') => {
    const columns = terminal.output.columns || Number.POSITIVE_INFINITY;
    return shownLines(text, Math.max(1, columns - indent.length - 1)).join(`\n${indent}`);
  };
  const say = (text: string) => write(`${wrapped(text)}\n`);
  const offer = (choices: readonly Choice<unknown>[]) => {
    for (const [index, { name }] of choices.entries()) {
      const label = `  ${index + 1}. `;
      write(`${label}${wrapped(name, ' '.repeat(label.length))}\n`);
    }
  };
  const line = async (question: string, asking: Asking | undefined) => {
    write(`${wrapped(question)} `);
    const text = await readLine(terminal).catch((error: unknown) => {
      // The terminal has echoed ^C behind the question.
      write('\n');
      throw error;
    });
    if (asking?.hasBack && BACK.includes(text.charAt(0) || ' ')) throw new StepBack();
    return text;
  };
  return { write, wrapped, say, offer, line };
}

/** The position of the answer of Enter alone; -1 if there is none. */
const indexOf = <T>(asking: Asking<T> | undefined, choices: readonly Choice<T>[]) =>
  asking?.preset === undefined ? -1 : choices.findIndex(({ value }) => value === asking.preset);

/** Esc and Ctrl-B. */
const BACK = '\u001b\u0002';

/** The value of an answer, or what is wrong with it. */
type ParsedAnswer<T> = { readonly value: T } | string;

/** Asks until the answer is valid. */
async function askUntilValid<T>(
  say: (text: string) => void,
  ask: () => Promise<string>,
  parse: (text: string) => ParsedAnswer<T>,
): Promise<T> {
  for (;;) {
    const parsed = parse(await ask());
    if (typeof parsed !== 'string') return parsed.value;
    say(parsed);
  }
}

function checked(text: string, check: Check): ParsedAnswer<string> {
  const verdict = check(text);
  return verdict === true ? { value: text } : verdict;
}

function yesOrNo(text: string): ParsedAnswer<boolean> {
  if (/^(y|yes|n|no|)$/i.test(text)) return { value: /^y/i.test(text) };
  return 'Type y for yes or n for no.';
}

function chosen<T>(text: string, choices: readonly Choice<T>[]): ParsedAnswer<T> {
  const byNumber = /^\d+$/.test(text) ? choices[Number(text) - 1] : undefined;
  const start = text.toLowerCase();
  const found = byNumber ? [byNumber] : choices.filter(({ name }) => name.toLowerCase().startsWith(start));
  const [first] = found;
  if (first === undefined) return `No match. Type a number from 1 to ${choices.length}.`;
  return found.length === 1 ? first : `${found.length} matches. Type more of the name, or a number.`;
}

/** Reads a line. The terminal itself echoes, deletes and turns Ctrl-C into a signal. */
async function readLine(terminal: PlainTerminal): Promise<string> {
  let line = '';
  await listen(terminal, (text) => {
    line += text;
    return line.includes('\n');
  });
  return line.split(/\r?\n/, 1)[0]?.trim() ?? '';
}

const ENDS = '\r\n';
const LEAVES = '\u0003\u0004';
const DELETES = '\u007f\b';
const CLEARS = '\u0015';
/** The escape sequences of keys such as the arrows. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences start with one
const KEYS = /\u001b(\[[0-9;]*[A-Za-z~]|O[A-Za-z])?/g;

/**
 * Reads a line without echo, and handles the editing keys itself. A paste may contain the whole line. `ask` runs after the
 * echo is off, because a program may answer as soon as it reads the question.
 */
async function readHidden(terminal: PlainTerminal, ask: () => void, asking: Asking | undefined): Promise<string> {
  let typed: readonly string[] = [];
  /** Returns true at the end of the line. */
  const take = (character: string): boolean => {
    if (ENDS.includes(character)) return true;
    if (LEAVES.includes(character)) throw left();
    if (DELETES.includes(character)) typed = typed.slice(0, -1);
    else if (character === CLEARS) typed = [];
    else if (character >= ' ') typed = [...typed, character];
    return false;
  };
  terminal.input.setRawMode(true);
  try {
    ask();
    await listen(terminal, (text) => {
      // Esc alone: other keys send it with what follows.
      if (asking?.hasBack && BACK.includes(text)) throw new StepBack();
      return [...text.replaceAll(KEYS, '')].some(take);
    });
  } finally {
    terminal.input.setRawMode(false);
  }
  return typed.join('');
}

/** Passes input to `take` until it returns true or throws. */
function listen({ input, signal }: PlainTerminal, take: (text: string) => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      input.off('data', onData).off('end', onLeft);
      signal.removeEventListener('abort', onLeft);
      input.pause();
      settle();
    };
    const onLeft = () => end(() => reject(left()));
    const onData = (text: string) => {
      try {
        if (take(text)) end(resolve);
      } catch (error) {
        end(() => reject(error));
      }
    };
    if (signal.aborted) {
      reject(left());
      return;
    }
    input.setEncoding('utf8');
    input.on('data', onData).on('end', onLeft);
    signal.addEventListener('abort', onLeft);
    input.resume();
  });
}

function left(): CliError {
  return new CliError('interrupted', 'interrupted; nothing was sent');
}
