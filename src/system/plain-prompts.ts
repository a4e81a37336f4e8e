import { CliError } from '../base/errors.ts';
import type { Check, Choice, Prompter } from '../base/world.ts';

/** What is used of standard input and standard error. */
interface PlainTerminal {
  readonly input: Pick<NodeJS.ReadStream, 'on' | 'off' | 'resume' | 'pause' | 'setEncoding' | 'setRawMode'>;
  readonly output: { write(text: string): unknown };
  readonly signal: AbortSignal;
}

/**
 * Questions for a terminal that only goes forward: screen readers, TERM=dumb. Each is a line, each answer is a line, and
 * nothing that was written is touched again; no escape codes.
 */
export function plainPrompter(terminal: PlainTerminal): Prompter {
  const say = (text: string) => void terminal.output.write(text);
  const line = (question: string) => {
    say(`${question} `);
    return readLine(terminal);
  };
  return {
    confirm: (message, preset = false) =>
      asked(
        say,
        () => line(`${message} (${preset ? 'Y/n' : 'y/N'})`),
        (text) => yesOrNo(text, preset),
      ),
    text: (message, check, preset) =>
      asked(
        say,
        () => line(preset === undefined ? message : `${message} (${preset})`),
        (text) => checked(text === '' && preset !== undefined ? preset : text, check),
      ),
    secret: (message, check) => {
      const hidden = () => readHidden(terminal, () => say(`${message} `)).finally(() => say('\n'));
      return asked(say, hidden, (text) => checked(text, check));
    },
    select: (message, choices) => {
      say(`${message}\n${numbered(choices)}`);
      return asked(
        say,
        () => line('Type a number or the beginning of a name (1):'),
        (text) => chosen(text === '' ? '1' : text, choices),
      );
    },
    search: async (message, find) => {
      say(`${message}\n`);
      let typed = await line('Type some text:');
      for (;;) {
        const choices = await find(typed, terminal.signal);
        say(choices.length > 0 ? numbered(choices) : 'Nothing was found.\n');
        const answer = await line(choices.length > 0 ? 'Type a number, or other text:' : 'Type other text:');
        const picked = /^\d+$/.test(answer) ? choices[Number(answer) - 1] : undefined;
        if (picked) return picked.value;
        typed = answer;
      }
    },
  };
}

/** What an answer means, or what is wrong with it. */
type Reading<T> = { readonly value: T } | string;

/** Asks until the answer will do. */
async function asked<T>(
  say: (text: string) => void,
  ask: () => Promise<string>,
  read: (text: string) => Reading<T>,
): Promise<T> {
  for (;;) {
    const reading = read(await ask());
    if (typeof reading !== 'string') return reading.value;
    say(`${reading}\n`);
  }
}

function checked(text: string, check: Check): Reading<string> {
  const verdict = check(text);
  return verdict === true ? { value: text } : verdict;
}

function yesOrNo(text: string, preset: boolean): Reading<boolean> {
  if (text === '') return { value: preset };
  if (/^(y|yes|n|no)$/i.test(text)) return { value: /^y/i.test(text) };
  return 'Type y for yes or n for no.';
}

function numbered(choices: readonly Choice<unknown>[]): string {
  return choices.map(({ name }, index) => `  ${index + 1}. ${name}\n`).join('');
}

function chosen<T>(text: string, choices: readonly Choice<T>[]): Reading<T> {
  const byNumber = /^\d+$/.test(text) ? choices[Number(text) - 1] : undefined;
  const beginning = text.toLowerCase();
  const found = byNumber ? [byNumber] : choices.filter(({ name }) => name.toLowerCase().startsWith(beginning));
  const [first] = found;
  if (first === undefined) return `Nothing in the list begins so. Type a number from 1 to ${choices.length}.`;
  return found.length === 1 ? first : `${found.length} of the list begin so. Type more of it, or a number.`;
}

/** A line as the terminal gives it: it is the terminal that echoes, deletes and turns Ctrl-C into a signal. */
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
/** What keys without a character send, such as the arrows. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the key's own code begins with one
const KEYS = /\u001b(\[[0-9;]*[A-Za-z~]|O[A-Za-z])?/g;

/**
 * A line that is not echoed; so the keys that correct it are read here. A paste is a line typed at once. `ask` comes when
 * nothing is echoed any more: some answer as soon as they read the question.
 */
async function readHidden(terminal: PlainTerminal, ask: () => void): Promise<string> {
  let typed: readonly string[] = [];
  /** True when the line has ended. */
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

/** Gives what is typed to `take` until it has enough; what it throws is the end. */
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
