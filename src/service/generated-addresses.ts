import { BASE32, BASE58, crc16 } from '../crypto/address.ts';

/** Addresses of the right shape for each chain, from random bytes. No key behind any of them. */

/** A Solana address: 32 bytes in base 58. */
export function solanaAddress(bytes: Uint8Array): string {
  let value = bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  let text = '';
  for (; value > 0n; value /= 58n) text = BASE58[Number(value % 58n)] + text;
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return '1'.repeat(zeros === -1 ? bytes.length : zeros) + text;
}

/** A Bantu address: `G` and 55 characters, as on the Stellar network it descends from: version byte, 32 bytes, CRC-16, base 32. */
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
