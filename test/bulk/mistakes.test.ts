import { describe, expect, test } from 'vitest';
import { checked, FACTS, NUMBER } from './files.ts';

const HEADER = 'Reference,User ID,Bank,Account Number,Amount,Currency';
const GOOD = ['INV-1', 'user-1', 'GTBank', NUMBER, '5000.00', 'NGN'] as const;

/** The good row with other cells, as a line. */
const row = (other: Partial<Record<number, string>>) => GOOD.map((cell, at) => other[at] ?? cell).join(',');

/** Each with the column and the words that say what is wrong. */
const MISTAKES: readonly (readonly [what: string, line: string, column: string | null, problem: RegExp])[] = [
  ['no reference', row({ 0: '' }), 'Reference', /is missing/],
  ['a reference of 41 characters', row({ 0: 'x'.repeat(41) }), 'Reference', /41 characters/],
  ['a reference that was shortened', row({ 0: '2.0231E+11' }), 'Reference', /digits are lost/],
  ['a reference with an invisible character', row({ 0: 'INV-\u200b2' }), 'Reference', /invisible/],
  ['no user', row({ 1: '' }), 'User ID', /is missing/],
  ['a user id with a space', row({ 1: 'user 1' }), 'User ID', /no spaces/],
  ['a value that is null', row({ 1: 'null' }), 'User ID', /invalid id/],
  ['no bank', row({ 2: '' }), 'Bank', /is missing/],
  ['an unknown bank', row({ 2: 'Bank of Atlantis' }), 'Bank', /no bank is named/],
  ['an unknown code', row({ 2: '999999' }), 'Bank', /no bank has this code/],
  ['a code that lost its zeros', row({ 2: '13' }), 'Bank', /000013 is one/],
  ['a name of several banks', row({ 2: 'bank' }), 'Bank', /matches 4 banks/],
  ['no account number', row({ 3: '' }), 'Account Number', /is missing/],
  ['a number that lost a zero', row({ 3: '123456785' }), 'Account Number', /has 9 digits, and not 10/],
  ['eleven digits', row({ 3: `${NUMBER}1` }), 'Account Number', /expected 10 digits/],
  ['a number that was shortened', row({ 3: '1.23E+09' }), 'Account Number', /digits are lost/],
  ['a number with decimals', row({ 3: `${NUMBER}.0` }), 'Account Number', /has decimals/],
  ['letters in a number', row({ 3: '01234S6785' }), 'Account Number', /expected 10 digits/],
  ['an IBAN', row({ 3: 'DE89370400440532013000' }), 'Account Number', /expected 10 digits/],
  ['no amount', row({ 4: '' }), 'Amount', /is missing/],
  ['two separators', row({ 4: '"1.234,56"' }), 'Amount', /two separators/],
  ['a decimal comma', row({ 4: '"12,5"' }), 'Amount', /decimal comma/],
  ['a comma in the wrong place', row({ 4: '"1,23,456"' }), 'Amount', /two separators/],
  ['three decimals', row({ 4: '5.123' }), 'Amount', /too many decimals/],
  ['nothing to pay', row({ 4: '0' }), 'Amount', /greater than 0/],
  ['a negative amount', row({ 4: '-5000' }), 'Amount', /negative/],
  ['an amount in brackets', row({ 4: '(5000)' }), 'Amount', /negative/],
  ['an amount of another asset', row({ 4: '5 USDC' }), 'Amount', /expected an amount in NGN/],
  ['a formula', row({ 4: '=SUM(E2:E3)' }), 'Amount', /formula/],
  ['the error of a formula', row({ 4: '#REF!' }), 'Amount', /error of the spreadsheet/],
  ['another currency', row({ 5: 'USD' }), 'Currency', /is not NGN/],
  ['a NUL', row({ 3: '01234\0' }), 'Account Number', /NUL/],
  ['an amount that is not quoted', row({ 4: '5,000' }), null, /7 cells, and the header 6/],
  ['a row that was cut', 'INV-1,user-1,GTB', null, /3 cells, and the header 6/],
];

