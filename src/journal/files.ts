import { CliError } from '../base/errors.ts';
import type { Host, Ids } from '../base/world.ts';
import { runningSha256 } from '../crypto/digest.ts';
import { insertion, type RowOf, replacing } from '../store/table.ts';
import { type AccountNames, accountIds, accountIn } from './accounts.ts';
import {
  type Append,
  appendFacts,
  changed,
  factAbout,
  factsWhere,
  IS_LAST,
  jsonOf,
  type Recording,
  storableIn,
  subjects,
} from './entries.ts';
import type { PlanClaim } from './intent.ts';
import { recordFileApplied, recordWritten } from './plan-entries.ts';
import type { Queries, Store } from './store.ts';
import { FILE_LEASE, FILE_ROW } from './tables.ts';

/** A row of a file: the texts of its command's parameters, by their names. */
export interface StagedRow {
  readonly line: number;
  readonly reference: string;
  readonly texts: Readonly<Record<string, string>>;
}

/** A row with its number in the file, from 1. */
export interface NumberedRow extends StagedRow {
  readonly number: number;
}

/** Whether the rows of a file may be sent. `planned`: once its plan is applied. `cancelled` is for good. */
type FileState = 'planned' | 'open' | 'paused' | 'cancelled';

/** The plan of all rows of a file. */
interface PlanOfFile {
  readonly id: string;
  /** The rows that approvers struck out, by their references, and what they would have moved; null until it is applied. */
  readonly struck: StruckRows | null;
}

interface StruckRows extends Pick<StagedFile, 'sums'> {
  readonly references: readonly string[];
}

/** A file of many rows, as the entry about it says. */
export interface StagedFile {
  readonly id: string;
  /** Each row is an operation under `KEY/REFERENCE`. */
  readonly key: string;
  /** The journal's id of the account. */
  readonly account: string;
  /** The command of each row: `offramp create`. */
  readonly command: string;
  /** The digest of all rows, in their order. */
  readonly digest: string;
  readonly rows: number;
  /** What the rows move, in the smallest unit, by asset. */
  readonly sums: Readonly<Record<string, string>>;
  readonly state: FileState;
  /** The plan that its rows are sent by; left out if they need none. */
  readonly plan?: PlanOfFile;
  /** When it was staged, and by whom. */
  readonly stagedAt: string;
  readonly stagedBy: string;
}

/** What the caller knows of a file. */
type NewFile = Pick<StagedFile, 'key' | 'command' | 'rows' | 'sums'> & {
  readonly account: AccountNames;
  /** A plan that is recorded with it, and without which no row is sent. */
  readonly plan?: { readonly id: string; readonly entry: string };
};

/** What applying the plan of a file records. */
interface AppliedFile extends Pick<PlanClaim, 'isOpen'> {
  readonly struck: StruckRows;
  /** The entry about the plan. */
  readonly entry: string;
}

/** Who sends the rows of a file. */
export interface FileLease {
  readonly holder: string;
  readonly host: string;
  readonly process: number;
  readonly untilMs: number;
}

