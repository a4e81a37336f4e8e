/**
 * `npm run release -- --check` does all of a release but publish it, and prints what publishing would run. With the keys, it leaves in packages/
 * what `npm run release -- --publish` publishes. `npm run release -- --repository URL` writes where the project is, wherever the project says so.
 */
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Project, projectOf } from './package/project.ts';
import { PackageError, runTool } from './package/tools.ts';
import { buildAptRepository, readBack, throwawayGpgKey } from './release/apt.ts';
import { checkMetadata, type Metadata } from './release/metadata.ts';
import { keyAt, publicKeyIn, signSums, throwawayKey, verifySums } from './release/signature.ts';
import { buildTwice } from './release/twice.ts';

const ROOT = join(import.meta.dirname, '..');
const PACKAGES = join(ROOT, 'packages');
/** What the web site of the repository serves. */
const SITE = join(PACKAGES, 'site');
const APT = join(SITE, 'apt');
const USAGE =
  'usage: npm run release -- --check [--minisign-key FILE --gpg-key ID] | --publish | --repository https://github.com/OWNER/NAME';

const git = (...argv: string[]) => runTool('git', argv, 'git', { cwd: ROOT }).trim();

/** Runs a part of the release and prints how long it took. */
function step<T>(name: string, run: () => T): T {
  const start = performance.now();
  const result = run();
  process.stdout.write(`ok  ${name} (${((performance.now() - start) / 1000).toFixed(1)} s)\n`);
  return result;
}

interface Keys {
  readonly minisign: string | undefined;
  readonly gpg: string | undefined;
}

/** The commit that is released, and what keeps it from being published. */
function released(): Metadata & { readonly commit: string } {
  const { project, notes, missing } = step('metadata', () => checkMetadata(ROOT));
  const commit = step('everything is committed', () => {
    if (git('status', '--porcelain') !== '') throw new PackageError('there are changes that no commit has');
    return git('rev-parse', 'HEAD');
  });
  const tag = `v${project.version}`;
  if (git('tag', '--points-at', commit, '--list', tag) === '') missing.push(`the tag of this commit: git tag ${tag}`);
  return { project, notes, missing, commit };
}

/** What is signed with the digests: which commit was built. */
const commentOf = ({ version }: Project, commit: string) => `fiatrail ${version} ${commit}`;

const security = () => readFileSync(join(ROOT, 'SECURITY.md'), 'utf8');

/** Builds, signs and reads back what is published. Returns what keeps it from being published. */
function prepare(parts: string, keys: Keys): Metadata {
  const { project, notes, missing, commit } = released();
  const built = step('two builds in fresh clones have the same bytes', () => buildTwice(ROOT, commit, parts));
  rmSync(PACKAGES, { recursive: true, force: true });
  cpSync(built, PACKAGES, { recursive: true });
  step('every product has a list of what is in it', () => checkLists(PACKAGES));
  step('digests are signed, and verified', () => {
    if (keys.minisign === undefined) missing.push('a key of minisign: --minisign-key FILE');
    const key = keys.minisign === undefined ? throwawayKey(parts) : keyAt(keys.minisign, parts);
    signSums(PACKAGES, key, commentOf(project, commit));
    if (publicKeyIn(security()) !== key.publicKey)
      missing.push(`the public key of these signatures in SECURITY.md${keys.minisign ? `: ${key.publicKey}` : ''}`);
  });
  step('apt reads its repository', () => {
    if (keys.gpg === undefined) missing.push('a key of GnuPG: --gpg-key ID');
    const key = keys.gpg === undefined ? throwawayGpgKey(parts) : { id: keys.gpg, home: undefined };
    const name = `fiatrail_${project.version}_amd64.deb`;
    const deb = join(PACKAGES, name);
    buildAptRepository(deb, name, APT, key);
    readBack(APT, deb, parts);
  });
  // What throwaway keys signed must not leave this machine by mistake.
  if (keys.minisign === undefined) rmSync(join(PACKAGES, 'SHA256SUMS.minisig'));
  if (keys.gpg === undefined) rmSync(SITE, { recursive: true });
  return { project, notes, missing };
}

