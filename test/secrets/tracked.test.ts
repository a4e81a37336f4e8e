import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/built.ts';

/** How keys of the kinds in use look. */
const LOOKS: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['a key of a sandbox', /\bsandbox_[0-9a-f]{12,}/g],
  ['a key of a live account', /\bkey-[0-9a-f]{32}\b/g],
  ['an API key of the usual kinds', /\b(?:sk|pk|rk)_(?:live|test)_\w{12,}|\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_\w{30,}/g],
  ['a private key', /-----BEGIN [A-Z ]*PRIVATE KEY-----(?:\\n|\s)+[\w+/=]{40,}/g],
  ['a token of three parts', /\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}/g],
  ['a key or address of 64 digits', /(?<![0-9a-fx-])[0-9a-f]{64}(?![0-9a-f])/g],
  ['a password in a URL', /\bhttps?:\/\/[^\s/:@'"`]+:[^\s/@'"`${]+@/g],
];

/** What looks like one and is none, and why. */
const SAMPLES: Readonly<Record<string, string>> = {
  'https://user:pass@': 'a base URL that is refused',
  'https://user:hunter2@': 'a base URL that is refused',
  'http://me:hunter2@': 'a proxy that is shown without its password',
  'https://user:secret@': 'a webhook URL that is refused',
  'https://me:pw@': 'a base URL that is refused',
  'https://me:hunter2@': 'the line above that has to be found',
  '77076d0a7318a57d3c16c17251b26645c6c85f3b4c7dd6f0f5b1d6b8f0e2a1c4': 'a pair of keys that a test makes boxes with',
  '358011c71b4dce0343b9f3d0a8dafa8bd80188fd93435ff83c31b66c073c9b2d': 'the public half of it',
  '3c6e0b8a9c15224a8228b9a98ca1531d2f7c1a0c5b6f2f7b0e0f2f5a3a1b9c8d': 'the line above that has to be found',
  '77076d0a7318a57d3c16c17251b26645c6db4ff2a5ef7c1e0aa5a4e6c37ab0fe': 'the private key of transcripts',
  de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f: 'the public half of it',
  sandbox_0123456789abcdef: 'a key for profiles that are never used',
  sandbox_6a545fc976865227e765f: 'the line above that has to be found',
  sandbox_000000000000000000000: 'a key that no fintech has',
  'key-00000000000000000000000000000000': 'a key that no fintech has',
  'key-86581bd30ed8c04cb9b13c2198511a1a': 'the line above that has to be found',
  b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ: 'the line above that has to be found',
  '06ddf6e1d765a193d9cbe146ceeb79ac1cb485ed5f5b37913a8cf5857eff00a9': 'the bytes of an address',
  '3f0c34bf93ad0d9971d04ccc90f705511c838aad9734a4a2fb0d7a03fc7fe89a': 'the bytes of an address',
  bfc8f7245fe336c19a9ab780362b8a49f481195636177b98daa9439804b71b26: 'the example signature of the specification',
};

/** The files that are kept under version control, but for what is no text of ours. */
function tracked(): string[] {
  const listed = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' });
  return listed.split('\0').filter((name) => name !== '' && name !== 'package-lock.json');
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
])('%s is found', (text) => {
  expect(looksLike(`"${text}"`)).toHaveLength(1);
});

test('nothing under version control looks like a key, but for the samples', () => {
  const found = tracked().flatMap((name) => {
    const text = readFileSync(join(ROOT, name), 'utf8');
    return looksLike(text).map((what) => `${name}: ${what}`);
  });
  expect(found.filter((line) => !Object.keys(SAMPLES).some((sample) => line.includes(sample)))).toEqual([]);
  const unused = Object.keys(SAMPLES).filter((sample) => !found.some((line) => line.includes(sample)));
  expect(unused).toEqual([]);
});
