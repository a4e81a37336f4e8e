import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/built.ts';

/** Patterns of the kinds of keys in use. */
const LOOKS: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['a sandbox key', /\bsandbox_[0-9a-f]{12,}/g],
  ['a live key', /\bkey-[0-9a-f]{32}\b/g],
  ['a common API key', /\b(?:sk|pk|rk)_(?:live|test)_\w{12,}|\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_\w{30,}/g],
  ['a private key', /-----BEGIN [A-Z ]*PRIVATE KEY-----(?:\\n|\s)+[\w+/=]{40,}/g],
  ['a JSON web token', /\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}/g],
  ['a key or address of 64 digits', /(?<![0-9a-fx-])[0-9a-f]{64}(?![0-9a-f])/g],
  ['a password in a URL', /\bhttps?:\/\/[^\s/:@'"`]+:[^\s/@'"`${]+@/g],
];

/** Samples that only look like keys, and why they are there. */
const SAMPLES: Readonly<Record<string, string>> = {
  'https://user:pass@': 'a rejected base URL',
  'https://user:hunter2@': 'a rejected base URL',
  'http://me:hunter2@': 'a proxy that is shown without its password',
  'http://user:word@': 'a proxy with a password',
  'https://user:secret@': 'a rejected webhook URL',
  'https://me:pw@': 'a rejected base URL',
  'https://me:hunter2@': 'a sample that this test must find',
  '77076d0a7318a57d3c16c17251b26645c6c85f3b4c7dd6f0f5b1d6b8f0e2a1c4': 'a pair of keys that a test makes boxes with',
  '358011c71b4dce0343b9f3d0a8dafa8bd80188fd93435ff83c31b66c073c9b2d': 'the public half of it',
  '3c6e0b8a9c15224a8228b9a98ca1531d2f7c1a0c5b6f2f7b0e0f2f5a3a1b9c8d': 'a sample that this test must find',
  '77076d0a7318a57d3c16c17251b26645c6db4ff2a5ef7c1e0aa5a4e6c37ab0fe': 'the private key of transcripts',
  de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f: 'the public half of it',
  sandbox_0123456789abcdef: 'a key for profiles that are never used',
  sandbox_6a545fc976865227e765f: 'a sample that this test must find',
  sandbox_000000000000000000000: 'a key that no fintech has',
  'key-00000000000000000000000000000000': 'a key that no fintech has',
  'key-86581bd30ed8c04cb9b13c2198511a1a': 'a sample that this test must find',
  b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ: 'a sample that this test must find',
  '06ddf6e1d765a193d9cbe146ceeb79ac1cb485ed5f5b37913a8cf5857eff00a9': 'the bytes of an address',
  '3f0c34bf93ad0d9971d04ccc90f705511c838aad9734a4a2fb0d7a03fc7fe89a': 'the bytes of an address',
  '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60': 'a private key of RFC 8032',
  d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a: 'the public half of it',
  '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb': 'another private key of RFC 8032',
  '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c': 'the public half of it',
  '7c5b060f3da68214db34253df3444c55b38196011f5a122bfc7c2a5030347beb': 'the public key of nobody, in an example',
  '01a1ffd0cd2798b1c2d3e4f5061728394a5b6c7d8e9f0a1b2c3d4e5f60718293': 'the id of a user, which is shown shortened',
  '8a2c7a0ba637b50ec186417e6c0de78d238ab8db52210e8ac0e57a5707e08521': 'the public key of the sandbox, in an example',
  e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5: 'the public key of nobody, in an example',
  bfc8f7245fe336c19a9ab780362b8a49f481195636177b98daa9439804b71b26: 'the example signature of the specification',
};

/** Ids of users, which begin with the time of the recording. test/docs/recordings.test.ts looks for the keys themselves. */
const DRAWN_IDS = /^docs\/(recordings\/\w+\.svg|openapi\.json): a key or address of 64 digits: 019b8d/;

/** The documented answers of the specification, whose values are all invented. */
const WITNESS = 'test/witness/answers/';

/** The tracked files, without those that are not our text. */
function tracked(): string[] {
  const listed = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' });
  return listed.split('\0').filter((name) => name !== '' && name !== 'package-lock.json' && !name.startsWith(WITNESS));
}

function looksLike(text: string): string[] {
  return LOOKS.flatMap(([what, pattern]) => [...text.matchAll(pattern)].map(([found]) => `${what}: ${found}`));
}

test.each([
  ['sandbox_6a545fc976865227e765f'],
  ['key-86581bd30ed8c04cb9b13c2198511a1a'],
  ['-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ'],
  ['https://me:hunter2@host'],
  ['3c6e0b8a9c15224a8228b9a98ca1531d2f7c1a0c5b6f2f7b0e0f2f5a3a1b9c8d'],
])('finds %s', (text) => {
  expect(looksLike(`"${text}"`)).toHaveLength(1);
});

test('no tracked file contains a key except the samples', () => {
  const found = tracked().flatMap((name) => {
    const text = readFileSync(join(ROOT, name), 'utf8');
    return looksLike(text).map((what) => `${name}: ${what}`);
  });
  const isSample = (line: string) =>
    DRAWN_IDS.test(line) || Object.keys(SAMPLES).some((sample) => line.includes(sample));
  expect(found.filter((line) => !isSample(line))).toEqual([]);
  const unused = Object.keys(SAMPLES).filter((sample) => !found.some((line) => line.includes(sample)));
  expect(unused).toEqual([]);
});
