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
import { type Check, type Finding, looked, ok, problem, type Subject, warning } from './check.ts';

/** What this machine is to the program, whatever the account. */
export async function machineChecks({ session: { world, globals } }: Subject): Promise<Check[]> {
  const folders = [
    { what: 'configuration', path: configDir(world), variable: 'FIATRAIL_CONFIG_DIR' },
    { what: 'state', path: stateDir(world), variable: 'FIATRAIL_STATE_DIR' },
  ] as const;
  const ofFolders = await Promise.all(
    folders.map(async ({ what, path, variable }) => {
      const elsewhere = `export ${variable}=FOLDER`;
      return [
        { check: `${what} folder`, ...(await looked(() => folderFinding(path, elsewhere, world), elsewhere)) },
        { check: `${what} files`, ...(await looked(() => filesFinding(path, world), elsewhere)) },
        { check: `${what} disk`, ...(await looked(() => roomFinding(path, elsewhere), elsewhere)) },
      ];
    }),
  );
  return [
    { check: 'node', ...nodeFinding(world) },
    { check: 'terminal', ...terminalFinding(world, globals.present.color) },
    ...ofFolders.flat(),
  ];
}

/** bin/fiatrail.js lets only those versions in that have what is needed. */
function nodeFinding({ nodeVersion }: World): Finding {
  const isShortLived = Number(nodeVersion.split('.')[0]) % 2 === 1;
  return isShortLived
    ? warning(`${nodeVersion}, of a line that gets no fixes for long`, 'use a line with an even number: 24 or 26')
    : ok(nodeVersion);
}

/** Narrower than this, tables are hard to read. */
const NARROW = 60;

function terminalFinding({ stdin, stdout, stderr, env }: World, isColored: boolean): Finding {
  const streams = Object.entries({ stdin, stdout, stderr }).filter(([, { isTerminal }]) => isTerminal);
  if (streams.length === 0) return ok('none: nothing is asked, and nothing is coloured');
  const { columns } = stdout;
  const term = env['TERM'] ?? '';
  const detail = [
    streams.map(([name]) => name).join(', '),
    ...(columns === undefined ? [] : [`${columns} columns`]),
    `TERM ${term || 'not set'}`,
    isColored ? 'in colour' : 'without colour',
  ].join('; ');
  if (term === '' || term === 'dumb')
    return warning(`${detail}: lines cannot be written over`, 'export TERM=xterm-256color');
  if (columns !== undefined && columns < NARROW)
    return warning(`${detail}: tables are broken into several lines`, 'widen the window to 80 columns, or add -o json');
  return ok(detail);
}

function folderFinding(path: string, elsewhere: string, world: World): Finding {
  const found = entryAt(path);
  if (!found) {
    const above = nearestExisting(path);
    return isWritableFolder(above)
      ? ok(`${path} is made on first use`)
      : problem('usage', `${path} is not there and cannot be made in ${above}`, elsewhere);
  }
  if (found.kind === 'link')
    return problem('usage', `${path} is a symbolic link, behind which no secret is kept`, `rm ${shellWord(path)}`);
  if (found.kind !== 'folder')
    return problem('usage', `${path} is no folder`, `mv ${shellWord(path)} ${shellWord(`${path}.old`)}`);
  if (isForeign(found, world))
    return problem('usage', `${path} belongs to another user`, `sudo chown -R "$(id -u)" ${shellWord(path)}`);
  if (!isWritableFolder(path)) return problem('usage', `${path} cannot be written to`, `chmod 700 ${shellWord(path)}`);
  if (isOpen(found, world)) return problem('usage', `others can look into ${path}`, `chmod 700 ${shellWord(path)}`);
  return ok(path);
}

const isForeign = ({ ownerId }: Entry, { userId }: World) => userId !== undefined && ownerId !== userId;

/** Windows has no such modes: there the folder of the user keeps others out. */
const isOpen = ({ isOpenToOthers }: Entry, { platform }: World) => platform !== 'win32' && isOpenToOthers;

const SHOWN = 5;

function filesFinding(folder: string, world: World): Finding {
  if (entryAt(folder)?.kind !== 'folder') return ok('none yet');
  const entries = entriesBelow(folder);
  const kinds: readonly (readonly [found: readonly Entry[], what: string, how: (words: string) => string])[] = [
    [
      entries.filter(({ kind }) => kind === 'link' || kind === 'other'),
      'neither file nor folder',
      (words) => `rm ${words}`,
    ],
    [
      entries.filter((entry) => isForeign(entry, world)),
      'of another user',
      (words) => `sudo chown "$(id -u)" ${words}`,
    ],
    [entries.filter((entry) => isOpen(entry, world)), 'open to others', (words) => `chmod go-rwx ${words}`],
  ];
  const [wrong] = kinds.filter(([found]) => found.length > 0);
  if (!wrong) return ok(`${entries.length}, all of them private`);
  const [found, what, how] = wrong;
  const paths = found.slice(0, SHOWN).map(({ path }) => path);
  const more = found.length > SHOWN ? ` and ${found.length - SHOWN} more` : '';
  return problem('usage', `${what}: ${paths.join(', ')}${more}`, how(paths.map(shellWord).join(' ')));
}

const MIB = 1024 * 1024;
/** For a sandbox of some use, and far more than a journal or a key takes. */
const ENOUGH_BYTES = 100 * MIB;
/** A rotation takes its room beforehand; below this nothing else may fit. */
const LEAST_BYTES = 4 * MIB;

function roomFinding(path: string, elsewhere: string): Finding {
  const free = freeBytes(nearestExisting(path));
  if (free >= ENOUGH_BYTES) return ok('more than 100 MiB free');
  const detail = `${Math.floor(free / MIB)} MiB free for ${path}`;
  const fix = `make room on that disk, or ${elsewhere}`;
  return free < LEAST_BYTES ? problem('usage', detail, fix) : warning(detail, fix);
}
