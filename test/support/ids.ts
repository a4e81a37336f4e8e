import { createHmac } from 'node:crypto';
import type { Ids } from '../../src/base/world.ts';

/** How far a counter and a small generator have come. */
export interface IdPlace {
  readonly prefix: string;
  count: number;
  state: number;
}

export function firstPlace(seed = 1): IdPlace {
  return { prefix: seed.toString(16).padStart(8, '0'), count: 0, state: (seed * 0x9e3779b9) >>> 0 || 1 };
}

/** Ids from `place` on, which moves with them. */
export function idsFrom(place: IdPlace): Ids {
  const nextByte = () => {
    place.state ^= place.state << 13;
    place.state ^= place.state >>> 17;
    place.state ^= place.state << 5;
    return place.state & 0xff;
  };
  return {
    uuid: () => {
      place.count += 1;
      return `${place.prefix}-0000-7000-8000-${place.count.toString(16).padStart(12, '0')}`;
    },
    bytes: (length) => Uint8Array.from({ length }, nextByte),
    digest: (key, text) => createHmac('sha256', key).update(text).digest('base64url'),
  };
}
