import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Home, newHome, sharedEnd } from '../support/built.ts';
import { fiatrail, fiatrailJson } from '../support/in-process.ts';

const NUMBER = '0123456785';
const HEADER = 'Reference,User ID,Bank,Account Number,Amount';
const PAY = 'payout create';

let home: Home;
let users: readonly string[];
const atEnd = sharedEnd();

beforeAll(async () => {
  home = newHome(atEnd);
  await fiatrail(home, ['sandbox', 'seed', '--users', '3', '--rate-limits', 'off', '-q']);
  const { users: rows } = await fiatrailJson<{ users: { userId: string }[] }>(home, ['users', 'list', '-q']);
  users = rows.map(({ userId }) => userId);
});

function fileOf(name: string, text: string | Uint8Array, mode = 0o600): string {
  const path = join(home.path, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

async function check(text: string | Uint8Array, as: string, ...more: readonly string[]) {
  const path = fileOf('file.csv', text);
  const { code, stdout, stderr } = await fiatrail(home, [
    'bulk',
    'check',
    path,
    '--as',
    as,
    '-q',
    '-o',
    'json',
    ...more,
  ]);
  return { code, stderr, data: stdout === '' ? undefined : JSON.parse(stdout) };
}

const payouts = (...rows: readonly string[]) => `Reference,To,Amount,Supplier\n${rows.join('\n')}\n`;

describe('bulk check', () => {
  test('compares the sum, the fees and the balance, and sends nothing', async () => {
    const { code, data } = await check(
      payouts('A1,default,1000,', 'A2,default,250.50,'),
      PAY,
      '--count',
      '2',
      '--total',
      '1250.50',
    );
    expect(code).toBe(0);
    expect(data).toMatchObject({
      rows: 2,
      badRows: 0,
      sums: [{ value: '1250.500000', asset: 'CNGN' }],
      balances: [{ userId: null, before: { value: '5250000.000000' } }],
      unusedColumns: [],
      blocked: [],
      problems: [],
    });
    const [taken, fees] = [5250000 - Number(data.balances[0].after.value), Number(data.fees.value)];
    expect(taken).toBeCloseTo(1250.5 + fees, 2);
    expect((await fiatrailJson<{ operations: unknown[] }>(home, ['ops', 'list', '-q'])).operations).toEqual([]);
  });

  test.each([
    ['--count', '3', /--count is 3, and the file has 2 rows/],
    ['--total', '1250.51', /--total: the total is 1,250.51 cNGN, and that of the rows is 1,250.50 cNGN/],
    ['--total', '1.250,50', /two separators/],
  ])('%s %s does not agree', async (flag, value, problem) => {
    const { code, data } = await check(payouts('A1,default,1000,', 'A2,default,250.50,'), PAY, flag, value);
    expect(code).toBe(2);
    expect(data.problems[0].problem).toMatch(problem);
  });

  test('a total in the file that does not agree', async () => {
    const { code, data } = await check(payouts('A1,default,1000,', 'A2,default,250.50,', 'Total,,1250,'), PAY);
    expect(code).toBe(2);
    expect(data.problems).toEqual([expect.objectContaining({ line: 4, kind: 'error' })]);
  });

  test('an account that is not there, and one of someone else', async () => {
    const { code, data } = await check(
      payouts('A1,no-such-id,1000,', 'A2,default,5,ADA OBI', 'A3,default,6,IGWE Damilola'),
      PAY,
    );
    expect(code).toBe(2);
    expect(data.problems.map(({ line, kind, problem }: Record<string, unknown>) => [line, kind, problem])).toEqual([
      [2, 'error', 'no bank account has this id'],
      [3, 'warning', 'the account belongs to DAMILOLA CHIAMAKA IGWE, and the row names ADA OBI'],
    ]);
    expect(data.sums).toEqual([{ value: '11.000000', asset: 'CNGN' }]);
  });

  test('a balance that does not suffice', async () => {
    const { code, data, stderr } = await check(payouts('A1,default,5000000,', 'A2,default,300000,'), PAY);
    expect(code).toBe(9);
    expect(data.problems).toEqual([]);
    expect(JSON.parse(stderr).error).toMatchObject({ code: 'BALANCE_TOO_LOW' });
  });

  test('a rule that all rows together break', async () => {
    const own = newHome(atEnd);
    await fiatrail(own, ['profiles', 'rules', 'set', 'sandbox', '--max-per-day', 'CNGN 1200', '--yes', '-q']);
    const path = fileOf('rules.csv', payouts('A1,default,1000,', 'A2,default,250,'));
    const run = await fiatrail(own, ['bulk', 'check', path, '--as', PAY, '-q', '-o', 'json']);
    expect(run.code).toBe(9);
    expect(JSON.parse(run.stdout).blocked).toEqual([
      { code: 'RULE_AMOUNT', message: expect.stringContaining('250.00 cNGN is above the 200.00 cNGN that is left') },
    ]);
  });

  test('users that are unknown or not active', async () => {
    const [one, two] = users;
    await fiatrail(home, ['users', 'deactivate', two ?? '', '--reason', 'test', '--yes', '-q']);
    const rows = [`A1,${one},GTBank,${NUMBER},5`, `A2,${two},GTBank,${NUMBER},6`, `A3,nobody,GTBank,${NUMBER},7`];
    const { code, data } = await check(`${[HEADER, ...rows].join('\n')}\n`, 'offramp create');
    expect(code).toBe(2);
    expect(data.problems.map(({ line, problem }: Record<string, unknown>) => [line, problem])).toEqual([
      [3, 'this user is not active'],
      [4, 'no user has this id'],
    ]);
  });

  test('many users are looked up in the list', async () => {
    const rows = Array.from(
      { length: 25 },
      (_, at) => `R${at},${at === 0 ? users[0] : `u-${at}`},GTBank,${NUMBER},${at + 1}`,
    );
    const { data } = await check(`${[HEADER, ...rows].join('\n')}\n`, 'offramp create');
    expect(data.badRows).toBe(24);
    expect(data.problems[0]).toMatchObject({ line: 3, value: 'u-1' });
  });

  test('BVNs only from a private file, and never printed', async () => {
    const text = 'reference,bvn\nU1,22222222221\nU2,2222222222\n';
    const open = fileOf('open.csv', text, 0o644);
    const refused = await fiatrail(home, ['bulk', 'check', open, '--as', 'users onboard']);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(`chmod 600 ${open}`);
    const { code, data, stderr } = await check(text, 'users onboard');
    expect(code).toBe(2);
    expect(data.problems).toEqual([expect.objectContaining({ line: 3, column: 'bvn', value: null })]);
    expect(JSON.stringify(data) + stderr).not.toContain('2222222');
  });

  test.each([
    ['a folder', () => home.path, /it is a folder/],
    ['nothing', () => join(home.path, 'missing.csv'), /there is no such file/],
  ])('%s in place of the file', async (_, path, message) => {
    const { code, stderr } = await fiatrail(home, ['bulk', 'check', path(), '--as', PAY]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  });

  test('a command that has no rows', async () => {
    const { code, stderr } = await fiatrail(home, ['bulk', 'check', 'x.csv', '--as', 'fees withdraw']);
    expect(code).toBe(2);
    expect(stderr).toContain(
      '"offramp create", "payout create", "withdrawals create", "transfers create", "bank-accounts add", "users onboard", "users default-wallet set"',
    );
  });
});

describe('bulk template', () => {
  test('that of a payout can be sent as it is', async () => {
    const { stdout } = await fiatrail(home, ['bulk', 'template', PAY]);
    expect((await check(stdout, PAY)).data).toMatchObject({ rows: 1, badRows: 0, problems: [] });
  });

  test.each([
    ['offramp create', 'reference,user id,amount,bank code,account number'],
    ['payout create', 'reference,amount,to,account number,bank code'],
    ['withdrawals create', 'reference,user id,token,amount,from,to,network'],
    ['transfers create', 'reference,token,amount,to,note'],
    ['users onboard', 'reference,bvn'],
    ['users default-wallet set', 'reference,user id,address,network,label'],
    ['bank-accounts add', 'reference,account number,bank code,label'],
  ])('%s has the columns of the command, which a check reads', async (words, columns) => {
    const { stdout, code } = await fiatrail(home, ['bulk', 'template', words]);
    expect(code).toBe(0);
    expect(stdout.split('\n')).toContain(columns);
    const path = fileOf('template.csv', stdout);
    const checked = await fiatrail(home, ['bulk', 'check', path, '--as', words, '-q', '-o', 'json']);
    expect(JSON.parse(checked.stdout)).toMatchObject({ rows: 1 });
  });
});
