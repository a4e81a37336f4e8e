import { CliError } from '../base/errors.ts';
import { siblingFiles, siblingPath } from '../files/inspect.ts';
import { createPrivateFile, ensurePrivateFolder, readPrivateFile, writePrivateFile } from '../files/private-file.ts';
import { openForReading } from '../sqlite/database.ts';
import { type AccountNames, namesOf } from './accounts.ts';
import { firstMissing, headFile, savedHeads } from './entries.ts';
import { forgetFintechs } from './known-fintech.ts';
import type { Queries, Store } from './store.ts';

/**
 * What is known of an account's journal outside of it. An account has one journal: in another one, an older copy or a new one, its idempotency
 * keys would be free again. So a file for each account names its journal, in a folder beside the profiles and in one beside the journal,
 * because either may be lost. The last head that was seen is saved in both folders too (head.ts).
 */
export interface Memory {
  /** The folder beside the profiles. */
  readonly configFolder: string;
  /** The folder beside this host's own journal. */
  readonly stateFolder: string;
  /** The id that the journal must have, if the user says so; then nothing else is compared. */
  readonly requiredId: string | undefined;
  /** Whether each state folder may have a journal of its own. */
  readonly isIndependent: boolean;
  /** Whether the account is a live one. */
  readonly isLive: boolean;
  /** How to have another journal on purpose, as an instruction. */
  readonly onPurpose: (id: string) => string;
}

type OpenStore = Pick<Store, 'path' | 'id' | 'server' | 'read'>;

type KeyOwner = Pick<AccountNames, 'keyFingerprint'>;

const ACCEPT = 'fiatrail ops verify --accept';

const filesOf = ({ configFolder, stateFolder }: Memory, { keyFingerprint }: KeyOwner) =>
  [configFolder, stateFolder].map((folder) => `${folder}/account-${keyFingerprint}`);

const hereOf = ({ id, path, server }: OpenStore): Earlier =>
  server ? { id, kind: 'server', location: server.name } : { id, kind: 'file', location: path };

const textOf = ({ id, kind, location }: Earlier) => `${id}\n${kind} ${location}\n`;

/** Returns the journal that a file remembers. Throws CliError usage if the file is damaged. */
function rememberedIn(path: string): Earlier | undefined {
  const text = readPrivateFile(path);
  if (text === undefined) return undefined;
  const [, id, kind, location] = /^([0-9a-f]{8})\n(file|server) (.+)\n$/.exec(text) ?? [];
  if (id !== undefined && location !== undefined) return { id, kind: kind === 'server' ? kind : 'file', location };
  throw new CliError('usage', `${path} is damaged, so it is unknown which journal this account has; nothing was sent`, {
    code: 'JOURNAL_UNKNOWN',
    hint: `compare with the service’s lists, then use the present journal with: ${ACCEPT}`,
  });
}

/** Whether the user decided which journal an account has, so that nothing is compared with what is remembered. */
const isDecided = ({ server }: OpenStore, { requiredId, isIndependent }: Memory) =>
  requiredId !== undefined || (isIndependent && !server);

/** How a journal uses what is known of it outside. */
export interface Remembering {
  /** The files with its last head. */
  readonly heads: readonly string[];
  /** Throws CliError usage if the journal of an account is another one than this. */
  require(account: AccountNames): Promise<void>;
  /** Like `require`, and remembers this journal. Warns of a new one. */
  claim(account: AccountNames): Promise<void>;
  /** Remembers this journal for another key of its account, if possible. */
  add(keyFingerprint: string): void;
  /** Remembers this journal for an account, whatever it had. Throws CliError usage, or the system's error, if another one stays remembered. */
  accept(account: AccountNames): void;
  /** Forgets which fintechs the journal has, because it may lack one. */
  forgetFintechs(): void;
}

interface RememberingOptions {
  /** Undefined for an embedded sandbox, whose state is in the same folder as its journal. */
  readonly memory: Memory | undefined;
  unique(): string;
  warn(text: string): Promise<void>;
}

