import type { Secret } from '../base/secret.ts';
import type { Journal } from './interface.ts';
import { type JournalOptions, journalIn } from './journal.ts';
import type { Memory } from './memory.ts';
import { openSqliteStore } from './sqlite/store.ts';
import type { JournalWorld } from './transitions.ts';

/** Where a journal is: in a file of this machine, or on a server. */
export interface JournalLocation {
  /** The file of this machine's journal, whether it is used or not. */
  readonly path: string;
  readonly dir: string;
  /** What is known of the journal outside of it; undefined for an embedded sandbox, whose state is in the same folder. */
  readonly memory?: Memory | undefined;
  readonly server: JournalServer | undefined;
}

/** The server that a journal is on. */
interface JournalServer {
  readonly url: string;
  /** The variable or the setting that has the URL, for messages. */
  readonly from: string;
  /** The file in which psql would look for the password. */
  readonly passwordFile: string;
  /** The URL of the profile, whether it is used or not. */
  readonly profileUrl?: string | undefined;
  /** Returns what the profile's secret store has as the password, if it has one. Throws CliError usage. */
  password(): Promise<Secret | undefined>;
}

/** How a journal is opened. */
interface Opening extends Pick<JournalOptions, 'warn' | 'note' | 'askCode'> {
  /** How long the user wants to wait for a server. */
  readonly limitMs?: number | undefined;
}

/** Opens the journal at a location, creating it on first use. Throws DatabaseError, and CliError usage for a URL that cannot be used. */
export async function openJournalAt(
  { path, dir, memory, server }: JournalLocation,
  world: JournalWorld,
  { warn, note, askCode, limitMs }: Opening = {},
): Promise<Journal> {
  if (!server) return openJournal(path, world, { memory, warn, note, askCode });
  const { passwordFor, passwordIn, serverAddressOf } = await import('./postgres/server-address.ts');
  const { openPostgresStore } = await import('./postgres/store.ts');
  const address = serverAddressOf(server.url, server.from);
  const password = async (user: string) =>
    passwordFor(address, user, await server.password(), server.profileUrl) ??
    passwordIn(server.passwordFile, address, user);
  return journalIn(await openPostgresStore(address, { dir, localPath: path, password, limitMs }, world), world, {
    memory,
    warn,
    note,
    askCode,
  });
}

/** Opens the journal in a SQLite file, creating it on first use. Throws DatabaseError. */
export async function openJournal(path: string, world: JournalWorld, options: JournalOptions = {}): Promise<Journal> {
  return journalIn(await openSqliteStore(path, world), world, options);
}
