/** An apt repository with the Debian package: a folder of files that any web server serves. */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { PackageError, runTool } from '../package/tools.ts';

const [SUITE, COMPONENT, ARCHITECTURE] = ['stable', 'main', 'amd64'];
const POOL = `pool/${COMPONENT}/f/fiatrail`;
const KEY = 'fiatrail.gpg';

/** A key of GnuPG, and the folder that has it. */
export interface GpgKey {
  readonly id: string;
  readonly home: string | undefined;
}

const gpg = ({ home }: GpgKey, argv: readonly string[], input?: string) =>
  runTool('gpg', [...(home === undefined ? [] : ['--homedir', home]), '--batch', '--yes', ...argv], 'gnupg', { input });

/** Creates a key that is good for one check and signs nothing that leaves. */
export function throwawayGpgKey(parts: string): GpgKey {
  const home = join(parts, 'gnupg');
  mkdirSync(home, { mode: 0o700 });
  const key = { id: 'check@fiatrail.invalid', home };
  gpg(key, ['--passphrase', '', '--quick-generate-key', key.id, 'ed25519', 'sign', '1d']);
  return key;
}

/** Writes the repository to a folder, signed. `deb` is the package's path. */
export function buildAptRepository(deb: string, name: string, folder: string, key: GpgKey): void {
  const index = `dists/${SUITE}/${COMPONENT}/binary-${ARCHITECTURE}`;
  for (const path of [POOL, index]) mkdirSync(join(folder, path), { recursive: true });
  copyFileSync(deb, join(folder, POOL, name));
  const archive = (...argv: string[]) => runTool('apt-ftparchive', argv, 'apt-utils', { cwd: folder });
  const packages = archive('packages', 'pool');
  writeFileSync(join(folder, index, 'Packages'), packages);
  writeFileSync(join(folder, index, 'Packages.gz'), gzipSync(packages, { level: 9 }));
  const fields = { Origin: 'fiatrail', Label: 'fiatrail', Suite: SUITE, Codename: SUITE };
  const more = { ...fields, Components: COMPONENT, Architectures: ARCHITECTURE };
  const options = Object.entries(more).flatMap(([field, value]) => [
    '-o',
    `APT::FTPArchive::Release::${field}=${value}`,
  ]);
  const release = archive(...options, 'release', `dists/${SUITE}`);
  const write = (path: string, text: string) => writeFileSync(join(folder, `dists/${SUITE}`, path), text);
  write('Release', release);
  const sign = ['--local-user', key.id, '--armor'];
  write('InRelease', gpg(key, [...sign, '--clearsign'], release));
  write('Release.gpg', gpg(key, [...sign, '--detach-sign'], release));
  gpg(key, ['--output', join(folder, KEY), '--export', key.id]);
}

/** The line that a reader adds to the sources of apt. */
export const sourceLine = (keyring: string, site: string) => `deb [signed-by=${keyring}] ${site} ${SUITE} ${COMPONENT}`;

/** Reads the repository as apt does, from its folder. Throws PackageError unless apt trusts it and gets this package from it. */
export function readBack(folder: string, deb: string, parts: string): void {
  const root = join(parts, 'apt');
  for (const path of ['lists/partial', 'archives/partial', 'sources', 'got'])
    mkdirSync(join(root, path), { recursive: true });
  writeFileSync(join(root, 'status'), '');
  writeFileSync(join(root, 'sources.list'), `${sourceLine(join(folder, KEY), `file:${folder}`)}\n`);
  const settings = {
    Dir: root,
    'Dir::Etc::sourcelist': join(root, 'sources.list'),
    'Dir::Etc::sourceparts': join(root, 'sources'),
    'Dir::State': root,
    'Dir::State::status': join(root, 'status'),
    'Dir::Cache': root,
    'APT::Architecture': ARCHITECTURE,
    'APT::Sandbox::User': 'root',
    // A repository without a valid signature is a failure here, whatever this machine allows.
    'APT::Get::AllowUnauthenticated': 'false',
    'Acquire::AllowInsecureRepositories': 'false',
    'APT::Update::Error-Mode': 'any',
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  const env = { ...process.env, APT_CONFIG: '/dev/null' };
  const apt = (...argv: string[]) =>
    runTool('apt-get', [...options, '-qq', ...argv], 'apt', { cwd: join(root, 'got'), env });
  apt('update');
  apt('download', 'fiatrail');
  const [got] = readdirSync(join(root, 'got'));
  if (got === undefined || !readFileSync(join(root, 'got', got)).equals(readFileSync(deb)))
    throw new PackageError('apt read another package than the one in its repository');
}