/** Returns how a journal uses what is known of it outside. */
export function rememberingOf(store: OpenStore, { memory, unique, warn }: RememberingOptions): Remembering {
  if (!memory || store.path === ':memory:') {
    const heads = store.path === ':memory:' ? [] : [headFile(store.path)];
    const nothing = () => {};
    return {
      ...{ heads, require: async () => {}, claim: async () => {} },
      ...{ add: nothing, accept: nothing, forgetFintechs: nothing },
    };
  }
  return {
    heads: [store.path, `${memory.configFolder}/journal-${store.id}`].map(headFile),
    require: async (account) => {
      await requireJournalOf(store, memory, account);
    },
    claim: async (account) => {
      const known = await requireJournalOf(store, memory, account);
      if (known.some(({ found }) => found?.id !== store.id)) forgetFintechs(memory.stateFolder);
      const isNew = memory.isLive && known.every(({ found }) => !found) && !(await store.read(hasOperations));
      makeFolder(memory);
      const problem = rememberJournal(store, memory, known, unique);
      if (isNew && !isDecided(store, memory)) await warn(newJournal(store, memory));
      if (problem !== undefined) await warn(problem);
    },
    add: (keyFingerprint) => {
      try {
        rememberJournal(store, memory, knownOf(memory, { keyFingerprint }), unique);
      } catch {
        // The key has been replaced already: nothing may stop the rotation now.
      }
    },
    accept: (account) => {
      acceptJournal(store, memory, account, unique);
      forgetFintechs(memory.stateFolder);
    },
    forgetFintechs: () => forgetFintechs(memory.stateFolder),
  };
}

const hasOperations = async (queries: Queries) =>
  (await queries.get('SELECT 1 AS found FROM operation LIMIT 1')) !== undefined;

/** Makes the folder for the head of a journal whose account is not remembered. */
function makeFolder({ configFolder }: Memory): void {
  try {
    ensurePrivateFolder(configFolder);
  } catch {
    // Whether an account can be remembered is said where that is tried.
  }
}

/** A file that remembers the journal of an account, and what it says. */
interface MemoryFile {
  readonly path: string;
  readonly found: Earlier | undefined;
}

const knownOf = (memory: Memory, account: KeyOwner): MemoryFile[] =>
  filesOf(memory, account).map((path) => ({ path, found: rememberedIn(path) }));

/** Throws CliError usage if the journal of an account is another one than this. Returns what is remembered; nothing if the user decided. */
async function requireJournalOf(
  store: OpenStore,
  memory: Memory,
  account: AccountNames,
): Promise<readonly MemoryFile[]> {
  const { requiredId, configFolder } = memory;
  if (requiredId !== undefined && requiredId !== store.id) throw notRequired(hereOf(store), requiredId);
  if (isDecided(store, memory)) return [];
  const known = knownOf(memory, account);
  const all = known.flatMap(({ found }) => found ?? []);
  for (const each of all)
    if (each.id !== store.id && !(await continues(store, configFolder, each, account)))
      throw elsewhere(store, memory, each);
  const other = all.length === 0 ? await otherJournalOf(store, account) : undefined;
  if (other) throw elsewhere(store, memory, other);
  return known;
}

/**
 * Remembers the journal of an account. Returns a warning if that is not possible beside the profiles. Throws CliError usage if another
 * process remembered another journal since `known` was read.
 */
function rememberJournal(store: OpenStore, memory: Memory, known: readonly MemoryFile[], unique: () => string) {
  const text = textOf(hereOf(store));
  const [problem] = known.map(({ path, found }) => {
    if (found?.id === store.id) return undefined;
    try {
      if (found) writePrivateFile(path, text, unique());
      else if (!createPrivateFile(path, text, unique())) requireOurs(store, memory, path);
      return undefined;
    } catch (error) {
      if (error instanceof CliError) throw error;
      const { code } = error as { readonly code?: unknown };
      return `${path} cannot be written (${code}), so a new or other journal of this account will not be noticed`;
    }
  });
  return problem;
}

function requireOurs(store: OpenStore, memory: Memory, path: string): void {
  const found = rememberedIn(path);
  if (found && found.id !== store.id) throw elsewhere(store, memory, found);
}

/** Makes a journal the one of an account. Throws CliError usage, or the system's error, if another one stays remembered. */
function acceptJournal(store: OpenStore, memory: Memory, account: KeyOwner, unique: () => string): void {
  if (isDecided(store, memory)) return;
  for (const path of filesOf(memory, account)) {
    try {
      writePrivateFile(path, textOf(hereOf(store)), unique());
    } catch (error) {
      if (readPrivateFile(path) !== undefined) throw error;
    }
  }
}

