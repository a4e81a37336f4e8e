import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, matchesGlob } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Home, newHome, ROOT, requireBuilt, startProgram, temporaryFolder } from '../support/built.ts';

/** The published package: packed, installed into an empty folder without a network, and run there. */

const cleanUps: (() => void | Promise<void>)[] = [];
const atEnd = (cleanUp: () => void | Promise<void>) => void cleanUps.push(cleanUp);
let home: Home;
let folder = '';

/** npm with a separate home and cache. Scripts are disabled, because packing must not rebuild while tests run. */
function npm(cwd: string, argv: readonly string[]): string {
  const env = { ...home.env, npm_config_cache: join(home.path, 'npm'), npm_config_update_notifier: 'false' };
  return execFileSync('npm', argv, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

beforeAll(() => {
  requireBuilt();
  home = newHome(atEnd);
  folder = temporaryFolder(atEnd);
  // Packed on the way, rather than linked.
  npm(folder, ['install', '--install-links', '--offline', '--no-audit', '--no-fund', '--ignore-scripts', ROOT]);
});

afterAll(async () => {
  for (const cleanUp of cleanUps) await cleanUp();
});

const installed = () => join(folder, 'node_modules', 'fiatrail');

/** Every file of the installed package, by its path inside. */
function files(): string[] {
  const all = readdirSync(installed(), { recursive: true, encoding: 'utf8' });
  return all.filter((name) => statSync(join(installed(), name)).isFile()).sort();
}

describe('the package', () => {
  const REST = [
    'bin/files.js',
    'bin/fiatrail.js',
    'bin/save-code.js',
    'bin/load.js',
    'bin/package.json',
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    'LICENSE',
    'README.md',
    'SECURITY.md',
    'package.json',
  ];

  test('contains the program and its documents, and nothing else', () => {
    const rest = files().filter((name) => !/^(dist|docs)\//.test(name));
    expect(rest).toEqual(REST.toSorted());
    const documents = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
      .map((name) => `docs/${name}`)
      .filter((name) => statSync(join(ROOT, name)).isFile() && !name.startsWith('docs/recordings/'));
    expect(files().filter((name) => name.startsWith('docs/'))).toEqual(documents.toSorted());
    const built = readdirSync(join(ROOT, 'dist'), { recursive: true, encoding: 'utf8' })
      .map((name) => `dist/${name}`)
      .filter((name) => statSync(join(ROOT, name)).isFile());
    expect(files().filter((name) => name.startsWith('dist/'))).toEqual(built.toSorted());
    const changed = files().filter(
      (name) => !readFileSync(join(installed(), name)).equals(readFileSync(join(ROOT, name))),
    );
    expect(changed).toEqual([]);
  });

  test('contains every page that README links to', () => {
    const readme = readFileSync(join(installed(), 'README.md'), 'utf8');
    // The recordings are only shown where the README is read on its own.
    const links = [...readme.matchAll(/(?<!!\[[^\]]*)\]\((?!https?:)([^)#]+)/g)].map(([, link = '']) => link);
    expect(links.length).toBeGreaterThan(5);
    expect(links.filter((link) => !existsSync(join(installed(), link)))).toEqual([]);
  });

  test('contains only the kinds of files that the page about releases explains', () => {
    const page =
      readFileSync(join(ROOT, 'docs', 'contributing', 'release.md'), 'utf8').split(
        '| files | what they are for |',
      )[1] ?? '';
    const kinds = [...page.matchAll(/^\| (`.*`) \|/gm)].flatMap(([, cell = '']) =>
      cell.replaceAll('`', '').split(', '),
    );
    const found = files().map((name) => ({ name, kinds: kinds.filter((kind) => matchesGlob(name, kind)) }));
    expect(found.filter((file) => file.kinds.length !== 1)).toEqual([]);
    expect(kinds.filter((kind) => !found.some((file) => file.kinds.includes(kind)))).toEqual([]);
  });

  test('runs nothing when it is installed', () => {
    const { scripts } = JSON.parse(readFileSync(join(installed(), 'package.json'), 'utf8'));
    const hooks = ['preinstall', 'install', 'postinstall', 'prepare', 'preprepare', 'postprepare'];
    // Homebrew removes these from package.json, which then would not be as it was built.
    const packing = ['prepack', 'postpack'];
    expect(Object.keys(scripts).filter((name) => [...hooks, ...packing].includes(name))).toEqual([]);
  });

  test('contains built code and the licences of bundled packages', () => {
    const built = files().filter((name) => name.startsWith('dist/'));
    const others = built.filter(
      (name) =>
        !/^dist\/([a-z0-9-]+\.cjs|help\.db|help\/[a-z.-]*\.txt|(webhooks|kits|base)\/[a-z-]+\.(cjs|d\.cts)|man\/[a-z-]+\.1)$/.test(
          name,
        ),
    );
    expect(others).toEqual([
      'dist/SHA256SUMS',
      'dist/THIRD-PARTY-LICENSES.txt',
      'dist/build.json',
      'dist/sbom.cdx.json',
    ]);
    expect(built).toEqual(expect.arrayContaining(['dist/entry.cjs', 'dist/help/.txt', 'dist/help/fx.orders.list.txt']));
  });

  test('contains no source maps, tests or TypeScript besides declarations', () => {
    expect(files().filter((name) => /\.map$|(?<!\.d)\.[cm]?ts$|^test\//.test(name))).toEqual([]);
    for (const name of files())
      expect({
        name,
        hasSourceMappingURL: readFileSync(join(installed(), name), 'utf8').includes('sourceMappingURL='),
      }).toEqual({ name, hasSourceMappingURL: false });
  });

  test('contains no path of the machine that built it', () => {
    // The folder of temporary files is the same on most machines.
    const machine = [ROOT, dirname(ROOT), homedir()].filter(
      (path) => path.length > 1 && !['/tmp', tmpdir()].includes(path),
    );
    // A room may begin with the name of a folder.
    const isIn = (text: string, path: string) =>
      text
        .split(path)
        .slice(1)
        .some((after) => !/^[\w-]/.test(after));
    for (const name of files()) {
      const text = readFileSync(join(installed(), name), 'utf8');
      expect({ name, machine: machine.filter((path) => isIn(text, path)) }).toEqual({ name, machine: [] });
    }
  });

  test('names each bundled package, with its licence', () => {
    const licences = readFileSync(join(installed(), 'dist', 'THIRD-PARTY-LICENSES.txt'), 'utf8');
    for (const name of [
      'commander',
      'ky',
      'zod',
      'libsodium',
      'libsodium-wrappers',
      'yaml',
      'string-argv',
      '@inquirer/prompts',
      '@jmespath-community/jmespath',
    ])
      expect(licences).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+$`, 'm'));
  });

  test('has an SBOM of the packages whose licences it contains', () => {
    const licences = readFileSync(join(installed(), 'dist', 'THIRD-PARTY-LICENSES.txt'), 'utf8');
    const sections = licences.split(`\n${'-'.repeat(80)}\n\n`).map((section) => section.split('\n', 1)[0]);
    const bom = JSON.parse(readFileSync(join(installed(), 'dist', 'sbom.cdx.json'), 'utf8'));
    const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
    expect(bom).toEqual({
      $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      version: 1,
      metadata: { lifecycles: [{ phase: 'build' }], component: expect.objectContaining({ name: 'fiatrail' }) },
      components: expect.any(Array),
    });
    const components = bom.components as { name: string; version: string; hashes: { content: string }[] }[];
    expect(components.map(({ name, version }) => `${name} ${version}`)).toEqual(sections);
    for (const { name, version, hashes, ...rest } of components) {
      const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
      expect({ name, ...rest }).toEqual({
        name,
        type: 'library',
        purl,
        'bom-ref': purl,
        licenses: [{ license: { id: expect.stringMatching(/^[A-Z0-9.-]+[\w.-]*$/) } }],
      });
      const [{ content = '' } = {}] = hashes;
      const { version: lockedVersion, integrity } = packages[`node_modules/${name}`];
      expect({ name, version, integrity: `sha512-${Buffer.from(content, 'hex').toString('base64')}` }).toEqual({
        name,
        version: lockedVersion,
        integrity,
      });
    }
  });

  test('needs no other package', () => {
    const { dependencies, optionalDependencies, bin } = JSON.parse(
      readFileSync(join(installed(), 'package.json'), 'utf8'),
    );
    expect({ dependencies, Object: Object.keys(optionalDependencies) }).toEqual({
      dependencies: undefined,
      Object: ['@napi-rs/keyring'],
    });
    expect(bin).toEqual({ fiatrail: 'bin/fiatrail.js' });
    expect(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['fiatrail']);
  });
});

describe('the installed package', () => {
  const run = (...argv: string[]) =>
    startProgram(home, join(folder, 'node_modules', '.bin', 'fiatrail'), argv, { cwd: folder }).end;

  const askKeyStore = () => {
    const stdin = JSON.stringify({ op: 'read', service: 'fiatrail', user: 'ops/api-key' });
    const argv = [join(installed(), 'bin', 'fiatrail.js'), '__keyring'];
    return startProgram(home, process.execPath, argv, { stdin, cwd: folder }).end;
  };

  test('prints its version', async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(await run('--version')).toEqual({ stdout: `${version}\n`, stderr: '', code: 0 });
  });

  test('works without the keychain package', async () => {
    expect(await askKeyStore()).toEqual({ stdout: '{"kind":"absent"}', stderr: '', code: 0 });
  });

  test('finds a keychain package installed next to it', async () => {
    const beside = join(folder, 'node_modules', '@napi-rs', 'keyring');
    mkdirSync(beside, { recursive: true });
    writeFileSync(
      join(beside, 'index.js'),
      "exports.Entry = class { constructor(...given) { this.given = given; } getPassword() { return this.given.join(' '); } };",
    );
    const { stdout } = await askKeyStore();
    expect(JSON.parse(stdout)).toEqual({ kind: 'done', secret: 'fiatrail ops/api-key [object Object]' });
  });

  test('prints help', async () => {
    const { stdout, code } = await run('--help');
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^Usage: fiatrail /) });
  });

  test('works in every format', async () => {
    const list = await run('users', 'list', '-o', 'json', '-q');
    expect({ code: list.code, users: JSON.parse(list.stdout).users }).toEqual({ code: 0, users: [] });
    for (const format of ['table', 'ndjson', 'csv', 'yaml', 'raw'])
      expect({ format, code: (await run('fees', 'show', '-q', '-o', format)).code }).toEqual({ format, code: 0 });
    expect(JSON.parse((await run('users', 'list', '-q', '-o', 'json', '--query', 'pagination.total')).stdout)).toBe(0);
  });
});
