import { expect, test } from 'vitest';
import { bantuAddress, solanaAddress } from '../../../src/service/wallets/addresses.ts';

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'));
const zeros = '00'.repeat(32);

// Programs that exist on every Solana cluster: https://solana.com/docs/core/programs.
test.each([
  [zeros, '11111111111111111111111111111111'],
  ['06ddf6e1d765a193d9cbe146ceeb79ac1cb485ed5f5b37913a8cf5857eff00a9', 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'],
])('%s is %s on Solana', (hex, address) => {
  expect(solanaAddress(bytes(hex))).toBe(address);
});

// The all-zero key, and the example of Stellar's SEP-23.
test.each([
  [zeros, 'GAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAWHF'],
  [
    '3f0c34bf93ad0d9971d04ccc90f705511c838aad9734a4a2fb0d7a03fc7fe89a',
    'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ',
  ],
])('%s is %s on Bantu', (hex, address) => {
  expect(bantuAddress(bytes(hex))).toBe(address);
});
