import type { Client, ClientConfig } from 'pg';
import { CliError } from '../../base/errors.ts';
import type { Secret } from '../../base/secret.ts';
import { readSharedFile } from '../../files/inspect.ts';
import { belongsToOthers } from '../../files/private-file.ts';
import type { JournalWorld } from '../transitions.ts';
import { ServerError, type ServerProblem } from './errors.ts';
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

/** How much a server may send. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;
const MAX_ANSWER_ROWS = 1_000_000;
/** Everything until the login is over: a few parameters, and perhaps a notice. */
const MAX_LOGIN_BYTES = 1024 * 1024;
const MAX_LOGIN_MESSAGE_BYTES = 16 * 1024;

/** Fewer iterations would let whoever reads the connection try many passwords. Source: RFC 7677. */
const MIN_SCRAM_ITERATIONS = 4096;
/** More would keep this machine busy for a server that proves nothing. Source: inferred. */
const MAX_SCRAM_ITERATIONS = 1_000_000;

/** A message begins with its type and a length, which counts itself (https://www.postgresql.org/docs/current/protocol-message-formats.html). */
const HEADER_BYTES = 5;
const LENGTH_BYTES = 4;
const TYPE = { authentication: 'R', row: 'D', ready: 'Z' } as const;
const LOGIN = { done: 0, scram: 10, scramContinue: 11, scramFinal: 12 } as const;

/** What the driver uses of a stream to read it. */
interface Readable {
  on(event: string, listener: (bytes: Buffer) => void): unknown;
}

interface Stream extends Readable {
  destroy(error: Error): unknown;
}

/** The part of the driver's connection that is guarded: where it begins to read the stream, with or without TLS. */
interface Guarded {
  attachListeners(stream: Readable): void;
}

/**
 * Lets the driver see only what a server may send: another login than SCRAM, or more than an answer has, ends the connection. `needsProof`:
 * nothing else has shown yet who the server is, so that one which asks for no password is refused too.
 */
function guard(connection: object, address: string, needsProof: boolean): void {
  const guarded = connection as Guarded;
  const attach = guarded.attachListeners.bind(guarded);
  guarded.attachListeners = (given) => {
    const stream = given as Stream;
    const problemIn = watch(needsProof);
    const checked = (listener: (bytes: Buffer) => void) => (bytes: Buffer) => {
      const problem = problemIn(bytes);
      if (problem) stream.destroy(new ServerError(problem, address));
      else listener(bytes);
    };
    attach({ on: (event, listener) => stream.on(event, event === 'data' ? checked(listener) : listener) });
  };
}

/** Returns a function that is given all that a server sends, in order, and returns what is wrong with it. */
function watch(needsProof: boolean): (bytes: Buffer) => ServerProblem | undefined {
  const header = Buffer.alloc(HEADER_BYTES);
  let headerBytes = 0;
  let bodyBytes = 0;
  let login: Buffer[] | undefined;
  let step: number | undefined;
  let answer = { bytes: 0, rows: 0 };
  let isLoggedIn = false;

  const begun = (): ServerProblem | undefined => {
    const type = String.fromCharCode(header[0] ?? 0);
    bodyBytes = header.readUInt32BE(1) - LENGTH_BYTES;
    if (bodyBytes < 0 || bodyBytes > MAX_MESSAGE_BYTES) return 'oversized';
    if (type === TYPE.ready) {
      answer = { bytes: 0, rows: 0 };
      isLoggedIn = true;
    }
    if (type === TYPE.row) answer.rows += 1;
    if (type !== TYPE.authentication) return answer.rows > MAX_ANSWER_ROWS ? 'oversized' : undefined;
    login = [];
    return bodyBytes > MAX_LOGIN_MESSAGE_BYTES ? 'oversized' : undefined;
  };
  const ended = (): ServerProblem | undefined => {
    const message = login && Buffer.concat(login);
    headerBytes = 0;
    login = undefined;
    if (!message) return undefined;
    const isNext = isNextLogin(step, message, needsProof);
    step = message.length < LENGTH_BYTES ? undefined : message.readUInt32BE(0);
    return isNext ? undefined : 'login';
  };
  return (bytes) => {
    answer.bytes += bytes.length;
    if (answer.bytes > (isLoggedIn ? MAX_ANSWER_BYTES : MAX_LOGIN_BYTES)) return 'oversized';
    for (let at = 0; at < bytes.length; ) {
      let problem: ServerProblem | undefined;
      if (headerBytes < HEADER_BYTES) {
        const taken = bytes.copy(header, headerBytes, at);
        headerBytes += taken;
        at += taken;
        if (headerBytes === HEADER_BYTES) problem = begun();
      } else {
        const taken = Math.min(bodyBytes, bytes.length - at);
        login?.push(bytes.subarray(at, at + taken));
        bodyBytes -= taken;
        at += taken;
      }
      if (!problem && headerBytes === HEADER_BYTES && bodyBytes === 0) problem = ended();
      if (problem) return problem;
    }
    return undefined;
  };
}

