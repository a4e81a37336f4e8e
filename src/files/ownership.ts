import { lstatSync, readFileSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import { CliError } from '../base/errors.ts';
import { type Entry, entryAt, realPathOf } from './inspect.ts';

/**
 * Throws CliError usage if a file or folder belongs to another user, who could change it at any time. Applies to root too,
 * although root can open everything. Systems without user ids are not checked.
 */
export function requireOwner({ path, ownerId }: Pick<Entry, 'path' | 'ownerId'>): void {
  const userId = process.getuid?.();
  if (userId === undefined || ownerId === userId) return;
  throw new CliError('usage', `${path} belongs to another user (user id ${ownerId})`, {
    code: 'FOREIGN_OWNER',
    hint: 'take it over with chown, or run the command as its owner',
  });
}

/**
 * Whether something belongs to root, to this user or to another one who is named or given by id. True for a system without user ids. A
 * name is looked for in /etc/passwd only.
 */
export function isOwnedBy(ownerId: number, other: string | undefined): boolean {
  const userId = process.getuid?.();
  if (userId === undefined || ownerId === userId || ownerId === 0) return true;
  if (other === undefined) return false;
  return ownerId === (/^\d{1,10}$/.test(other) ? Number(other) : userIdOf(other));
}

/**
 * Whether a path, what it links to or the folder of that belongs to a user whom `isOwnedBy` does not know, who could put something else there.
 * False if nothing is there.
 */
export function belongsToOthers(path: string, other: string | undefined): boolean {
  if (!entryAt(path)) return false;
  const real = realPathOf(path);
  return [path, real, dirname(real)].some((each) => {
    const entry = entryAt(each);
    return entry !== undefined && !isOwnedBy(entry.ownerId, other);
  });
}

function userIdOf(name: string): number | undefined {
  const row = rowsOf(textOf(ACCOUNTS.users)).find(([each]) => each === name);
  return row && Number(row[2]);
}

/**
 * Throws CliError usage if others may still write to a folder after its mode was restricted, as on a disk without modes: they
 * could replace any file in it. Systems without user ids have no such modes and are not checked.
 */
export function requireUnshared(path: string): void {
  if (process.getuid === undefined || !entryAt(path)?.isWritableByOthers) return;
  throw new CliError('usage', `other users can write to ${path}, and its mode cannot be changed`, {
    code: 'SHARED_FOLDER',
    hint: 'move the folder with everything in it to a disk with file permissions, then name it in FIATRAIL_CONFIG_DIR or FIATRAIL_STATE_DIR: an empty one has no idempotency keys',
  });
}

const ROOT_ID = 0;
const STICKY = 0o1000;
const GROUP_WRITES = 0o020;
const OTHERS_WRITE = 0o002;

/**
 * Returns why someone other than the user and root could have changed a file or put it there, or undefined if nobody could.
 * Looks at the file and all folders above it. Without user ids (Windows), every file is trusted. Throws the system's error.
 */
export function distrustOf(
  path: string,
  userId: number | undefined,
  accounts: AccountWords = ACCOUNTS,
): string | undefined {
  if (userId === undefined) return undefined;
  const reason = reasonOf(path, userId, accounts);
  const above = dirname(path);
  return reason ?? (above === path ? undefined : distrustOf(above, userId, accounts));
}

/** The files that list the users and groups of this machine. */
const ACCOUNTS = { users: '/etc/passwd', groups: '/etc/group' } as const;
type AccountWords = Readonly<Record<keyof typeof ACCOUNTS, string>>;

function reasonOf(path: string, userId: number, accounts: AccountWords): string | undefined {
  const found = lstatSync(path);
  if (found.isSymbolicLink()) return `${path} is a symbolic link`;
  if (found.uid !== userId && found.uid !== ROOT_ID) return `${path} belongs to another user (user id ${found.uid})`;
  return isWritableByOthers(found, userId, accounts) ? `other users can write to ${path}` : undefined;
}

function isWritableByOthers(found: Stats, userId: number, accounts: AccountWords): boolean {
  // In a folder such as /tmp, only its owner can rename or remove a file.
  if (found.isDirectory() && found.uid === ROOT_ID && found.mode & STICKY) return false;
  if (found.mode & OTHERS_WRITE) return true;
  if (!(found.mode & GROUP_WRITES)) return false;
  const [users, groups] = [textOf(accounts.users), textOf(accounts.groups)];
  return ![userId, ROOT_ID].some((id) => isPrivateGroup(found.gid, id, users, groups));
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/**
 * Whether a group has the user's name and nobody else in it, as many Linux systems create one for each user. `users` and
 * `groups` are the texts of /etc/passwd and /etc/group; a group that they do not list is shared.
 */
export function isPrivateGroup(groupId: number, userId: number, users: string, groups: string): boolean {
  const accounts = rowsOf(users).map(([name, , id, group]) => ({ name, id: Number(id), group: Number(group) }));
  const own = accounts.find(({ id }) => id === userId);
  const [name, , , members = ''] = rowsOf(groups).find(([, , id]) => id === String(groupId)) ?? [];
  return (
    own !== undefined &&
    own.name === name &&
    accounts.every(({ id, group }) => group !== groupId || id === userId) &&
    members.split(',').every((member) => member === '' || member === name)
  );
}

const rowsOf = (text: string) => text.split('\n').map((line) => line.split(':'));
