import { markOfSecrets } from '../account/profile-secrets.ts';
import { advice } from '../base/advice.ts';
import { CliError } from '../base/errors.ts';
import type { Account } from '../engine/account.ts';
import { rowsDigest, type StagedRow } from '../journal/files.ts';
import { checkRows } from './check.ts';
import { openSample } from './check-file.ts';
import { headerIn, type RowCommand } from './columns.ts';
import { csvRows } from './csv.ts';
import { factsFor } from './facts.ts';
import type { RowProblem } from './findings.ts';

/**
 * Opens a file whose rows are staged, and returns what yields them, some at a time; then it reports the errors of the others. Looks nothing up besides the banks: a
 * check did that, or did when the file was staged. What it yields reads the file alone, so that a transaction may wait for it. With the digest of the rows that
 * someone agreed to, throws CliError usage if they are others now.
 */
export async function openRows(
  account: Account,
  command: RowCommand,
  path: string,
  wrong: (problems: readonly RowProblem[]) => void,
  agreed?: string,
): Promise<AsyncGenerator<readonly StagedRow[]>> {
  const { parts, sample } = openSample(account, path, command);
  const header = headerIn(sample, command);
  const facts = { ...(await factsFor(account, command, (key) => header.at.has(key))), recent: new Map() };
  const check = checkRows(command, header, facts);
  // Digests are made before a transaction waits for them.
  async function* batches(): AsyncGenerator<readonly StagedRow[]> {
    const digest = rowsDigest();
    for await (const rows of csvRows(parts, header.delimiter)) {
      const staged = rows.flatMap((each) => {
        const row = check.row(each);
        return row ? [{ line: row.line, reference: row.reference, texts: row.texts }] : [];
      });
      if (agreed !== undefined) for (const row of staged) digest.add(row);
      yield staged;
    }
    if (agreed !== undefined && digest.value() !== agreed) throw changedSince(path);
    wrong(check.findings.problems.filter(({ kind }) => kind === 'error'));
  }
  return batches();
}

const changedSince = (path: string) =>
  new CliError('usage', `${path} changed since it was checked; nothing was sent`, {
    code: 'FILE_CHANGED',
    hint: 'run the command again, and agree to the rows as they are now',
  });

/** The rows of a file with secrets: staged with a digest in the place of each secret, and the secrets by reference. */
export interface SecretRows {
  readonly rows: readonly StagedRow[];
  readonly secrets: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

/** Takes the secrets out of rows. A digest under the profile's own key recognizes each when the file is given again. Throws CliError usage without a profile that can keep a key. */
export async function withoutSecrets(
  { world, profile }: Account,
  { columns }: RowCommand,
  given: readonly StagedRow[],
): Promise<SecretRows> {
  const keys = columns.filter(({ isSecret }) => isSecret).map(({ key }) => key);
  const secrets = new Map<string, Readonly<Record<string, string>>>();
  const rows: StagedRow[] = [];
  for (const { texts, ...row } of given) {
    const own = Object.fromEntries(Object.entries(texts).filter(([key]) => keys.includes(key)));
    secrets.set(row.reference, own);
    const digests: Record<string, string> = {};
    for (const [key, text] of Object.entries(own)) {
      // In groups, it is the same.
      const mark = await markOfSecrets(world, profile, [text.replaceAll(/\s/g, '')]);
      if (mark === undefined)
        throw new CliError(
          'usage',
          'a file with BVNs needs a profile, which stores the key of their digests; nothing was sent',
          {
            hint: advice`add one with: [fiatrail profiles add NAME]`,
          },
        );
      digests[key] = mark;
    }
    rows.push({ ...row, texts: { ...texts, ...digests } });
  }
  return { rows, secrets };
}
