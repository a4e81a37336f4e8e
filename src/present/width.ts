/** How wide text stands on a terminal, and where it may be broken. Never less than cli-table3 counts, which cuts what is wider. */

// Characters of two columns. Source: Unicode Standard Annex 11, classes W and F, and emoji.
const WIDE =
  /[\u1100-\u115f\u2329\u232a\u2e80-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6b\uff01-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{1f200}-\u{1f251}\u{20000}-\u{3fffd}\p{Emoji_Presentation}\p{Extended_Pictographic}]/u;
const COMBINING = /[\u0300-\u036f]/;
// One column each: Latin letters, dashes, quotes, the ellipsis, signs of currencies. Looked for first, since the classes above take long to prepare.
const PLAIN = /^[\x20-\x7e\u00a1-\u00a8\u00aa-\u00ac\u00af-\u02ff\u2010-\u2027\u20a0-\u20bf]*$/;

/** The columns that `text` takes: wide characters two, accents that combine none. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += COMBINING.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}

/** The parts of a text that are never broken: words, spaces, and each wide character, as scripts without spaces have them. */
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

/** The width below which `text` cannot be wrapped. */
export function leastWidth(text: string): number {
  return partsOf(text).reduce((least, part) => Math.max(least, part.startsWith(' ') ? 0 : widthOf(part)), 0);
}

/** Lines of at most `width` columns, broken between words; a word wider than that has its own line. At least one line. */
export function wrap(text: string, width: number): string[] {
  if (widthOf(text) <= width) return [text];
  const lines: string[] = [];
  let line = '';
  let used = 0;
  for (const part of partsOf(text)) {
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
