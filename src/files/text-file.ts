import { readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileErrors } from './file-errors.ts';
import { makePrivateFolder } from './folders.ts';
import { entryAt } from './inspect.ts';
import { replaceFile } from './private-file.ts';

/** A text that other programs of this user read; nothing in it is secret. Undefined if there is none. Throws CliError usage. */
export function readText(path: string): string | undefined {
  return fileErrors('read', path, () => (entryAt(path)?.kind === 'file' ? readFileSync(path, 'utf8') : undefined));
}

/** Writes such a text as a whole or not at all, and creates the folders above it. Throws CliError usage. */
export function writeText(path: string, text: string, unique: string): void {
  fileErrors('written', path, () => {
    makePrivateFolder(dirname(path));
    replaceFile(path, text, unique);
  });
}

/** Removes such a text. Throws CliError usage. */
export function removeText(path: string): void {
  fileErrors('removed', path, () => rmSync(path));
}
