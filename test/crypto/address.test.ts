import { describe, expect, test } from 'vitest';
import { type AddressForm, addressProblem } from '../../src/crypto/address.ts';
import { bantuAddress, solanaAddress } from '../../src/service/generated-addresses.ts';

/** The examples of EIP-55, and well-known addresses of the other kinds. */
const GOOD: readonly (readonly [AddressForm, string])[] = [
  ['evm', '0x52908400098527886E0F7030069857D2E4169EE7'],
  ['evm', '0xde709f2102306220921060314715629080e2fb77'],
  ['evm', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
  ['evm', '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'],
  ['evm', '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB'],
  ['evm', '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb'],
  ['stellar', 'GAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAWHF'],
  ['solana', '11111111111111111111111111111111'],
  ['solana', 'So11111111111111111111111111111111111111112'],
  ['tron', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
];

/** Another character of the same kind in the place of one. */
function mistyped(address: string, at: number): string {
  const character = address[at] ?? '';
  const other = /[a-f]/.test(character)
    ? character.toUpperCase()
    : /[A-F]/.test(character)
      ? character.toLowerCase()
      : character === '2'
        ? '3'
        : '2';
  return address.slice(0, at) + other + address.slice(at + 1);
}

describe('an address', () => {
  test.each(GOOD)('%s %s', (form, address) => {
    expect(addressProblem(form, address)).toBeUndefined();
  });

  test.each(GOOD.filter(([form]) => form !== 'solana'))('%s %s with one character mistyped', (form, address) => {
    // An EVM address of one case has no checksum to break; its capitals do.
    const isPlain =
      form === 'evm' &&
      (address.slice(2) === address.slice(2).toLowerCase() || address.slice(2) === address.slice(2).toUpperCase());
    const at = isPlain ? address.search(/[a-fA-F]\d*$/) : address.length - 3;
    expect(addressProblem(form, mistyped(address, at))).toMatch(/^its checksum is wrong|^[A-Z0]/);
  });

  test.each([
    ['evm', '0x5290840009852788', '0x and 40'],
    ['evm', '52908400098527886E0F7030069857D2E4169EE7', '0x and 40'],
    ['stellar', 'GAAA', 'G and 55'],
    ['solana', '0OIl', 'base 58'],
    ['tron', 'TR7', 'T and 33'],
  ] as const)('%s %s has another shape', (form, address, words) => {
    expect(addressProblem(form, address)).toContain(words);
  });

  test('of Solana has 32 bytes', () => {
    expect(addressProblem('solana', 'z'.repeat(44))).toContain('32 bytes');
  });

  test('that the sandbox makes is right', () => {
    for (let seed = 0; seed < 64; seed++) {
      const bytes = Uint8Array.from({ length: 32 }, (_, index) => (seed * 37 + index * 11) & 255);
      expect(addressProblem('stellar', bantuAddress(bytes))).toBeUndefined();
      expect(addressProblem('solana', solanaAddress(bytes))).toBeUndefined();
    }
  });
});
