const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Walks a JSON text once, without parsing it: calls `at` with each character of its structure and each string, as the
 * opening quote and the range with both quotes. The walk ends when `at` returns false.
 */
function walk(text: string, at: (code: number, start: number, end: number) => boolean): void {
  for (let start = 0, end: number; start < text.length; start = end) {
    const code = text.charCodeAt(start);
    end = code === QUOTE ? endOfString(text, start) : start + 1;
    if (isStructure(code) && !at(code, start, end)) return;
  }
}

const isStructure = (code: number) =>
  code === QUOTE || code === COMMA || code === COLON || (code | 0x20) === OPEN_OBJECT || (code | 0x20) === CLOSE_OBJECT;

/** Returns the index after the closing quote of a string, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let quote = start; ; ) {
    quote = text.indexOf('"', quote + 1);
    if (quote === -1) return text.length;
    let before = quote - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((quote - before) % 2 === 1) return quote + 1;
  }
}

/** Deeper than any response of the service. */
const MAX_DEPTH = 64;
/** More than any response of the service has. A text of tiny values takes a hundred times its length once it is parsed. */
const MAX_VALUES = 750_000;
const MAX_CONTAINERS = 100_000;
/** Rows repeat the same few names. Every other name is one more text to keep. */
const MAX_NAMES = 10_000;

/** What a look at a JSON text finds, without parsing it. */
interface Look {
  /** Why it is too much to parse: nested so deeply that code which walks it would overflow the stack, or with so many values that memory would run out. */
  readonly excess?: string;
  /** The number of fields of all objects. */
  readonly fields: number;
}

/**
 * Counts what a JSON text has, without parsing it. Strings are removed by native code: V8 optimizes a loop over the characters of one page
 * of a list, which takes longer than everything else that is done with it.
 */
export function lookAt(text: string): Look {
  const bare = text.replace(/\\[\s\S]/g, '').replace(/"[^"]*"?/g, '');
  // No more than needed: each place that is found takes memory.
  const count = (character: string, most: number) => bare.split(character, most + 2).length - 1;
  const fields = count(':', MAX_VALUES + MAX_CONTAINERS);
  const excess = () => {
    if (count(',', MAX_VALUES) > MAX_VALUES) return `has more than ${MAX_VALUES} values`;
    const containers = count('[', MAX_CONTAINERS) + count('{', MAX_CONTAINERS);
    if (containers > MAX_CONTAINERS) return `has more than ${MAX_CONTAINERS} lists and objects`;
    if (depthOf(bare.replace(/[^[\]{}]+/g, '')) > MAX_DEPTH) return `is nested more than ${MAX_DEPTH} levels deep`;
    return fields > MAX_NAMES && hasManyNames(text) ? `has more than ${MAX_NAMES} field names` : undefined;
  };
  const found = excess();
  return found === undefined ? { fields } : { fields, excess: `its JSON ${found}` };
}

/** Returns how deeply brackets are nested. */
function depthOf(brackets: string): number {
  let [depth, deepest] = [0, 0];
  for (const bracket of brackets) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

/** Returns why a JSON text is too much to parse, if it is. */
export function excessIn(text: string): string | undefined {
  return lookAt(text).excess;
}

function hasManyNames(text: string): boolean {
  const names = new Set<string>();
  let last: readonly [start: number, end: number] = [0, 0];
  walk(text, (code, start, end) => {
    if (code === QUOTE) last = [start, end];
    else if (code === COLON) names.add(text.slice(...last));
    return names.size <= MAX_NAMES;
  });
  return names.size > MAX_NAMES;
}

/** A string of a JSON text: a key or a value. */
interface JsonString {
  readonly text: string;
  /** A key that its object already has. */
  readonly isRepeatedKey: boolean;
  readonly start: number;
  readonly end: number;
}

/** Calls `on` with every string of a valid JSON text, until it returns false. */
export function eachString(text: string, on: (found: JsonString) => boolean): void {
  // The keys of each open object; undefined for a list.
  const open: (Set<string> | undefined)[] = [];
  let isKeyNext = false;
  walk(text, (code, start, end) => {
    if (code === QUOTE) {
      const quoted = text.slice(start, end);
      const plain = quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
      const keys = isKeyNext ? open.at(-1) : undefined;
      const isRepeatedKey = keys?.has(plain) === true;
      keys?.add(plain);
      isKeyNext = false;
      return on({ text: plain, isRepeatedKey, start, end });
    }
    if (code === OPEN_OBJECT) open.push(new Set());
    else if (code === OPEN_LIST) open.push(undefined);
    else if (code === CLOSE_OBJECT || code === CLOSE_LIST) open.pop();
    if (code !== COLON) isKeyNext = (code === OPEN_OBJECT || code === COMMA) && open.at(-1) !== undefined;
    return true;
  });
}

/**
 * Returns why two readers may understand a valid JSON text differently: a key that an object has twice, or half a
 * surrogate pair, which is not Unicode text. Returns undefined if it is unambiguous.
 */
export function jsonAmbiguity(text: string): string | undefined {
  let problem: string | undefined;
  eachString(text, (found) => {
    if (!found.text.isWellFormed()) problem = 'a string contains half of a surrogate pair, which is not valid Unicode';
    else if (found.isRepeatedKey)
      problem = `the key "${found.text.replace(/[^\x20-\x7e]/g, '?').slice(0, 60)}" appears more than once in one object`;
    return problem === undefined;
  });
  return problem;
}
