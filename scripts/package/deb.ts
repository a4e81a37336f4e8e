/** The Debian package: the binary with what belongs to a program of a system. */
import {
  chmodSync,
  copyFileSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { runTool } from './tools.ts';

interface DebOptions {
  readonly root: string;
  /** A folder for its parts. */
  readonly parts: string;
  /** The folder that it is written to. */
  readonly target: string;
  readonly binary: string;
  readonly version: string;
  /** The time of every file in it. */
  readonly seconds: number;
  /** The licences of what the binary contains. */
  readonly licences: string;
}

const MAINTAINER = 'fiatrail maintainers <maintainers@fiatrail.example>';

/** What Node's own program needs (`objdump -T`): symbols up to GLIBC_2.28 and GLIBCXX_3.4.21. */
const DEPENDS = 'libc6 (>= 2.28), libstdc++6 (>= 5), libgcc-s1, libatomic1';

/** What lintian finds and is meant so, with the reason. */
const OVERRIDES: readonly (readonly [reason: string, tag: string])[] = [
  [
    'Node finds the program and its files at the end of the file, which stripping removes.',
    'unstripped-binary-or-object',
  ],
  [
    'The licences of Node are repeated word for word, and some of its parts are under this one.',
    'copyright-file-contains-full-apache-2-license',
  ],
  ['Node is linked with the versions of its libraries that it was tested with.', 'embedded-library'],
  ['The settings of the units may have secrets, and systemd reads them as root.', 'non-standard-file-perm'],
];

/** The services: the webhook listener, and the server of tools for agents. Each has a unit and settings. */
const SERVICES = ['webhooks', 'mcp'];

const UNITS = SERVICES.map((name) => `fiatrail-${name}.service`);

const ALL_UNITS = UNITS.join(' ');

/** The settings of the units, which may have secrets. systemd reads them as root, before a unit has a user. */
const SETTINGS = SERVICES.map((name) => `etc/fiatrail/${name}.env`);

/** The units, their settings and their user. */
const SYSTEM_FILES: readonly (readonly [name: string, path: string])[] = [
  ...UNITS.map((unit) => [unit, `usr/lib/systemd/system/${unit}`] as const),
  ...SETTINGS.map((path) => [basename(path), path] as const),
  ['fiatrail.sysusers.conf', 'usr/lib/sysusers.d/fiatrail.conf'],
];

/**
 * What dpkg runs, as Debian's own dh_installsysusers and dh_installsystemd write it for units that their user enables. An upgrade restarts
 * a service only if it runs; a removal stops it; only a purge forgets that it was enabled. Where systemd comes later, it creates the user
 * when it starts. Nothing removes the user or its folder, which has the journal.
 */
export const MAINTAINER_SCRIPTS: Readonly<Record<'postinst' | 'prerm' | 'postrm', string>> = {
  postinst: `#!/bin/sh
set -e
if [ "$1" = configure ] && command -v systemd-sysusers >/dev/null; then
  systemd-sysusers fiatrail.conf
fi
case "$1" in
  configure | abort-upgrade | abort-deconfigure | abort-remove)
    for unit in ${ALL_UNITS}; do
      if deb-systemd-helper debian-installed "$unit"; then
        deb-systemd-helper unmask "$unit" >/dev/null || true
        if deb-systemd-helper --quiet was-enabled "$unit"; then
          deb-systemd-helper enable "$unit" >/dev/null || true
        fi
      fi
      deb-systemd-helper update-state "$unit" >/dev/null || true
    done
    if [ -d /run/systemd/system ]; then
      systemctl --system daemon-reload >/dev/null || true
      if [ -n "$2" ]; then
        deb-systemd-invoke try-restart ${ALL_UNITS} >/dev/null || true
      fi
    fi
    ;;
esac
`,
  prerm: `#!/bin/sh
set -e
if [ -z "\${DPKG_ROOT:-}" ] && [ "$1" = remove ] && [ -d /run/systemd/system ]; then
  deb-systemd-invoke stop ${ALL_UNITS} >/dev/null || true
fi
`,
  postrm: `#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
  systemctl --system daemon-reload >/dev/null || true
fi
if [ "$1" = purge ] && [ -x /usr/bin/deb-systemd-helper ]; then
  deb-systemd-helper purge ${ALL_UNITS} >/dev/null || true
fi
`,
};

/** The mode of a file in the package, or of a folder. */
export function modeOf(path: string, isFolder: boolean): number {
  if (SETTINGS.includes(path)) return 0o600;
  return isFolder || path === 'usr/bin/fiatrail' || basename(path) in MAINTAINER_SCRIPTS ? 0o755 : 0o644;
}

/** Builds the package. Returns its name. */
export function buildDeb(options: DebOptions): string {
  const { root, parts, target, binary, version, seconds } = options;
  const tree = join(parts, 'deb');
  const add = (path: string, content: string | Buffer) => {
    mkdirSync(dirname(join(tree, path)), { recursive: true, mode: 0o755 });
    writeFileSync(join(tree, path), content);
  };
  add('usr/bin/fiatrail', '');
  copyFileSync(binary, join(tree, 'usr/bin/fiatrail'));
  for (const name of readdirSync(join(root, 'dist', 'man')))
    add(`usr/share/man/man1/${name}.gz`, zipped(readFileSync(join(root, 'dist', 'man', name))));
  for (const [shell, path] of COMPLETIONS) add(path, runTool(binary, ['completion', shell], 'fiatrail'));
  for (const [name, path] of SYSTEM_FILES) add(path, readFileSync(join(root, 'docs', 'production', name)));
  const documents = 'usr/share/doc/fiatrail';
  add(`${documents}/copyright`, copyrightText(options.licences));
  add(`${documents}/changelog.gz`, zipped(changelogText(version, seconds)));
  add('usr/share/lintian/overrides/fiatrail', overridesText());
  const kib = Math.ceil(filesIn(tree).reduce((sum, path) => sum + statSync(path).size, 0) / 1024);
  add('DEBIAN/control', controlText(version, kib));
  for (const [name, text] of Object.entries(MAINTAINER_SCRIPTS)) add(`DEBIAN/${name}`, text);
  add('DEBIAN/conffiles', SETTINGS.map((path) => `/${path}\n`).join(''));
  add(
    'DEBIAN/md5sums',
    runTool('sh', ['-c', 'find usr -type f | LC_ALL=C sort | xargs md5sum'], 'coreutils', { cwd: tree }),
  );
  for (const path of [tree, ...filesIn(tree, true)]) {
    chmodSync(path, modeOf(relative(tree, path), statSync(path).isDirectory()));
    lutimesSync(path, seconds, seconds);
  }
  const name = `fiatrail_${version}_amd64.deb`;
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(seconds) };
  runTool('dpkg-deb', ['--root-owner-group', '-Zxz', '-z1', '--build', tree, join(target, name)], 'dpkg', { env });
  return name;
}

