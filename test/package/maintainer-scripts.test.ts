import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { MAINTAINER_SCRIPTS, modeOf } from '../../scripts/package/deb.ts';
import { ROOT, temporaryFolder } from '../support/built.ts';

const UNITS = ['fiatrail-webhooks.service', 'fiatrail-mcp.service'];
const BOTH = UNITS.join(' ');

/** A machine as a script of the package finds it. */
interface Machine {
  /** Whether systemd runs; false in a container. */
  readonly hasSystemd?: boolean;
  /** Whether the package was installed before, and whether its unit is enabled. */
  readonly wasInstalled?: boolean;
  readonly isEnabled?: boolean;
  /** Whether what dpkg installs is in another root than that of the scripts. */
  readonly root?: string;
}

/** Runs a script as dpkg does, with programs that only write down how they were called. Returns the calls. */
function callsOf(script: keyof typeof MAINTAINER_SCRIPTS, words: readonly string[], machine: Machine = {}): string[] {
  const { hasSystemd = true, wasInstalled = false, isEnabled = false, root = '' } = machine;
  const folder = temporaryFolder(onTestFinished);
  const [log, bin, running] = [join(folder, 'log'), join(folder, 'bin'), join(folder, 'running')];
  mkdirSync(bin);
  writeFileSync(log, '');
  if (hasSystemd) mkdirSync(running);
  const answers = `case "$*" in debian-installed*) exit ${wasInstalled ? 0 : 1};; *was-enabled*) exit ${isEnabled ? 0 : 1};; esac`;
  for (const name of ['systemctl', 'deb-systemd-helper', 'deb-systemd-invoke', 'systemd-sysusers'])
    writeFileSync(join(bin, name), `#!/bin/sh\necho "${name} $*" >>"${log}"\n${answers}\n`, { mode: 0o755 });
  const path = join(folder, script);
  const text = MAINTAINER_SCRIPTS[script]
    .replaceAll('/run/systemd/system', running)
    .replaceAll('/usr/bin/deb-systemd-helper', join(bin, 'deb-systemd-helper'));
  writeFileSync(path, text, { mode: 0o755 });
  execFileSync(path, words, { env: { PATH: `${bin}:/usr/bin:/bin`, DPKG_ROOT: root } });
  const questions = /debian-installed|was-enabled/;
  return readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !questions.test(line));
}

const RELOAD = 'systemctl --system daemon-reload';
const STATE = UNITS.map((unit) => `deb-systemd-helper update-state ${unit}`);
/** What is done for each unit, in their order. */
const eachUnit = (...acts: readonly string[]) =>
  UNITS.flatMap((unit) => acts.map((act) => `deb-systemd-helper ${act} ${unit}`));
const USER = 'systemd-sysusers fiatrail.conf';

describe('the Debian package', () => {
  test.each<
    [what: string, script: keyof typeof MAINTAINER_SCRIPTS, words: string[], machine: Machine, calls: string[]]
  >([
    // Its account is set up first, so nothing is enabled or started.
    ['is installed', 'postinst', ['configure', ''], {}, [USER, ...STATE, RELOAD]],
    ['is installed without systemd', 'postinst', ['configure', ''], { hasSystemd: false }, [USER, ...STATE]],
    [
      'is installed again after a removal',
      'postinst',
      ['configure', ''],
      { wasInstalled: true, isEnabled: true },
      [USER, ...eachUnit('unmask', 'enable', 'update-state'), RELOAD],
    ],
    [
      'is upgraded',
      'postinst',
      ['configure', '0.0.9'],
      { wasInstalled: true },
      [USER, ...eachUnit('unmask', 'update-state'), RELOAD, `deb-systemd-invoke try-restart ${BOTH}`],
    ],
    ['is upgraded without systemd', 'postinst', ['configure', '0.0.9'], { hasSystemd: false }, [USER, ...STATE]],
    [
      'stays after an upgrade that failed',
      'postinst',
      ['abort-upgrade', '0.1.0'],
      {},
      [...STATE, RELOAD, `deb-systemd-invoke try-restart ${BOTH}`],
    ],
    ['is about to be upgraded', 'prerm', ['upgrade', '0.2.0'], {}, []],
    ['is about to be removed', 'prerm', ['remove'], {}, [`deb-systemd-invoke stop ${BOTH}`]],
    ['is about to be removed without systemd', 'prerm', ['remove'], { hasSystemd: false }, []],
    ['is about to be removed from another root', 'prerm', ['remove'], { root: '/mnt' }, []],
    ['is removed', 'postrm', ['remove'], {}, [RELOAD]],
    ['is removed without systemd', 'postrm', ['remove'], { hasSystemd: false }, []],
    ['is purged', 'postrm', ['purge'], {}, [`deb-systemd-helper purge ${BOTH}`]],
    ['was upgraded', 'postrm', ['upgrade', '0.2.0'], {}, []],
  ])('%s', (_what, script, words, machine, calls) => {
    expect(callsOf(script, words, machine)).toEqual(calls);
  });

  test.each([
    ['etc/fiatrail/webhooks.env', false, 0o600],
    ['etc/fiatrail/mcp.env', false, 0o600],
    ['etc/fiatrail', true, 0o755],
    ['usr/bin/fiatrail', false, 0o755],
    ['DEBIAN/prerm', false, 0o755],
    ['DEBIAN/conffiles', false, 0o644],
    [`usr/lib/systemd/system/${UNITS[0]}`, false, 0o644],
  ])('has the mode of %s', (path, isFolder, mode) => {
    expect(modeOf(path, isFolder)).toBe(mode);
  });
});

test.each(['webhooks', 'mcp'])('the unit of %s reads the settings whose mode is set, and they say it', (name) => {
  const read = (path: string) => readFileSync(join(ROOT, 'docs', 'production', path), 'utf8');
  expect(read(`fiatrail-${name}.service`)).toContain(`\nEnvironmentFile=-/etc/fiatrail/${name}.env\n`);
  const settings = read(`${name}.env`);
  expect(settings).toContain('(mode 600)');
  // Nothing is set until someone sets it.
  expect(settings.split('\n').filter((line) => !/^(#.*)?$/.test(line))).toEqual([]);
});

test('the page of webhooks gives the settings their mode', () => {
  expect(readFileSync(join(ROOT, 'docs', 'webhooks.md'), 'utf8')).toContain(
    'sudo install -D -m 600 webhooks.env /etc/fiatrail/webhooks.env',
  );
});