export interface FileRecords {
  /**
   * Stages a file: all of its rows and the entry about it, or nothing. Returns the file that has the key, if there is one, and stages nothing. `batches` are read
   * within the transaction; if they throw, nothing is staged.
   */
  stage(
    file: NewFile,
    batches: AsyncIterable<readonly StagedRow[]>,
  ): Promise<{ readonly file: StagedFile; readonly isNew: boolean }>;
  find(account: AccountNames, key: string): Promise<StagedFile | undefined>;
  /** Returns a file as it is now. */
  current(file: StagedFile): Promise<StagedFile>;
  /** Returns the files of an account, newest first. */
  list(account: AccountNames): Promise<readonly StagedFile[]>;
  /** Moves a file to another state. Returns it as it is now. A cancelled file stays so, and a planned one can only be cancelled. */
  setState(file: StagedFile, state: Exclude<FileState, 'planned'>): Promise<StagedFile>;
  /**
   * Opens a planned file, if its plan may be applied by what was recorded about it, and records that it was. Returns the file as it is now.
   */
  applyPlan(file: StagedFile, applied: AppliedFile): Promise<StagedFile>;
  /** Returns all rows of a file. Throws CliError usage if they are not those of the entry; undefined if this journal has none. */
  rows(file: StagedFile): Promise<readonly NumberedRow[] | undefined>;
  /** Returns the keys of the files that have used some references, by reference. */
  usedReferences(account: AccountNames, references: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Takes or renews the lease of a file for so long. Returns the lease of another process, if one has it. */
  lease(file: StagedFile, holder: string, forMs: number): Promise<FileLease | undefined>;
  /** Gives the lease back. */
  release(file: StagedFile, holder: string): Promise<void>;
  leaseOf(file: StagedFile): Promise<FileLease | undefined>;
}

/** A digest of rows, which are added in their order. */
export function rowsDigest() {
  const digest = runningSha256();
  const sorted = sorter();
  return {
    // A line of JSON has no line end.
    add: ({ line, reference, texts }: StagedRow) => digest.add(`${JSON.stringify([line, reference, sorted(texts)])}\n`),
    value: digest.value,
  };
}

/** Returns what lists the texts of a row by name. The rows of a file have the same names, which are sorted once. */
function sorter(): (texts: StagedRow['texts']) => readonly (readonly [string, string | undefined])[] {
  let given: readonly string[] = [];
  let names: readonly string[] = [];
  return (texts) => {
    const own = Object.keys(texts);
    if (own.length !== given.length || own.some((name, at) => name !== given[at])) {
      given = own;
      names = own.toSorted();
    }
    return names.map((name) => [name, texts[name]] as const);
  };
}

/** Rows that one statement inserts or asks for. */
const BATCH = 500;

type FileValue = Omit<StagedFile, 'account' | 'key'>;

/** Returns the records of files in a store. */
export function filesIn(
  store: Store,
  { ids, host }: { readonly ids: Ids; readonly host: Host },
  append: Append,
): FileRecords {
  const { read } = store;
  const findIn = async (queries: Queries, accounts: readonly string[], key: string) => {
    for (const account of accounts) {
      const value = await factAbout(queries, subjects.file(account, key));
      if (value) return { ...(jsonOf(value, `the file ${key}`) as FileValue), account, key };
    }
    return undefined;
  };
  const leasePart = leasesIn(store, host);
  return {
    stage: ({ account: names, key, plan, ...given }, batches) =>
      append(async (recording) => {
        const { queries } = recording;
        const { account, ids: accounts } = await accountIn(recording, names, ids.uuid);
        const known = await findIn(queries, accounts, key);
        if (known && (await hasRows(queries, known))) return { file: known, isNew: false };
        const id = known?.id ?? ids.uuid();
        const { digest, count } = await insertRows(queries, id, account, batches);
        if (known) {
          // The journal was imported, without the rows.
          if (digest !== known.digest) throw changed(`the rows of the file ${key}`);
          return { file: known, isNew: false };
        }
        if (count !== given.rows) throw new Error(`${count} rows were staged, and ${given.rows} were checked`);
        if (plan) await recordWritten(recording, plan);
        const value: FileValue = {
          id,
          ...given,
          digest,
          ...(plan ? { state: 'planned', plan: { id: plan.id, struck: null } } : { state: 'open' }),
          stagedAt: new Date(queries.now()).toISOString(),
          stagedBy: `${host.user} on ${host.name}`,
        };
        await appendFacts(recording, [{ subject: subjects.file(account, key), value: JSON.stringify(value) }]);
        return { file: { ...value, account, key }, isNew: true };
      }),
    find: (names, key) => read(async (queries) => findIn(queries, await accountIds(queries, names), key)),
    current: (file) =>
      read(async (queries) => {
        const now = await findIn(queries, [file.account], file.key);
        if (!now) throw changed(`the file ${file.key}`);
        return now;
      }),
    list: (names) => read(async (queries) => (await filesOf(queries, await accountIds(queries, names))).toReversed()),
    setState: ({ account, key }, state) =>
      append(async (recording) => {
        const now = await findIn(recording.queries, [account], key);
        if (!now) throw changed(`the file ${key}`);
        if (now.state === state || now.state === 'cancelled') return now;
        // Only applying its plan opens it.
        if (now.state === 'planned' && state !== 'cancelled') return now;
        return recordFile(recording, { ...now, state });
      }),
    applyPlan: ({ account, key }, { isOpen, struck, entry }) =>
      append(async (recording) => {
        const now = await findIn(recording.queries, [account], key);
        if (!now?.plan) throw changed(`the file ${key}`);
        if (now.state !== 'planned') return now;
        if (!(await recordFileApplied(recording, { id: now.plan.id, isOpen, entry }))) return now;
        return recordFile(recording, { ...now, state: 'open', plan: { ...now.plan, struck } });
      }),
    rows: (file) => read((queries) => rowsOf(queries, file)),
    usedReferences: (names, references) =>
      read(async (queries) => {
        const accounts = await accountIds(queries, names);
        return accounts.length === 0 ? new Map() : usedIn(queries, accounts, references);
      }),
    ...leasePart,
  };
}

async function recordFile(recording: Recording, file: StagedFile): Promise<StagedFile> {
  const { account, key, ...value } = file;
  await appendFacts(recording, [{ subject: subjects.file(account, key), value: JSON.stringify(value) }]);
  return file;
}

/** Whether no row of a file was sent, nor ever will be: it was cancelled before its plan was applied. */
const isUnused = ({ state, plan }: StagedFile): boolean => state === 'cancelled' && plan?.struck === null;

/** Returns the files of an account that has these ids, oldest first. */
async function filesOf(queries: Queries, accounts: readonly string[]): Promise<readonly StagedFile[]> {
  const found = await Promise.all(
    accounts.map(async (account) => {
      const start = subjects.file(account, '');
      const where = `e.subject >= ? AND e.subject < ? AND ${IS_LAST} ORDER BY e.sequence`;
      const facts = await factsWhere(queries, where, start, `${start.slice(0, -1)}!`);
      return facts.flatMap(({ subject, value }) => {
        const file = jsonOf(value, `the file ${subject}`) as FileValue | null;
        return file === null ? [] : [{ ...file, account, key: subject.slice(start.length) }];
      });
    }),
  );
  return found.flat().sort((a, b) => (a.stagedAt < b.stagedAt ? -1 : 1));
}

/** Whether the rows of files are those that the entries say. A journal that was imported has none of a file. */
export async function areFilesRight(queries: Queries): Promise<boolean> {
  const facts = await factsWhere(queries, `e.subject >= 'file ' AND e.subject < 'file!' AND ${IS_LAST}`);
  const files = facts.map(({ subject, value }) => {
    const [, account = '', key = ''] = /^file (\S+) (.*)$/s.exec(subject) ?? [];
    return { ...(jsonOf(value, `the file ${key}`) as FileValue), account, key };
  });
  try {
    for (const file of files) await rowsOf(queries, file);
  } catch (error) {
    if (error instanceof CliError) return false;
    throw error;
  }
  const ids = new Set(files.map(({ id }) => id));
  const known = await queries.all<{ file: string }>('SELECT DISTINCT file FROM file_row');
  return known.every(({ file }) => ids.has(file));
}

const hasRows = async (queries: Queries, { id }: StagedFile): Promise<boolean> =>
  (await queries.get('SELECT 1 AS found FROM file_row WHERE file = ? LIMIT 1', id)) !== undefined;

async function insertRows(
  queries: Queries,
  file: string,
  account: string,
  batches: AsyncIterable<readonly StagedRow[]>,
) {
  const storable = storableIn(queries);
  const digest = rowsDigest();
  let count = 0;
  for await (const rows of batches)
    for (let start = 0; start < rows.length; start += BATCH) {
      const some = rows.slice(start, start + BATCH).map((row) => {
        digest.add(row);
        count += 1;
        const { reference, line, texts } = row;
        return {
          file,
          number: count,
          account,
          reference: storable(reference),
          line,
          texts: storable(JSON.stringify(texts)),
        };
      });
      await queries.run(...insertion(FILE_ROW, some));
    }
  return { digest: digest.value(), count };
}

async function rowsOf(queries: Queries, file: StagedFile): Promise<readonly NumberedRow[] | undefined> {
  const rows = await queries.all<RowOf<typeof FILE_ROW>>(
    'SELECT * FROM file_row WHERE file = ? ORDER BY number',
    file.id,
  );
  if (rows.length === 0) return undefined;
  const isOfFile = rows.every(({ number, account }, at) => Number(number) === at + 1 && account === file.account);
  if (!isOfFile) throw changed(`the rows of the file ${file.key}`);
  const found = rows.map(({ number, line, reference, texts }) => ({
    number: Number(number),
    line: Number(line),
    reference,
    texts: jsonOf(texts, `row ${number} of the file ${file.key}`) as NumberedRow['texts'],
  }));
  const digest = rowsDigest();
  for (const row of found) digest.add(row);
  if (digest.value() !== file.digest) throw changed(`the rows of the file ${file.key}`);
  return found;
}

async function usedIn(
  queries: Queries,
  accounts: readonly string[],
  references: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const files = await filesOf(queries, accounts);
  const keys = new Map(files.map(({ id, key }) => [id, key]));
  const unused = new Set(files.filter(isUnused).map(({ id }) => id));
  const found = new Map<string, string>();
  const marks = (values: readonly string[]) => values.map(() => '?').join(', ');
  for (let start = 0; start < references.length; start += BATCH) {
    const some = references.slice(start, start + BATCH);
    const rows = await queries.all<{ reference: string; file: string }>(
      `SELECT reference, file FROM file_row WHERE account IN (${marks(accounts)}) AND reference IN (${marks(some)})`,
      ...accounts,
      ...some,
    );
    for (const { reference, file } of rows) if (!unused.has(file)) found.set(reference, keys.get(file) ?? file);
  }
  return found;
}

/** Returns what keeps the leases of files. They save work only: what is sent at most once is decided by idempotency keys. */
function leasesIn(
  { read, write, host: hostName }: Store,
  host: Host,
): Pick<FileRecords, 'lease' | 'release' | 'leaseOf'> {
  const leaseIn = async (queries: Queries, { id }: StagedFile): Promise<FileLease | undefined> => {
    const row = await queries.get<RowOf<typeof FILE_LEASE>>('SELECT * FROM file_lease WHERE file = ?', id);
    if (!row || Number(row.busy_until) <= queries.now()) return undefined;
    const process = Number(row.process);
    // A process of this machine that has ended renews nothing.
    if (row.host === hostName && process !== host.processId && !host.isRunning(process)) return undefined;
    return { holder: row.holder, host: row.host, process, untilMs: Number(row.busy_until) };
  };
  const put = (queries: Queries, file: StagedFile, holder: string, until: number) => {
    const row = { file: file.id, holder, host: hostName, process: host.processId, busy_until: Math.trunc(until) };
    return queries.run(
      ...insertion(FILE_LEASE, [row], replacing(FILE_LEASE, ['holder', 'host', 'process', 'busy_until'])),
    );
  };
  return {
    leaseOf: (file) => read((queries) => leaseIn(queries, file)),
    lease: (file, holder, forMs) =>
      write(async (queries) => {
        const found = await leaseIn(queries, file);
        if (found && found.holder !== holder) return found;
        await put(queries, file, holder, queries.now() + forMs);
        return undefined;
      }),
    release: (file, holder) =>
      write(async (queries) => {
        if ((await leaseIn(queries, file))?.holder === holder) await put(queries, file, holder, 0);
      }),
  };
}
