/** Two builds of one commit, in clones of their own, must have the same bytes. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PackageError, runTool } from '../package/tools.ts';

/** How the builds differ. None of it may be seen in what they make. */
const SETTINGS = [
  { folder: 'a', umask: '022', env: { TZ: 'UTC', LC_ALL: 'C' } },
  { folder: 'a-longer-path/b', umask: '077', env: { TZ: 'Asia/Tokyo', LC_ALL: 'C.UTF-8' } },
] as const;

/** Builds the packages of a commit twice, from nothing. Returns the folder of the first. Throws PackageError, naming files, if they differ. */
export function buildTwice(root: string, commit: string, parts: string): string {
  const [first, second] = SETTINGS.map(({ folder, umask, env }) => {
    const clone = join(parts, folder);
    mkdirSync(clone, { recursive: true });
    runTool('git', ['clone', '--quiet', '--no-checkout', root, clone], 'git');
    const script = `umask ${umask} && git checkout --quiet "$1" && npm ci --silent && npm run --silent package`;
    // Variables that npm sets for its scripts would change what the npm of the clone does.
    const inherited = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name));
    runTool('sh', ['-c', script, 'sh', commit], 'dash', {
      cwd: clone,
      env: { ...Object.fromEntries(inherited), ...env },
    });
    return join(clone, 'packages');
  });
  const digests = (folder = '') => readFileSync(join(folder, 'SHA256SUMS'), 'utf8').split('\n');
  const others = new Set(digests(second));
  const differing = digests(first).filter((line) => !others.has(line));
  if (first === undefined || differing.length > 0)
    throw new PackageError(`two builds of ${commit} differ in ${differing.map((line) => line.slice(66)).join(', ')}`);
  return first;
}
