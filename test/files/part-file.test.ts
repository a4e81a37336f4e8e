import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openPartFile } from '../../src/files/part-file.ts';
import { temporaryFolder } from '../support/built.ts';
import { flushedFiles } from '../support/file-calls.ts';

const HOST = { processId: 1, isRunning: () => false };

/** Opens the part of a file, and remembers what a power cut would leave of the file once it has its name. */
function watchedPart() {
  const folder = temporaryFolder(onTestFinished);
  const path = join(folder, 'rows.ndjson');
  const left: (string | undefined)[] = [];
  flushedFiles(folder, onTestFinished, (files) => {
    if (files.has(path)) left.push(files.get(path));
  });
  let names = 0;
  const open = () => openPartFile(path, () => `unique-${names++}`, HOST);
  return { path, left, open };
}

describe('a file that gets its name', () => {
  test('is whole on the disk before it has it', () => {
    const { path, left, open } = watchedPart();
    const file = open();
    for (let row = 0; row < 1_000; row++) file.write(`{"row":${row}}\n`);
    file.finish();
    file.close();
    const whole = readFileSync(path, 'utf8');
    expect(whole.split('\n')).toHaveLength(1_001);
    expect([...new Set(left)]).toEqual([whole]);
  });

  test('is whole on the disk when a later run went on with it, without what that run did not keep', () => {
    const { path, left, open } = watchedPart();
    const first = open();
    first.write('one\n');
    first.saveCursor('after one');
    first.write('a row that was not kept\n');
    first.close();
    const second = open();
    expect(second.cursor).toBe('after one');
    second.write('two\n');
    second.finish();
    second.close();
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
    expect([...new Set(left)]).toEqual(['one\ntwo\n']);
  });
});
