import { shellWord } from './shell-word.ts';

/** A word of a command line. What a reader fills in, such as `<user id>` or NAME, is `needed`. */
interface AdvisedWord {
  readonly text: string;
  readonly isNeeded: boolean;
}

/** The words of a command line that fits, without `fiatrail`. */
export type AdvisedCommand = readonly AdvisedWord[];

/** What to do about an error: a text for people, and the command lines in it for programs. */
export interface Advice {
  readonly text: string;
  readonly commands: readonly AdvisedCommand[];
  /** The text. */
  toString(): string;
  toJSON(): string;
}

/** What to do about an error; without command lines, it is only a text. */
export type Hint = string | Advice;

const isAdvice = (value: unknown): value is Advice =>
  typeof value === 'object' && value !== null && 'commands' in value;

/** Returns the command lines of a hint. */
export const commandsOf = (hint: Hint | undefined): readonly AdvisedCommand[] => (isAdvice(hint) ? hint.commands : []);

const adviceOf = (text: string, commands: readonly AdvisedCommand[]): Advice => ({
  text,
  commands,
  toString: () => text,
  toJSON: () => text,
});

/** Returns a hint that says the same as a text, with these command lines. */
export const withCommands = (text: string, commands: readonly AdvisedCommand[]): Advice => adviceOf(text, commands);

/** Returns a hint of several, whichever are given; undefined if none is. */
export function joined(hints: readonly (Hint | undefined | false)[], separator: string): Advice | undefined {
  const given = hints.filter((each): each is Hint => each !== undefined && each !== false && String(each) !== '');
  return given.length === 0 ? undefined : adviceOf(given.join(separator), given.flatMap(commandsOf));
}

/** What the text of an advice says in place of a word: `<user id>`, NAME or `…`. */
const NEEDED = /^(?:<[^<>]+>|[A-Z][A-Z_]+|…)$/;

type Part = string | number | Hint | undefined | null | readonly string[];

/**
 * Makes a hint of a text, in which `[fiatrail ops show ${id}]` is a command line, printed without the brackets. Only what is written here is split into
 * words: a value is one word, or a list of words, whatever it contains.
 */
export function advice(texts: TemplateStringsArray, ...values: readonly Part[]): Advice {
  const made = { text: '', commands: [] as AdvisedCommand[] };
  let command: CommandReader | undefined;
  for (const [at, text] of texts.entries()) {
    for (const piece of text.split(/(\[fiatrail |\])/)) {
      if (piece === '[fiatrail ') {
        command = commandReader();
        made.text += 'fiatrail ';
      } else if (piece === ']' && command) {
        made.commands.push(command.words());
        command = undefined;
      } else {
        command?.read(piece);
        made.text += piece;
      }
    }
    const value = values[at];
    if (at >= values.length || value === undefined || value === null) continue;
    if (command) made.text += command.take(value);
    else {
      made.text += String(value);
      made.commands.push(...commandsOf(isAdvice(value) ? value : undefined));
    }
  }
  return adviceOf(made.text, made.commands);
}

interface CommandReader {
  read(text: string): void;
  /** Takes a value, and returns it as it is printed. */
  take(value: Exclude<Part, undefined | null>): string;
  words(): AdvisedCommand;
}

/** Reads the words of one command line. */
function commandReader(): CommandReader {
  const words: AdvisedWord[] = [];
  let word: { text: string; isWritten: boolean } | undefined;
  let [isQuoted, isInPlaceholder] = [false, false];
  const add = (text: string, isWritten: boolean) => {
    word = { text: (word?.text ?? '') + text, isWritten: (word?.isWritten ?? true) && isWritten };
  };
  const end = () => {
    if (word) words.push({ text: word.text, isNeeded: word.isWritten && NEEDED.test(word.text) });
    word = undefined;
  };
  return {
    read: (text) => {
      for (const character of text) {
        if (character === '"') {
          isQuoted = !isQuoted;
          add('', true);
        } else if (character === ' ' && !isQuoted && !isInPlaceholder) end();
        else {
          if (character === '<' || character === '>') isInPlaceholder = character === '<';
          add(character, true);
        }
      }
    },
    take: (value) => {
      const given = Array.isArray(value) ? (value as readonly string[]) : [String(value)];
      for (const [at, each] of given.entries()) {
        if (at > 0) end();
        add(each, false);
      }
      return isQuoted ? given.join(' ') : given.map(shellWord).join(' ');
    },
    words: () => {
      end();
      return words;
    },
  };
}
