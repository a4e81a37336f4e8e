import { chownSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AtEnd, type Home, newHome, type Running, type RunOptions, startProgram } from '../support/built.ts';
import { programOf } from './programs.ts';

/** Users of this machine that exist for what a test starts as one of them, and for nobody else. */
export interface Users {
  /** The home of a user, which only they can read. */
  home(name: string): Home;
  /** Starts a program as a user, with that user's groups and no rights besides. */
  start(name: string, file: string, argv: readonly string[], options?: RunOptions): Running;
  /** Gives a file or a folder to a user. */
  give(name: string, path: string): void;
}

/** What a user's programs see in the place of the machine's own lists, then the program itself. */
const AS_USER = `set -e
mount --bind "$1" /etc/passwd
mount --bind "$2" /etc/group
shift 2
exec setpriv "$@"`;

/** Ids of users that no machine has, and that another run of the tests does not have either. */
const firstId = () => 1_000_000 + process.pid * 10;

/** Creates users, all of whom are in `group` too. */
export function newUsers(atEnd: AtEnd, group: string, names: readonly string[]): Users {
  if (process.getuid?.() !== 0)
    throw new Error('only root can start programs as other users: run npm run test:tools as root');
  programOf('unshare', 'util-linux');
  programOf('setpriv', 'util-linux');
  const lists = newHome(atEnd).path;
  const [passwd, groups] = [join(lists, 'passwd'), join(lists, 'group')];
  copyFileSync('/etc/passwd', passwd);
  copyFileSync('/etc/group', groups);
  const homes = new Map(names.map((name) => [name, newHome(atEnd)]));
  const ids = new Map(names.map((name, at) => [name, firstId() + at]));
  const id = (name: string) => ids.get(name) ?? 0;
  const home = (name: string): Home => {
    const found = homes.get(name);
    if (!found) throw new Error(`there is no user ${name}`);
    return found;
  };
  const rows = names.map((name) => `${name}:x:${id(name)}:${id(name)}::${home(name).path}:/usr/sbin/nologin\n`);
  writeFileSync(passwd, readFileSync(passwd, 'utf8') + rows.join(''));
  const own = names.map((name) => `${name}:x:${id(name)}:\n`).join('');
  const common = `${group}:x:${firstId() + names.length}:${names.join()}\n`;
  writeFileSync(groups, readFileSync(groups, 'utf8') + own + common);
  const give = (name: string, path: string) => chownSync(path, id(name), id(name));
  for (const name of names) {
    const cache = join(home(name).path, 'own-cache');
    mkdirSync(cache, { mode: 0o700 });
    give(name, cache);
    give(name, home(name).path);
  }
  return {
    home,
    give,
    start: (name, file, argv, options = {}) => {
      const as = [`--reuid=${name}`, `--regid=${name}`, '--init-groups', '--no-new-privs', '--', file, ...argv];
      const words = ['--mount', '--propagation', 'private', 'sh', '-c', AS_USER, 'sh', passwd, groups, ...as];
      const env = { XDG_CACHE_HOME: join(home(name).path, 'own-cache'), ...options.env };
      return startProgram(home(name), programOf('unshare', 'util-linux'), words, { ...options, env });
    },
  };
}