const COMPLETIONS = [
  ['bash', 'usr/share/bash-completion/completions/fiatrail'],
  ['zsh', 'usr/share/zsh/vendor-completions/_fiatrail'],
  ['fish', 'usr/share/fish/vendor_completions.d/fiatrail.fish'],
] as const;

/** Without a name and a time, so that the same text gives the same bytes. */
const zipped = (content: string | Buffer) => gzipSync(content, { level: 9 });

function filesIn(folder: string, withFolders = false): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => withFolders || entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}

const controlText = (version: string, kib: number) => `Package: fiatrail
Version: ${version}
Architecture: amd64
Maintainer: ${MAINTAINER}
Installed-Size: ${kib}
Depends: ${DEPENDS}
Section: utils
Priority: optional
Description: operate a stablecoin fiat-rail account from the command line
 Onboards users, converts Naira to cNGN and back, trades stablecoins, withdraws
 fees, receives webhooks and serves agents. The whole service is embedded as a
 sandbox, so that every command works without an account.
`;

/** The changes themselves are in CHANGELOG.md, which has one section for each version. */
function changelogText(version: string, seconds: number): string {
  const date = new Date(seconds * 1000).toUTCString().replace('GMT', '+0000');
  return `fiatrail (${version}) unstable; urgency=medium

  * Release ${version}. CHANGELOG.md of the project lists what has changed.

 -- ${MAINTAINER}  ${date}
`;
}

const copyrightText = (
  licences: string,
) => `fiatrail is licensed under the Apache License, Version 2.0. On Debian systems, its text is in
/usr/share/common-licenses/Apache-2.0.

/usr/bin/fiatrail also contains the following packages.

${'-'.repeat(80)}

${licences}`;

const overridesText = () => OVERRIDES.map(([reason, tag]) => `# ${reason}\nfiatrail: ${tag}\n`).join('');
