/** `npm run package`: builds what people install into packages/, with digests and an SBOM of each. */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { sbomWithDebian, sbomWithNode } from './licences.ts';
import { buildBinary } from './package/binary.ts';
import { buildDeb } from './package/deb.ts';
import { formulaText } from './package/formula.ts';
import { buildImage } from './package/image.ts';
import { NODE, unpackNode } from './package/node.ts';
import { projectOf } from './package/project.ts';
import { PackageError, runTool } from './package/tools.ts';

const ROOT = join(import.meta.dirname, '..');
const PACKAGES = join(ROOT, 'packages');

/** When what is packaged was made, in seconds: SOURCE_DATE_EPOCH, or the last commit. Packages have no other time. */
function sourceDate(): number {
  const text = process.env['SOURCE_DATE_EPOCH'] ?? runTool('git', ['log', '-1', '--format=%ct'], 'git', { cwd: ROOT });
  const seconds = Number(text);
  if (!Number.isSafeInteger(seconds) || seconds < 0 || text.trim() === '')
    throw new PackageError(`SOURCE_DATE_EPOCH is "${text}"; expected seconds since 1970`);
  return seconds;
}

/** Packs what npm would, from a copy: npm keeps the modes of files, which come from the umask of whoever checked them out. Returns its name. */
function packNpm(copy: string, target: string): string {
  const pack = (cwd: string, ...argv: string[]) =>
    runTool('npm', ['pack', '--ignore-scripts', ...argv], 'npm', { cwd });
  const [packed] = JSON.parse(pack(ROOT, '--dry-run', '--json')) as [{ filename: string; files: { path: string }[] }];
  for (const { path } of packed.files) {
    mkdirSync(join(copy, dirname(path)), { recursive: true });
    copyFileSync(join(ROOT, path), join(copy, path));
    chmodSync(join(copy, path), path === 'bin/fiatrail.js' ? 0o755 : 0o644);
  }
  return pack(copy, '--silent', '--pack-destination', target).trim();
}

async function buildPackages(target: string, parts: string): Promise<void> {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new PackageError(`the packages are built on Linux x64, and this is ${process.platform} ${process.arch}`);
  const seconds = sourceDate();
  // Only the default folder is surely nobody else's.
  if (target === PACKAGES) rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  if (readdirSync(target).length > 0) throw new PackageError(`${target} is not empty; name an empty folder`);
  const read = (name: string) => readFileSync(join(ROOT, name), 'utf8');
  const sbom = read('dist/sbom.cdx.json');
  const add = (name: string, text: string) => writeFileSync(join(target, name), text);

  const tarball = packNpm(join(parts, 'npm'), target);
  add(`${tarball}.cdx.json`, sbom);

  const node = unpackNode(ROOT, parts);
  const binary = join(target, 'fiatrail');
  await buildBinary(ROOT, node.program, parts, binary);
  const withNode = sbomWithNode(sbom, NODE);
  const others = `${read('dist/THIRD-PARTY-LICENSES.txt')}\n${'-'.repeat(80)}\n\nNode.js ${NODE.version}\n\n${node.licences}`;
  add('fiatrail.cdx.json', withNode);
  add('fiatrail.licences.txt', `${read('LICENSE')}\n${'-'.repeat(80)}\n\n${others}`);

  const project = projectOf(read('package.json'));
  const { version, repository } = project;
  const deb = buildDeb({ root: ROOT, parts, target, binary, version, seconds, licences: others });
  add(`${deb}.cdx.json`, withNode);

  const image = buildImage({ parts, target, binary, version, repository, seconds, licences: others });
  add(`${image.name}.cdx.json`, sbomWithDebian(withNode, image.debian));

  const digest = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join(target, name)))
      .digest('hex');
  add('fiatrail.rb', formulaText({ ...project, tarball, sha256: digest(tarball) }));
  const names = readdirSync(target).sort();
  add('SHA256SUMS', names.map((name) => `${digest(name)}  ${name}\n`).join(''));
}

const parts = mkdtempSync(join(tmpdir(), 'fiatrail-package-'));
try {
  await buildPackages(resolve(process.argv[2] ?? PACKAGES), parts);
} catch (error) {
  if (!(error instanceof PackageError)) throw error;
  process.stderr.write(`error: ${error.message}\n`);
  process.exitCode = 1;
} finally {
  rmSync(parts, { recursive: true, force: true });
}
