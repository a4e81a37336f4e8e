import { chmodSync, chownSync, mkdirSync, realpathSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { distrustOf, isPrivateGroup } from '../../src/files/private-file.ts';
import { temporaryFolder } from '../support/built.ts';

const OWN_ID = process.getuid?.() ?? 0;
const OTHER_ID = OWN_ID + 12_345;

/** A file in two folders of this user, the outer one in the system's temporary folder. */
function newFile() {
  const outer = realpathSync(temporaryFolder(onTestFinished));
  const inner = join(outer, 'inner');
  mkdirSync(inner, { mode: 0o755 });
  const path = join(inner, 'file');
  writeFileSync(path, '', { mode: 0o644 });
  return { outer, inner, path };
}

type Place = keyof ReturnType<typeof newFile>;
const PLACES: readonly Place[] = ['path', 'inner', 'outer'];

describe('a file is trusted', () => {
  test('if only this user and root can write to it and to the folders above it', () => {
    expect(distrustOf(newFile().path, OWN_ID)).toBeUndefined();
  });

  test('in a folder of root with the sticky bit, such as /tmp', () => {
    const { path } = newFile();
    expect({ reason: distrustOf(path, OWN_ID), ofTmp: distrustOf('/tmp', OWN_ID) }).toEqual({});
  });

  test('on a system without user ids', () => {
    const { path } = newFile();
    chmodSync(path, 0o666);
    expect(distrustOf(path, undefined)).toBeUndefined();
  });
});

describe('a file is not trusted', () => {
  test.each(PLACES)('if everyone can write to its %s', (place) => {
    const file = newFile();
    chmodSync(file[place], 0o777);
    expect(distrustOf(file.path, OWN_ID)).toBe(`other users can write to ${file[place]}`);
  });

  test('if its folder has the sticky bit but does not belong to root', () => {
    const { path, inner } = newFile();
    // Only root can give a folder away; for anyone else, the folder already does not belong to root.
    if (OWN_ID === 0) chownSync(inner, OTHER_ID, -1);
    chmodSync(inner, 0o1777);
    expect(distrustOf(path, OWN_ID === 0 ? OTHER_ID : OWN_ID)).toBe(`other users can write to ${inner}`);
  });

  test.each(PLACES)('if its %s belongs to another user', (place) => {
    const file = newFile();
    if (OWN_ID === 0) chownSync(file[place], OTHER_ID, -1);
    const reason = distrustOf(file.path, OWN_ID === 0 ? 0 : OTHER_ID);
    // Only root can give one file away; for anyone else, all of them belong to another user than the one asked for.
    const [wrong, owner] = OWN_ID === 0 ? [file[place], OTHER_ID] : [file.path, OWN_ID];
    expect(reason).toBe(`${wrong} belongs to another user (user id ${owner})`);
  });

  test('if it is a symbolic link, or a folder above it is', () => {
    const { outer, inner, path } = newFile();
    const [toFile, toFolder] = [join(inner, 'link'), join(outer, 'link')];
    symlinkSync(path, toFile);
    symlinkSync(inner, toFolder);
    expect([distrustOf(toFile, OWN_ID), distrustOf(join(toFolder, 'file'), OWN_ID)]).toEqual([
      `${toFile} is a symbolic link`,
      `${toFolder} is a symbolic link`,
    ]);
  });
});

describe('a file that its group can write to', () => {
  test.each([
    ['is trusted if the group is the user’s own', 'me', undefined],
    ['is not trusted if the group is shared', 'team', 'other users can write to '],
  ])('%s', (_what, group, reason) => {
    const { path, outer } = newFile();
    chmodSync(path, 0o664);
    const groupId = statSync(path).gid;
    const accounts = { users: join(outer, 'passwd'), groups: join(outer, 'group') };
    writeFileSync(accounts.users, `me:x:${OWN_ID}:${groupId}::/:/bin/sh\n`);
    writeFileSync(accounts.groups, `${group}:x:${groupId}:\n`);
    expect(distrustOf(path, OWN_ID, accounts)).toBe(reason && reason + path);
  });
});

const USERS = 'root:x:0:0::/root:/bin/sh\nann:x:1000:1000::/home/ann:/bin/sh\nbob:x:1001:1001::/home/bob:/bin/sh\n';
const GROUPS = 'root:x:0:\nann:x:1000:\nbob:x:1001:ann\nstaff:x:50:\n';

describe('a private group', () => {
  test.each<[what: string, group: number, user: number, users: string, groups: string, isPrivate: boolean]>([
    ['has the name of its user and no members', 1000, 1000, USERS, GROUPS, true],
    ['may list its user', 1000, 1000, USERS, 'ann:x:1000:ann', true],
    ['does not have another name', 50, 1000, USERS, GROUPS, false],
    ['does not have another member', 1001, 1001, USERS, GROUPS, false],
    ['is not the first group of another user', 1000, 1000, USERS.replace(':1001::', ':1000::'), GROUPS, false],
    ['does not belong to another user', 1000, 1001, USERS, GROUPS, false],
    ['is listed', 1000, 1000, USERS, '', false],
    ['has a user that is listed', 1000, 1000, '', GROUPS, false],
  ])('%s', (_what, group, user, users, groups, isPrivate) => {
    expect(isPrivateGroup(group, user, users, groups)).toBe(isPrivate);
  });
});
