import { describe, expect, test } from 'vitest';
import { CliError } from '../../src/base/errors.ts';
import { typedAs } from '../../src/copy/questions/typed.ts';

const typed = (text: string, isPhone = false) => typedAs({ text, isPhone });
const HASH = `0x${'Ab'.repeat(32)}`;

describe('what was typed', () => {
  test.each([
    ['5,100', ['NGN 510000', 'CNGN 5100000000', 'USDC 5100000000', 'USDT 5100000000']],
    ['₦5,100.00', ['NGN 510000']],
    ['20 USDC', ['USDC 20000000']],
    ['1.5 cNGN', ['CNGN 1500000']],
    ['5,10', []],
    ['0', []],
    ['ada', []],
  ])('%s is these sums: %j', (text, sums) => {
    expect(typed(text).sums.map(({ asset, minor }) => `${asset} ${minor}`)).toEqual(sums);
  });

  test.each([
    [
      'an address in any case',
      '0xABCDEF0123456789abcdef0123456789abcdef01',
      '0xabcdef0123456789abcdef0123456789abcdef01',
    ],
    ['an id in capitals', '0198C1F2-5D0E-7CC3-98A1-0A54B2F0B1DE', '0198c1f2-5d0e-7cc3-98a1-0a54b2f0b1de'],
    ['an account number in groups', '0123 456 789', '0123456789'],
    ['a link to an explorer', `https://basescan.org/tx/${HASH}?a=b`, HASH.toLowerCase()],
    ['a bank reference', ' 000013202611241647250487000599 ', '000013202611241647250487000599'],
  ])('%s is looked up as it is stored', (_, text, key) => {
    expect(typed(text).keys).toContain(key);
  });

  test.each([
    ['Adé  OBI', ['ade', 'obi']],
    ['20 USDC', []],
    ['deadbeef', []],
    [HASH, []],
    ['0123456789', []],
  ])('%s has these words of a name: %j', (text, words) => {
    expect(typed(text).words).toEqual(words);
  });

  test.each(['22345678901', '2234 567 8901', '223-4567-8901'])('%s may be a BVN, and is not repeated', (text) => {
    const refused = () => typed(text);
    expect(refused).toThrow(CliError);
    try {
      refused();
    } catch (error) {
      expect(JSON.stringify({ ...(error as CliError), message: (error as CliError).message })).not.toMatch(/2234/);
    }
    expect(typed(text, true)).toMatchObject({ keys: expect.arrayContaining(['22345678901']), sums: [] });
  });

  test.each(['', ' ', 'a'.repeat(501)])('nothing is looked up for %j', (text) => {
    expect(() => typed(text)).toThrow(CliError);
  });
});
