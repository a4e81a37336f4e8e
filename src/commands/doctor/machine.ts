import { type Leftover, leftoversOf, removeLeftovers } from '../../account/leftovers.ts';
import { configDir, stateDir } from '../../account/paths.ts';
import type { Profile } from '../../account/profile.ts';
import { shellWord } from '../../base/shell-word.ts';
import type { World } from '../../base/world.ts';
import type { LocalCopy } from '../../copy/database.ts';
import { existingCopy } from '../../copy/open.ts';
import type { Account } from '../../engine/account.ts';
import { existingProfileInbox } from '../../engine/connection/inbox.ts';
import { journalLocationOf } from '../../engine/connection/journal-location.ts';
import { endDryRun } from '../../engine/requests.ts';
import {
  type Entry,
  entriesBelow,
  entryAt,
  freeBytes,
  isWritableFolder,
  nearestExisting,
} from '../../files/inspect.ts';
import { isOwnName, whyLeftAlone } from '../../files/private-folder.ts';
import type { Journal } from '../../journal/interface.ts';
import { confirmChange } from '../../terminal/ask/confirm.ts';
import { stateError } from '../../terminal/show/failures.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import type { Inbox } from '../../webhooks/inbox/inbox.ts';
import {
  checked,
  type Finding,
  type NamedFinding,
  ok,
  problem,
  type Subject,
  skipped,
  typed,
  warning,
} from './check.ts';

/** Checks this machine, independently of the profile. */
export async function machineChecks({ account: { world, globals } }: Subject): Promise<NamedFinding[]> {
  const folders = [
    { what: 'configuration', path: configDir(world), missing: 'export FIATRAIL_CONFIG_DIR=FOLDER' },
    // Not another folder: it would have another journal, where idempotency keys that were used are free.
    {
      what: 'state',
      path: stateDir(world),
      missing: 'mount its disk, or create it; an empty folder has no idempotency keys',
    },
  ] as const;
  const ofFolders = await Promise.all(
    folders.map(async ({ what, path, missing }) => {
      const fix = `check the owner and the permissions of ${shellWord(path)}`;
      return [
        await checked(`${what} folder`, () => folderFinding(path, missing, world), fix),
        await checked(`${what} files`, () => filesFinding(path, world), fix),
        await checked(`${what} disk`, () => roomFinding(path), fix),
      ];
    }),
  );
  return [
    { check: 'node', ...nodeFinding(world) },
    { check: 'terminal', ...terminalFinding(world, globals.present.color) },
    ...ofFolders.flat(),
  ];
}

/** bin/fiatrail.js has already rejected unsupported versions. */
function nodeFinding({ nodeVersion }: World): Finding {
  const isShortLived = Number(nodeVersion.split('.')[0]) % 2 === 1;
  return isShortLived
    ? warning(`${nodeVersion} is a short-lived release line`, 'use an even-numbered release, such as 24 or 26')
    : ok(nodeVersion);
}

/** Narrower than this, tables are hard to read. */
const NARROW = 60;

function terminalFinding({ stdin, stdout, stderr, env, platform }: World, isColored: boolean): Finding {
  const streams = Object.entries({ stdin, stdout, stderr }).filter(([, { isTerminal }]) => isTerminal);
  if (streams.length === 0) return ok('none: no prompts and no color');
  const { columns } = stdout;
  const term = env['TERM'] ?? '';
  // Its terminals set none.
  const isWindows = platform === 'win32';
  const detail = [
    streams.map(([name]) => name).join(', '),
    ...(columns === undefined ? [] : [`${columns} columns`]),
    ...(isWindows && term === '' ? [] : [`TERM ${term || 'not set'}`]),
    isColored ? 'color' : 'no color',
  ].join('; ');
  if ((term === '' && !isWindows) || term === 'dumb')
    return warning(`${detail}; progress lines cannot be overwritten`, 'export TERM=xterm-256color');
  if (columns !== undefined && columns < NARROW)
    return warning(`${detail}; table rows will wrap`, 'widen the window to 80 columns, or use -o json');
  return ok(detail);
}

function folderFinding(path: string, missing: string, world: World): Finding {
  const found = entryAt(path);
  if (!found) {
    const above = nearestExisting(path);
    return isWritableFolder(above)
      ? ok(`${path} is created on first use`)
      : problem('usage', `${path} does not exist and cannot be created in ${above}`, missing);
  }
  if (found.kind === 'link')
    return problem(
      'usage',
      `${path} is a symbolic link; secrets are not stored behind one`,
      'put the folder that it links to in its place',
    );
  if (found.kind !== 'folder')
    return problem('usage', `${path} is not a folder`, `mv ${shellWord(path)} ${shellWord(`${path}.old`)}`);
  if (isForeign(found, world))
    return problem('usage', `${path} belongs to another user`, `sudo chown -R "$(id -u)" ${shellWord(path)}`);
  if (!isWritableFolder(path)) return problem('usage', `${path} cannot be written to`, `chmod 700 ${shellWord(path)}`);
  return found.isOpenToOthers ? openFolderFinding(found) : ok(path);
}

