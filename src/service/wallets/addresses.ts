import { Fault } from '../../contract/faults.ts';
import { addressProblemOn, type Network } from '../../contract/networks.ts';
import { BASE32, BASE58, crc16 } from '../../crypto/address.ts';
import type { Asset } from '../../money/amount.ts';
import type { Context } from '../context.ts';

/** Throws VALIDATION_ERROR if an address does not have the network's format; `field` is its name in the request. */
export function requireForm(network: Network, address: string, field: string): void {
  const problem = addressProblemOn(network, address);
  if (problem) throw new Fault('VALIDATION_ERROR', `${field}: expected an address on ${network.name}: ${problem}`);
}

/** Addresses of the sandbox's token contracts and of the vault for offramped cNGN. They exist on no chain. */
export const TOKEN_ADDRESS: Readonly<Record<Exclude<Asset, 'NGN'>, string>> = {
  CNGN: `0x${'c0'.repeat(20)}`,
  USDC: `0x${'dc'.repeat(20)}`,
  USDT: `0x${'d7'.repeat(20)}`,
};

/** Gas and gas price of a token transfer, as integer text; the sandbox charges nothing for it. */
export const GAS = { gasUsed: '65000', effectiveGasPrice: '1000000' } as const;

/** Returns the number of the current block: one every 2 seconds since a day in 2023, like Base. */
export function blockNumber({ nowMs }: Context): number {
  return Math.floor((nowMs - Date.UTC(2023, 5, 15)) / 2000);
}

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
