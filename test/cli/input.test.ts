import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { fiatrail, newHome, requireBuilt } from '../support/built.ts';
import * as here from '../support/in-process.ts';

/** Oversized and malformed input from files and standard input. */

beforeAll(requireBuilt);

const MUCH = '1'.repeat(3_000_000);

const INVALID: readonly (readonly [name: string, argv: readonly string[], stdin: string])[] = [
  ['an oversized BVN', ['users', 'onboard', '--bvn-stdin'], MUCH],
  ['two BVNs', ['users', 'onboard', '--bvn-stdin'], '22345678901\n22345678902\n'],
  ['an oversized body', ['api', 'POST', '/getuserdetails', '-d', '-'], MUCH],
  ['an oversized file', ['api', 'POST', '/getuserdetails', '-d', '@much'], ''],
  ['an endless device', ['api', 'POST', '/getuserdetails', '-d', '@/dev/zero'], ''],
  ['a folder', ['api', 'POST', '/getuserdetails', '-d', '@folder'], ''],
  ['a missing file', ['api', 'POST', '/getuserdetails', '-d', '@nothing'], ''],
  ['a file without a name', ['api', 'POST', '/getuserdetails', '-d', '@'], ''],
  ['no body at all', ['api', 'POST', '/getuserdetails', '-d', '-'], ''],
  ['bytes that are not text', ['api', 'POST', '/getuserdetails', '-d', '@bytes'], ''],
];

test('says that standard input has no BVN', async () => {
  const { code, stderr } = await fiatrail(newHome(onTestFinished), ['users', 'onboard', '--bvn-stdin', '-q'], {
    stdin: '',
  });
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining('standard input is empty; expected a BVN'),
  });
});

test('takes an address and an account number in the groups in which they are printed', async () => {
  const home = newHome(onTestFinished);
  const dryRun = async (argv: readonly string[]) => {
    const { code, stdout } = await here.fiatrail(home, [...argv, '--dry-run', '-o', 'json']);
    return { code, stdout };
  };
  const address = await dryRun([
    'wallets',
    'external',
    'add',
    '0x5290 8400 0985 2788 6E0F 7030 0698 57D2 E416 9EE7',
    '--network',
    'base',
  ]);
  const account = await dryRun(['bank-accounts', 'add', '--bank-code', '000013', '--account-number', '012 345 6789']);
  expect({ address, account }).toEqual({
    address: { code: 0, stdout: expect.stringContaining('0x52908400098527886E0F7030069857D2E4169EE7') },
    account: { code: 0, stdout: expect.stringContaining('0123456789') },
  });
});

test('takes a BVN with spaces, as people write it', async () => {
  const { code, stdout } = await here.fiatrail(
    newHome(onTestFinished),
    ['users', 'onboard', '--bvn-stdin', '-q', '-o', 'json'],
    { stdin: '222 4567\u00a08901\n' },
  );
  expect({ code, status: JSON.parse(stdout).status }).toEqual({ code: 0, status: 'processing' });
});

test.each(INVALID)('rejects %s and exits with 2', async (_, argv, stdin) => {
  const home = newHome(onTestFinished);
  writeFileSync(join(home.path, 'much'), MUCH);
  writeFileSync(join(home.path, 'bytes'), Uint8Array.of(0xff, 0xfe, 0x00, 0x80));
  mkdirSync(join(home.path, 'folder'));
  const { code, stdout, stderr } = await fiatrail(home, [...argv, '-q', '-o', 'json'], { stdin });
  expect({ code, stdout, category: JSON.parse(stderr).error.category }).toEqual({
    code: 2,
    stdout: '',
    category: 'usage',
  });
});

test.each([
  ['a flag', ['ip', 'replace', '203.0.113.7', '--with', 'x'], '--with: invalid address "x"; it is a host name'],
  ['a flag without a value', ['users', 'list', '--yes=false'], '--yes takes no value'],
  ['a flag of a command', ['profiles', 'journal', 'set', '--sole-host=maybe'], '--sole-host takes no value'],
  ['a flag of another command', ['users', 'list', '--sole-host=maybe'], "unknown option '--sole-host=maybe'"],
  ['an argument', ['onramp', 'create', 'u 1', '--amount', '5000'], '<user-id>: invalid id "u 1"; ids have no spaces'],
  ['an empty variable', ['onramp', 'account', 'null'], '<request-id>: invalid id "null"'],
  ['an argument in its message', ['ip', 'add', 'x'], 'invalid address "x"; it is a host name'],
  ['an argument in its message', ['users', 'onboard', '123'], 'invalid BVN; expected 11 digits'],
])('names %s once: %j', async (_, argv, message) => {
  const { code, stderr } = await here.fiatrail(newHome(onTestFinished), argv);
  expect({ code, error: stderr.split('\n')[0] }).toEqual({ code: 2, error: `error: ${message}` });
});
