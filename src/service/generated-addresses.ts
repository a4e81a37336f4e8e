import { BASE32, BASE58, crc16 } from '../crypto/address.ts';

/** Random addresses in each chain's format. They have no private keys. */

/** Returns a Solana address: 32 bytes in base 58. */
export function solanaAddress(bytes: Uint8Array): string {
  let value = bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  let text = '';
  for (; value > 0n; value /= 58n) text = BASE58[Number(value % 58n)] + text;
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return '1'.repeat(zeros === -1 ? bytes.length : zeros) + text;
}

/**
 * Returns a Bantu address, in the Stellar format: `G` and 55 characters of base 32, encoding a version byte, 32 bytes
 * and a CRC-16.
 */
export function bantuAddress(bytes: Uint8Array): string {
  const body = Uint8Array.of(6 << 3, ...bytes);
  const crc = crc16(body);
  let bits = 0;
  let held = 0;
  let text = '';
  for (const byte of [...body, crc & 0xff, crc >> 8]) {
    held = (held << 8) | byte;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += BASE32[(held >> (bits - 5)) & 31];
    held &= (1 << bits) - 1;
  }
  return text;
}
