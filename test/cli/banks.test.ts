import { describe, expect, test } from 'vitest';
import { main } from '../../src/main.ts';
import { journalRows } from '../support/journal.ts';
import { fakeWorld } from '../support/world.ts';

const withdraw = (bank: string, ...more: readonly string[]) => [
  'fees',
  'withdraw',
  '--amount',
  '500',
  '--bank-code',
  bank,
  '--account-number',
  '0123456789',
  '--account-name',
  'ADA',
  '--yes',
  ...more,
];

describe('a bank', () => {
  test.each([
    ['000013', '000013'],
    ['gtbank', '000013'],
    ['GTB', '000013'],
    ['Guaranty Trust', '000013'],
    ['guaranty trust bank', '000013'],
    ['Guaranty-trust-bank', '000013'],
    [' zenith ', '000015'],
    ['access', '000014'],
  ])('can be named "%s"', async (name, code) => {
    const world = fakeWorld();
    expect(await main(withdraw(name), world)).toBe(0);
    expect(journalRows(world.stateDir).map(({ summary }) => summary)).toEqual([
      `withdraw ₦500.00 in fees to account 0123456789 at bank ${code}`,
    ]);
    // What was found is shown before it is sent.
    expect(world.stderr.text().includes(`(${code})`)).toBe(name !== code);
  });

  test.each([
    ['bank', 'matches', 'AMBIGUOUS_BANK'],
    ['nowhere', 'no bank is named', 'NOT_FOUND'],
    ['12', 'expected a code of 3 to 6 digits or a name', 'VALIDATION_ERROR'],
    ['1234567', 'expected a code of 3 to 6 digits or a name', 'VALIDATION_ERROR'],
    ['', 'expected a code of 3 to 6 digits or a name', 'VALIDATION_ERROR'],
    ['x'.repeat(61), 'expected a code of 3 to 6 digits or a name', 'VALIDATION_ERROR'],
    ['gt\u0007b', 'expected a code of 3 to 6 digits or a name', 'VALIDATION_ERROR'],
  ])('%j is a usage error, and nothing is sent', async (name, message, code) => {
    const world = fakeWorld();
    expect(await main(withdraw(name, '-o', 'json'), world)).toBe(2);
    expect(world.stderr.text()).toContain(message);
    expect(world.stderr.text()).toContain(`"code":"${code}"`);
    expect(journalRows(world.stateDir)).toEqual([]);
  });

  test('that fits several names is rejected with the candidates', async () => {
    const several = fakeWorld();
    expect(await main(withdraw('bank'), several)).toBe(2);
    expect(several.stderr.text()).toMatch(/hint: give the code of one: .+ \(\d{6}\), .+ \(\d{6}\).*and \d+ more/s);
  });

  test('is read even in a dry run, as its code is part of the request', async () => {
    const world = fakeWorld();
    expect(
      await main(
        withdraw('gtbank', '--dry-run', '-o', 'json').filter((word) => word !== '--yes'),
        world,
      ),
    ).toBe(0);
    expect(JSON.parse(world.stdout.text()).body.bankCode).toBe('000013');
  });
});
