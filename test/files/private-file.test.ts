import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { fillReservedFile, reservePrivateFile, writePrivateFile } from '../../src/files/private-file.ts';
import { temporaryFolder } from '../support/built.ts';
import { watchFileCalls } from '../support/file-calls.ts';

/** The calls that an action makes in a folder, which is called `folder` in them. */
function callsOf(act: (path: string) => void, before = (_path: string) => {}) {
  const folder = temporaryFolder(onTestFinished);
  const path = join(folder, 'secret');
  before(path);
  const calls: string[] = [];
  const nameOf = (each: string) => (each === folder ? 'folder' : basename(each));
  watchFileCalls(folder, onTestFinished, ({ name, path: from, to }) => {
    calls.push([name, nameOf(from), ...(to === undefined ? [] : [nameOf(to)])].join(' '));
  });
  act(path);
  return { calls, text: readFileSync(path, 'utf8') };
}

const FOLDER_FLUSHED = ['open folder', 'fsync folder', 'close folder'];

test('a private file is flushed before it takes its name, and its folder after', () => {
  const { calls, text } = callsOf(
    (path) => writePrivateFile(path, 'new', 'u'),
    (path) => writeFileSync(path, 'old'),
  );
  const written = ['open .u.tmp', 'write .u.tmp', 'fsync .u.tmp', 'close .u.tmp'];
  const readBack = ['open .u.tmp', 'close .u.tmp'];
  const renamed = ['rename .u.tmp secret', ...FOLDER_FLUSHED];
  expect({ calls, text }).toEqual({ calls: [...written, ...readBack, ...renamed], text: 'new' });
});

test('space is reserved on disk, and the folder is flushed', () => {
  const { calls, text } = callsOf((path) => reservePrivateFile(path, 10));
  const written = ['open secret', 'write secret', 'fsync secret', 'close secret'];
  expect({ calls, text }).toEqual({ calls: [...written, ...FOLDER_FLUSHED], text: ' '.repeat(10) });
});

test('text in reserved space is flushed before the rest is cut off', () => {
  const { calls, text } = callsOf(
    (path) => fillReservedFile(path, 'new'),
    (path) => reservePrivateFile(path, 10),
  );
  const written = ['open secret', 'write secret', 'fsync secret'];
  expect({ calls, text }).toEqual({ calls: [...written, 'truncate secret', 'close secret'], text: 'new' });
});
