import { isUtf8 } from 'node:buffer';
import { Fault } from '../contract/faults.ts';

/** Throws VALIDATION_ERROR if a path or query, still percent-encoded, does not stand for valid UTF-8. */
export function requireUtf8(encoded: string, part: 'path' | 'query'): void {
  // Node passes each byte of the request line on as one character.
  if (/[^\x20-\x7e]/.test(encoded))
    throw new Fault('VALIDATION_ERROR', `${part}: expected characters outside ASCII to be percent-encoded as UTF-8`);
  if (!encoded.includes('%')) return;
  const bytes = encoded.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  if (!isUtf8(Buffer.from(bytes, 'latin1')))
    throw new Fault('VALIDATION_ERROR', `${part}: expected percent-encoded UTF-8`);
}