/** A server that asks for a password proves in the end that it knows it too. One that asks for none gets none. */
function isNextLogin(before: number | undefined, message: Buffer, needsProof: boolean): boolean {
  if (message.length < LENGTH_BYTES) return false;
  switch (message.readUInt32BE(0)) {
    case LOGIN.done:
      return before === LOGIN.scramFinal || (before === undefined && !needsProof);
    case LOGIN.scram:
      return before === undefined;
    case LOGIN.scramContinue:
      return before === LOGIN.scram && hasFairIterations(message.toString('latin1', LENGTH_BYTES));
    case LOGIN.scramFinal:
      return before === LOGIN.scramContinue;
    default:
      return false;
  }
}

function hasFairIterations(text: string): boolean {
  const counts = text.split(',').filter((each) => each.startsWith('i='));
  const [count] = counts;
  if (counts.length !== 1 || count === undefined || !/^i=[1-9]\d{0,8}$/.test(count)) return false;
  const iterations = Number(count.slice(2));
  return iterations >= MIN_SCRAM_ITERATIONS && iterations <= MAX_SCRAM_ITERATIONS;
}

/** Makes a guarded connection, which nothing has been sent on. */
function driverOf(Driver: typeof Client, address: ServerAddress, access: ServerAccess, user: string): Client {
  const limitMs = limitOf(access);
  // The types of pg lack scramMaxIterations.
  const config: ClientConfig & { readonly scramMaxIterations: number } = {
    host: address.host,
    port: address.port,
    database: address.database,
    user,
    types: TYPES,
    connectionTimeoutMillis: Math.min(CONNECT_MS, limitMs),
    query_timeout: limitMs,
    keepAlive: true,
    // Queries that are asked together travel together.
    pipeline: true,
    application_name: 'fiatrail',
    options: '',
    client_encoding: 'UTF8',
    password: async () => {
      const password = await access.password(user);
      if (password === undefined) throw new ServerError('rejected', address.name);
      return password.reveal();
    },
    scramMaxIterations: MAX_SCRAM_ITERATIONS,
    ssl: address.tls ? { rejectUnauthorized: true, ...caOf(address.tls) } : false,
  };
  const made = new Driver(config);
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

/** Returns the connection to a server, which is made when it is opened. Whenever one was made, it goes through `gate` first. */
export async function connectionTo(
  address: ServerAddress,
  access: ServerAccess,
  { clock, host }: Pick<JournalWorld, 'clock' | 'host'>,
  gate: (client: Client) => Promise<void>,
): Promise<ServerConnection> {
  const user = address.user ?? host.user;
  const { default: Driver } = await import('pg/lib/client.js');
  let client: Client | undefined;
  let isClosed = false;
  let stream: Pick<Client['connection']['stream'], 'destroy'> | undefined;
  const taken = () => {
    const old = client;
    client = undefined;
    return old;
  };
  return {
    open: async () => {
      if (client) return client;
      if (isClosed) throw closedError();
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
        await gate(made);
        if (isClosed) throw closedError();
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
      // Work that nobody waits for any more would make another connection, and the process would never end.
      isClosed = true;
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

const closedError = () =>
  new CliError('interrupted', 'the command has ended, and its connection to the database server');

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
