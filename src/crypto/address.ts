import { sha256 } from '@noble/hashes/sha2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';

/** The address format of a chain. */
export type AddressForm = 'evm' | 'solana' | 'stellar' | 'tron';

/** Describes each address format for error messages. */
const FORM_DESCRIPTIONS: Readonly<Record<AddressForm, string>> = {
  evm: '0x followed by 40 hexadecimal digits',
  solana: '32 to 44 base58 characters that encode 32 bytes',
  stellar: 'G followed by 55 characters from A-Z and 2-7',
  tron: 'T followed by 33 base58 characters',
};

const SHAPES: Readonly<Record<AddressForm, RegExp>> = {
  evm: /^0x[0-9a-fA-F]{40}$/,
  solana: /^[1-9A-HJ-NP-Za-km-z]{32,44}$/,
  stellar: /^G[A-Z2-7]{55}$/,
  tron: /^T[1-9A-HJ-NP-Za-km-z]{33}$/,
};

/** Solana has no checksum. */
const CHECKSUMS: Readonly<Record<AddressForm, (address: string) => boolean>> = {
  evm: isEip55,
  solana: () => true,
  stellar: endsWithCrc,
  tron: endsWithDoubleHash,
};

/** Returns the expected format or the checksum error of an invalid address; undefined if it is valid. */
export function addressProblem(form: AddressForm, address: string): string | undefined {
  if (!hasShape(form, address)) return FORM_DESCRIPTIONS[form];
  return CHECKSUMS[form](address) ? undefined : 'the checksum does not match; check for typing mistakes';
}

function hasShape(form: AddressForm, address: string): boolean {
  return SHAPES[form].test(address) && (form !== 'solana' || base58Bytes(address).length === 32);
}

export const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
export const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Mixed-case addresses encode a checksum in the case of their letters; others have none. Source: public (EIP-55). */
function isEip55(address: string): boolean {
  const digits = address.slice(2);
  const lower = digits.toLowerCase();
  if (digits === lower || digits === digits.toUpperCase()) return true;
  const hash = keccak_256(new TextEncoder().encode(lower));
  return [...digits].every((digit, index) => {
    const nibble = ((hash[index >> 1] ?? 0) >> (index % 2 === 0 ? 4 : 0)) & 15;
    return digit === (nibble >= 8 ? digit.toUpperCase() : digit.toLowerCase());
  });
}

function base58Bytes(text: string): Uint8Array {
  let value = [...text].reduce((sum, digit) => sum * 58n + BigInt(BASE58.indexOf(digit)), 0n);
  const bytes: number[] = [];
  for (; value > 0n; value >>= 8n) bytes.unshift(Number(value & 255n));
  const zeros = /^1*/.exec(text)?.[0].length ?? 0;
  return Uint8Array.from([...Array.from({ length: zeros }, () => 0), ...bytes]);
}

/** Base58Check: 21 bytes and the first four bytes of their double SHA-256. */
function endsWithDoubleHash(address: string): boolean {
  const bytes = base58Bytes(address);
  const sum = sha256(sha256(bytes.subarray(0, -4))).subarray(0, 4);
  return bytes.length === 25 && bytes.subarray(-4).every((byte, index) => byte === sum[index]);
}

/** CRC-16/XMODEM, the checksum of Stellar addresses. */
export function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff;
  }
  return crc;
}

/** 35 bytes in base32: the version, the key and the CRC in little-endian order. */
function endsWithCrc(address: string): boolean {
  let buffer = 0;
  let bits = 0;
  const bytes: number[] = [];
  for (const digit of address) {
    buffer = ((buffer << 5) | BASE32.indexOf(digit)) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((buffer >> bits) & 255);
  }
  const crc = crc16(Uint8Array.from(bytes.slice(0, -2)));
  return bytes.at(-2) === (crc & 255) && bytes.at(-1) === crc >> 8;
}
