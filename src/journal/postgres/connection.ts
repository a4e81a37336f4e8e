import type { Client } from 'pg';
import { CliError } from '../../base/errors.ts';
import type { Secret } from '../../base/secret.ts';
import { readSharedFile } from '../../files/inspect.ts';
import { belongsToOthers } from '../../files/ownership.ts';
import type { JournalWorld } from '../transitions.ts';
import { ServerError } from './errors.ts';
import { guard, MAX_SCRAM_ITERATIONS } from './guard.ts';
import type { ServerAddress } from './server-address.ts';

export type { Client, QueryResult } from 'pg';

/** What a store on a server needs besides its address. */
export interface ServerAccess {
  /** The folder of the files that this host keeps beside the journal. */
  readonly dir: string;
  /** The path of this host's own journal. */
  readonly localPath: string;
  /** Returns the password, if there is one; called only when the server asks for it. Throws CliError usage. */
  password(user: string): Promise<Secret | undefined>;
  /** How long the user wants to wait for the server. */
  readonly limitMs?: number | undefined;
  /** Shows a warning. */
  readonly warn?: ((text: string) => Promise<void>) | undefined;
}

/** How long connecting may take. */
const CONNECT_MS = 10_000;
/** Longer than any query waits for a lock: by then the connection is dead. */
export const QUERY_MS = 60_000;
/** How long queries that are under way may hold up the end of a connection that is no longer needed. */
const CLOSE_MS = 1_000;

/** Integers of any width, as bigint; everything else as text. */
const INTEGERS: readonly number[] = [20, 21, 23, 1700];
const TYPES = { getTypeParser: (oid: number) => (INTEGERS.includes(oid) ? BigInt : String) };

/** How long the server may take to answer a query that waits for no lock. */
export const limitOf = ({ limitMs = QUERY_MS }: ServerAccess) => Math.min(QUERY_MS, limitMs);

/** Makes a guarded connection, which nothing has been sent on. */
function driverOf(Driver: typeof Client, address: ServerAddress, access: ServerAccess, user: string): Client {
  const limitMs = limitOf(access);
  const made = new Driver({
    ...{ host: address.host, port: address.port, database: address.database, user, types: TYPES },
    ...{ connectionTimeoutMillis: Math.min(CONNECT_MS, limitMs), query_timeout: limitMs },
    keepAlive: true,
    // Queries that are asked together travel together.
    pipeline: true,
    ...{ application_name: 'fiatrail', options: '', client_encoding: 'UTF8' },
    password: async () => {
      const password = await access.password(user);
      if (password === undefined) throw new ServerError('rejected', address.name);
      return password.reveal();
    },
    ...{ scramMaxIterations: MAX_SCRAM_ITERATIONS },
    ssl: address.tls ? { rejectUnauthorized: true, ...caOf(address.tls) } : false,
  });
  guard(made.connection, address.name, !address.tls && !isSocket(address));
  return made;
}

/** The connection of a process; another one is made when it is lost. */
export interface ServerConnection {
  open(): Promise<Client>;
  /** Whether the next `open` makes a connection. */
  isNew(): boolean;
  /** Ends what it waits for, with CliError interrupted. */
  interrupt(): void;
  /** Ends a connection that is of no use any more. */
  drop(): Promise<void>;
  /** Ends it after what is under way, such as the end of a transaction that only read. */
  close(): Promise<void>;
}

/** Returns the connection to a server, which is made when it is opened. */
export async function connectionTo(
  address: ServerAddress,
  access: ServerAccess,
  { clock, host }: JournalWorld,
): Promise<ServerConnection> {
  const user = address.user ?? host.user;
  const { default: Driver } = await import('pg/lib/client.js');
  let client: Client | undefined;
  let stream: Pick<Client['connection']['stream'], 'destroy'> | undefined;
  const taken = () => {
    const old = client;
    client = undefined;
    return old;
  };
  return {
    open: async () => {
      if (client) return client;
      requireSocketOwner(address);
      const made = driverOf(Driver, address, access, user);
      // A connection that ends between two transactions is found when the next one begins.
      made.on('error', () => {
        if (client === made) client = undefined;
      });
      try {
        const connecting = made.connect();
        stream = made.connection.stream;
        await connecting;
        stream = made.connection.stream;
      } catch (error) {
        // The server waits a minute for the password of a connection that stays open, and the process with it.
        made.end().catch(() => {});
        throw error;
      }
      client = made;
      return made;
    },
    isNew: () => client === undefined,
    interrupt: () => stream?.destroy(new CliError('interrupted', 'interrupted while the database server was at work')),
    drop: async () => {
      const old = taken();
      const ended = old?.end();
      // The driver would wait for a query that hangs.
      old?.connection.stream.destroy();
      await ended?.catch(() => {});
    },
    close: async () => {
      const old = taken();
      if (!old) return;
      const isEnded = new AbortController();
      const late = clock.sleep(CLOSE_MS, isEnded.signal).then(
        () => old.connection.stream.destroy(),
        () => {},
      );
      await Promise.race([old.end().catch(() => {}), late]);
      isEnded.abort();
    },
  };
}

const isSocket = ({ host }: ServerAddress) => host.startsWith('/');

/** Throws ServerError if a socket belongs to a stranger, who could be whoever listens there. */
function requireSocketOwner(address: ServerAddress): void {
  if (isSocket(address) && belongsToOthers(`${address.host}/.s.PGSQL.${address.port}`, address.peer))
    throw new ServerError('peer', address.name);
}

function caOf({ caPath }: { readonly caPath: string | undefined }) {
  if (caPath === undefined) return {};
  try {
    return { ca: readSharedFile(caPath) };
  } catch (error) {
    throw new CliError('usage', `the certificate of the database server cannot be read: ${caPath}`, {
      code: 'UNUSABLE_FILE',
      hint: 'check sslrootcert in the URL',
      cause: error,
    });
  }
}
