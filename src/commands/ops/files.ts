import * as z from 'zod/mini';
import { absolutePath } from '../../account/paths.ts';
import { allProfileNames, type Profile, resolveProfile } from '../../account/profile.ts';
import { CliError } from '../../base/errors.ts';
import { fingerprint } from '../../crypto/digest.ts';
import type { Account } from '../../engine/account.ts';
import { openAccount } from '../../engine/connection/connect.ts';
import { endDryRun } from '../../engine/requests.ts';
import { BytesFileError, type BytesProblem, linesOf } from '../../files/plain-file.ts';
import type { AccountNames } from '../../journal/accounts.ts';
import type { Journal } from '../../journal/interface.ts';
import type { Operation } from '../../journal/operations.ts';
import { amountText } from '../../money/amount.ts';
import { requireUnmasked } from '../../present/result.ts';
import { command } from '../../terminal/command.ts';
import { argument, id, newFile, option, switchOn, word } from '../../terminal/parse/parameters.ts';
import { shownOf } from './printed.ts';

const unusable = (path: string, why: string, hint: string, cause?: unknown) =>
  new CliError('usage', `${path}: ${why}`, { code: 'UNUSABLE_FILE', hint, ...(cause === undefined ? {} : { cause }) });

export const exportCommand = command({
  words: ['ops', 'journal', 'export'],
  summary: 'Export the journal as NDJSON or CSV',
  details:
    'NDJSON has every operation and transition with its hash; ops journal import reads it. CSV has the current status of each operation. Secrets are never exported, but names and account numbers are. --with-digest-key adds the key that recognizes repeated commands, so that idempotency keys still work after an import. Anyone who has that key can test guesses of what was typed.',
  examples: [
    'fiatrail ops journal export > journal.ndjson',
    'fiatrail ops journal export -o csv > journal.csv',
    'fiatrail ops journal export --with-digest-key > journal.ndjson',
  ],
  endpoints: [],
  isLocal: true,
  parameters: { withDigestKey: switchOn('--with-digest-key', 'include the key of the input digests (NDJSON only)') },
  run: async (account, terminal, { withDigestKey }) => {
    const { isFormatChosen, present } = terminal.globals;
    const format = isFormatChosen ? present.format : 'ndjson';
    if (format !== 'ndjson' && format !== 'csv')
      throw new CliError('usage', `the journal cannot be exported as ${format}`, { hint: 'use -o ndjson or -o csv' });
    if (format === 'csv' && withDigestKey)
      throw new CliError('usage', '--with-digest-key applies only to NDJSON', { hint: 'omit -o csv' });
    // Rows for people are masked; lines of which each has the hash of the one before it would be worth nothing.
    if (format !== 'csv') requireUnmasked(present, 'ops journal export prints');
    account.world.steadyMemory();
    const journal = await account.journal();
    const pages = format === 'csv' ? csvPages(journal) : journal.exported(withDigestKey);
    const more = counted(account, pages, format === 'csv' ? 'operations' : 'lines');
    return { result: { data: [], more, ...(format === 'csv' ? {} : { always: format }) } };
  },
});

/** Says on a terminal how much was written, and stops when the command is interrupted. */
async function* counted<T>(account: Account, pages: AsyncIterable<readonly T[]>, what: string) {
  const step = stepThrough(account, what, 'interrupted; the export is incomplete');
  let count = 0;
  for await (const page of pages) {
    yield page;
    count += page.length;
    await step(count);
  }
  await account.notices.progress.end();
}

/** Returns what work on the journal calls after each part, so that a signal is noticed: the work itself never waits. */
export function stepThrough({ world, notices: { progress } }: Account, what: string, ended: string) {
  return async (count: number): Promise<void> => {
    await progress.rows(count, undefined, what);
    await world.turn();
    if (!world.interrupted.aborted) return;
    await progress.end();
    throw new CliError('interrupted', ended);
  };
}

const CSV_PAGE = 1_000;

/** An operation as a row of CSV: only texts, with the request and the result as JSON. */
function csvRow(operation: Operation) {
  const { moves, baseline, authority, contradiction, ...row } = shownOf(operation);
  return {
    ...row,
    baseline: baseline && JSON.stringify(baseline),
    authority: authority && JSON.stringify(authority),
    contradiction: contradiction && JSON.stringify(contradiction),
    amount: moves ? amountText(moves) : null,
    amount_asset: moves?.asset ?? null,
  };
}

async function* csvPages(journal: Journal) {
  for (let page = await journal.list({ limit: CSV_PAGE }); page.length > 0; ) {
    yield page.map(csvRow);
    const after = page.at(-1);
    page = page.length < CSV_PAGE || !after ? [] : await journal.list({ limit: CSV_PAGE, after });
  }
}