/** Publishes what a check with the keys left. Throws PackageError if it was not built from this commit, or something is missing. */
function publish(parts: string): void {
  const { project, notes, missing, commit } = released();
  step('the packages are signed, and were built from this commit', () => {
    const key = publicKeyIn(security());
    if (key === undefined) throw new PackageError('SECURITY.md has no public key of minisign');
    if (!existsSync(join(PACKAGES, 'SHA256SUMS.minisig')))
      throw new PackageError('there are no signed packages; run npm run release -- --check with the keys');
    if (verifySums(PACKAGES, key) !== commentOf(project, commit))
      throw new PackageError(
        'the packages were built from another commit; run npm run release -- --check with the keys',
      );
    if (!existsSync(APT)) missing.push('the apt repository: --check with --gpg-key ID');
  });
  for (const each of missing) process.stdout.write(`to publish, it needs ${each}\n`);
  if (missing.length > 0) throw new PackageError('nothing was published');
  for (const [file, ...argv] of publishing(project, notesFile(parts, notes)))
    step([file, ...argv].join(' '), () => runTool(file, argv, file, { cwd: ROOT, stdio: 'inherit' }));
}

function notesFile(parts: string, notes: string): string {
  const path = join(parts, 'notes.md');
  writeFileSync(path, notes);
  return path;
}

/** Each product has an SBOM beside it, in which each package has a licence or is Debian's. */
function checkLists(folder: string): void {
  const names = readdirSync(folder);
  const products = names.filter((name) => /\.(tgz|deb|oci\.tar)$/.test(name) || name === 'fiatrail');
  for (const name of products) {
    if (!names.includes(`${name}.cdx.json`)) throw new PackageError(`${name} has no ${name}.cdx.json`);
    const { components } = JSON.parse(readFileSync(join(folder, `${name}.cdx.json`), 'utf8'));
    for (const { purl, licenses } of components as { purl: string; licenses?: unknown[] }[])
      if (!licenses?.length && !purl.startsWith('pkg:deb/')) throw new PackageError(`${name}: ${purl} has no licence`);
  }
}

/** What publishes, in this order: what cannot be taken back comes last. The tag has been pushed, and the apt repository is served from its folder. */
function publishing({ version }: Project, notes: string): readonly (readonly [file: string, ...argv: string[]])[] {
  const sums = readFileSync(join(PACKAGES, 'SHA256SUMS'), 'utf8').trimEnd().split('\n');
  const names = [...sums.map((line) => line.slice(66)), 'SHA256SUMS', 'SHA256SUMS.minisig'];
  const files = names.map((name) => join('packages', name));
  const npm = ['publish', join('packages', `fiatrail-${version}.tgz`), '--access', 'public', '--provenance'];
  const release = ['release', 'create', `v${version}`, '--verify-tag', '--title', version];
  return [
    ['gh', ...release, '--notes-file', notes, ...files],
    ['npm', ...npm],
  ];
}

/** Writes the address of the repository wherever a file of the project has it. */
function moveTo(repository: string): void {
  const before = projectOf(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const after = projectOf(JSON.stringify({ repository: { url: `git+${repository}.git` } }));
  for (const name of git('ls-files', '-z').split('\0')) {
    const text = name === '' ? '' : readFileSync(join(ROOT, name), 'utf8');
    const moved = text.replaceAll(before.repository, after.repository).replaceAll(before.site, after.site);
    if (moved !== text) {
      writeFileSync(join(ROOT, name), moved);
      process.stdout.write(`${name}\n`);
    }
  }
}

function release(parts: string): void {
  const { values } = parseArgs({
    options: {
      check: { type: 'boolean' },
      publish: { type: 'boolean' },
      repository: { type: 'string' },
      'minisign-key': { type: 'string' },
      'gpg-key': { type: 'string' },
    },
  });
  if (values.repository !== undefined) {
    moveTo(values.repository);
    return;
  }
  const keys = { minisign: values['minisign-key'], gpg: values['gpg-key'] };
  const isAlone = keys.minisign === undefined && keys.gpg === undefined;
  if (values.check === values.publish || (values.publish && !isAlone)) throw new PackageError(USAGE);
  if (values.publish) {
    publish(parts);
    return;
  }
  const { project, notes, missing } = prepare(parts, keys);
  for (const each of missing) process.stdout.write(`to publish, it needs ${each}\n`);
  for (const words of publishing(project, notesFile(parts, notes)))
    process.stdout.write(`would run: ${words.join(' ')}\n`);
}

const parts = mkdtempSync(join(tmpdir(), 'fiatrail-release-'));
try {
  release(parts);
} catch (error) {
  if (!(error instanceof Error)) throw error;
  process.stderr.write(`error: ${error.message}\n`);
  process.exitCode = 1;
} finally {
  rmSync(parts, { recursive: true, force: true });
}
