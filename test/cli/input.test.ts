import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { fiatrail, newHome, requireBuilt } from '../support/built.ts';

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

test.each(INVALID)('rejects %s with exit code 2', async (_, argv, stdin) => {
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