/** A folder whose mode fiatrail leaves alone may be listed by others, but not written to. */
function openFolderFinding({ path, isWritableByOthers }: Entry): Finding {
  const left = whyLeftAlone(path);
  if (!left) return problem('usage', `other users can read ${path}`, `chmod 700 ${shellWord(path)}`);
  const why = `and its mode is not changed, because ${left.why}`;
  if (isWritableByOthers) return problem('usage', `other users can write to ${path}, ${why}`, left.fix);
  return warning(`other users can list ${path}, ${why}`, left.fix);
}

const isForeign = ({ ownerId }: Entry, { userId }: World) => userId !== undefined && ownerId !== userId;

const SHOWN = 5;

/** The paths of the first files, which are shown. */
const firstOf = (found: readonly { readonly path: string }[]) => found.slice(0, SHOWN).map(({ path }) => path);

const listed = (found: readonly { readonly path: string }[]) =>
  firstOf(found).join(', ') + (found.length > SHOWN ? ` and ${found.length - SHOWN} more` : '');

/** Checks what fiatrail put into a folder; what else is there is not for it to judge. */
function filesFinding(folder: string, world: World): Finding {
  if (entryAt(folder)?.kind !== 'folder') return ok('none yet');
  const entries = entriesBelow(folder, isOwnName);
  const kinds: readonly (readonly [found: readonly Entry[], what: string, how: (words: string) => string])[] = [
    [
      entries.filter(({ kind }) => kind === 'link' || kind === 'other'),
      'not a regular file or folder',
      (words) => `put what they link to in their place: ls -l ${words}`,
    ],
    [
      entries.filter((entry) => isForeign(entry, world)),
      'owned by another user',
      (words) => `sudo chown "$(id -u)" ${words}`,
    ],
    [entries.filter((entry) => entry.isOpenToOthers), 'accessible to other users', (words) => `chmod go-rwx ${words}`],
  ];
  const [wrong] = kinds.filter(([found]) => found.length > 0);
  if (!wrong) return ok(`${entries.length}, all private`);
  const [found, what, how] = wrong;
  return problem('usage', `${what}: ${listed(found)}`, how(firstOf(found).map(shellWord).join(' ')));
}

const MIB = 1024 * 1024;
/** Enough for a sandbox, and far more than a journal or a key needs. */
const ENOUGH_BYTES = 100 * MIB;
/** A rotation reserves its space beforehand; below this, nothing else may fit. */
const LEAST_BYTES = 4 * MIB;

function roomFinding(path: string): Finding {
  const free = freeBytes(nearestExisting(path));
  if (free >= ENOUGH_BYTES) return ok('more than 100 MiB free');
  const detail = `${Math.floor(free / MIB)} MiB free for ${path}`;
  const fix = 'free some disk space';
  return free < LEAST_BYTES ? problem('usage', detail, fix) : warning(detail, fix);
}

/** Errors that leave the journal intact. It records unknown outcomes and unfinished rotations, so it must not be moved away. */
const INTACT: ReadonlyMap<unknown, { readonly why: string; readonly fix: string }> = new Map([
  ['full', { why: 'cannot be opened: the disk is full', fix: 'free some disk space' }],
  ['busy', { why: 'is locked by another process', fix: 'wait for the other command to finish' }],
  ['unwritable', { why: 'cannot be opened for writing', fix: 'check the permissions of the folder' }],
  ['newer', { why: 'was created by a newer version of fiatrail', fix: 'use that version' }],
]);

/** Checks the journal for unfinished work. If the key is accepted, a rotation that got no response is harmless. */
export async function journalChecks(subject: Subject, isKeyAccepted: boolean): Promise<NamedFinding[]> {
  const { path, server } = journalLocationOf(subject.account.world, subject.profile ?? { name: '' });
  const fix = server
    ? typed(subject, 'ops journal verify')
    : 'put a backup back; without one, idempotency keys are lost: compare with the service’s lists before you send anything';
  const check = (name: string, find: (journal: Journal, of: JournalAccount) => Promise<Finding>) =>
    checked(
      name,
      async () => {
        if (!subject.profile) return skipped('no profile could be resolved');
        if (!server && !entryAt(path)) return ok('none yet');
        const { name: profile, baseUrl } = subject.profile;
        try {
          return await find(await subject.account.journal(), { profile, baseUrl });
        } catch (error) {
          const onServer = server && stateError(error);
          if (onServer) throw onServer;
          const known = INTACT.get((error as { readonly problem?: unknown } | undefined)?.problem);
          if (!known) throw error;
          return problem('usage', `${path} ${known.why}`, known.fix);
        }
      },
      fix,
    );
  return [
    await check('key rotation', (journal, of) => rotationFinding(journal, of, subject, isKeyAccepted)),
    await check('operations', (journal, of) => unknownFinding(journal, of, subject)),
    await check('journal database', (journal) => journalFinding(journal, server !== undefined)),
  ];
}

