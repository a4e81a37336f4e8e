/**
 * `npm run sbom:check PATH`: compares package-lock.json with advisories in OSV's JSON: a file with one or a list of them, or a folder of such
 * files. It reads no network. Exits with 1 if a package is affected, and with 2 if there is nothing to compare with.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Advisory, advisoriesIn, type Hit, hitsOf, lockedPackages } from './advisories.ts';

const [AFFECTED, UNUSABLE] = [1, 2];

function end(code: number, text: string): never {
  process.stderr.write(`${text}\n`);
  process.exit(code);
}

function filesAt(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' }).sort();
  return names.filter((name) => name.endsWith('.json')).map((name) => join(path, name));
}

function readAt<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    return end(UNUSABLE, `${path}: ${error instanceof Error ? error.message : error}`);
  }
}

const textOf = ({ name, version, id, summary, fixed }: Hit) =>
  `${name} ${version}: ${id}${summary && ` ${summary.replace(/\s+/g, ' ')}`}${fixed.length > 0 ? ` (fixed in ${fixed.join(', ')})` : ''}\n`;

const path =
  process.argv[2] ?? end(UNUSABLE, 'expected a file of OSV advisories, or a folder of them: npm run sbom:check PATH');
const lock = join(import.meta.dirname, '..', 'package-lock.json');
const locked = readAt(lock, () => lockedPackages(readFileSync(lock, 'utf8')));
let count = 0;
const hits: Hit[] = [];
for (const file of readAt(path, () => filesAt(path))) {
  const advisories = readAt<Advisory[]>(file, () => advisoriesIn(readFileSync(file, 'utf8')));
  count += advisories.length;
  hits.push(...advisories.flatMap((each) => hitsOf(each, locked)));
}
if (count === 0) end(UNUSABLE, `${path}: it contains no advisory`);
for (const hit of hits) process.stdout.write(textOf(hit));
const affected = new Set(hits.map(({ name, version }) => `${name} ${version}`)).size;
end(
  affected > 0 ? AFFECTED : 0,
  `${locked.length} packages compared with ${count} ${count === 1 ? 'advisory' : 'advisories'}; ${affected === 0 ? 'none is' : affected === 1 ? '1 is' : `${affected} are`} affected`,
);
