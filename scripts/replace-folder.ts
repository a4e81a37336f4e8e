import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Replaces the content of a folder file by file: each file is written elsewhere and renamed, in the given order, and stale files
 * are removed last. A program that runs meanwhile finds every file, and finds it whole.
 */
export async function replaceFolder(folder: string, files: ReadonlyMap<string, string | Uint8Array>): Promise<void> {
  const beside = join(dirname(folder), `.${folder}-${process.pid}`);
  try {
    for (const [name, content] of files) {
      await mkdir(dirname(join(beside, name)), { recursive: true });
      await writeFile(join(beside, name), content);
    }
    for (const name of files.keys()) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await rename(join(beside, name), join(folder, name));
    }
  } finally {
    await rm(beside, { recursive: true, force: true });
  }
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const wanted = new Set([...files.keys()].map((name) => join(folder, name)));
  for (const path of found.filter((each) => !wanted.has(each))) await rm(path, { force: true });
}