type JournalAccount = Parameters<Journal['rotations']['openOf']>[0];

async function rotationFinding(
  { rotations }: Journal,
  account: JournalAccount,
  subject: Subject,
  isKeyAccepted: boolean,
): Promise<Finding> {
  const resume = typed(subject, 'keys rotate --resume');
  const open = await rotations.openOf(account);
  if (open) return problem('pending', `an API key rotation is unfinished (${open.stage})`, resume);
  const isLost = (await rotations.latestOf(account))?.stage === 'lost' && !isKeyAccepted;
  return isLost ? problem('auth', 'the last API key rotation got no response', resume) : ok('none unfinished');
}

/** The words for a database that is as it should be. */
const AS_MADE = 'as this version makes it';

const OWNS = 'this host’s role owns the tables, or is a superuser, so it could take away what protects them';

/** Asks what a payment asks first. */
async function journalFinding(journal: Journal, isOnServer: boolean): Promise<Finding> {
  await journal.requireLastLink();
  if (!isOnServer) return ok(AS_MADE);
  if (!(await journal.isOwner())) return ok(`${AS_MADE}; this role owns nothing of it`);
  return warning(
    `${AS_MADE}; ${OWNS}`,
    'connect with a role that is granted what a host needs: see "Several hosts" in docs/journal.md',
  );
}

/** Opens the inbox and the local copy, if there are any, as commands do: each is refused if something else changed it, or a stranger may. */
export async function copyChecks({ account: { world }, profile }: Subject): Promise<NamedFinding[]> {
  const check = <T>(
    name: string,
    open: (of: Profile) => Promise<T | undefined>,
    find: (opened: T) => Promise<Finding>,
  ) =>
    checked(
      name,
      async () => {
        if (!profile) return skipped('no profile could be resolved');
        try {
          const opened = await open(profile);
          return opened === undefined ? ok('none yet') : await find(opened);
        } catch (error) {
          throw stateError(error) ?? error;
        }
      },
      'fiatrail explain',
    );
  return [
    await check('inbox database', (of) => existingProfileInbox(world, of), inboxFinding),
    await check('copy database', (of) => existingCopy(world, of), copyFinding),
  ];
}

async function inboxFinding(inbox: Inbox): Promise<Finding> {
  try {
    if (inbox.server === undefined) return ok(AS_MADE);
    if (!(await inbox.isOwner())) return ok(`${AS_MADE}; this role owns nothing of it`);
    return warning(
      `${AS_MADE}; ${OWNS}`,
      'connect with a role that is granted what a host needs: see "Roles" in docs/webhooks.md',
    );
  } finally {
    await inbox.close();
  }
}

/** Whoever fills a local copy owns it. */
async function copyFinding(copy: LocalCopy): Promise<Finding> {
  await copy.close();
  return ok(AS_MADE);
}

async function unknownFinding(journal: Journal, account: JournalAccount, subject: Subject): Promise<Finding> {
  const count = await journal.unknownOutcomes(account.profile);
  return count === 0
    ? ok('none with an unknown outcome')
    : warning(`${count} with an unknown outcome`, typed(subject, 'ops list'));
}

/** Looks for what commands left behind that were killed. */
export function leftoversFinding(world: World): Finding {
  const found = leftoversOf(world);
  if (found.length === 0) return ok('none');
  return warning(`${counted(found)}: ${listed(found)}`, 'fiatrail doctor --clean');
}

const counted = ({ length }: readonly Leftover[]) =>
  `${length === 1 ? '1 file' : `${length} files`} of commands that were killed`;

/** Removes what commands left behind, after a yes. Throws CliError: `declined`, and `usage` without a terminal. */
export async function removeLeftFiles(account: Account, terminal: Terminal): Promise<void> {
  const found = leftoversOf(account.world);
  if (found.length === 0) return account.notices.note('there is nothing to remove');
  endDryRun(account, { leftovers: found });
  const lines = found.map(({ path, what }) => [what, path] as const);
  await confirmChange(terminal.dialog, { summary: `remove ${counted(found)}`, lines });
  await removeLeftovers(account.world, found);
  await account.notices.note(`removed ${counted(found)}`);
}
