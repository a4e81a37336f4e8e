/** The keys seen so far in an object, and whether the next string is a key. */
interface OpenObject {
  readonly keys: Set<string>;
  isKeyNext: boolean;
}

/**
 * Returns why two readers may understand a valid JSON text differently: a key that an object has twice, or half a
 * surrogate pair, which is not Unicode text. Returns undefined if it is unambiguous. It reads the text once.
 */
export function jsonAmbiguity(text: string): string | undefined {
  // A list is open as undefined.
  const open: (OpenObject | undefined)[] = [];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '{') open.push({ keys: new Set(), isKeyNext: true });
    else if (character === '[') open.push(undefined);
    else if (character === '}' || character === ']') open.pop();
    else if (character !== ',' && character !== '"') continue;
    const top = open.at(-1);
    if (character === ',' && top) top.isKeyNext = true;
    if (character !== '"') continue;
    const end = endOfString(text, at);
    const problem = stringProblem(text.slice(at, end), top);
    if (problem) return problem;
    at = end - 1;
  }
  return undefined;
}

/** Returns the index after the closing quote of the string that starts at an index. */
export function endOfString(text: string, start: number): number {
  for (let quote = start; ; ) {
    quote = text.indexOf('"', quote + 1);
    if (quote === -1) return text.length;
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
  }
}

function stringProblem(quoted: string, within: OpenObject | undefined): string | undefined {
  const plain = quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
  if (!plain.isWellFormed()) return 'a string contains half of a surrogate pair, which is not valid Unicode';
  if (!within?.isKeyNext) return undefined;
  if (within.keys.has(plain)) return `the key "${printableKey(plain)}" appears more than once in one object`;
  within.keys.add(plain);
  within.isKeyNext = false;
  return undefined;
}

function printableKey(key: string): string {
  return key.replace(/[^\x20-\x7e]/g, '?').slice(0, 60);
}
