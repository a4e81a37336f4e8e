import { CliError } from '../base/errors.ts';
import { filesBeside } from '../files/beside.ts';
import { readPrivateFile, removePrivateFile, writePrivateFile } from '../files/private-file.ts';
import { openForReading } from '../sqlite/database.ts';
import { type AccountNames, namesOf } from './accounts.ts';
import type { Store } from './store.ts';

/**
 * An account has one journal: under another one, a once key would be free again. So this host remembers beside a journal on a server
 * which accounts it is for: the server's name, and the fingerprint of each key, a line each. A `*` stands for all.
 */
const ENDING = '.accounts';
const ALL = '*';

interface Remembered {
  readonly path: string;
  readonly server: string;
  readonly fingerprints: readonly string[];
}

function rememberedIn(path: string): Remembered {
  const [server = '', ...fingerprints] = (readPrivateFile(path) ?? '').split('\n').filter((line) => line !== '');
  return { path, server, fingerprints };
}

const filesAt = ({ path }: Pick<Store, 'path'>) => filesBeside(path, 'journal-', ENDING);

type Journaled = Pick<Store, 'path' | 'server' | 'read'>;

/** Throws CliError usage if the journal of an account is another one, or lacks what this host's own journal has of it. */
export async function requireOnlyJournal(store: Journaled, account: AccountNames, unique: () => string): Promise<void> {
  if (store.path === ':memory:') return;
  const own = `${store.path}${ENDING}`;
  const other = filesAt(store)
    .filter((path) => path !== own)
    .map(rememberedIn)
    .find(({ fingerprints }) => fingerprints.includes(account.keyFingerprint));
  if (other) throw elsewhere(other.server);
  if (!store.server) return;
  const { fingerprints } = rememberedIn(own);
  if (fingerprints.includes(account.keyFingerprint)) return;
  if (!fingerprints.includes(ALL)) await requireMoved(store, store.server, account);
  writePrivateFile(own, [store.server.name, ...fingerprints, account.keyFingerprint, ''].join('\n'), unique());
}

async function requireMoved({ read }: Journaled, { name, localPath }: Server, account: AccountNames): Promise<void> {
  const newest = await newestOf(localPath, account);
  const sql = 'SELECT 1 AS found FROM operation WHERE id = ?';
  if (newest === undefined || (await read((queries) => queries.get(sql, newest)))) return;
  throw new CliError(
    'usage',
    `this machine’s journal has operations of this account that the journal at ${name} lacks, so a once key could be used twice; nothing was sent`,
    {
      code: 'JOURNAL_NOT_MOVED',
      hint: 'move them: write this machine’s with "fiatrail ops export --with-digest-key" without the URL, and read them with "fiatrail ops import"; or go on without them: fiatrail ops verify --accept',
    },
  );
}

type Server = NonNullable<Store['server']>;

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

function elsewhere(server: string): CliError {
  return new CliError(
    'usage',
    `the journal of this account is on a server, ${server}, and not here; nothing was sent`,
    {
      code: 'JOURNAL_ELSEWHERE',
      hint: 'set FIATRAIL_JOURNAL_URL, or use this journal from now on: fiatrail ops verify --accept',
    },
  );
}

/** Makes a journal the only one of all accounts that this host uses it for. */
export function acceptJournal({ path, server }: Pick<Store, 'path' | 'server'>, unique: string): void {
  if (path === ':memory:') return;
  for (const file of filesAt({ path })) removePrivateFile(file);
  if (server) writePrivateFile(`${path}${ENDING}`, `${server.name}\n${ALL}\n`, unique);
}
