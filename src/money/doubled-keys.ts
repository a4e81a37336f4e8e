import { isJsonObject, parseJson } from './decimal.ts';
import { endOfString } from './strict-json.ts';

/** A key that its object already has, at a place of the text. */
interface Doubled {
  readonly key: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Returns a key that an object of a valid JSON text has twice, with different values: readers may take either one. A key
 * that is repeated with the same value harms nobody. It reads the text once, and again only if it has such a key.
 */
export function contradictingKey(text: string): string | undefined {
  const doubled = doubledKeys(text);
  if (doubled.length === 0) return undefined;
  // With every second key renamed, the object has both values.
  let renamed = '';
  let at = 0;
  doubled.forEach(({ key, start, end }, index) => {
    renamed += `${text.slice(at, start)}${JSON.stringify(`${index}${MARK}${key}`)}`;
    at = end;
  });
  return differingKey(parseJson(renamed + text.slice(at)));
}

/** Counts the fields of all objects in a value. An object that a text writes with a key twice has fewer than the text. */
export function countFields(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, each) => sum + countFields(each), 0);
  if (!isJsonObject(value)) return 0;
  let sum = 0;
  for (const name of Object.keys(value)) sum += 1 + countFields(value[name]);
  return sum;
}

/** Separates a number from the key; no key of a service has it. */
const MARK = '\u0000';

function doubledKeys(text: string): Doubled[] {
  const found: Doubled[] = [];
  // The keys of each open object; undefined for a list.
  const open: (Set<string> | undefined)[] = [];
  let isKeyNext = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfString(text, at);
      const keys = open.at(-1);
      if (isKeyNext && keys) {
        const key = keyIn(text.slice(at, end));
        if (keys.has(key)) found.push({ key, start: at, end });
        keys.add(key);
        isKeyNext = false;
      }
      at = end - 1;
    } else if (code === OBJECT) {
      open.push(new Set());
      isKeyNext = true;
    } else if (code === LIST) {
      open.push(undefined);
      isKeyNext = false;
    } else if (code === OBJECT_END || code === LIST_END) open.pop();
    else if (code === COMMA) isKeyNext = open.at(-1) !== undefined;
  }
  return found;
}

const [QUOTE, COMMA] = [0x22, 0x2c];
const [OBJECT, OBJECT_END, LIST, LIST_END] = [0x7b, 0x7d, 0x5b, 0x5d];

const keyIn = (quoted: string) => (quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1));

/** Returns the first renamed key whose value is not that of the key it repeats. */
function differingKey(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const fields = value as Readonly<Record<string, unknown>>;
  for (const [name, each] of Object.entries(fields)) {
    const mark = name.indexOf(MARK);
    const key = mark === -1 ? name : name.slice(mark + 1);
    if (mark !== -1 && JSON.stringify(each) !== JSON.stringify(fields[key])) return key;
    const inside = differingKey(each);
    if (inside !== undefined) return inside;
  }
  return undefined;
}
