import type { World } from '../../base/world.ts';
import type { JournalWorld } from '../../journal/transitions.ts';
import { addEach, adderIn, type Inbox, inboxIn, openInbox } from './inbox.ts';
import { INBOX_LAYOUT } from './layout.ts';
import { openInboxFile } from './store.ts';

/** Where an inbox is: in a file, or in a database on a server. It is sent to another thread, so it is data alone. */
export interface InboxLocation {
  readonly path: string;
  readonly server: InboxServer | undefined;
}

interface InboxServer {
  readonly url: string;
  /** What says so, for messages. */
  readonly from: string;
  /** The base URL of the account. */
  readonly account: string;
  /** The file in which psql looks for passwords. */
  readonly passwordFile: string;
  /** The folder of the files that this host keeps. */
  readonly dir: string;
}

/** Opens an inbox, creating it on first use. Rejects with DatabaseError, and CliError usage. */
export async function openInboxAt({ path, server }: InboxLocation, world: JournalWorld): Promise<Inbox> {
  if (!server) return openInbox(path, world);
  const { sharedLease } = await import('./postgres/lease.ts');
  const { hostNameIn } = await import('../../journal/postgres/host-id.ts');
  const { store, name, addTogether } = await serverStore(path, server, world);
  const lease = sharedLease(store, () => hostNameIn(server.dir, world), world);
  return inboxIn(store, lease, addTogether, name);
}

/** Opens an inbox only to add to it. Rejects with DatabaseError, and CliError usage. */
export async function openToAdd(
  { path, server }: InboxLocation,
  world: Pick<World, 'clock' | 'host'>,
): Promise<Pick<Inbox, 'add' | 'tryRoom'>> {
  if (!server) return adderIn(await openInboxFile(path, INBOX_LAYOUT, world.clock.now, true), addEach);
  const { store, addTogether } = await serverStore(path, server, world);
  return adderIn(store, addTogether);
}

async function serverStore(path: string, server: InboxServer, world: Pick<World, 'clock' | 'host'>) {
  const { passwordIn, serverAddressOf } = await import('../../journal/postgres/server-address.ts');
  const { openSharedStore } = await import('./postgres/store.ts');
  const { addTogether } = await import('./postgres/add.ts');
  const address = serverAddressOf(server.url, server.from);
  const password = async (user: string) => passwordIn(server.passwordFile, address, user);
  const access = { dir: server.dir, localPath: path, password };
  return { store: await openSharedStore(address, access, server.account, world), name: address.name, addTogether };
}
