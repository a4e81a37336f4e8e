import type { Secret } from '../base/secret.ts';
import { type Journal, type JournalOptions, journalIn, openJournal } from './journal.ts';
import type { Memory } from './memory.ts';
import type { JournalWorld } from './transitions.ts';

/** A place of a journal; see account/journal-place.ts. */
interface Place {
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

/** Opens the journal of a place, creating it on first use. Throws DatabaseError, and CliError usage for a URL that cannot be used. */
export async function openJournalAt(
  { path, dir, memory, server }: Place,
  world: JournalWorld,
  { warn, limitMs }: Opening = {},
): Promise<Journal> {
  if (!server) return openJournal(path, world, { memory, warn });
  const { serverPlaceOf } = await import('./postgres/place.ts');
  const { openPostgresStore } = await import('./postgres/store.ts');
  const { passwordIn } = await import('./postgres/pass-file.ts');
  const place = serverPlaceOf(server.url, server.from);
  const { passwordFor } = await import('./postgres/stored-password.ts');
  const password = async (user: string) =>
    passwordFor(place, user, await server.password(), server.profileUrl) ??
    passwordIn(server.passwordFile, place, user);
  return journalIn(await openPostgresStore(place, { dir, localPath: path, password, warn, limitMs }, world), world, {
    memory,
    warn,
  });
}
