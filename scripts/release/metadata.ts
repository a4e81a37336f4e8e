/** What package.json, its lock, CHANGELOG.md and the pages must say before a release. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { followsFrom, NO_OWNER, type Project, projectOf } from '../package/project.ts';
import { PackageError } from '../package/tools.ts';

/** `## 1.0.0 (2026-11-27)`, the first section of CHANGELOG.md. */
const SECTION = /^## (\S+)(?: \((\d{4}-\d{2}-\d{2})\))?/m;

/** What pages say until the first release. */
const UNRELEASED = [
  ['README.md', 'not released yet'],
  ['docs/install.md', 'Nothing is published yet'],
] as const;

export interface Metadata {
  readonly project: Project;
  /** What CHANGELOG.md says about this version. */
  readonly notes: string;
  /** What keeps it from being published, each in words that follow "it needs". */
  readonly missing: string[];
}

/** Checks what a project says about itself. Throws PackageError if it contradicts itself. */
export function checkMetadata(root: string): Metadata {
  const read = (name: string) => readFileSync(join(root, name), 'utf8');
  const project = projectOf(read('package.json'));
  const { version, repository } = project;
  const demand = (is: boolean, sentence: string) => {
    if (!is) throw new PackageError(sentence);
  };
  demand(/^\d+\.\d+\.\d+$/.test(version), `package.json: ${version} is not a version such as 1.0.0`);
  const locked = JSON.parse(read('package-lock.json'));
  for (const at of [locked.version, locked.packages[''].version])
    demand(at === version, `package-lock.json has version ${at}, and package.json ${version}; run npm install`);
  const follows = followsFrom(repository);
  for (const name of ['homepage', 'bugs'] as const)
    demand(
      project[name] === follows[name],
      `package.json: ${name} is ${project[name]}; expected ${follows[name]}, from its repository: run npm run release -- --repository ${repository}`,
    );
  const changelog = read('CHANGELOG.md');
  const [heading = '', section, date] = SECTION.exec(changelog) ?? [];
  demand(
    section === version && date !== undefined,
    `CHANGELOG.md: its first section is ${section ?? 'missing'}; expected "## ${version} (YYYY-MM-DD)"`,
  );
  const missing: string[] = [];
  if (repository.includes(`/${NO_OWNER}/`))
    missing.push('an owner: npm run release -- --repository https://github.com/YOU/fiatrail');
  const [notes = ''] = changelog.slice(changelog.indexOf(heading) + heading.length).split(/^## /m);
  for (const [page, words] of UNRELEASED) if (read(page).includes(words)) missing.push(`${page} without "${words}"`);
  return { project, notes: `${notes.trim()}\n`, missing };
}
