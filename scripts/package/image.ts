/**
 * The sandbox as a container image: the binary, the libraries that it needs and nothing else, in an archive of the OCI image layout
 * (https://github.com/opencontainers/image-spec). No engine builds it and no registry is asked: the libraries are those of this Debian.
 */
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { runTool } from './tools.ts';

interface ImageOptions {
  /** A folder for its parts. */
  readonly parts: string;
  /** The folder that it is written to. */
  readonly target: string;
  readonly binary: string;
  readonly version: string;
  /** Where the project is, for the image's labels. */
  readonly repository: string;
  /** The time of every file in it. */
  readonly seconds: number;
  /** The licences of what the binary contains. */
  readonly licences: string;
}

/** A Debian package whose files the image contains. */
export interface DebianPart {
  readonly name: string;
  readonly version: string;
}

/** Nobody else's: the user whom distroless images run as. */
const USER_ID = 65_532;
/** Where the sandbox keeps its state, which a volume keeps longer than the container. */
const STATE = '/state';
const PORT = 8787;

/** What an engine starts. Published on a port of this machine, the sandbox is asked for localhost. */
const SERVES = ['sandbox', 'serve', '--host', '0.0.0.0', '--port', String(PORT), '--allow-host', 'localhost'];

const USERS = `root:x:0:0:root:/root:/sbin/nologin\nfiatrail:x:${USER_ID}:${USER_ID}:fiatrail:${STATE}:/sbin/nologin\n`;
const GROUPS = `root:x:0:\nfiatrail:x:${USER_ID}:\n`;
/** Without it, glibc asks for localhost in the DNS first. */
const NAMES = 'hosts: files dns\n';

/** Builds the archive. Returns its name, and the Debian packages that the image has files of. */
export function buildImage(options: ImageOptions): { readonly name: string; readonly debian: DebianPart[] } {
  const { parts, target, version, seconds } = options;
  const tree = join(parts, 'image');
  const debian = fillTree(tree, options);
  const layer = layerOf(tree, parts, seconds);
  const layout = join(parts, 'layout');
  const add = (content: Buffer, mediaType: string) => {
    const digest = sha256(content);
    writeFileSync(join(layout, 'blobs', 'sha256', digest), content);
    return { mediaType, digest: `sha256:${digest}`, size: content.length };
  };
  mkdirSync(join(layout, 'blobs', 'sha256'), { recursive: true });
  const type = (name: string) => `application/vnd.oci.image.${name}`;
  const config = add(json(configOf(options, sha256(layer))), type('config.v1+json'));
  const layers = [add(gzipSync(layer, { level: 6 }), type('layer.v1.tar+gzip'))];
  const manifest = { schemaVersion: 2, mediaType: type('manifest.v1+json'), config, layers };
  const annotations = {
    'io.containerd.image.name': `localhost/fiatrail-sandbox:${version}`,
    'org.opencontainers.image.ref.name': version,
  };
  const manifests = [{ ...add(json(manifest), manifest.mediaType), annotations }];
  writeFileSync(join(layout, 'index.json'), json({ schemaVersion: 2, mediaType: type('index.v1+json'), manifests }));
  writeFileSync(join(layout, 'oci-layout'), json({ imageLayoutVersion: '1.0.0' }));
  const name = `fiatrail-sandbox-${version}.oci.tar`;
  tar(layout, join(target, name), seconds, 0, ['--mode=u=rwX,go=rX', 'blobs', 'index.json', 'oci-layout']);
  return { name, debian };
}

/** Fills the folder that becomes the image's files. Returns the Debian packages that some of them are from. */
function fillTree(tree: string, { binary, licences }: ImageOptions): DebianPart[] {
  const add = (path: string, from: string) => {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    copyFileSync(from, join(tree, path));
    chmodSync(join(tree, path), 0o755);
  };
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), text);
    chmodSync(join(tree, path), 0o644);
  };
  add('usr/bin/fiatrail', binary);
  const libraries = librariesOf(binary);
  for (const path of libraries) add(path.slice(1), realpathSync(path));
  write('etc/passwd', USERS);
  write('etc/group', GROUPS);
  write('etc/nsswitch.conf', NAMES);
  write('usr/share/doc/fiatrail/copyright', licences);
  const debian = [...new Set(libraries.map(packageOf))].sort();
  for (const name of debian)
    write(`usr/share/doc/${name}/copyright`, readFileSync(`/usr/share/doc/${name}/copyright`, 'utf8'));
  for (const path of ['tmp', STATE.slice(1)]) mkdirSync(join(tree, path), { recursive: true });
  const versionOf = (name: string) =>
    runTool('dpkg-query', ['--show', `${name}:amd64`], 'dpkg')
      .trim()
      .split('\t')[1] ?? '';
  return debian.map((name) => ({ name, version: versionOf(name) }));
}

