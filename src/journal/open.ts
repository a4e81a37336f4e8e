import type { Secret } from '../base/secret.ts';
import { type Journal, type JournalOptions, journalIn, openJournal } from './journal.ts';
import type { Memory } from './memory.ts';
import type { JournalWorld } from './transitions.ts';

/** Where a journal is; see account/journal-location.ts. */
interface StoreLocation {
  readonly path: string;
  readonly dir: string;
  readonly memory?: Memory | undefined;
  readonly server:
    | {
        readonly url: string;
        readonly from: string;
        readonly passwordFile: string;
        readonly profileUrl?: string | undefined;
        password(): Promise<Secret | undefined>;
      }
    | undefined;
}

/** How a journal is opened. */
interface Opening extends Pick<JournalOptions, 'warn'> {
  /** How long the user wants to wait for a server. */
  readonly limitMs?: number | undefined;
}

/** Opens the journal at a location, creating it on first use. Throws DatabaseError, and CliError usage for a URL that cannot be used. */
export async function openJournalAt(
  { path, dir, memory, server }: StoreLocation,
  world: JournalWorld,
  { warn, limitMs }: Opening = {},
): Promise<Journal> {
  if (!server) return openJournal(path, world, { memory, warn });
  const { serverAddressOf } = await import('./postgres/server-address.ts');
  const { openPostgresStore } = await import('./postgres/store.ts');
  const { passwordIn } = await import('./postgres/server-address.ts');
  const address = serverAddressOf(server.url, server.from);
  const { passwordFor } = await import('./postgres/server-address.ts');
  const password = async (user: string) =>
    passwordFor(address, user, await server.password(), server.profileUrl) ??
    passwordIn(server.passwordFile, address, user);
  return journalIn(await openPostgresStore(address, { dir, localPath: path, password, warn, limitMs }, world), world, {
    memory,
    warn,
  });
}
