import { advice, type Hint } from '../base/advice.ts';
import { CliError } from '../base/errors.ts';
import { isWritableFolder } from '../files/inspect.ts';
import { createPrivateFile, readPrivateFile, writePrivateFile } from '../files/private-file.ts';
import { ensurePrivateFolder } from '../files/private-folder.ts';
import { type AccountNames, otherKeysOf } from './accounts.ts';
import { headFile } from './entries.ts';
import { forgetFintechs } from './known-fintech.ts';
import { continues, type Earlier, type EarlierJournal, otherJournalOf } from './moved.ts';
import type { Store } from './store.ts';

/**
 * What is known of an account's journal outside of it. An account has one journal: in another one, an older copy or a new one, its idempotency
 * keys would be free again. So a file for each account names its journal, in a folder beside the profiles and in one beside the journal,
 * because either may be lost. The last head that was seen is saved in both folders too (entries.ts).
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
  /** The profile that may allow a journal in each state folder; undefined for an account from variables, which cannot. */
  readonly profile: string | undefined;
  /** The journal that the profile had on the machine that exported it. */
  readonly earlier: EarlierJournal | undefined;
}

type OpenStore = Pick<Store, 'path' | 'id' | 'server' | 'read'>;

type KeyOwner = Pick<AccountNames, 'keyFingerprint'>;

const ACCEPT = advice`[fiatrail ops journal verify --accept]`;

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

/** The code of the error for a live account whose first journal nobody has confirmed. */
const JOURNAL_NEW = 'JOURNAL_NEW';

/** Whether the user decided which journal an account has, so that nothing is compared with what is remembered. */
const isDecided = ({ server }: OpenStore, { requiredId, isIndependent }: Memory) =>
  requiredId !== undefined || (isIndependent && !server);

/** How a journal uses what is known of it outside. */
export interface Remembering {
  /** The files with its last head. */
  readonly heads: readonly string[];
  /** Throws CliError usage if this is not known to be the journal of an account. Writes and asks nothing. */
  require(account: AccountNames): Promise<void>;
  /** Like `require` for a change under an idempotency key or without one, but lets a person confirm the first journal of a live account. */
  confirm(account: AccountNames, hasIdempotencyKey: boolean): Promise<void>;
  /** Like `confirm`, and remembers this journal. With `isSetting`, nothing is sent: the first journal of a live account stays unconfirmed. */
  claim(account: AccountNames, hasIdempotencyKey: boolean, isSetting?: boolean): Promise<void>;
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
  /** Shows a notice, which nobody needs who wants it quiet. */
  note(text: string): Promise<void>;
  /** Asks a person about a change of what this machine knows. Throws CliError declined. Undefined if nobody can be asked. */
  readonly askCode?: ((summary: string) => Promise<void>) | undefined;
}

