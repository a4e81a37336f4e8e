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
import { dirname, join } from 'node:path';
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
];

/** The unit of a webhook listener, and its user. */
const SYSTEM_FILES = [
  ['fiatrail-webhooks.service', 'usr/lib/systemd/system/fiatrail-webhooks.service'],
  ['fiatrail.sysusers.conf', 'usr/lib/sysusers.d/fiatrail.conf'],
] as const;

/** Where systemd comes later, it creates the user when it starts. Nothing removes a user: files may still be its own. */
const POSTINST = `#!/bin/sh
set -e
if [ "$1" = configure ] && command -v systemd-sysusers >/dev/null; then
  systemd-sysusers fiatrail.conf
fi
`;

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
  add('DEBIAN/postinst', POSTINST);
  add(
    'DEBIAN/md5sums',
    runTool('sh', ['-c', 'find usr -type f | LC_ALL=C sort | xargs md5sum'], 'coreutils', { cwd: tree }),
  );
  for (const path of [tree, ...filesIn(tree, true)]) {
    const isProgram = statSync(path).isDirectory() || /\/(bin\/fiatrail|DEBIAN\/postinst)$/.test(path);
    chmodSync(path, isProgram ? 0o755 : 0o644);
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
 fees and receives webhooks. The whole service is embedded as a sandbox, so that
 every command works without an account.
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