/** The error for an account whose journal is another one than this. */
function elsewhere(store: OpenStore, memory: Memory, { kind, location }: Earlier): CliError {
  const own = hereOf(store);
  const after = `compare with the service’s lists, then use this one with: ${ACCEPT}`;
  const why = 'so an idempotency key could be used twice; nothing was sent';
  if (own.kind === 'server' && kind === 'file')
    return new CliError(
      'usage',
      `the journal in ${location} has operations that the one at ${own.location} lacks, ${why}`,
      {
        code: 'JOURNAL_NOT_MOVED',
        hint: `move them: write them with "fiatrail ops export --with-digest-key" without the URL, and read them with "fiatrail ops import"; to go on without them, ${after}`,
      },
    );
  const [has, hint] =
    kind === 'server'
      ? [`this account has its journal on a server, ${location}, and not here`, `set FIATRAIL_JOURNAL_URL; or ${after}`]
      : [
          location === own.location
            ? `the journal in ${location} is not the one that this account had there`
            : `this account has its journal in ${location}, and not in ${own.location}`,
          `${PERSIST_HINT}; if the earlier one is lost, ${after}; ${memory.onPurpose(own.id)}`,
        ];
  return new CliError('usage', `${has}, ${why}`, { code: 'JOURNAL_ELSEWHERE', hint });
}

/** How a host keeps its journal instead of having a new one each time. */
const PERSIST_HINT =
  'keep the state folder on a disk that outlives a container, or share a journal: fiatrail profiles journal set --url URL';

function newJournal({ path, id }: OpenStore, { onPurpose }: Memory): string {
  return `the journal in ${path} is new, so idempotency keys that an earlier one has do not count; ${PERSIST_HINT}; ${onPurpose(id)}`;
}

function notRequired({ id, location }: Earlier, requiredId: string): CliError {
  return new CliError(
    'usage',
    `FIATRAIL_JOURNAL_ID is "${requiredId.slice(0, 20)}", but the journal at ${location} is ${id}; nothing was sent`,
    {
      code: 'OTHER_JOURNAL_ID',
      hint: 'use the journal with that id; or compare with the service’s lists, then set the variable to this one’s id',
    },
  );
}

/** A journal that an account had, or still has: a file of a host, or a database on a server. */
interface Earlier {
  readonly id: string;
  readonly kind: 'file' | 'server';
  /** The path of the file, or the name of the server. */
  readonly location: string;
}

/**
 * Whether a journal has everything that another one had of an account, because it was moved here. Either it contains the last head of
 * the other one, or the newest operation of the account in it, if the other one is still this host's own file.
 */
async function continues(
  store: Pick<Store, 'path' | 'server' | 'read'>,
  headFolder: string,
  { id, location }: Earlier,
  account: AccountNames,
): Promise<boolean> {
  const heads = savedHeads([`${headFolder}/journal-${id}`, siblingPath(store.path, `journal-${id}`)].map(headFile));
  if (heads.length > 0 && (await store.read((queries) => firstMissing(queries, heads, true))) === undefined)
    return true;
  if (location !== store.server?.localPath) return false;
  const newest = await newestOf(location, account);
  return newest !== undefined && (await hasOperation(store, newest));
}

/**
 * Returns the other journal that an account of which nothing is remembered may have: this host's own file, if it has
 * operations that the one on a server lacks, or the one that an earlier version remembered.
 */
export async function otherJournalOf(
  store: Pick<Store, 'path' | 'server' | 'read'>,
  account: AccountNames,
): Promise<Earlier | undefined> {
  const known = siblingFiles(store.path, 'journal-', '.accounts').map(knownIn);
  const isOwn = (path: string) => path === `${store.path}.accounts`;
  const other = known.find(({ path, names }) => !isOwn(path) && names.includes(account.keyFingerprint));
  if (other) return { id: '', kind: 'server', location: other.server };
  const own = known.find(({ path }) => isOwn(path))?.names ?? [];
  if (!store.server || own.includes(account.keyFingerprint) || own.includes('*')) return undefined;
  const location = store.server.localPath;
  const newest = await newestOf(location, account);
  return newest === undefined || (await hasOperation(store, newest)) ? undefined : { id: '', kind: 'file', location };
}

/** Reads what an earlier version saved beside a journal on a server: its name and the fingerprints of its accounts, a line each. */
function knownIn(path: string) {
  const [server = '', ...names] = (readPrivateFile(path) ?? '').split('\n');
  return { path, server, names };
}

async function hasOperation({ read }: Pick<Store, 'read'>, id: string): Promise<boolean> {
  return (await read((queries) => queries.get('SELECT 1 AS found FROM operation WHERE id = ?', id))) !== undefined;
}

/** Returns the id of the account's newest operation in this host's own journal; undefined if it has none. */
async function newestOf(path: string, account: AccountNames): Promise<string | undefined> {
  const local = await openForReading(path);
  try {
    const [row] =
      local?.all<{ id: string }>(
        `SELECT id FROM operation WHERE account IN (SELECT account FROM account_name WHERE name IN (?, ?))
         ORDER BY created_at DESC, id DESC LIMIT 1`,
        ...namesOf(account),
      ) ?? [];
    return row?.id;
  } finally {
    local?.close();
  }
}
