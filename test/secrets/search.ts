import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Something that must not be seen, and the places where it may stand all the same. */
export interface Planted {
  readonly what: string;
  readonly text: string;
  /** Kinds of the table in docs/security.md: where one of them stands, this may. */
  readonly kinds?: readonly string[];
}

/** A text or file that was found, by the name it is reported under. */
export interface Place {
  readonly name: string;
  readonly bytes: Buffer;
}

/** Part of base64 that is the same whatever stands around it: the bytes begin at any of three offsets. */
function base64Cores(bytes: Buffer): string[] {
  return [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    return encoded.slice(offset === 0 ? 0 : offset + 1, (bytes.length + offset) % 3 === 0 ? undefined : -1);
  });
}

/** A line as it may be written down: as it is, in JSON, in a URL, in base64 of either kind, in hexadecimal. */
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

/** Of a key of several lines each line counts, but for the first and last, which say only that it is one. */
const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.length >= 8 && !line.startsWith('-----'));

const PART = 20;

/** Who cuts a text off leaves the beginning of a secret, or its end: either is too much. */
const partsOf = (line: string) => (line.length < PART + 8 ? [line] : [line.slice(0, PART), line.slice(-PART)]);

/** `what in place`, for everything planted that stands where it may not. */
export function leaks(
  places: readonly Place[],
  planted: readonly Planted[],
  mayStand: (one: Planted, place: Place) => boolean = () => false,
): string[] {
  const sought = planted.map((one) => ({
    one,
    spellings: [...new Set(linesOf(one.text).flatMap(partsOf).flatMap(spellingsOf))],
  }));
  return places.flatMap((place) =>
    sought
      .filter(({ one, spellings }) => !mayStand(one, place) && spellings.some((text) => place.bytes.includes(text)))
      .map(({ one }) => `${one.what} in ${place.name}`),
  );
}

/** Every file below a folder, all its bytes. */
export function filesBelow(folder: string): Place[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ name: relative(folder, path), bytes: readFileSync(path) }));
}
