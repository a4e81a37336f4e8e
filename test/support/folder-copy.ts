import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** Writes what a folder had into another one. */
export type Restore = (folder: string) => void;

/** The content of a folder. */
export interface FolderContent {
  readonly folder: string;
  readonly files: readonly { readonly name: string; readonly mode: number; readonly content: Buffer | undefined }[];
}

/** Reads the content of a folder. Throws if a database names the folder. */
export function contentOf(folder: string): FolderContent {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).map((each) => {
    const path = join(each.parentPath, each.name);
    const content = each.isDirectory() ? undefined : readFileSync(path);
    if (content?.includes(folder) && content.includes('SQLite format 3\0'))
      throw new Error(`${path} names the folder that it is in`);
    return { name: relative(folder, path), mode: statSync(path).mode & 0o777, content };
  });
  return { folder, files };
}

/** Writes the content of a folder into another one. A text that names the folder names the other one there. */
export function writeContent({ folder, files }: FolderContent, to: string): void {
  for (const { name, mode, content } of files) {
    const path = join(to, name);
    mkdirSync(content ? dirname(path) : path, { recursive: true, mode: 0o700 });
    if (content) writeFileSync(path, content.includes(folder) ? String(content).replaceAll(folder, to) : content);
    chmodSync(path, mode);
  }
}

/**
 * Keeps the content of a folder in memory, for tests that begin with the same one: writing its files takes much less than running the
 * commands that made them.
 */
export function copyOf(folder: string): Restore {
  const content = contentOf(folder);
  return (to) => writeContent(content, to);
}
