import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { programOf } from '../programs.ts';

/** An accounting program that reads the books, and how it is asked to check a file. */
export interface AccountingProgram {
  readonly name: 'hledger' | 'Beancount';
  readonly format: 'hledger' | 'beancount';
  check(file: string): { readonly status: number | null; readonly stdout: string; readonly stderr: string };
}

const run = (program: string, debianPackage: string, argv: readonly string[]) =>
  spawnSync(programOf(program, debianPackage), argv, { encoding: 'utf8' });

export const PROGRAMS: readonly AccountingProgram[] = [
  {
    name: 'hledger',
    format: 'hledger',
    check: (file) => run('hledger', 'hledger', ['check', '--strict', '-f', file]),
  },
  // Without its cache: each text is checked once.
  { name: 'Beancount', format: 'beancount', check: (file) => run('bean-check', 'beancount', ['--no-cache', file]) },
];

/** Writes a text of books to a file of its own. */
export function fileOf(text: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'books-')), 'books');
  writeFileSync(file, text);
  return file;
}
