import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readFileSync,
  rmSync,
  type Stats,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { entryAt, realPathOf } from './inspect.ts';
import { takeFreeName, takeName } from './names.ts';
import { ensurePrivateFolder, linkError, ownFolderAt, requireOwner, wrongKind } from './private-folder.ts';

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

/** Returns the id of a group that is named or given by id; undefined if /etc/group has no such name, or the system has no groups. */
export function groupIdOf(group: string): number | undefined {
  if (process.getuid === undefined) return undefined;
  if (/^\d{1,10}$/.test(group)) return Number(group);
  const row = rowsOf(textOf(ACCOUNTS.groups)).find(([each]) => each === group);
  return row && Number(row[2]);
}

/** Lets a group read a file of this user. Throws the system's error, and then nobody else can read it. */
export function letGroupRead(path: string, groupId: number): void {
  const { uid } = lstatSync(path);
  // The other order would let the group of before read it.
  chownSync(path, uid, groupId);
  chmodSync(path, GROUP_MODE);
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

/** Only its owner can read a private file. */
export const FILE_MODE = 0o600;

const GROUP_MODE = 0o640;

/** Throws CliError usage for a link, anything else that is not a regular file, or a file of another user. Accepts a path where nothing is. */
export function requireOwnFile(path: string): void {
  const found = entryAt(path);
  if (found?.kind === 'link') throw linkError(path);
  if (found && found.kind !== 'file') throw wrongKind(path, 'file');
  if (found) requireOwner(found);
}

/** Restricts an existing file to its owner, without opening it. Throws CliError usage, or the system's error. */
export function makeFilePrivate(path: string): void {
  requireOwnFile(path);
  if (entryAt(path)?.isOpenToOthers) chmodSync(path, FILE_MODE);
}

/** Returns the text of a private file, or undefined when there is none. Restricts a mode that lets others read. Throws CliError usage, or the system's error. */
export function readPrivateFile(path: string): string | undefined {
  makeFilePrivate(path);
  return entryAt(path) ? readFileSync(path, 'utf8') : undefined;
}

/** Writes a file in a private folder, as `replaceFile` does. */
export function writePrivateFile(path: string, text: string, unique: string): void {
  ensurePrivateFolder(dirname(path));
  replaceFile(path, text, unique);
}

/**
 * Creates a file in a private folder with its whole text, flushed to disk. Returns false if there is one: of two processes that create
 * it at once, one does. Throws CliError usage, or the system's error.
 */
export function createPrivateFile(path: string, text: string, unique: string): boolean {
  ensurePrivateFolder(dirname(path));
  const temporary = join(dirname(path), `.${unique}.tmp`);
  try {
    writeNewFile(temporary, text);
    requireWhole(temporary, text);
    takeFreeName(temporary, path);
  } catch (error) {
    if ((error as { code?: unknown }).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
  syncFolder(dirname(path));
  return true;
}

/** Puts `text` into a new private file at `path`, flushed to disk. */
type WriteNew = (path: string, text: string) => void;

/**
 * Replaces a file atomically: `write` creates a temporary file beside it, which takes its name once it has the whole
 * text. `unique` keeps two writers apart. Throws CliError usage, or the system's error (ENOSPC, EACCES); then the old
 * file is unchanged.
 */
export function replaceFile(path: string, text: string, unique: string, write: WriteNew = writeNewFile): void {
  requireOwnFile(path);
  const temporary = join(dirname(path), `.${unique}.tmp`);
  try {
    write(temporary, text);
    requireWhole(temporary, text);
    takeName(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncFolder(dirname(path));
}

/** Replaces a small file atomically without flushing it, so that it costs little. After a power failure it may be empty. Throws as `replaceFile` does. */
export function replaceFileUnflushed(path: string, text: string, unique: string): void {
  requireOwnFile(path);
  const temporary = join(dirname(path), `.${unique}.tmp`);
  try {
    writeFileSync(temporary, text, { flag: 'wx', mode: FILE_MODE });
    takeName(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** A full disk may cut a write short without an error. */
function requireWhole(path: string, text: string): void {
  if (readFileSync(path).equals(Buffer.from(text))) return;
  throw Object.assign(new Error('a write was cut short'), { code: 'ENOSPC' });
}

function writeNewFile(path: string, text: string): void {
  // wx: an existing file is never written to, least of all through a planted link.
  const file = openSync(path, 'wx', FILE_MODE);
  try {
    writeAll(file, text);
  } finally {
    closeSync(file);
  }
}

function writeAll(file: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, at);
  fsyncSync(file);
}

/** Flushes a changed name to disk. The text already is on disk, so a failure is ignored. */
function syncFolder(path: string): void {
  try {
    const folder = openSync(path, 'r');
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
  } catch {
    // Windows cannot open folders.
  }
}

/** Removes a private file; a link is removed, never its target. Throws CliError usage, or the system's error. */
export function removePrivateFile(path: string): void {
  // If the folder were a link, the file in it would belong to someone else.
  if (!ownFolderAt(dirname(path))) return;
  if (entryAt(path)?.kind === 'folder') throw wrongKind(path, 'file');
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ENOENT') throw error;
  }
}

/** Renames a private file within its folder. Throws the system's error. */
export function renamePrivateFile(path: string, newPath: string): void {
  takeName(path, newPath);
}

/** Reserves disk space for a text that must be saved even if the disk fills up. Throws CliError usage, or the system's error. */
export function reservePrivateFile(path: string, bytes: number): void {
  ensurePrivateFolder(dirname(path));
  writeNewFile(path, ' '.repeat(bytes));
  syncFolder(dirname(path));
}

/** Overwrites a reserved file and flushes it to disk. A kill midway may leave trailing spaces. */
export function fillReservedFile(path: string, text: string): void {
  const file = openSync(path, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0));
  try {
    writeAll(file, text);
    ftruncateSync(file, Buffer.byteLength(text));
  } finally {
    closeSync(file);
  }
}
