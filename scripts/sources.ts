import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The pages that the build contains: the program prints the document, and finds words in the others. */
const pagesOf = (root: string): string[] => [
  'docs/openapi.json',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];

/** Returns a digest of all that the program is made of, as lowercase hex. The build keeps it, and tests compare it: a copied tree has new file times and the same content. */
export function sourcesDigest(root: string): string {
  const sources = filesOf(root, 'src').filter((name) => /\.(ts|tsx|css)$/.test(name));
  return digestOf(root, [...sources, ...pagesOf(root)]);
}

function filesOf(root: string, folder: string): string[] {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return names.map((name) => join(folder, name)).filter((name) => statSync(join(root, name)).isFile());
}

function digestOf(root: string, names: readonly string[]): string {
  const digest = createHash('sha256');
  for (const name of names.toSorted())
    digest
      .update(`${name.replaceAll('\\', '/')}\0`)
      .update(readFileSync(join(root, name)))
      .update('\0');
  return digest.digest('hex');
}

/** What the last build began with and what it wrote. */
const NOTE = join('node_modules', '.cache', 'fiatrail', 'build.txt');

function stateOf(root: string): string {
  const inputs = [
    ...['bin', 'src', 'scripts'].flatMap((folder) => filesOf(root, folder)),
    'package.json',
    'package-lock.json',
    ...pagesOf(root),
  ];
  return digestOf(root, [...inputs, ...filesOf(root, 'dist')]);
}

/** Whether dist/ is what a build of these files would write: four steps of a release build it, each for itself. */
export function isBuilt(root: string): boolean {
  try {
    return readFileSync(join(root, NOTE), 'utf8') === stateOf(root);
  } catch {
    return false;
  }
}

/** Notes that dist/ was built from the files as they are. */
export function noteBuilt(root: string): void {
  mkdirSync(dirname(join(root, NOTE)), { recursive: true });
  writeFileSync(join(root, NOTE), stateOf(root));
}
