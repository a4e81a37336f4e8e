/** Measures and wraps text for a terminal. */

// Double-width characters. Source: Unicode Standard Annex 11, classes W and F, and emoji.
const WIDE =
  /[\u1100-\u115f\u2329\u232a\u2e80-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6b\uff01-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{1f200}-\u{1f251}\u{20000}-\u{3fffd}\p{Emoji_Presentation}\p{Extended_Pictographic}]/u;
const COMBINING = /[\u0300-\u036f]/;
// Single-width text: Latin letters, dashes, quotes, ellipses and currency signs. Tested first because the classes above are slow to compile.
const PLAIN = /^[\x20-\x7e\u00a1-\u00a8\u00aa-\u00ac\u00af-\u02ff\u2010-\u2027\u20a0-\u20bf]*$/;

/** Returns the width of `text` in columns: wide characters take two, combining accents none. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += COMBINING.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}

/** Splits text into unbreakable parts: words, runs of spaces, and single wide characters (for scripts without spaces). */
function partsOf(text: string): readonly string[] {
  if (PLAIN.test(text)) return text.match(/ +|[^ ]+/g) ?? [];
  const parts: string[] = [];
  let isOpen = false;
  for (const character of text) {
    const isWide = WIDE.test(character);
    const joins = isOpen && character !== ' ' && !isWide;
    if (joins) parts[parts.length - 1] += character;
    else parts.push(character);
    isOpen = character !== ' ';
  }
  return parts;
}

/** Returns the minimum width that `text` can be wrapped to. */
export function leastWidth(text: string): number {
  return partsOf(text).reduce((least, part) => Math.max(least, part.startsWith(' ') ? 0 : widthOf(part)), 0);
}

/** Shortens a word in its middle, because the ends of an id are what people compare. */
function shortened(word: string, width: number): string {
  if (widthOf(word) <= width || !PLAIN.test(word)) return word;
  const end = Math.floor((width - 1) / 2);
  return `${word.slice(0, width - 1 - end)}…${end > 0 ? word.slice(-end) : ''}`;
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
