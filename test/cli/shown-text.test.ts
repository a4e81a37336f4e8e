import { describe, expect, test } from 'vitest';
import { shownText } from '../../src/present/shown-text.ts';
import { printLines } from '../../src/terminal/ask/confirm.ts';
import { fakeWorld } from '../support/world.ts';

const EVM = '0x52908400098527886E0F7030069857D2E4169EE7';
const IN_FOURS = '0x5290 8400 0985 2788 6E0F 7030 0698 57D2 E416 9EE7';
const SOLANA = '7S3P4HxJpyyigGzodYwHtCxZyUQe9JiBMHyRWXArAaKv';
const STELLAR = 'GDQP2KPQGKIHYJGXNUIYOMHARUARCA7DJT5FO2FFOOKY3B2WSQHG4W37';
const USER = '01a1ffd0cd2798b1c2d3e4f5061728394a5b6c7d8e9f0a1b2c3d4e5f60718293';
const UUID = '0198c1f2-5d0e-7cc3-98a1-0a54b2f0b1de';
const WIDE = Number.POSITIVE_INFINITY;

describe('a text of a confirmation', () => {
  test.each([
    ['an EVM address', `${EVM} on base`, `${IN_FOURS} on base`],
    ['a Solana address', SOLANA, '7S3P 4HxJ pyyi gGzo dYwH tCxZ yUQe 9JiB MHyR WXAr AaKv'],
    ['a Stellar address', STELLAR, 'GDQP 2KPQ GKIH YJGX NUIY OMHA RUAR CA7D JT5F O2FF OOKY 3B2W SQHG 4W37'],
    ['an account number', 'account 0123456789 at bank 000013', 'account 012 345 6789 at bank 000013'],
    ['the account number of a holder', 'ADE OBI, 0123456789 at Kuda', 'ADE OBI, 012 345 6789 at Kuda'],
  ])('shows %s whole, in groups', (_what, text, shown) => {
    for (const room of [WIDE, 76, 16]) expect(shownText(text, room)).toBe(shown);
  });

  test.each([
    ['an amount', '1,500.00 cNGN, sent as 1500000000 base'],
    ['a user id', USER],
    ['a request id', UUID],
    ['a hash', `0x${'ab'.repeat(32)}`],
    ['a key in Base64', `${'aB3'.repeat(14)}c=`],
  ])('leaves %s as it is where it fits', (_what, text) => {
    expect(shownText(text, 80)).toBe(text);
  });

  test.each([
    [USER, 16, '01a1ffd0cd2…8293'],
    [`user ${UUID}.`, 18, 'user 0198c1f2-5d0…b1de.'],
    [`ADE (${UUID})`, 12, 'ADE (0198c…b1de)'],
  ])('shortens the id in %s to %d columns', (text, room, shown) => {
    expect(shownText(text, room)).toBe(shown);
  });

  test('splits any other word that is too wide, and leaves nothing of it out', () => {
    expect(shownText('🇳🇬'.repeat(3), 4)).toBe('🇳🇬🇳🇬 🇳🇬');
    const shown = shownText('https://evil.example/hook?to=somewhere', 10);
    expect(shown.replaceAll(' ', '')).toBe('https://evil.example/hook?to=somewhere');
    expect(Math.max(...shown.split(' ').map((word) => word.length))).toBe(10);
  });

  test('escapes what a terminal would hide or act on', () => {
    expect(shownText('ADE\u202eIBO\u001b[2K\u200b\n', 80)).toBe('ADE\\u{202e}IBO\\u{1b}[2K\\u{200b}\\u{a}');
  });
});

async function printed(columns: number | undefined, isTerminal: boolean, lines: Parameters<typeof printLines>[2]) {
  const world = fakeWorld({ isTerminal });
  const all: string[] = [];
  const stderr = { ...world.stderr, columns };
  await printLines({ ...world, stderr }, async (text) => void all.push(text), lines);
  return all;
}

describe('the lines of a confirmation', () => {
  const LINES = [
    ['user', USER],
    ['destination', `${EVM} on base`],
  ] as const;

  test('stand below their labels on a terminal of 20 columns, with the whole address and no broken id', async () => {
    expect(await printed(20, true, LINES)).toEqual([
      '  user',
      '    01a1ffd0cd2…8293',
      '  destination',
      '    0x5290 8400 0985',
      '    2788 6E0F 7030',
      '    0698 57D2 E416',
      '    9EE7 on base',
    ]);
  });

  test('stand beside their labels where there is room', async () => {
    expect(await printed(80, true, LINES)).toEqual([`  user         ${USER}`, `  destination  ${IN_FOURS} on base`]);
    expect(await printed(60, true, LINES)).toEqual([
      `  user         ${USER.slice(0, 40)}…8293`,
      '  destination  0x5290 8400 0985 2788 6E0F 7030 0698 57D2',
      '               E416 9EE7 on base',
    ]);
  });

  test('have addresses as they were typed off a terminal, where they are searched', async () => {
    expect(await printed(undefined, false, LINES)).toEqual([`  user         ${USER}`, `  destination  ${EVM} on base`]);
    expect(await printed(undefined, false, [['label', 'a\u202eb']])).toEqual(['  label  a\\u{202e}b']);
  });
});
