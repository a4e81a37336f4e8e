import { describe, expect, test } from 'vitest';
import { CATEGORIES, type Category, CliError } from '../../src/base/errors.ts';
import { asCliError, failedAfterChange } from '../../src/terminal/show/failures.ts';
import { withoutSecrets } from '../../src/terminal/show/report.ts';
import { fakeWorld } from '../support/world.ts';

const CHANGED = { operationId: 'op-1', requestId: 'r-1' };
const errorOf = (category: Category) => new CliError(category, 'the store is full', { code: 'STORE_FULL' });

describe('an error after a change', () => {
  test.each(['usage', 'declined'] as const)('is not reported as %s, which means that nothing was sent', (category) => {
    expect(failedAfterChange(errorOf(category), CHANGED)).toMatchObject({
      category: 'failed',
      code: 'STORE_FULL',
      message: 'the request was accepted, but a later step failed: the store is full',
      operationId: 'op-1',
    });
  });

  const others = (Object.keys(CATEGORIES) as Category[]).filter((each) => each !== 'usage' && each !== 'declined');

  test.each(others)('stays %s', (category) => {
    const error = errorOf(category);
    expect(failedAfterChange(error, CHANGED)).toBe(error);
  });
});

test.each(Object.keys(CATEGORIES) as Category[])(
  'an error of category %s without a change stays as it is',
  (category) => {
    const error = errorOf(category);
    expect(failedAfterChange(error, undefined)).toBe(error);
  },
);

test.each([
  ['EDQUOT', 'the disk is full'],
  ['EFBIG', 'the output cannot be written (EFBIG)'],
  ['EIO', 'the output cannot be written (EIO)'],
])('output that fails with %s is no bug', (code, message) => {
  const error = Object.assign(new Error(`${code}: write`), { code, syscall: 'write' });
  expect(asCliError(error, fakeWorld())).toMatchObject({ category: 'usage', message });
});

describe('a usage error that repeats what was typed', () => {
  async function shown(word: string) {
    const error = new CliError('usage', `cannot ask for confirmation: withdraw from ${word}`);
    const { message } = await withoutSecrets(error, ['withdrawals', 'create', word], { env: {} });
    return message.slice('cannot ask for confirmation: withdraw from '.length);
  }

  test.each([
    ['a BVN', '22345678901', '[redacted]'],
    ['a BVN in a longer word', 'bvn=22345678901x', 'bvn=[redacted]x'],
    ['a sandbox key', 'sandbox_0123456789', '[redacted]'],
  ])('redacts %s', async (_, word, expected) => {
    expect(await shown(word)).toBe(expected);
  });

  test.each([
    ['a user id with 11 digits in a row', `${'ab'.repeat(20)}22345678901${'c'.repeat(13)}`],
    ['a UUID with 11 digits in a row', '0196f0a2-7c1e-7a3b-9c4d-a22345678901'],
    ['a UUID behind a word with 11 digits in a row', 'quote_0196f0a2-7c1e-7a3b-9c4d-a22345678901'],
    ['an address with 11 digits in a row', '0x8617E340B3D01FA5F11F30622345678901E23807'],
  ])('leaves %s as it is', async (_, word) => {
    expect(await shown(word)).toBe(word);
  });
});
