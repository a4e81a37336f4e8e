import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createPrivateBytes, readPlainBytes } from '../../src/files/plain-file.ts';
import { temporaryFolder } from '../support/sandbox.ts';

const BYTES = Uint8Array.from({ length: 70_000 }, (_, index) => index % 251);

describe('a new file', () => {
  test('has the bytes, and is private whatever the umask', () => {
    using folder = temporaryFolder();
    const before = process.umask(0);
    try {
      createPrivateBytes(folder.file('new'), BYTES);
    } finally {
      process.umask(before);
    }
    expect(readFileSync(folder.file('new')).equals(BYTES)).toBe(true);
    expect(statSync(folder.file('new')).mode & 0o777).toBe(0o600);
    expect(Buffer.from(readPlainBytes(folder.file('new'), BYTES.length)).equals(BYTES)).toBe(true);
  });

  test.each([
    ['a file', (path: string) => writeFileSync(path, 'mine'), 'exists'],
    ['a folder', (path: string) => mkdirSync(path), 'exists'],
    ['a link', (path: string) => symlinkSync(`${path}-target`, path), 'exists'],
  ])('is not written over %s', (_what, put, problem) => {
    using folder = temporaryFolder();
    put(folder.file('there'));
    expect(() => createPrivateBytes(folder.file('there'), BYTES)).toThrow(expect.objectContaining({ problem }));
    expect(readdirSync(folder.path)).toEqual(['there']);
  });

  test('needs a folder', () => {
    using folder = temporaryFolder();
    const create = () => createPrivateBytes(folder.file('none/new'), BYTES);
    expect(create).toThrow(expect.objectContaining({ problem: 'missing' }));
  });
});

describe('a file to read', () => {
  test.each([
    ['is missing', () => {}, 'missing'],
    ['is a folder', (path: string) => mkdirSync(path), 'not plain'],
    ['is a link', (path: string) => symlinkSync('/dev/null', path), 'not plain'],
    ['is too long', (path: string) => writeFileSync(path, BYTES), 'too long'],
  ])('that %s is rejected', (_what, put, problem) => {
    using folder = temporaryFolder();
    put(folder.file('there'));
    const read = () => readPlainBytes(folder.file('there'), BYTES.length - 1);
    expect(read).toThrow(expect.objectContaining({ problem }));
  });

  test('may be read-only', () => {
    using folder = temporaryFolder();
    writeFileSync(folder.file('there'), 'x');
    chmodSync(folder.file('there'), 0o400);
    expect(readPlainBytes(folder.file('there'), 1)).toHaveLength(1);
  });
});