const WHEN_READING: Readonly<Partial<Record<BytesProblem, string>>> = {
  missing: 'the file does not exist',
  'not plain': 'it is not a regular file',
  'too long': 'a line is too long for an export',
};

/** A longer export is imported from a file. */
const MAX_INPUT_BYTES = 256 * 1024 * 1024;
const MAX_LINE_LENGTH = 16 * 1024 * 1024;

export const importCommand = command({
  words: ['ops', 'journal', 'import'],
  summary: 'Fill an empty journal from an export',
  details:
    'Checks every line, the hash chain and each status, and imports everything or nothing. The journal must be empty, and a profile on this machine must have a key of the exported account. Without the digest key (ops journal export --with-digest-key), every idempotency key used before is rejected, and a repeated payment without one is not recognized.',
  examples: [
    'fiatrail ops journal import journal.ndjson',
    'fiatrail ops journal import journal.ndjson --checkpoint "$CHECKPOINT"',
    'fiatrail ops journal export --with-digest-key | FIATRAIL_JOURNAL_URL=postgres://ops@db/fiatrail fiatrail ops journal import -',
  ],
  endpoints: [],
  prints: () => z.object({ path: z.string(), operations: z.int(), transitions: z.int() }),
  isLocal: true,
  parameters: {
    file: argument('file', 'file written by ops journal export, or - for standard input', word, 'File:'),
    checkpoint: option('--checkpoint <checkpoint>', 'hash from ops journal head, which the export must contain', id),
  },
  run: async (account, _terminal, input) => {
    account.world.steadyMemory();
    const path = input.file === '-' ? 'standard input' : absolutePath(input.file);
    const hint = 'import needs an empty journal and a file written by ops journal export';
    const accounts = await accountsHere(account);
    const journal = await account.journal();
    const { ImportError } = await import('../../journal/import.ts');
    try {
      const lines =
        input.file === '-'
          ? (await account.world.stdin.readAll(MAX_INPUT_BYTES)).trimEnd().split('\n')
          : linesOf(path, MAX_LINE_LENGTH);
      const imported = await journal.importFrom(lines, accounts, input.checkpoint);
      return { result: { data: { path, ...imported } } };
    } catch (error) {
      if (error instanceof BytesFileError)
        throw unusable(path, WHEN_READING[error.problem] ?? 'the file cannot be read', hint, error);
      if (!(error instanceof ImportError)) throw error;
      const where = error.line === undefined ? '' : `line ${error.line}: `;
      throw unusable(path, `${where}${error.message}; nothing was imported`, hint, error);
    }
  },
});

/** Returns the accounts of every profile whose key can be loaded. */
async function accountsHere(account: Account): Promise<AccountNames[]> {
  const names = allProfileNames(account.world).filter((name) => name !== account.profile.name);
  const found = [await accountOf(account, () => account.profile)];
  for (const name of names) found.push(await accountOf(account, () => resolveProfile(name, account.world)));
  return found.flatMap((each) => each ?? []);
}

async function accountOf({ world }: Account, profileOf: () => Profile): Promise<AccountNames | undefined> {
  try {
    const profile = profileOf();
    const { apiKey, close } = await openAccount(world, profile);
    await close();
    return { keyFingerprint: fingerprint(apiKey), profile: profile.name, baseUrl: profile.baseUrl };
  } catch (error) {
    // A profile without a usable key is no evidence. Anything else is a fault.
    if (error instanceof CliError && error.category !== 'interrupted') return undefined;
    throw error;
  }
}

export const backupCommand = command({
  words: ['ops', 'journal', 'backup'],
  summary: 'Copy the journal to a file while it is in use',
  details:
    'The copy is a complete journal that only you can read. To restore it, replace journal.db with it while no command is running, then run: fiatrail ops journal verify --accept',
  examples: [
    'fiatrail ops journal backup journal-backup.db',
    'fiatrail ops journal backup journal-backup.db -o json --query bytes',
  ],
  endpoints: [],
  prints: () => z.object({ path: z.string(), bytes: z.int(), checkpoint: z.nullable(z.string()) }),
  isLocal: true,
  parameters: { file: argument('file', 'file to create; it must not exist', newFile, 'File:') },
  run: async (account, _terminal, input) => {
    const path = absolutePath(input.file);
    endDryRun(account, { path });
    const journal = await account.journal();
    return {
      result: { data: { path, bytes: await journal.backUp(path), checkpoint: (await journal.head())?.hash ?? null } },
    };
  },
});
