import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { rowsIn } from '../support/accounts.ts';
import type { Home } from '../support/built.ts';
import { fiatrail, fiatrailJson } from '../support/in-process.ts';
import { checked, NUMBER } from './files.ts';
import { homeForRows, runIn } from './payouts.ts';

const HEADER = 'Reference,Amount,Bank Name,Account Number';

/** What a payout row with these cells pays, or what is wrong with it. */
async function paidBy(header: string, row: string) {
  const { ready, check } = await checked(`${header}\n${row}\n`, 'payout create');
  const [problem, ...others] = check.findings.problems;
  expect(others).toEqual([]);
  return ready[0]?.request ?? problem;
}

describe('a payout row that names its account by the number', () => {
  test.each([
    [HEADER, `R1,5000,GTBank,${NUMBER}`, 'saved-one'],
    ['Reference,Amount,Bank Code,NUBAN', `R1,5000,000013,${NUMBER}`, 'saved-one'],
    [HEADER, 'R1,5000,Zenith,0123456790', 'saved-three'],
    [HEADER, 'R1,5000,000013,0123456790', 'saved-two'],
    [`${HEADER},To`, `R1,5000,GTBank,${NUMBER},saved-one`, 'saved-one'],
    [`${HEADER},To`, 'R1,5000,,,saved-two', 'saved-two'],
  ])('%s: %s', async (header, row, to) => {
    expect(await paidBy(header, row)).toEqual(expect.objectContaining({ bankAccountId: to }));
  });

  test.each([
    [HEADER, `R1,5000,Zenith,${NUMBER}`, 'Account Number', 'no saved bank account has this number at bank 000015'],
    [HEADER, 'R1,5000,GTBank,1234567890', 'Account Number', 'no saved bank account has this number at bank 000013'],
    [HEADER, 'R1,5000,Access,1111111111', 'Account Number', 'is the number of 2 saved bank accounts'],
    [HEADER, 'R1,5000,GTBank,', 'Account Number', 'is missing'],
    [HEADER, 'R1,5000,GTBank,123456785', 'Account Number', /^has 9 digits, and not 10/],
    [HEADER, `R1,5000,No Such Bank,${NUMBER}`, 'Bank Name', 'no bank is named "No Such Bank"'],
    [
      'Reference,Amount,Account Number',
      'R1,5000,0123456790',
      'Account Number',
      'is a number at a bank that the row does not name',
    ],
    [
      `${HEADER},To`,
      `R1,5000,GTBank,${NUMBER},saved-two`,
      'Account Number',
      /saved-one, and the row names saved-two too$/,
    ],
    [`${HEADER},To`, `R1,5000,GTBank,${NUMBER},default`, 'Account Number', /saved-one, and the row names default too$/],
  ])('is not sent if that names none, or another one: %s: %s', async (header, row, column, problem) => {
    expect(await paidBy(header, row)).toMatchObject({
      kind: 'error',
      line: 2,
      column,
      problem: expect.stringMatching(problem),
    });
  });

  test('says how to add an account that is not saved', async () => {
    const found = await paidBy(HEADER, `R1,5000,Zenith,${NUMBER}`);
    const hint = `add it with: fiatrail bank-accounts add --account-number ${NUMBER} --bank-code 000015`;
    expect(found).toMatchObject({ hint });
  });

  test('is read without a warning of its check digit: the bank has verified it', async () => {
    const { check } = await checked(`${HEADER}\nR1,5000,GTBank,0123456790\n`, 'payout create');
    expect(check.findings.problems).toEqual([]);
  });

  test('needs an account or its number', async () => {
    const titles = checked('Reference,Amount\nR1,5000\n', 'payout create');
    await expect(titles).rejects.toMatchObject({
      code: 'MISSING_COLUMN',
      message: expect.stringContaining('missing: to;'),
    });
  });
});

describe('a sheet of suppliers', () => {
  let home: Home;
  beforeEach(async () => {
    home = await homeForRows();
  });
  const run = (...argv: readonly string[]) => runIn(home, [...argv, '-q', '-o', 'json']);
  const sheet =
    'Invoice No,Supplier,Bank,Account No,Amount\nA-1,ADA,GTBank,0123456790,1000\nA-2,,000013,0123456789,2000\n';
  const create = (path: string, key: string) => ['bulk', 'create', path, '--as', 'payout create', '--once', key];
  const words = (path: string) => [...create(path, 'nov'), '--yes'];
  const plan = (path: string, key: string) => [...create(path, key), '--plan'];
  const fileOf = () => {
    const path = join(home.path, 'suppliers.csv');
    writeFileSync(path, sheet);
    return path;
  };
  const add = ['bank-accounts', 'add', '--account-number', '0123456790', '--bank-code', '000013'];

  test('is paid to the accounts with its numbers, once they are saved', async () => {
    const path = fileOf();
    const missing = await run(...words(path));
    expect([missing.code, missing.data.problems]).toEqual([
      2,
      [expect.objectContaining({ line: 2, column: 'Account No', hint: expect.stringContaining('bank-accounts add') })],
    ]);
    const { accountId } = await fiatrailJson<{ accountId: string }>(home, [...add, '--yes', '-q']);
    const { code, data } = await run(...words(path));
    expect([code, data]).toEqual([0, expect.objectContaining({ done: 2 })]);
    const { rows } = (await run('bulk', 'report', 'nov')).data;
    const named = { 'account number': '0123456790', 'bank code': '000013', to: accountId };
    expect(rows).toMatchObject([named, { 'account number': '0123456789' }]);
    const paid = rowsIn(join(home.stateDir, 'sandbox.db'), 'SELECT account_number, amount_kobo FROM payout');
    expect(paid.map((row) => ({ ...(row as object) }))).toEqual([
      { account_number: '0123456790', amount_kobo: 100_000 },
      { account_number: '0123456789', amount_kobo: 200_000 },
    ]);
    // The same sheet again sends nothing.
    expect((await run(...words(path))).data).toMatchObject({ done: 2, waiting: 0 });
  });

  test('can be planned, as the template can', async () => {
    await fiatrail(home, [...add, '--yes', '-q']);
    expect((await run(...plan(fileOf(), 'nov'))).code).toBe(0);
    const { stdout } = await fiatrail(home, ['bulk', 'template', 'payout create']);
    const path = join(home.path, 'filled.csv');
    writeFileSync(path, stdout);
    expect((await run(...plan(path, 'dec'))).code).toBe(0);
  });
});
