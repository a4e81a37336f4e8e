import type { Account } from '../engine/account.ts';
import type { StagedRow } from '../journal/files.ts';
import { checkRows } from './check.ts';
import { openSample } from './check-file.ts';
import { headerIn, type RowCommand } from './columns.ts';
import { csvRows } from './csv.ts';
import { factsFor } from './facts.ts';
import type { RowProblem } from './findings.ts';

/**
 * Opens a file whose rows are staged, and returns what yields them, some at a time; then it reports the errors of the others. Looks nothing up besides the banks: a
 * check did that, or did when the file was staged. What it yields reads the file alone, so that a transaction may wait for it.
 */
export async function openRows(
  account: Account,
  command: RowCommand,
  path: string,
  wrong: (problems: readonly RowProblem[]) => void,
): Promise<AsyncGenerator<readonly StagedRow[]>> {
  const facts = { ...(await factsFor(account, command)), recent: new Map() };
  const { parts, sample } = openSample(account, path, command);
  const header = headerIn(sample, command);
  const check = checkRows(command, header, facts);
  async function* batches() {
    for await (const rows of csvRows(parts, header.delimiter))
      yield rows.flatMap((each) => {
        const row = check.row(each);
        return row ? [{ line: row.line, reference: row.reference, texts: row.texts }] : [];
      });
    wrong(check.findings.problems.filter(({ kind }) => kind === 'error'));
  }
  return batches();
}