describe('a mistake is named by its line and column', () => {
  test.each(MISTAKES)('%s', async (_, line, column, problem) => {
    const { ready, check } = await checked(
      `${HEADER}\n${row({ 0: 'A', 4: '1.00' })}\n${line}\n${row({ 0: 'Z', 4: '2.00' })}\n`,
    );
    const errors = check.findings.problems.filter(({ kind }) => kind === 'error');
    expect(errors.map((each) => [each.line, each.column])).toEqual([[3, column]]);
    expect(errors[0]?.problem).toMatch(problem);
    expect(ready.map(({ reference }) => reference)).toEqual(['A', 'Z']);
    expect([check.rows(), check.findings.badRows()]).toEqual([3, 1]);
    // The sum is that of the others.
    expect([...check.findings.sums]).toEqual([['NGN', 300n]]);
  });

  test('all of a file at once', async () => {
    const lines = MISTAKES.map(([, line], at) => (line.startsWith('INV-1,') ? line.replace('INV-1', `I-${at}`) : line));
    const { check } = await checked(`${HEADER}\n${lines.join('\n')}\n`);
    const bad = check.findings.problems.filter(({ kind }) => kind === 'error').map(({ line }) => line);
    expect(bad).toEqual(MISTAKES.map((_, at) => at + 2));
  });

  test('the same reference twice', async () => {
    const { check, ready } = await checked(`${HEADER}\n${row({})}\n${row({ 4: '7000.00' })}\n`);
    expect(check.findings.problems).toEqual([
      expect.objectContaining({ kind: 'error', line: 3, column: 'Reference', problem: 'is that of line 2 too' }),
    ]);
    expect(ready).toHaveLength(1);
  });

  test('a name of a bank that is not the one of the code', async () => {
    const { check } = await checked(
      `Reference,User ID,Bank Code,Bank Name,Account Number,Amount\nA,u,000013,Zenith Bank,${NUMBER},5\n`,
    );
    expect(check.findings.problems[0]).toMatchObject({ kind: 'error', line: 2, column: 'Bank Name' });
    expect(check.findings.problems[0]?.problem).toMatch(/is bank 000015, and the code of the row is 000013/);
  });
});

describe('what is unlikely is a warning', () => {
  const warnings = async (text: string, facts = FACTS) => {
    const { check, ready } = await checked(text, 'offramp create', { facts });
    expect(check.findings.badRows()).toBe(0);
    return { found: check.findings.problems.map(({ kind, line, problem }) => `${kind} ${line}: ${problem}`), ready };
  };

  test('the same amount to the same account, with other references', async () => {
    const { found, ready } = await warnings(`${HEADER}\n${row({})}\n${row({ 0: 'INV-2' })}\n`);
    expect(found).toEqual(['warning 3: has the amount and the destination of line 2']);
    expect(ready).toHaveLength(2);
  });

  test('the same as something that was sent within a day', async () => {
    const { ready } = await warnings(`${HEADER}\n${row({})}\n`);
    const recent = new Map([[ready[0]?.movement?.text ?? '', '2026-11-27T09:00:00.000Z']]);
    const { found } = await warnings(`${HEADER}\n${row({})}\n`, { ...FACTS, recent });
    expect(found).toEqual(['warning 2: the same was sent to the same destination at 2026-11-27T09:00:00.000Z']);
  });

  test('a check digit of another bank, with the banks that have it', async () => {
    const { check } = await checked(`${HEADER}\n${row({ 2: 'Zenith' })}\n`);
    expect(check.findings.problems).toEqual([
      expect.objectContaining({
        kind: 'warning',
        column: 'Account Number',
        problem: 'does not have the check digit of bank 000015',
        hint: 'it has the check digit of: 000013',
      }),
    ]);
  });

  test('a bank that numbers its accounts otherwise has no check digit', async () => {
    expect((await warnings(`${HEADER}\n${row({ 2: 'Kuda' })}\n`)).found).toEqual([]);
  });
});
