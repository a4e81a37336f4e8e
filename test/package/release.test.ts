import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { formulaText } from '../../scripts/package/formula.ts';
import { projectOf } from '../../scripts/package/project.ts';
import { PackageError } from '../../scripts/package/tools.ts';
import { checkMetadata } from '../../scripts/release/metadata.ts';
import { publicKeyIn } from '../../scripts/release/signature.ts';
import { ROOT, sharedEnd, temporaryFolder } from '../support/built.ts';

/** What a release checks before it builds; test/tools/packages.test.ts has what it builds. */

const atEnd = sharedEnd();
const NAMES = ['package.json', 'package-lock.json', 'CHANGELOG.md', 'README.md', 'docs/install.md'];

/** A project as this one, with one file changed. */
function projectWith(name: string, change: (text: string) => string): string {
  const folder = temporaryFolder(atEnd);
  for (const each of NAMES) {
    const text = readFileSync(join(ROOT, each), 'utf8');
    const written = each === name ? change(text) : text;
    if (each === name) expect(written).not.toBe(text);
    mkdirSync(dirname(join(folder, each)), { recursive: true });
    writeFileSync(join(folder, each), written);
  }
  return folder;
}

const { version, repository } = projectOf(readFileSync(join(ROOT, 'package.json'), 'utf8'));

test('a project that does not say where it is gets one sentence', () => {
  expect(() => projectOf('{}')).toThrow(PackageError);
});

test('the public key of the signatures is found in a text', () => {
  const key = 'RWRC+oGYiB7hUask6yjSLwALdNJ+Uw2H57N+aO4M3pje2cTriFcYxAOO';
  expect(publicKeyIn(`untrusted comment: minisign public key\n${key}\n`)).toBe(key);
  expect(publicKeyIn(`The key is \`${key}\`.`)).toBe(key);
  expect(publicKeyIn(`${key}A`)).toBeUndefined();
  expect(publicKeyIn('There is no key yet.')).toBeUndefined();
});

describe('what the project says about itself', () => {
  test('does not contradict itself, and has notes for this version', () => {
    const { project, notes } = checkMetadata(ROOT);
    expect(project.version).toBe(version);
    expect(notes).toMatch(/^\S/);
    expect(notes).not.toMatch(/^## /m);
  });

  test.each<[name: string, change: (text: string) => string, says: string]>([
    ['package.json', (text) => text.replace(`"${version}"`, '"1.0"'), '1.0 is not a version such as 1.0.0'],
    ['package-lock.json', (text) => text.replace(`"${version}"`, '"9.9.9"'), 'has version 9.9.9'],
    ['package.json', (text) => text.replace('#readme', ''), 'homepage is '],
    ['package.json', (text) => text.replace('/issues', '/pulls'), 'bugs is '],
    ['package.json', (text) => text.replace('git+https', 'https'), 'repository.url must look like '],
    ['CHANGELOG.md', (text) => text.replace(/^## .*$/m, '## 0.9.0 (2026-01-01)'), 'its first section is 0.9.0'],
    ['CHANGELOG.md', (text) => text.replace(/ \(\d{4}-\d\d-\d\d\)/, ''), `expected "## ${version} (YYYY-MM-DD)"`],
  ])('%s is compared: case %#', (name, change, says) => {
    expect(() => checkMetadata(projectWith(name, change))).toThrow(says);
  });

  test('the owner of the repository has to be named before a release', () => {
    const owned = projectWith('package.json', (text) => text.replaceAll(repository, 'https://github.com/ada/rail'));
    const { project, missing } = checkMetadata(owned);
    expect(project).toMatchObject({ repository: 'https://github.com/ada/rail', site: 'https://ada.github.io/rail' });
    expect(missing.join('\n')).not.toContain('--repository');
    const nobodys = projectWith('package.json', (text) =>
      text.replaceAll(repository, 'https://github.com/OWNER/another'),
    );
    expect(checkMetadata(nobodys).missing).toContainEqual(expect.stringContaining('--repository'));
  });

  test.each([
    ['README.md', 'Version 1.0.0, not released yet'],
    ['docs/install.md', '**Nothing is published yet.** Build it.'],
  ])('%s has to say that it is released', (page, line) => {
    const says = (text: string) => checkMetadata(projectWith(page, () => `# fiatrail\n\n${text}\n`)).missing;
    expect(says(line)).toContainEqual(expect.stringContaining(page));
    expect(says('Version 1.0.0').join('\n')).not.toContain(page);
  });

  test('the docs name the same repository and site as package.json', () => {
    const { site } = projectOf(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const install = readFileSync(join(ROOT, 'docs', 'install.md'), 'utf8');
    const named = install.match(/https:\/\/(?:github\.com|[\w-]+\.github\.io)\/[^\s)`]+/g) ?? [];
    expect(named.length).toBeGreaterThan(2);
    expect(named.filter((url) => !url.startsWith(repository) && !url.startsWith(site))).toEqual([]);
  });
});

test('the page about releases names scripts that there are', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
  const page = readFileSync(join(ROOT, 'docs/contributing/release.md'), 'utf8');
  const named = [...page.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name);
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});

test('the formula has the address and the digest of the tarball, and a description that Homebrew accepts', () => {
  const project = projectOf(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const text = formulaText({ ...project, tarball: 'fiatrail-1.2.3.tgz', version: '1.2.3', sha256: 'ab'.repeat(32) });
  expect(text).toContain(`url "${repository}/releases/download/v1.2.3/fiatrail-1.2.3.tgz"`);
  expect(text).toContain(`sha256 "${'ab'.repeat(32)}"`);
  const [, description = ''] = /desc "(.*)"/.exec(text) ?? [];
  expect(description).toMatch(/^[A-Z](?!.*\.$).{20,79}$/);
});

test('the workflow runs only scripts that the project has, and no job has a permission that it does not name', () => {
  const workflow = parse(readFileSync(join(ROOT, '.github', 'workflows', 'release.yml'), 'utf8')) as {
    permissions: object;
    jobs: Record<string, { permissions?: object; container?: string; steps: { run?: string; uses?: string }[] }>;
  };
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
  expect(workflow.permissions).toEqual({});
  const jobs = Object.values(workflow.jobs);
  expect(jobs.filter(({ permissions }) => permissions === undefined)).toEqual([]);
  const runs = jobs.flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
  const named = runs.flatMap((run) => [...run.matchAll(/npm run (\S+)|(\.ci\/\S+)/g)]);
  expect(named.map(([, script, path]) => path ?? script).sort()).toEqual(['.ci/run', 'release', 'release']);
  for (const [, script, path] of named)
    expect(path === undefined ? script !== undefined && script in scripts : existsSync(join(ROOT, path))).toBe(true);
  // It is built in a Debian, and where it was built is attested before anyone can get it.
  const { container, steps = [] } = workflow.jobs['publish'] ?? {};
  expect(container).toMatch(/^node:\d+-bookworm$/);
  const order = ['release -- --check', 'attest-build-provenance', 'release -- --publish'];
  const places = order.map((words) => steps.findIndex(({ run = '', uses = '' }) => `${run}${uses}`.includes(words)));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((one, other) => one - other));
});
