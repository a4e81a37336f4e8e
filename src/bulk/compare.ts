import { advice } from '../base/advice.ts';
import { CliError } from '../base/errors.ts';
import type { StagedFile, StagedRow } from '../journal/files.ts';
import { printable } from '../money/amount.ts';

/** Throws CliError usage unless a file has the rows that were staged under its key, in whatever order. Names the line of the first that differs. */
export function requireSameRows(
  file: StagedFile,
  command: string,
  staged: readonly StagedRow[],
  given: readonly StagedRow[],
): void {
  const refusal = (message: string) =>
    new CliError('usage', `${message}; nothing was sent`, {
      code: 'FILE_KEY_TAKEN',
      hint: advice`put the staged rows back, or go on without the file: [fiatrail bulk resume ${file.key}]; new rows go into a file of their own`,
    });
  if (file.command !== command) throw refusal(`the key ${file.key} is that of a file for "${file.command}"`);
  const known = new Map(staged.map((row) => [row.reference, row]));
  for (const { line, reference, texts } of given) {
    const before = known.get(reference);
    if (!before)
      throw refusal(
        `line ${line}: the file that was staged under the key ${file.key} has no row ${printable(reference)}`,
      );
    if (JSON.stringify(sorted(texts)) !== JSON.stringify(sorted(before.texts)))
      throw refusal(
        `line ${line}: the row ${printable(reference)} is another one than was staged under the key ${file.key}`,
      );
    known.delete(reference);
  }
  const [lacking] = known.values();
  if (lacking)
    throw refusal(
      `the row ${printable(lacking.reference)} is missing, which line ${lacking.line} of the staged file has`,
    );
}

const sorted = (texts: StagedRow['texts']) => Object.entries(texts).sort(([a], [b]) => (a < b ? -1 : 1));
