import { siblingPath } from '../files/inspect.ts';
import { openForReading } from '../sqlite/database.ts';
import { type AccountNames, keyNameOf } from './accounts.ts';
import { firstMissing, type Head, headFile, savedHeads } from './entries.ts';
import type { Store } from './store.ts';

/** A journal that an account had, or still has: a file of a host, or a database on a server. */
export interface Earlier {
  readonly id: string;
  readonly kind: 'file' | 'server';
  /** The path of the file, or the name of the server. */
  readonly location: string;
}

/** The journal that a profile had on the machine that exported it. */
export interface EarlierJournal extends Earlier {
  /** Its last entry then; none if it is on a server. */
  readonly heads: readonly Head[];
}

/**
 * Whether a journal has everything that another one had of an account, because it was moved here. Either it contains the last head of
 * the other one, or the newest operation of the account in it, if the other one is still this host's own file.
 */
export async function continues(
  store: Pick<Store, 'path' | 'server' | 'read'>,
  headFolder: string,
  { id, location }: Earlier,
  account: AccountNames,
  given: readonly Head[] = [],
): Promise<boolean> {
  const files = [`${headFolder}/journal-${id}`, siblingPath(store.path, `journal-${id}`)].map(headFile);
  const heads = [...given, ...savedHeads(files)];
  if (heads.length > 0 && (await store.read((queries) => firstMissing(queries, heads))) === undefined) return true;
  if (location !== store.server?.localPath) return false;
  const newest = await newestOf(location, account);
  return newest !== undefined && (await hasOperation(store, newest));
}

/** Returns this host's own journal, if the journal is on a server and lacks an operation of the account that the file has. */
export async function otherJournalOf(
  store: Pick<Store, 'path' | 'server' | 'read'>,
  account: AccountNames,
): Promise<Earlier | undefined> {
  if (!store.server) return undefined;
  const location = store.server.localPath;
  const newest = await newestOf(location, account);
  return newest === undefined || (await hasOperation(store, newest)) ? undefined : { id: '', kind: 'file', location };
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
        `SELECT id FROM operation WHERE account IN (SELECT account FROM account_name WHERE name = ?)
         ORDER BY created_at DESC, id DESC LIMIT 1`,
        keyNameOf(account),
      ) ?? [];
    return row?.id;
  } finally {
    local?.close();
  }
}
