import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns a digest of src/, as lowercase hex. The build keeps it, and tests compare it: a copied tree has new file times and the same content. */
export function sourcesDigest(root: string): string {
  const digest = createHash('sha256');
  const names = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
  for (const name of names.filter((each) => /\.(ts|tsx|css)$/.test(each)).sort())
    digest
      .update(`${name.replaceAll('\\', '/')}\0`)
      .update(readFileSync(join(root, 'src', name)))
      .update('\0');
  return digest.digest('hex');
}
