import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runTool } from '../../scripts/package/tools.ts';
import { type AtEnd, type Ran, ROOT, temporaryFolder } from '../support/built.ts';

/** A whole Debian in a folder, with a user `ada`, in which programs are installed and run. */
export interface DebianRoot {
  readonly path: string;
  /** Runs a shell script as root. */
  asRoot(script: string): Ran;
  /** Runs a shell script as ada, who has no variable but PATH and those given. */
  asAda(script: string, env?: Readonly<Record<string, string>>): Ran;
}

const SUITE = 'bookworm';
/** What the package depends on, and what creates users where there is no systemd. */
const INCLUDED = ['libatomic1', 'libstdc++6', 'systemd-standalone-sysusers'];

/** What the programs of a script see besides the folder; all of it ends with the script. */
const MOUNTS = 'mount -t proc proc "$1/proc" && mount -t tmpfs -o size=1m tmpfs "$1/small" && chmod 777 "$1/small"';

/** Creates a root: a copy of one that is downloaded once. */
export function newDebianRoot(atEnd: AtEnd): DebianRoot {
  if (process.getuid?.() !== 0)
    throw new Error('a Debian root can only be made by root: run npm run test:tools as root');
  const path = join(temporaryFolder(atEnd), 'root');
  runTool('cp', ['-a', downloadedRoot(), path], 'coreutils');
  const run = (words: readonly string[], env: Readonly<Record<string, string>>): Ran => {
    const inside = ['env', '-i', 'PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin'];
    const given = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const argv = ['--mount', 'sh', '-c', `${MOUNTS} && root=$1 && shift && exec chroot "$root" "$@"`, 'sh', path];
    const ran = spawnSync('unshare', [...argv, ...inside, ...given, ...words], { encoding: 'utf8', cwd: '/' });
    if (ran.error) throw new Error('unshare is missing; install it with: apt-get install util-linux');
    return { stdout: ran.stdout, stderr: ran.stderr, code: ran.status };
  };
  const asAda = ['setpriv', '--reuid=ada', '--regid=ada', '--clear-groups'];
  return {
    path,
    asRoot: (script) => run(['sh', '-c', script], { DEBIAN_FRONTEND: 'noninteractive' }),
    asAda: (script, env = {}) => run([...asAda, 'sh', '-c', `cd /home/ada && ${script}`], env),
  };
}

/** Returns a root with these programs, downloaded at the first use. */
function downloadedRoot(): string {
  const cache = join(ROOT, 'node_modules', '.cache', 'fiatrail');
  const path = join(cache, ['debian', SUITE, ...INCLUDED].join('-'));
  if (existsSync(path)) return path;
  const unfinished = `${path}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(cache, { recursive: true });
  const argv = ['--variant=minbase', `--include=${INCLUDED.join()}`, SUITE, unfinished];
  runTool('debootstrap', argv, 'debootstrap');
  runTool('chroot', [unfinished, 'useradd', '--create-home', 'ada'], 'coreutils');
  mkdirSync(join(unfinished, 'small'));
  renameSync(unfinished, path);
  return path;
}
