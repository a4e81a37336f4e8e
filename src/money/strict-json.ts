/** A string, or a character that opens, separates or closes the parts of an object or a list. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],]/g;

/** The keys seen so far in an object, and whether the next string is a key; undefined for a list. */
interface OpenObject {
  readonly keys: Set<string>;
  isKeyNext: boolean;
}

/**
 * Returns why two readers may understand a valid JSON text differently: a key that an object has twice, or half a
 * surrogate pair, which is not Unicode text. Returns undefined if it is unambiguous. It reads the text once.
 */
export function jsonAmbiguity(text: string): string | undefined {
  if (!text.isWellFormed()) return LONE_SURROGATE;
  const open: (OpenObject | undefined)[] = [];
  for (const [token] of text.matchAll(TOKEN)) {
    const top = open.at(-1);
    if (token === '{') open.push({ keys: new Set(), isKeyNext: true });
    else if (token === '[') open.push(undefined);
    else if (token === '}' || token === ']') open.pop();
    else if (token === ',') {
      if (top) top.isKeyNext = true;
    } else {
      const plain = token.includes('\\') ? (JSON.parse(token) as string) : token.slice(1, -1);
      if (!plain.isWellFormed()) return LONE_SURROGATE;
      if (top?.isKeyNext) {
        if (top.keys.has(plain)) return `the key "${printableKey(plain)}" appears more than once in one object`;
        top.keys.add(plain);
        top.isKeyNext = false;
      }
    }
  }
  return undefined;
}

const LONE_SURROGATE = 'a string contains half of a surrogate pair, which is not valid Unicode';

function printableKey(key: string): string {
  return key.replace(/[^\x20-\x7e]/g, '?').slice(0, 60);
}
