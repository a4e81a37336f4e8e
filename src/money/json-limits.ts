/** Deeper than any response of the service. */
const MAX_DEPTH = 64;
/** More than any response of the service has. A text of tiny values takes a hundred times its length once it is parsed. */
const MAX_VALUES = 750_000;
const MAX_CONTAINERS = 100_000;
/** Rows repeat the same few names. Every other name is one more text to keep. */
const MAX_NAMES = 10_000;

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Returns why a JSON text is too much to parse: nested so deeply that code which walks it would overflow the stack, or with so
 * many values that memory would run out. Reads the text once, without parsing it.
 */
export function excessIn(text: string): string | undefined {
  const names = new Set<string>();
  let [depth, containers, commas, start, end] = [0, 0, 0, 0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      start = at;
      end = endOfString(text, at);
      at = end;
    } else if (code === COMMA) {
      commas += 1;
      if (commas > MAX_VALUES) return `its JSON has more than ${MAX_VALUES} values`;
    } else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      depth += 1;
      containers += 1;
      if (depth > MAX_DEPTH) return `its JSON is nested more than ${MAX_DEPTH} levels deep`;
      if (containers > MAX_CONTAINERS) return `its JSON has more than ${MAX_CONTAINERS} lists and objects`;
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
    else if (code === COLON && text.length > MAX_NAMES) {
      names.add(text.slice(start, end));
      if (names.size > MAX_NAMES) return `its JSON has more than ${MAX_NAMES} field names`;
    }
  }
  return undefined;
}

/** Returns the position of the quote that ends a string, or the end of the text. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

/** Whether an odd number of backslashes precedes a position. */
function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === BACKSLASH) before -= 1;
  return (at - before) % 2 === 0;
}
