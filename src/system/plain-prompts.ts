import { CliError } from '../base/errors.ts';
import type { Check, Choice, Prompter } from '../base/world.ts';

/** The parts of standard input and standard error that prompts use. */
interface PlainTerminal {
  readonly input: Pick<NodeJS.ReadStream, 'on' | 'off' | 'resume' | 'pause' | 'setEncoding' | 'setRawMode'>;
  readonly output: { write(text: string): unknown };
  readonly signal: AbortSignal;
}

/**
 * Returns a Prompter for screen readers and TERM=dumb: each question and each answer is one line, without escape codes
 * or cursor movement.
 */
export function plainPrompter(terminal: PlainTerminal): Prompter {
  const write = (text: string) => void terminal.output.write(text);
  const line = (question: string) => {
    write(`${question} `);
    return readLine(terminal).catch((error: unknown) => {
      // The terminal has echoed ^C behind the question.
      write('\n');
      throw error;
    });
  };
  return {
    confirm: (message) => askUntilValid(write, () => line(`${message} (y/N)`), yesOrNo),
    text: (message, check, preset) =>
      askUntilValid(
        write,
        () => line(preset === undefined ? message : `${message} (${preset})`),
        (text) => checked(text === '' && preset !== undefined ? preset : text, check),
      ),
    secret: (message, check) => {
      const hidden = () => readHidden(terminal, () => write(`${message} `)).finally(() => write('\n'));
      return askUntilValid(write, hidden, (text) => checked(text, check));
    },
    select: (message, choices) => {
      write(`${message}\n${numbered(choices)}`);
      return askUntilValid(
        write,
        () => line('Type a number or the start of a name (1):'),
        (text) => chosen(text === '' ? '1' : text, choices),
      );
    },
    search: async (message, find) => {
      write(`${message}\n`);
      let typed = await line('Type text to search for:');
      for (;;) {
        const choices = await find(typed, terminal.signal);
        write(choices.length > 0 ? numbered(choices) : 'No matches.\n');
        const answer = await line(choices.length > 0 ? 'Type a number, or other text:' : 'Type other text:');
        const picked = /^\d+$/.test(answer) ? choices[Number(answer) - 1] : undefined;
        if (picked) return picked.value;
        typed = answer;
      }
    },
  };
}

/** The value of an answer, or what is wrong with it. */
type ParsedAnswer<T> = { readonly value: T } | string;

/** Asks until the answer is valid. */
async function askUntilValid<T>(
  write: (text: string) => void,
  ask: () => Promise<string>,
  parse: (text: string) => ParsedAnswer<T>,
): Promise<T> {
  for (;;) {
    const parsed = parse(await ask());
    if (typeof parsed !== 'string') return parsed.value;
    write(`${parsed}\n`);
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

function numbered(choices: readonly Choice<unknown>[]): string {
  return choices.map(({ name }, index) => `  ${index + 1}. ${name}\n`).join('');
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
async function readHidden(terminal: PlainTerminal, ask: () => void): Promise<string> {
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
    await listen(terminal, (text) => [...text.replaceAll(KEYS, '')].some(take));
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
