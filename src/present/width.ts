import fastStringWidth from 'fast-string-width';

/** Measures, wraps and cuts text for a terminal. Widths are in columns. */

// Most text: Latin letters, quotes, dashes and currency signs, each one column wide. The package takes five times as long to measure it.
const PLAIN = /^[\x20-\x7e\xa1-\xac\xae-\xff\u2010-\u2027\u20a0-\u20bf]*$/;

// Mostly Indic vowel signs that stand beside their letter. Terminals give each a column; the package gives it none. V8 takes part of a
// millisecond to build a class of Unicode, so it does so at the first text that is not plain.
const spacingMarks = () => /\p{Mc}/gu;

/** Returns the width of text that is safe for a terminal. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  return fastStringWidth(text) + (text.match(spacingMarks())?.length ?? 0);
}

// A letter with its marks, a flag, or an emoji with its skin tone and the emoji joined to it. Intl.Segmenter takes milliseconds to load.
const character = () => /\p{RI}{2}|.[\p{M}\p{Emoji_Modifier}]*(?:\u200d.[\p{M}\p{Emoji_Modifier}]*)*/gsu;

/** Splits text into the characters that a reader sees. */
export function charactersOf(text: string): readonly string[] {
  return PLAIN.test(text) ? text.split('') : (text.match(character()) ?? []);
}

// Scripts that separate words with spaces, punctuation and currency signs. None of these characters is wide.
const SPACED = /^[\0-\u10ff\u1e00-\u1fff\u2010-\u2027\u20a0-\u20bf]*$/;

/** Splits text into unbreakable parts: words, runs of spaces, and single wide characters (for scripts without spaces). */
function partsOf(text: string): readonly string[] {
  const words = text.match(/ +|[^ ]+/g) ?? [];
  return SPACED.test(text) ? words : words.flatMap(partsOfWord);
}

function partsOfWord(word: string): readonly string[] {
  const parts: string[] = [];
  for (const character of charactersOf(word)) {
    const [base = ''] = character;
    if (parts.length > 0 && fastStringWidth(base) < 2) parts[parts.length - 1] += character;
    else parts.push(character);
  }
  return parts;
}

/** Returns the minimum width that `text` can be wrapped to. */
export function leastWidth(text: string): number {
  return partsOf(text).reduce((least, part) => Math.max(least, part.startsWith(' ') ? 0 : widthOf(part)), 0);
}

/** Shortens a word in its middle, because the ends of an id are what people compare. */
function shortened(word: string, width: number): string {
  const characters = charactersOf(word);
  const hasOtherWidths = characters.length !== widthOf(word);
  if (characters.length <= width || hasOtherWidths) return word;
  const end = Math.floor((width - 1) / 2);
  const [first, last] = [characters.slice(0, width - 1 - end), characters.slice(characters.length - end)];
  return `${first.join('')}…${last.join('')}`;
}

/**
 * Wraps text at words to lines of at most `width` columns. With `canShorten`, shortens a wider
 * word unless it is the whole text. Returns at least one line.
 */
export function wrap(text: string, width: number, canShorten = false): string[] {
  if (widthOf(text) <= width) return [text];
  const lines: string[] = [];
  let line = '';
  let used = 0;
  const parts = partsOf(text);
  for (const whole of parts) {
    const part = canShorten && parts.length > 1 ? shortened(whole, width) : whole;
    const own = widthOf(part);
    if (used > 0 && used + own > width) {
      lines.push(line.trimEnd());
      line = '';
      used = 0;
    }
    if (used === 0 && part.startsWith(' ')) continue;
    line += part;
    used += own;
  }
  return used > 0 || lines.length === 0 ? [...lines, line.trimEnd()] : lines;
}

/**
 * Joins the words of a shell command after `before`. If the line is wider than `width`, breaks it between words into lines whose
 * backslashes let a shell read them as one command.
 */
export function commandLines(words: readonly string[], width: number, before = ''): readonly string[] {
  const lines: string[] = [];
  let line = before;
  for (const [at, word] of words.entries()) {
    const isLast = at === words.length - 1;
    const joined = at === 0 ? line + word : `${line} ${word}`;
    if (at > 0 && widthOf(joined) + (isLast ? 0 : CONTINUES.length) > width) {
      lines.push(line + CONTINUES);
      line = `  ${word}`;
    } else {
      line = joined;
    }
  }
  return [...lines, line];
}

const CONTINUES = ' \\';

/** Cuts text to at most `width` columns, with an ellipsis. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let shown = '';
  let used = '…'.length;
  for (const character of charactersOf(text)) {
    used += widthOf(character);
    if (used > width) break;
    shown += character;
  }
  return `${shown}…`;
}
