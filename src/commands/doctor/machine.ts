import { configDir, stateDir } from '../../account/paths.ts';
import type { World } from '../../base/world.ts';
import {
  type Entry,
  entriesBelow,
  entryAt,
  freeBytes,
  isWritableFolder,
  nearestExisting,
} from '../../files/inspect.ts';
import { shellWord } from '../../present/text.ts';
import { type Check, type Finding, findingOf, ok, problem, type Subject, warning } from './check.ts';

/** Checks this machine, independently of the profile. */
export async function machineChecks({ session: { world, globals } }: Subject): Promise<Check[]> {
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
        { check: `${what} folder`, ...(await findingOf(() => folderFinding(path, missing, world), fix)) },
        { check: `${what} files`, ...(await findingOf(() => filesFinding(path, world), fix)) },
        { check: `${what} disk`, ...(await findingOf(() => roomFinding(path), fix)) },
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

function terminalFinding({ stdin, stdout, stderr, env }: World, isColored: boolean): Finding {
  const streams = Object.entries({ stdin, stdout, stderr }).filter(([, { isTerminal }]) => isTerminal);
  if (streams.length === 0) return ok('none: no prompts and no color');
  const { columns } = stdout;
  const term = env['TERM'] ?? '';
  const detail = [
    streams.map(([name]) => name).join(', '),
    ...(columns === undefined ? [] : [`${columns} columns`]),
    `TERM ${term || 'not set'}`,
    isColored ? 'color' : 'no color',
  ].join('; ');
  if (term === '' || term === 'dumb')
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
  if (isOpen(found, world)) return problem('usage', `other users can read ${path}`, `chmod 700 ${shellWord(path)}`);
  return ok(path);
}

const isForeign = ({ ownerId }: Entry, { userId }: World) => userId !== undefined && ownerId !== userId;

/** Windows has no mode bits; the user's folder protects the files there. */
const isOpen = ({ isOpenToOthers }: Entry, { platform }: World) => platform !== 'win32' && isOpenToOthers;

const SHOWN = 5;

function filesFinding(folder: string, world: World): Finding {
  if (entryAt(folder)?.kind !== 'folder') return ok('none yet');
  const entries = entriesBelow(folder);
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
    [entries.filter((entry) => isOpen(entry, world)), 'accessible to other users', (words) => `chmod go-rwx ${words}`],
  ];
  const [wrong] = kinds.filter(([found]) => found.length > 0);
  if (!wrong) return ok(`${entries.length}, all private`);
  const [found, what, how] = wrong;
  const paths = found.slice(0, SHOWN).map(({ path }) => path);
  const more = found.length > SHOWN ? ` and ${found.length - SHOWN} more` : '';
  return problem('usage', `${what}: ${paths.join(', ')}${more}`, how(paths.map(shellWord).join(' ')));
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
