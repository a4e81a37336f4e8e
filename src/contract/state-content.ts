import { constants, createGunzip, gzipSync } from 'node:zlib';

/** The largest state file that a snapshot or a restore carries. */
export const MAX_STATE_BYTES = 512 * 1024 * 1024;

/** Packs a state file into the text that snapshots have on the wire: gzip in base64url. */
export function packState(bytes: Uint8Array): string {
  return gzipSync(bytes, { level: constants.Z_BEST_SPEED }).toString('base64url');
}

/** A packed text contains no state file, or one of more bytes than the limit. */
export class UnpackError extends Error {
  override name = 'UnpackError';
}

/**
 * Yields the state file in a packed text, piece by piece, because a text may unpack to a thousand times its size. Throws UnpackError, after
 * at most `maxBytes`.
 */
export async function* unpackState(text: string, maxBytes = MAX_STATE_BYTES): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip();
  gunzip.end(Buffer.from(text, 'base64url'));
  let leftBytes = Math.min(maxBytes, MAX_STATE_BYTES);
  try {
    for await (const piece of gunzip as AsyncIterable<Uint8Array>) {
      leftBytes -= piece.length;
      if (leftBytes < 0) throw new UnpackError(`more than ${maxBytes} bytes`);
      yield piece;
    }
  } catch (error) {
    throw error instanceof UnpackError ? error : new UnpackError('not packed', { cause: error });
  }
}
