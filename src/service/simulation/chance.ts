import type { Ids } from '../../base/world.ts';

/** A sequence of random numbers that a text determines: the same text, the same sequence on every machine. */
export interface Chance {
  /** Returns a number from 0 to 1, exclusive. */
  fraction(): number;
  /** Returns a whole number from 0 to `count`, exclusive. */
  below(count: number): number;
  /** Returns true with this probability. */
  is(probability: number): boolean;
  /** Returns a whole number that is `mean` on average, and from half of it to one and a half times it. */
  around(mean: number): number;
  /** Returns one of a list that is not empty. */
  pick<T>(list: readonly T[]): T;
  bytes(length: number): Uint8Array;
}

/** Spreads a text over the four numbers that a generator starts with (cyrb128, public domain). */
function stateOf(text: string): [number, number, number, number] {
  let [a, b, c, d] = [1_779_033_703, 3_144_134_277, 1_013_904_242, 2_773_480_762];
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    a = b ^ Math.imul(a ^ code, 597_399_067);
    b = c ^ Math.imul(b ^ code, 2_869_860_233);
    c = d ^ Math.imul(c ^ code, 951_274_213);
    d = a ^ Math.imul(d ^ code, 2_716_044_179);
  }
  return [a, b, c, d];
}

/** Returns the chance that a text determines (sfc32, public domain). It is no source of secrets. */
export function chanceOf(text: string): Chance {
  let [a, b, c, d] = stateOf(text);
  const next = () => {
    const sum = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return sum >>> 0;
  };
  // The first numbers of similar texts are similar.
  for (let at = 0; at < 20; at++) next();
  const chance: Chance = {
    fraction: () => next() / 2 ** 32,
    below: (count) => Math.floor(chance.fraction() * count),
    is: (probability) => chance.fraction() < probability,
    around: (mean) => {
      const wanted = mean * (0.5 + chance.fraction());
      return Math.floor(wanted) + (chance.is(wanted % 1) ? 1 : 0);
    },
    pick: <T>(list: readonly T[]) => list[chance.below(list.length)] as T,
    bytes: (length) => {
      const bytes = new Uint8Array(length);
      for (let at = 0; at < length; at += 4) {
        const word = next();
        for (let offset = 0; offset < 4 && at + offset < length; offset++) bytes[at + offset] = word >>> (8 * offset);
      }
      return bytes;
    },
  };
  return chance;
}

const TAIL_BYTES = 8;

/** Returns ids that depend on chance and on the time of the simulation alone: UUIDs of version 7, in the order of their creation. */
export function idsOf(chance: Chance, nowMs: () => number, digest: Ids['digest']): Ids {
  let lastMs = 0;
  let sequence = 0;
  const uuid = () => {
    if (nowMs() > lastMs) [lastMs, sequence] = [nowMs(), 0];
    else if (sequence < 0xfff) sequence += 1;
    else [lastMs, sequence] = [lastMs + 1, 0];
    const time = lastMs.toString(16).padStart(12, '0');
    const tail = chance.bytes(TAIL_BYTES);
    // The variant of RFC 9562.
    tail[0] = 0x80 | ((tail[0] ?? 0) & 0x3f);
    const text = Buffer.from(tail).toString('hex');
    return `${time.slice(0, 8)}-${time.slice(8)}-7${sequence.toString(16).padStart(3, '0')}-${text.slice(0, 4)}-${text.slice(4)}`;
  };
  return { uuid, bytes: chance.bytes, digest };
}
