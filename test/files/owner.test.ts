import fs, { chmodSync, chownSync, lchownSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  belongsToOthers,
  isOwnedBy,
  readPrivateFile,
  replaceFile,
  requireOwnFile,
} from '../../src/files/private-file.ts';
import { ensurePrivateFolder, makeFolderPrivate } from '../../src/files/private-folder.ts';
import { openDatabase, openForReading } from '../../src/sqlite/database.ts';
import { acquireLock } from '../../src/sqlite/lock.ts';
import { refusal } from '../account/support.ts';
import { temporaryFolder } from '../support/built.ts';

const isRoot = process.getuid?.() === 0;

const OTHER_ID = 12_345;

const DATABASE = { synchronous: 'NORMAL', layout: { version: 1, applicationId: 1, create: () => {} } } as const;

/** A file of another user. Only root can give a file away; anyone else uses a file of root. */
function foreignFile(): string {
  if (!isRoot) return '/etc/passwd';
  const path = join(temporaryFolder(onTestFinished), 'file');
  writeFileSync(path, 'theirs', { mode: 0o644 });
  chownSync(path, OTHER_ID, -1);
  return path;
}

/** A folder of another user. */
function foreignFolder(): string {
  if (!isRoot) return '/usr';
  const path = join(temporaryFolder(onTestFinished), 'folder');
  mkdirSync(path, { mode: 0o755 });
  chownSync(path, OTHER_ID, -1);
  return path;
}

describe('a file of another user is rejected and not changed', () => {
  test.each<[what: string, act: (path: string) => unknown]>([
    ['when it is checked', requireOwnFile],
    ['when it is read', readPrivateFile],
    ['when it is replaced', (path) => replaceFile(path, 'mine', 'u')],
    ['as a database', (path) => openDatabase(path, DATABASE)],
    ['as a lock', (path) => acquireLock(path, 0)],
  ])('%s', async (_what, act) => {
    const path = foreignFile();
    const before = statSync(path);
    const error = await refusal(async () => act(path));
    expect({ code: error.code, message: error.message }).toEqual({
      code: 'FOREIGN_OWNER',
      message: `${path} belongs to another user (user id ${before.uid})`,
    });
    expect(statSync(path)).toMatchObject({ uid: before.uid, mode: before.mode, size: before.size });
  });

  test('as a database that need not be read', async () => {
    expect(await openForReading(foreignFile())).toBeUndefined();
  });
});

test.each<[what: string, act: (path: string) => unknown]>([
  ['when it is restricted', makeFolderPrivate],
  ['when it is needed', ensurePrivateFolder],
])('a folder of another user is rejected and not changed %s', async (_what, act) => {
  const path = foreignFolder();
  const { mode } = statSync(path);
  const error = await refusal(async () => act(path));
  expect({ code: error.code, mode: statSync(path).mode }).toEqual({ code: 'FOREIGN_OWNER', mode });
});

test('a folder that others can still write to after its mode was set is rejected', async () => {
  const path = temporaryFolder(onTestFinished);
  chmodSync(path, 0o777);
  // A disk without modes ignores the call.
  const real = fs.chmodSync;
  const patch = (chmod: typeof fs.chmodSync) => {
    Object.assign(fs, { chmodSync: chmod });
    syncBuiltinESMExports();
  };
  patch(() => {});
  onTestFinished(() => patch(real));
  expect(await refusal(async () => makeFolderPrivate(path))).toMatchObject({
    code: 'SHARED_FOLDER',
    message: `other users can write to ${path}, and its mode cannot be changed`,
  });
});

test.each<[ownerId: number, other: string | undefined, isFine: boolean]>([
  [process.getuid?.() ?? 0, undefined, true],
  [0, undefined, true],
  [OTHER_ID, undefined, false],
  [OTHER_ID, String(OTHER_ID), true],
  [OTHER_ID, String(OTHER_ID + 1), false],
  [OTHER_ID, 'root', false],
  [OTHER_ID, 'nobody of this name', false],
  [1, 'daemon', true],
])('what user %i owns is trusted, if %s may own it: %s', (ownerId, other, isFine) => {
  expect(isOwnedBy(ownerId, other)).toBe(isFine);
});

test.runIf(isRoot)('a path is strange if it, what it links to or the folder of that is', () => {
  const folder = temporaryFolder(onTestFinished);
  const [real, link] = [join(folder, 'real', 'file'), join(folder, 'link')];
  mkdirSync(join(folder, 'real'));
  writeFileSync(real, '');
  symlinkSync(real, link);
  const said = () => [
    belongsToOthers(real, undefined),
    belongsToOthers(link, undefined),
    belongsToOthers(link, String(OTHER_ID)),
  ];
  expect([belongsToOthers(join(folder, 'nothing'), undefined), ...said()]).toEqual([false, false, false, false]);
  for (const path of [real, join(folder, 'real'), link]) {
    lchownSync(path, OTHER_ID, OTHER_ID);
    expect(said()).toEqual([path !== link, true, false]);
    lchownSync(path, 0, 0);
  }
});
