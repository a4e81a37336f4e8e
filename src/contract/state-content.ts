import { constants, gunzipSync, gzipSync } from 'node:zlib';

/** The largest state file that a snapshot or a restore carries. */
export const MAX_STATE_BYTES = 512 * 1024 * 1024;

/** Packs a state file into the text that snapshots have on the wire: gzip in base64url. */
export function packState(bytes: Uint8Array): string {
  return gzipSync(bytes, { level: constants.Z_BEST_SPEED }).toString('base64url');
}

/** Returns the state file in a packed text; undefined if it contains none, or one of more bytes than the limit. */
export function unpackState(text: string, maxBytes = MAX_STATE_BYTES): Uint8Array | undefined {
  try {
    return gunzipSync(Buffer.from(text, 'base64url'), { maxOutputLength: Math.min(maxBytes, MAX_STATE_BYTES) });
  } catch {
    return undefined;
  }
}