/** Returns how a journal uses what is known of it outside. */
export function rememberingOf(
  store: OpenStore,
  { memory, unique, warn, note, askCode }: RememberingOptions,
): Remembering {
  if (!memory || store.path === ':memory:') {
    const heads = store.path === ':memory:' ? [] : [headFile(store.path)];
    const nothing = () => {};
    return {
      heads,
      require: async () => {},
      confirm: async () => {},
      claim: async () => {},
      add: nothing,
      accept: nothing,
      forgetFintechs: nothing,
    };
  }
  const remember = (known: readonly MemoryFile[], hasIdempotencyKey: boolean) => {
    makeFolder(memory);
    return rememberJournal(store, memory, known, { unique, hasIdempotencyKey });
  };
  const confirmed = async (account: AccountNames, hasIdempotencyKey: boolean) => {
    const { known, isNew } = await knownJournalOf(store, memory, account);
    if (memory.isLive && hasIdempotencyKey && !isNamed(store, memory, known)) throw unnamed(store, memory);
    if (!memory.isLive || !isNew) return { known, isNew };
    if (!askCode) throw newJournal(store, memory);
    await warn(`${newText(store)}: if the account has one elsewhere, stop, and ${MOVE_HINT}`);
    await askCode(`use the journal in ${store.path} for this LIVE account`);
    forgetFintechs(memory.stateFolder);
    remember(known, hasIdempotencyKey);
    return { known: knownOf(memory, account), isNew: false };
  };
  return {
    heads: [store.path, `${memory.configFolder}/journal-${store.id}`].map(headFile),
    require: async (account) => {
      const { isNew } = await knownJournalOf(store, memory, account);
      if (memory.isLive && isNew) throw newJournal(store, memory);
    },
    confirm: async (account, hasIdempotencyKey) => {
      await confirmed(account, hasIdempotencyKey);
    },
    claim: async (account, hasIdempotencyKey, isSetting) => {
      if (isSetting && memory.isLive && (await knownJournalOf(store, memory, account)).isNew) return;
      const { known, isNew } = await confirmed(account, hasIdempotencyKey && !isSetting);
      if (known.some(({ found }) => found?.id !== store.id)) forgetFintechs(memory.stateFolder);
      const isUnnamed = hasIdempotencyKey && !isNamed(store, memory, known);
      remember(known, hasIdempotencyKey);
      // A live account has stopped before this. Once the journal is remembered somewhere, another one is noticed.
      if (isUnnamed && isNew) await note(`${unnamedText(memory)}; a LIVE account would stop here`);
    },
    add: (keyFingerprint) => {
      try {
        remember(knownOf(memory, { keyFingerprint }), false);
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

/** Makes the folder for the files of accounts and for the head of a journal whose account is not remembered. */
function makeFolder({ configFolder }: Memory): boolean {
  try {
    ensurePrivateFolder(configFolder);
    return isWritableFolder(configFolder);
  } catch {
    // Whether an account can be remembered is said where that is tried.
    return false;
  }
}

/** A file that remembers the journal of an account, and what it says. */
interface MemoryFile {
  readonly path: string;
  readonly found: Earlier | undefined;
}

const knownOf = (memory: Memory, account: KeyOwner): MemoryFile[] =>
  filesOf(memory, account).map((path) => ({ path, found: rememberedIn(path) }));

/**
 * Returns what is remembered of an account, nothing if the user decided, and whether nothing says which journal it has. Throws CliError
 * usage if its journal is another one than this.
 */
async function knownJournalOf(
  store: OpenStore,
  memory: Memory,
  account: AccountNames,
): Promise<{ readonly known: readonly MemoryFile[]; readonly isNew: boolean }> {
  const { requiredId, configFolder } = memory;
  if (requiredId !== undefined && requiredId !== store.id) throw notRequired(hereOf(store), requiredId);
  if (isDecided(store, memory)) return { known: [], isNew: false };
  const known = knownOf(memory, account);
  const all = known.flatMap(({ found }) => found ?? []);
  for (const each of all)
    if (each.id !== store.id && !(await continues(store, configFolder, each, account)))
      throw elsewhere(store, memory, each);
  if (all.length > 0) return { known, isNew: false };
  const other = await otherJournalOf(store, account);
  if (other) throw elsewhere(store, memory, other);
  const { earlier } = memory;
  if (earlier && !(await isMoved(store, memory, earlier, account))) throw elsewhere(store, memory, earlier);
  // Whoever names a server names the journal that is there.
  const isNew = !earlier && !store.server && !(await hasItsOtherKey(store, memory, account));
  return { known, isNew };
}

/** Whether this is known to be the journal of another key of the account, such as the one that a new key replaced. */
async function hasItsOtherKey({ id, read }: OpenStore, memory: Memory, account: AccountNames): Promise<boolean> {
  const keys = await read((queries) => otherKeysOf(queries, account));
  return keys.some((keyFingerprint) => knownOf(memory, { keyFingerprint }).some(({ found }) => found?.id === id));
}

/** Whether the journal that a profile had where it was exported is this one, or was moved here. */
async function isMoved(
  store: OpenStore,
  { configFolder }: Memory,
  earlier: EarlierJournal,
  account: AccountNames,
): Promise<boolean> {
  if (earlier.kind === 'server') return store.server !== undefined;
  return continues(store, configFolder, earlier, account, earlier.heads);
}

/**
 * Whether the user named the journal of an account, or the configuration does. What an account from variables runs in is often thrown away
 * with its configuration, and a configuration that cannot be written remembers nothing.
 */
function isNamed(store: OpenStore, memory: Memory, known: readonly MemoryFile[]): boolean {
  if (store.server || isDecided(store, memory)) return true;
  return memory.profile !== undefined && (known[0]?.found?.id === store.id || makeFolder(memory));
}

interface RememberOptions {
  unique(): string;
  readonly hasIdempotencyKey: boolean;
}

/**
 * Remembers the journal of an account where that is possible. Throws CliError usage if another process remembered another journal since `known` was read, or if an idempotency key of a live account would be in a journal that nothing names.
 */
function rememberJournal(
  store: OpenStore,
  memory: Memory,
  known: readonly MemoryFile[],
  { unique, hasIdempotencyKey }: RememberOptions,
): void {
  const text = textOf(hereOf(store));
  for (const { path, found } of known) {
    if (found?.id === store.id) continue;
    try {
      if (found) writePrivateFile(path, text, unique());
      else if (!createPrivateFile(path, text, unique())) requireOurs(store, memory, path);
    } catch (error) {
      if (error instanceof CliError) throw error;
      if (memory.isLive && hasIdempotencyKey && !isNamed(store, memory, known)) throw unnamed(store, memory);
    }
  }
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
  const after = advice`compare with the service’s lists, then use this one with: ${ACCEPT}`;
  const why = 'so an idempotency key could be used twice; nothing was sent';
  if (own.kind === 'server' && kind === 'file')
    return new CliError(
      'usage',
      `the journal in ${location} has operations that the one at ${own.location} lacks, ${why}`,
      {
        code: 'JOURNAL_NOT_MOVED',
        hint: advice`move them: write them with [fiatrail ops journal export --with-digest-key] without the URL, and read them with [fiatrail ops journal import]; to go on without them, ${after}`,
      },
    );
  const [has, hint] =
    kind === 'server'
      ? [
          `this account has its journal on a server, ${location}, and not here`,
          advice`set FIATRAIL_JOURNAL_URL; or ${after}`,
        ]
      : [
          location === own.location
            ? `the journal in ${location} is not the one that this account had there`
            : `this account has its journal in ${location}, and not in ${own.location}`,
          advice`${PERSIST_HINT}; if the earlier one is lost, ${after}; ${onPurpose(store, memory)}`,
        ];
  return new CliError('usage', `${has}, ${why}`, { code: 'JOURNAL_ELSEWHERE', hint });
}

const MOVE_HINT = advice`bring it here with its idempotency keys (there: [fiatrail ops journal export --with-digest-key]; here: [fiatrail ops journal import]), or share one: [fiatrail profiles journal set --url URL]`;

/** How a host keeps its journal instead of having a new one each time. */
const PERSIST_HINT = advice`keep the state folder on a disk that outlives a container, or ${MOVE_HINT}`;

/** How to name the journal of an account that no profile has, or to have another one on purpose, as an instruction. */
function onPurpose({ id }: OpenStore, { profile }: Memory): Hint {
  return profile === undefined
    ? `share a journal: export FIATRAIL_JOURNAL_URL=postgres://USER@HOST/DATABASE; or, if this state folder is kept, name its journal: export FIATRAIL_JOURNAL_ID=${id}`
    : advice`for a journal in each state folder on purpose: [fiatrail profiles journal set ${profile} --independent]`;
}

function newText({ path }: OpenStore): string {
  return `the journal in ${path} is new for this LIVE account, so it lacks idempotency keys that were used elsewhere`;
}

function newJournal(store: OpenStore, memory: Memory): CliError {
  return new CliError('usage', `${newText(store)}; nothing was sent`, {
    code: JOURNAL_NEW,
    hint: advice`if the account has a journal elsewhere, ${MOVE_HINT}; if this is its first, confirm that in a terminal, or with: ${ACCEPT}; ${onPurpose(store, memory)}`,
  });
}

function unnamedText({ profile }: Memory): string {
  return profile === undefined
    ? 'the account comes from variables, so no profile remembers which journal has its idempotency keys'
    : 'the configuration cannot be written, so it cannot remember which journal has the idempotency keys';
}

/** The error for an idempotency key that may be in a journal which nobody will find again. */
function unnamed(store: OpenStore, memory: Memory): CliError {
  return new CliError('usage', `${unnamedText(memory)}; nothing was sent`, {
    code: 'JOURNAL_UNNAMED',
    hint: onPurpose(store, { ...memory, profile: undefined }),
  });
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