/** The paths of what a program is linked with, and of the loader that links it. */
function librariesOf(program: string): string[] {
  const paths = runTool('ldd', [program], 'libc-bin').match(/(?<=\s)\/\S+(?= \(0x)/g) ?? [];
  return [...new Set(paths)].sort();
}

/** The Debian package of a file. As /lib is a link to /usr/lib, dpkg knows a file by one of two names. */
function packageOf(path: string): string {
  const real = realpathSync(path);
  const script = 'dpkg -S "$1" 2>/dev/null || dpkg -S "$2" 2>/dev/null || dpkg -S "$3"';
  return runTool('sh', ['-c', script, 'sh', path, real.replace(/^\/usr/, ''), real], 'dpkg').split(':')[0] ?? '';
}

/** The files as one archive, in which only the sandbox's own folder is the user's. */
function layerOf(tree: string, parts: string, seconds: number): Buffer {
  const path = join(parts, 'layer.tar');
  chmodSync(join(tree, 'tmp'), 0o1777);
  chmodSync(join(tree, STATE.slice(1)), 0o700);
  for (const folder of runTool('find', ['.', '-mindepth', '1', '-type', 'd'], 'findutils', { cwd: tree }).split('\n'))
    if (folder && !['./tmp', `.${STATE}`].includes(folder)) chmodSync(join(tree, folder), 0o755);
  const tops = runTool('ls', [], 'coreutils', { cwd: tree, env: { ...process.env, LC_ALL: 'C' } }).split('\n');
  const others = tops.filter((name) => name !== '' && name !== STATE.slice(1));
  tar(tree, path, seconds, 0, others);
  tar(tree, path, seconds, USER_ID, [STATE.slice(1)], '--append');
  return readFileSync(path);
}

function tar(folder: string, path: string, seconds: number, owner: number, names: string[], mode = '--create'): void {
  const as = ['--numeric-owner', `--owner=${owner}`, `--group=${owner}`, `--mtime=@${seconds}`];
  const argv = [mode, '--file', path, '--format=ustar', '--sort=name', ...as, '--directory', folder, ...names];
  runTool('tar', argv, 'tar');
}

const configOf = ({ version, seconds, repository }: ImageOptions, diffId: string) => ({
  created: new Date(seconds * 1000).toISOString().replace('.000', ''),
  architecture: 'amd64',
  os: 'linux',
  config: {
    User: `${USER_ID}:${USER_ID}`,
    ExposedPorts: { [`${PORT}/tcp`]: {} },
    Env: ['PATH=/usr/bin', `HOME=${STATE}`, `FIATRAIL_STATE_DIR=${STATE}`, `FIATRAIL_CONFIG_DIR=${STATE}/config`],
    Entrypoint: ['/usr/bin/fiatrail'],
    Cmd: SERVES,
    Volumes: { [STATE]: {} },
    WorkingDir: STATE,
    StopSignal: 'SIGTERM',
    Labels: {
      'org.opencontainers.image.title': 'fiatrail-sandbox',
      'org.opencontainers.image.description': 'The sandbox of fiatrail: a whole fiat-rail service for tests',
      'org.opencontainers.image.licenses': 'Apache-2.0',
      'org.opencontainers.image.source': repository,
      'org.opencontainers.image.version': version,
    },
  },
  rootfs: { type: 'layers', diff_ids: [`sha256:${diffId}`] },
  history: [{ created_by: 'npm run package' }],
});

const json = (value: unknown) => Buffer.from(`${JSON.stringify(value)}\n`);
const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');
