import { BASE32, BASE58, crc16 } from '../../crypto/address.ts';

/** Random addresses in each chain's format. They have no private keys. */

/** The largest power of 58 that a number holds exactly, and its exponent. Big integers are divided by it, and numbers by 58. */
const CHUNK = 58 ** 9;
const CHUNK_DIGITS = 9;

/** Returns a Solana address: 32 bytes in base 58. */
export function solanaAddress(bytes: Uint8Array): string {
  let text = '';
  let value = BigInt(`0x${Buffer.from(bytes).toString('hex') || '0'}`);
  for (const chunk = BigInt(CHUNK); value > 0n; value /= chunk) {
    let part = Number(value % chunk);
    for (let digit = 0; digit < CHUNK_DIGITS; digit++, part = Math.floor(part / 58)) text = BASE58[part % 58] + text;
  }
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return '1'.repeat(zeros === -1 ? bytes.length : zeros) + text.replace(/^1+/, '');
}

/**
 * Returns a Bantu address, in the Stellar format: `G` and 55 characters of base 32, encoding a version byte, 32 bytes
 * and a CRC-16.
 */
export function bantuAddress(bytes: Uint8Array): string {
  const body = new Uint8Array(bytes.length + 3);
  body[0] = 6 << 3;
  body.set(bytes, 1);
  const crc = crc16(body.subarray(0, -2));
  body[bytes.length + 1] = crc & 0xff;
  body[bytes.length + 2] = crc >> 8;
  let bits = 0;
  let held = 0;
  let text = '';
  for (const byte of body) {
    held = (held << 8) | byte;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += BASE32[(held >> (bits - 5)) & 31];
    held &= (1 << bits) - 1;
  }
  return text;
}
