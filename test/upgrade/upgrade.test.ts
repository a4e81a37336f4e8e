import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runTool } from '../../scripts/package/tools.ts';
import { type Home, newHome } from '../support/built.ts';
import { fiatrail } from '../support/in-process.ts';
import { READS, readFrom } from './reads.ts';

/** The states of each release, with what its commands read from them, are read the same by this version. */

const ARCHIVES = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.tar.gz'));

/** A user whose home is that of a release, and what was read there. */
function userOf(archive: string) {
  const home = newHome(onTestFinished);
  runTool('tar', ['xzf', join(import.meta.dirname, archive), '-C', home.path], 'tar');
  const states = join(home.path, 'states');
  const env = { PATH: process.env['PATH'] ?? '', HOME: states, XDG_CACHE_HOME: join(home.path, 'cache'), TZ: 'UTC' };
  const user: Home = { ...home, path: states, env };
  return { user, wasRead: (name: string) => readFileSync(join(home.path, `${name}.json`), 'utf8') };
}

describe.each(ARCHIVES)('of %s', (archive) => {
  test('everything is read as it was', { timeout: 60_000 }, async () => {
    const { user, wasRead } = userOf(archive);
    const all: Record<string, string>[] = [];
    for (const [name, argv] of READS) {
      const { stdout, stderr, code } = await fiatrail(user, argv);
      expect([code, stderr], argv.join(' ')).toEqual([0, expect.any(String)]);
      all.push({ [name]: readFrom(stdout) });
    }
    expect(all).toEqual(READS.map(([name]) => ({ [name]: wasRead(name).trim() })));
  });

  test('what was open goes on: an unknown outcome is settled, a file is finished, and a used key pays nothing again', {
    timeout: 60_000,
  }, async () => {
    const { user } = userOf(archive);
    const count = async () => {
      const { stdout } = await fiatrail(user, [
        'payout',
        'list',
        '--all',
        '-q',
        '-o',
        'json',
        '--query',
        'length(payouts)',
      ]);
      return Number(stdout);
    };
    const before = await count();
    const again = ['payout', 'create', '--to', 'default', '--amount', '5000', '--once', 'rent', '--yes', '-q'];
    expect((await fiatrail(user, again)).code).toBe(0);
    expect(await count()).toBe(before);
    expect((await fiatrail(user, ['ops', 'reconcile', '--all', '-q'])).code).toBe(0);
    const resumed = await fiatrail(user, ['bulk', 'resume', 'oct', '--wait', '1s', '--yes', '-q', '-o', 'json']);
    expect(resumed.code, resumed.stderr).toBe(8);
    expect(await count()).toBe(before + 1);
    expect((await fiatrail(user, ['ops', 'journal', 'verify', '-q'])).code).toBe(0);
  });
});

test('there are states of a release', () => {
  expect(ARCHIVES.length).toBeGreaterThan(0);
});
