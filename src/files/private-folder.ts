import { chmodSync, lstatSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { CliError } from '../base/errors.ts';
import { type Entry, entryAt, namesIn, realPathOf } from './inspect.ts';

const FOLDER_MODE = 0o700;

const STICKY = 0o1000;

/** A file that is being written, until it takes the name of the one that it replaces; `conf` adds an ending to ours. */
const TEMPORARY_NAME = /^\..+\.tmp(?:\.tmp-.+)?$/;

/** What fiatrail puts into a folder for its configuration or its state. */
const OWN_NAMES =
  /^(?:(?:settings|pins|quotes|keyring)\.json(?:\.v\d+)?|profiles|secrets|journals|rotations|tour|host-id|locks\.tested|completion\.last|(?:lock|journal|sandbox|completion|(?:inbox|copy|lock-test)-[\w.-]+)\.db(?:[.-].+)?|journal-[\w.-]+\.(?:head|accounts)|unknown-outcomes-.+\.ndjson)$/;

/** Whether fiatrail gives such a name to something in a folder for its configuration or its state. */
export const isOwnName = (name: string) => OWN_NAMES.test(name) || TEMPORARY_NAME.test(name);

/** Whether a file of this name exists only while a command works: it writes it, tests locks with it, or makes or restores a snapshot. */
export const isUnfinishedName = (name: string) =>
  TEMPORARY_NAME.test(name) || /^(?:lock-test-.+\.db|sandbox\.db\..+\.snapshot)(?:-.+)?$/.test(name);

/** What fiatrail puts into the folders in such a folder. */
const INNER_NAMES: Readonly<Record<string, RegExp>> = {
  profiles: /^[\w.-]+\.json(?:\.v\d+)?$/,
  secrets: /^[\w.-]+\.(?:[a-z]+-keys?|webhook-secrets|journal-password)$/,
  journals: /^(?:(?:account|fintech)-[\w.-]+|journal-[\w.-]+\.head)$/,
  rotations: /^[\w-]+\.(?:answer|key|api-key|(?:send|work)\.db(?:-.+)?)$/,
  tour: new RegExp(`${OWN_NAMES.source}|^config$`),
};

/** Throws CliError usage if a file or folder belongs to another user, who could change it at any time. Applies to root too, although root can open everything. Systems without user ids are not checked. */
export function requireOwner({ path, ownerId }: Pick<Entry, 'path' | 'ownerId'>): void {
  const userId = process.getuid?.();
  if (userId === undefined || ownerId === userId) return;
  throw new CliError('usage', `${path} belongs to another user (user id ${ownerId})`, {
    code: 'FOREIGN_OWNER',
    hint: 'take it over with chown, or run the command as its owner',
  });
}

export const linkError = (path: string) =>
  new CliError('usage', `${path} is a symbolic link; fiatrail never reads or writes its files through links`, {
    code: 'SYMLINK',
    hint: 'replace the link with a folder, then run the command again',
  });

export const wrongKind = (path: string, expected: string) =>
  new CliError('usage', `${path} is not a ${expected}`, {
    code: 'IN_THE_WAY',
    hint: 'move it away, then run the command again',
  });

/** Returns a folder of this user; undefined when there is none. Changes nothing. Throws CliError usage, or the system's error. */
export function ownFolderAt(path: string): Entry | undefined {
  const found = entryAt(path);
  if (!found) return undefined;
  if (found.kind === 'link') throw linkError(path);
  if (found.kind !== 'folder') throw wrongKind(path, 'folder');
  requireOwner(found);
  return found;
}

/**
 * Restricts a folder of this user to its owner if it is empty or has nothing but what fiatrail puts there; returns false when there is
 * none. Any other folder may be meant for others too, as /tmp is: its mode is never changed, and it is refused if they can write to it,
 * because they could replace any file in it. Systems without user ids have no such modes. Throws CliError usage, or the system's error.
 */
export function makeFolderPrivate(path: string): boolean {
  const found = ownFolderAt(path);
  if (!found) return false;
  if (!found.isOpenToOthers) return true;
  const reason = whyLeftAlone(path);
  if (!reason) chmodSync(path, FOLDER_MODE);
  if (entryAt(path)?.isWritableByOthers) throw sharedFolder(path, reason);
  return true;
}

/** Why the mode of a folder is never changed, and what to do if others must not use it. */
interface LeftAlone {
  /** Continues a sentence about the folder: `it is a mount point`. */
  readonly why: string;
  readonly fix: string;
}

/** Returns why the mode of a folder is not for fiatrail to change; undefined if it is. Throws the system's error. */
export function whyLeftAlone(path: string): LeftAlone | undefined {
  const ownFolder = `mkdir -m 700 ${quoted(join(path, 'fiatrail'))}, then name it in FIATRAIL_CONFIG_DIR or FIATRAIL_STATE_DIR and take along what fiatrail has in the old one: without that, idempotency keys are free again`;
  if (lstatSync(path).mode & STICKY) return { why: 'it has the sticky bit', fix: ownFolder };
  if (isMountPoint(path)) return { why: 'it is a mount point', fix: ownFolder };
  const other = foreignName(path);
  if (other === undefined) return undefined;
  const why = `it has ${quoted(other)}, which is not fiatrail’s or not yours`;
  return { why, fix: `chmod go-w ${quoted(path)}; or, if others must write there: ${ownFolder}` };
}

function sharedFolder(path: string, reason: LeftAlone | undefined): CliError {
  const problem = reason ? `its mode is not changed, because ${reason.why}` : 'its mode cannot be changed';
  return new CliError('usage', `other users can write to ${path}, and ${problem}`, {
    code: 'SHARED_FOLDER',
    hint: reason
      ? `run: ${reason.fix}`
      : 'move the folder with everything in it to a disk with file permissions, then name it in FIATRAIL_CONFIG_DIR or FIATRAIL_STATE_DIR: an empty one has no idempotency keys',
  });
}

const quoted = (path: string) => `'${path.replaceAll("'", `'\\''`)}'`;

/** Returns something in a folder that is not fiatrail's, or not this user's; undefined if there is no such thing. */
function foreignName(path: string): string | undefined {
  const userId = process.getuid?.();
  const inner = INNER_NAMES[basename(path)];
  const names = inner && strangeIn(dirname(path), OWN_NAMES) === undefined ? inner : OWN_NAMES;
  return (
    strangeIn(path, names) ?? namesIn(path).find((name) => (entryAt(join(path, name))?.ownerId ?? userId) !== userId)
  );
}

const strangeIn = (folder: string, names: RegExp) =>
  namesIn(folder).find((name) => !names.test(name) && !TEMPORARY_NAME.test(name));

/** Where Linux lists what is mounted. */
const MOUNTS = '/proc/self/mountinfo';

/** Whether a file system begins at a folder, or another folder is shown in its place. Without a list of mounts, the second is not noticed. */
function isMountPoint(path: string): boolean {
  const above = dirname(path);
  if (above === path || statSync(path).dev !== statSync(above).dev) return true;
  return entryAt(MOUNTS) !== undefined && mountPoints(readFileSync(MOUNTS, 'utf8')).includes(realPathOf(path));
}

/** The fifth word of each line, in which the kernel writes spaces and the like as octal digits. */
const mountPoints = (text: string) =>
  text
    .split('\n')
    .map((line) =>
      (line.split(' ')[4] ?? '').replace(/\\([0-7]{3})/g, (_, digits) =>
        String.fromCharCode(Number.parseInt(digits, 8)),
      ),
    );

/** Creates a private folder, or restricts an existing one as `makeFolderPrivate` does. Throws CliError usage, or the system's error. */
export function ensurePrivateFolder(path: string): void {
  if (!makeFolderPrivate(path)) makePrivateFolder(path);
}

/**
 * Creates a folder that only its owner can enter, and its parents, unless it exists. Throws the system's error.
 * It does not use `recursive`, which never returns in places such as /proc.
 */
export function makePrivateFolder(path: string): void {
  const exists = () => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (exists()) return;
  if (dirname(path) !== path) makePrivateFolder(dirname(path));
  try {
    mkdirSync(path, { mode: FOLDER_MODE });
  } catch (error) {
    // Another process may have created it in the meantime.
    if (!exists()) throw error;
  }
}
