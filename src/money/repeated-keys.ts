import { isJsonObject, parseJson } from './decimal.ts';
import { eachString } from './json-text.ts';

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

/**
 * Returns a key that an object of a valid JSON text has twice, with different values: readers may take either one. A key
 * that is repeated with the same value harms nobody.
 */
export function contradictingKey(text: string): string | undefined {
  // With every repeated key renamed, the object has both values.
  let [renamed, done, count] = ['', 0, 0];
  eachString(text, ({ text: key, isRepeatedKey, start, end }) => {
    if (isRepeatedKey) {
      renamed += `${text.slice(done, start)}${JSON.stringify(`${count}${MARK}${key}`)}`;
      done = end;
      count += 1;
    }
    return true;
  });
  return count === 0 ? undefined : differingKey(parseJson(renamed + text.slice(done)));
}

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
