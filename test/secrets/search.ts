import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** A secret and the places where it is allowed. */
export interface Planted {
  readonly what: string;
  readonly text: string;
  /** The kinds in docs/stored-where.md under which this secret is allowed. */
  readonly kinds?: readonly string[];
}

/** A text or file to search, with the name it is reported under. */
export interface Place {
  readonly name: string;
  readonly bytes: Buffer;
}

/** The part of the base64 text that does not depend on the surrounding bytes, for each of three offsets. */
function base64Cores(bytes: Buffer): string[] {
  return [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    return encoded.slice(offset === 0 ? 0 : offset + 1, (bytes.length + offset) % 3 === 0 ? undefined : -1);
  });
}

/** The encodings of a line: plain, JSON, URL, both kinds of base64, hexadecimal. */
function spellingsOf(line: string): string[] {
  const bytes = Buffer.from(line);
  const cores = base64Cores(bytes);
  const json = JSON.stringify(line).slice(1, -1);
  return [
    line,
    json,
    JSON.stringify(json).slice(1, -1),
    encodeURIComponent(line),
    new URLSearchParams({ x: line }).toString().slice(2),
    ...cores,
    ...cores.map((core) => core.replaceAll('+', '-').replaceAll('/', '_')),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
  ];
}

/** The lines of a multi-line key, without the first and last, which only mark it as a key. */
const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.length >= 8 && !line.startsWith('-----'));

const PART = 20;

/** Truncation leaves the beginning or the end of a secret; both count as a leak. */
const partsOf = (line: string) => (line.length < PART + 8 ? [line] : [line.slice(0, PART), line.slice(-PART)]);

/** Lists every planted secret found where it is not allowed, as `secret in place`. */
export function leaks(
  places: readonly Place[],
  planted: readonly Planted[],
  mayStand: (one: Planted, place: Place) => boolean = () => false,
): string[] {
  const wanted = planted.map((one) => ({
    one,
    spellings: [...new Set(linesOf(one.text).flatMap(partsOf).flatMap(spellingsOf))],
  }));
  const search = searchFor(wanted.flatMap(({ spellings }) => spellings));
  return places.flatMap((place) => {
    const found = search(place.bytes);
    return wanted
      .filter(({ one, spellings }) => spellings.some((text) => found.has(text)) && !mayStand(one, place))
      .map(({ one }) => `${one.what} in ${place.name}`);
  });
}

/**
 * Returns a function that finds which of these texts some bytes contain, in one pass over the bytes (the algorithm of Wu and Manber):
 * a search for each of a thousand texts in megabytes of files takes ten seconds.
 */
function searchFor(texts: readonly string[]): (bytes: Buffer) => ReadonlySet<string> {
  const needles = texts.map((text) => ({ text, bytes: Buffer.from(text) }));
  const length = Math.min(...needles.map(({ bytes }) => bytes.length));
  const pairAt = (bytes: Buffer, at: number) => ((bytes[at - 1] ?? 0) << 8) | (bytes[at] ?? 0);
  /** How far to move on after a pair of bytes: as far as the pair is from the end of the first `length` bytes of any text. */
  const steps = new Uint8Array(65_536).fill(Math.min(length - 1, 255));
  const endingWith = new Map<number, typeof needles>();
  for (const needle of needles) {
    for (let at = 1; at < length; at++) {
      const pair = pairAt(needle.bytes, at);
      steps[pair] = Math.min(steps[pair] ?? 0, length - 1 - at);
    }
    const last = pairAt(needle.bytes, length - 1);
    endingWith.set(last, [...(endingWith.get(last) ?? []), needle]);
  }
  return (bytes) => {
    const found = new Set<string>();
    for (let at = length - 1; at < bytes.length; ) {
      const pair = pairAt(bytes, at);
      const step = steps[pair] ?? 0;
      const start = at - length + 1;
      if (step === 0)
        for (const needle of endingWith.get(pair) ?? [])
          if (needle.bytes.equals(bytes.subarray(start, start + needle.bytes.length))) found.add(needle.text);
      at += step || 1;
    }
    return found;
  };
}

/** Every file below a folder, with its bytes. */
export function filesBelow(folder: string): Place[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ name: relative(folder, path), bytes: readFileSync(path) }));
}
