import { unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { zipped } from '../../src/files/zip.ts';

async function* parts(...texts: string[]) {
  yield* texts;
}

async function bytesOf(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

async function* files() {
  yield { name: 'README.txt', parts: parts('₦5,000.00 ', 'and more\n') };
  yield { name: 'empty.csv', parts: parts() };
  yield { name: 'long.csv', parts: parts(...Array.from({ length: 500 }, (_, row) => `${row},`.repeat(100))) };
}

const AT = Date.UTC(2026, 10, 30, 23);

test('an archive has its files, and is the same bytes each time', async () => {
  const bytes = await bytesOf(zipped(files(), AT));
  const texts = Object.entries(unzipSync(bytes)).map(([name, content]) => [name, Buffer.from(content).toString()]);
  expect(texts.slice(0, 2)).toEqual([
    ['README.txt', '₦5,000.00 and more\n'],
    ['empty.csv', ''],
  ]);
  expect(texts[2]?.[1]).toHaveLength(
    Array.from({ length: 500 }, (_, row) => `${row},`.length * 100).reduce((a, b) => a + b),
  );
  expect(await bytesOf(zipped(files(), AT))).toEqual(bytes);
});

test('what a file throws is thrown, and nothing is said to be whole', async () => {
  async function* broken() {
    yield { name: 'a', parts: parts('a') };
    throw new Error('the copy is gone');
  }
  await expect(bytesOf(zipped(broken(), AT))).rejects.toThrow('the copy is gone');
});
