/**
 * `npm run release -- --check` does all of a release but publish it, and prints what publishing would run. `npm run release -- --publish`
 * also publishes. `npm run release -- --repository URL` writes where the project is, wherever the project says so.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Project, projectOf } from './package/project.ts';
import { PackageError, runTool } from './package/tools.ts';
import { buildAptRepository, readBack, throwawayGpgKey } from './release/apt.ts';
import { checkMetadata, type Metadata } from './release/metadata.ts';
import { keyAt, signSums, throwawayKey } from './release/signature.ts';
import { buildTwice } from './release/twice.ts';

const ROOT = join(import.meta.dirname, '..');
const PACKAGES = join(ROOT, 'packages');
/** What the web site of the repository serves. */
const SITE = join(PACKAGES, 'site');
const APT = join(SITE, 'apt');
const USAGE =
  'usage: npm run release -- --check | --publish --minisign-key FILE --gpg-key ID | --repository https://github.com/OWNER/NAME';

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

/** Builds, signs and reads back what is published. Returns what keeps it from being published. */
function prepare(parts: string, keys: Keys): Metadata {
  const { project, notes, missing } = step('metadata', () => checkMetadata(ROOT));
  const commit = step('everything is committed', () => {
    if (git('status', '--porcelain') !== '') throw new PackageError('there are changes that no commit has');
    return git('rev-parse', 'HEAD');
  });
  const tag = `v${project.version}`;
  if (git('tag', '--points-at', commit, '--list', tag) === '') missing.push(`the tag of this commit: git tag ${tag}`);
  const built = step('two builds in fresh clones have the same bytes', () => buildTwice(ROOT, commit, parts));
  rmSync(PACKAGES, { recursive: true, force: true });
  cpSync(built, PACKAGES, { recursive: true });
  step('every product has a list of what is in it', () => checkLists(PACKAGES));
  step('digests are signed, and verified', () => {
    if (keys.minisign === undefined) missing.push('a key of minisign: --minisign-key FILE');
    const key = keys.minisign === undefined ? throwawayKey(parts) : keyAt(keys.minisign, parts);
    signSums(PACKAGES, key, `fiatrail ${project.version}`);
    if (!readFileSync(join(ROOT, 'SECURITY.md'), 'utf8').includes(key.publicKey))
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
  const files = readdirSync(PACKAGES, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => join('packages', name));
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
  if (values.check === values.publish) throw new PackageError(USAGE);
  const { project, notes, missing } = prepare(parts, { minisign: values['minisign-key'], gpg: values['gpg-key'] });
  for (const each of missing) process.stdout.write(`to publish, it needs ${each}\n`);
  const notesPath = join(parts, 'notes.md');
  writeFileSync(notesPath, notes);
  const commands = publishing(project, notesPath);
  if (values.check) {
    for (const words of commands) process.stdout.write(`would run: ${words.join(' ')}\n`);
    return;
  }
  if (missing.length > 0) throw new PackageError('nothing was published');
  for (const [file, ...argv] of commands)
    step([file, ...argv].join(' '), () => runTool(file, argv, file, { cwd: ROOT, stdio: 'inherit' }));
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
