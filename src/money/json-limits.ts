/** Deeper than any response of the service. */
const MAX_DEPTH = 64;
/** More than any response of the service has. A text of tiny values takes a hundred times its length once it is parsed. */
const MAX_VALUES = 750_000;
const MAX_CONTAINERS = 100_000;
/** Rows repeat the same few names. Every other name is one more text to keep. */
const MAX_NAMES = 10_000;

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** What a look at a JSON text finds, without parsing it. */
interface Look {
  /** Why it is too much to parse: nested so deeply that code which walks it would overflow the stack, or with so many values that memory would run out. */
  readonly excess?: string;
  /** The number of fields of all objects. */
  readonly fields: number;
}

/** Reads a JSON text once, without parsing it. */
export function lookAt(text: string): Look {
  let [depth, containers, commas, fields] = [0, 0, 0, 0];
  const tooMuch = (what: string): Look => ({ fields, excess: `its JSON ${what}` });
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COLON) fields += 1;
    else if (code === COMMA) {
      commas += 1;
      if (commas > MAX_VALUES) return tooMuch(`has more than ${MAX_VALUES} values`);
    } else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      depth += 1;
      containers += 1;
      if (depth > MAX_DEPTH) return tooMuch(`is nested more than ${MAX_DEPTH} levels deep`);
      if (containers > MAX_CONTAINERS) return tooMuch(`has more than ${MAX_CONTAINERS} lists and objects`);
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
  }
  return fields > MAX_NAMES && hasManyNames(text) ? tooMuch(`has more than ${MAX_NAMES} field names`) : { fields };
}

/** Returns why a JSON text is too much to parse, if it is. */
export function excessIn(text: string): string | undefined {
  return lookAt(text).excess;
}

function hasManyNames(text: string): boolean {
  const names = new Set<string>();
  let [start, end] = [0, 0];
  for (let at = 0; at < text.length && names.size <= MAX_NAMES; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      start = at;
      end = endOfString(text, at);
      at = end;
    } else if (code === COLON) names.add(text.slice(start, end));
  }
  return names.size > MAX_NAMES;
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
