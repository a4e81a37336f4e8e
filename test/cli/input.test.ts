import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { fiatrail, newHome, requireBuilt } from '../support/built.ts';

/** What comes from files and from standard input, however much and whatever it is. */

beforeAll(requireBuilt);

const MUCH = '1'.repeat(3_000_000);

const ODD: readonly (readonly [name: string, argv: readonly string[], stdin: string])[] = [
  ['a BVN that does not end', ['users', 'onboard', '--bvn-stdin'], MUCH],
  ['a BVN with lines below it', ['users', 'onboard', '--bvn-stdin'], '22345678901\n22345678902\n'],
  ['a body that does not end', ['api', 'POST', '/getuserdetails', '-d', '-'], MUCH],
  ['a file that does not end', ['api', 'POST', '/getuserdetails', '-d', '@much'], ''],
  ['a device that does not end', ['api', 'POST', '/getuserdetails', '-d', '@/dev/zero'], ''],
  ['a folder', ['api', 'POST', '/getuserdetails', '-d', '@folder'], ''],
  ['a file that is not there', ['api', 'POST', '/getuserdetails', '-d', '@nothing'], ''],
  ['a file without a name', ['api', 'POST', '/getuserdetails', '-d', '@'], ''],
  ['no body at all', ['api', 'POST', '/getuserdetails', '-d', '-'], ''],
  ['bytes that are no text', ['api', 'POST', '/getuserdetails', '-d', '@bytes'], ''],
];

test.each(ODD)('%s is one sentence: 2', async (_, argv, stdin) => {
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
