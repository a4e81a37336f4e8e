/** Slots at the start; half of them may be taken. */
const SLOTS = 1024;

/** Returns two independent hashes of 32 bits. */
function hashesOf(text: string): readonly [number, number] {
  let [one, other] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    one = Math.imul(one ^ code, 0x9e3779b1);
    other = Math.imul(other ^ code, 0x5f356495);
  }
  one = Math.imul(one ^ (one >>> 16), 0x85ebca6b) ^ Math.imul(other ^ (other >>> 13), 0xc2b2ae35);
  other = Math.imul(other ^ (other >>> 16), 0x85ebca6b) ^ Math.imul(one ^ (one >>> 13), 0xc2b2ae35);
  return [one | 0, other | 0];
}

/**
 * Returns what remembers the first line that has a text, and returns it for every later one. It keeps hashes of 64 bits in place of texts, which in a file of
 * 100,000 rows would take most of the memory of a check. One file in a billion of that size has two texts with the same hash, so it serves for warnings only.
 */
export function firstLines(): (text: string, line: number) => number | undefined {
  let slots = SLOTS;
  let entries = new Int32Array(3 * slots);
  let count = 0;
  /** The position of the entry with these hashes, or of a free one. A line is never 0. */
  const find = (one: number, other: number): number => {
    for (let slot = one & (slots - 1); ; slot = (slot + 1) & (slots - 1)) {
      const at = 3 * slot;
      if (entries[at] === 0 || (entries[at + 1] === one && entries[at + 2] === other)) return at;
    }
  };
  const grow = () => {
    const before = entries;
    slots *= 2;
    entries = new Int32Array(3 * slots);
    for (let at = 0; at < before.length; at += 3)
      if (before[at] !== 0) entries.set(before.subarray(at, at + 3), find(before[at + 1] ?? 0, before[at + 2] ?? 0));
  };
  return (text, line) => {
    const [one, other] = hashesOf(text);
    const at = find(one, other);
    const first = entries[at];
    if (first !== 0) return first;
    entries[at] = line;
    entries[at + 1] = one;
    entries[at + 2] = other;
    count += 1;
    if (2 * count > slots) grow();
    return undefined;
  };
}
