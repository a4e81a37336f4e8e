import { execFileSync, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import {
  chownSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WRITTEN } from '../../src/journal/postgres/create.ts';
import type { Certificate } from './certificate.ts';

/** Returns where Debian or others put the programs of a server. Throws one sentence that says what to install if there are none. */
export function postgresPrograms(): string {
  const folders = (process.env['PATH'] ?? '').split(':');
  const versions = '/usr/lib/postgresql';
  if (existsSync(versions)) folders.push(...readdirSync(versions).map((version) => join(versions, version, 'bin')));
  const needed = ['postgres', 'initdb', 'pg_basebackup', 'psql'];
  const found = folders.find((folder) => needed.every((name) => existsSync(join(folder, name))));
  if (found) return found;
  throw new Error('these tests need a PostgreSQL server; on Debian, install it with: apt-get install postgresql');
}

/** The user that a server runs as if root starts it, because PostgreSQL refuses root. */
const NOBODY = 65_534;
const asServer = (): SpawnOptions => (process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {});

/** A PostgreSQL server of the tests, on a socket in a folder of its own. */
export interface TestServer {
  readonly folder: string;
  /** The URL of a new database: an empty one, or a copy of that of a URL, whose connections end. A later copy may be as old as the second. */
  newDatabase(from?: string): string;
  /** Runs SQL as the owner, in the database of a URL. Returns what psql prints, without headings. */
  sql(url: string, text: string): string;
  /** Everything that the server has logged. */
  log(): string;
  /** Kills every process of the server, as a power failure does. */
  kill(): Promise<void>;
  /** Starts the server unless it runs. */
  start(): Promise<void>;
  /** Copies the server, which goes on, to a standby that does not run yet: it lacks whatever is written after this. */
  copy(): void;
  /** Kills the server and starts its copy in its place, read-only until `promote`. */
  startCopy(): Promise<void>;
  promote(): void;
  stop(): Promise<void>;
}

export interface ServerOptions {
  /** Settings such as `log_statement=all`. */
  readonly settings?: readonly string[];
  /** Listens on this port of 127.0.0.1 too, where users need passwords. */
  readonly port?: number | undefined;
  /** The certificate of TLS connections; without one, the server has no TLS. */
  readonly certificate?: Certificate | undefined;
}

/** The name of the server's superuser, who needs no password on the socket. */
export const OWNER = 'owner';

const DEFAULT_PORT = 5432;
/** Since this version, a new database is written to the log too unless its files are to be copied, which takes a fifth of the work. */
const HAS_STRATEGIES = 150_000;
const READY_MS = 60_000;
/** How many databases are made at once, from the second on: half of the work is to start psql. */
const AHEAD = 4;
const LOOK_MS = 50;

/** Whoever connects by the socket may; a connection over the network needs a password. */
const ACCESS = ['local all all trust', 'local replication all trust', 'host all all 127.0.0.1/32 scram-sha-256', ''];

/** What a server needs to run its programs in its folder. */
interface Place {
  readonly programs: string;
  readonly folder: string;
  readonly options: SpawnOptions;
}

/** Starts a server. Throws one sentence that says what to install if there is none. */
export async function startPostgres(options: ServerOptions = {}): Promise<TestServer> {
  const programs = postgresPrograms();
  const folder = mkdtempSync(join(tmpdir(), 'fiatrail-pg-'));
  const place = { programs, folder, options: asServer() };
  const { uid } = place.options;
  if (uid !== undefined) chownSync(folder, uid, uid);
  const data = join(folder, 'data');
  const made = process.env[EMPTY_CLUSTER];
  if (made) execFileSync('cp', ['-R', made, data], place.options as object);
  else initCluster(place, data);
  const server = serverAt(place, argumentsOf(place, options), options.port ?? DEFAULT_PORT);
  await server.start();
  return server;
}

/** Makes the files of a server without databases. */
function initCluster(place: Place, data: string): void {
  const init = ['-D', data, '-U', OWNER, '-A', 'trust', '--no-sync', '-E', 'UTF8', '--locale', 'C.UTF-8'];
  runAsServer(place, 'initdb', init);
  writeFileSync(join(data, 'pg_hba.conf'), ACCESS.join('\n'));
}

/** The variable that names the files of a server without databases, which every server of the run starts with a copy of. */
const EMPTY_CLUSTER = 'FIATRAIL_TEST_CLUSTER';

/** Makes these files, and returns what removes them. */
export function prepareCluster(): () => void {
  const [folder, options] = [mkdtempSync(join(tmpdir(), 'fiatrail-pg-')), asServer()];
  if (options.uid !== undefined) chownSync(folder, options.uid, options.uid);
  const data = join(folder, 'data');
  initCluster({ programs: postgresPrograms(), folder, options }, data);
  process.env[EMPTY_CLUSTER] = data;
  return () => rmSync(folder, { recursive: true, force: true });
}

function runAsServer({ programs, options }: Place, program: string, argv: readonly string[]): void {
  execFileSync(join(programs, program), argv, { ...options, stdio: 'pipe' } as object);
}

function argumentsOf({ folder, options }: Place, { settings = [], port, certificate }: ServerOptions): string[] {
  const listens = port === undefined ? 'listen_addresses=' : 'listen_addresses=127.0.0.1';
  // A killed server loses nothing that the system has: only a machine that loses power needs fsync.
  const log = ['fsync=off', 'min_wal_size=32MB', 'max_wal_size=128MB'];
  const all = [listens, ...log, `unix_socket_directories=${folder}`, `port=${port ?? DEFAULT_PORT}`, ...settings];
  if (certificate) {
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    writeFileSync(cert, certificate.cert);
    writeFileSync(key, certificate.key, { mode: 0o600 });
    if (options.uid !== undefined) chownSync(key, options.uid, options.uid);
    all.push('ssl=on', `ssl_cert_file=${cert}`, `ssl_key_file=${key}`);
  }
  return all.flatMap((setting) => ['-c', setting]);
}

/** Returns the processes that a process started. */
function childrenOf(pid: number | undefined): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    // Elsewhere than on Linux, they notice by themselves that their parent is gone.
    return [];
  }
}

const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** The name of a database in its URL. */
export const databaseOf = (url: string) => /\/(\w+)\?/.exec(url)?.[1] ?? '';

const connectionsEnd = (database: string) =>
  `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}'`;

function serverAt(place: Place, argv: readonly string[], port: number): TestServer {
  const { programs, folder, options } = place;
  let data = join(folder, 'data');
  let running: ReturnType<typeof spawn> | undefined;
  let count = 0;
  let strategy = '';
  /** Databases that nobody asked for yet, by what they are copies of. */
  const ahead = new Map<string, string[]>();
  const address = ['-h', folder, '-p', String(port), '-U', OWNER];
  const query = (database: string, ...texts: readonly string[]) => {
    const commands = texts.flatMap((text) => ['-c', text]);
    const argv = [...address, '-d', database, '-v', 'ON_ERROR_STOP=1', '-qAtX', ...commands];
    return spawnSync(join(programs, 'psql'), argv, { encoding: 'utf8' });
  };
  const psql = (database: string, ...texts: readonly string[]) => {
    const { status, stdout, stderr } = query(database, ...texts);
    if (status !== 0) throw new Error(`psql: ${stderr}`);
    return stdout.trimEnd();
  };
  const made = (original: string, copies: number): string[] => {
    const names = Array.from({ length: copies }, (_, index) => `journal_${count + index + 1}`);
    count += copies;
    const make = names.map((name) => `CREATE DATABASE ${name}${strategy} TEMPLATE ${original}`);
    psql('postgres', connectionsEnd(original), ...make);
    return names;
  };
  const alive = () => (running?.exitCode === null && running.signalCode === null ? running : undefined);
  const end = async (signal: NodeJS.Signals) => {
    const child = alive();
    if (!child) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    const children = signal === 'SIGKILL' ? childrenOf(child.pid) : [];
    child.kill(signal);
    for (const pid of children.filter(isRunning)) process.kill(pid, signal);
    await ended;
    // A new server needs the memory that they hold.
    while (children.some(isRunning)) await sleep(LOOK_MS);
  };
  const server: TestServer = {
    folder,
    newDatabase: (from) => {
      const original = from === undefined ? 'template1' : databaseOf(from);
      const ready = ahead.get(original);
      if (ready === undefined || ready.length === 0) ahead.set(original, made(original, ready ? AHEAD : 1));
      const database = ahead.get(original)?.shift();
      const peer = options.uid === undefined ? '' : '&requirepeer=nobody';
      return `postgres://${OWNER}@/${database}?host=${folder}&port=${port}${peer}`;
    },
    sql: (url, text) => psql(databaseOf(url), text),
    log: () => readFileSync(join(folder, 'log'), 'utf8'),
    start: async () => {
      if (alive()) return;
      const log = openSync(join(folder, 'log'), 'a');
      const child = spawn(join(programs, 'postgres'), ['-D', data, ...argv], {
        ...options,
        stdio: ['ignore', log, log],
      });
      closeSync(log);
      running = child;
      for (let left = READY_MS / LOOK_MS; ; left--) {
        const { status, stdout } = query('postgres', 'SHOW server_version_num');
        if (status === 0) {
          if (Number(stdout) >= HAS_STRATEGIES) strategy = ' STRATEGY file_copy';
          return;
        }
        if (left <= 0 || child.exitCode !== null)
          throw new Error(`the PostgreSQL server does not start: ${server.log().slice(-1_000)}`);
        await sleep(LOOK_MS);
      }
    },
    kill: () => end('SIGKILL'),
    copy: () => {
      const to = join(folder, 'copy');
      rmSync(to, { recursive: true, force: true });
      runAsServer(place, 'pg_basebackup', [...address, '-D', to, '-X', 'stream', '-c', 'fast', '-R', '--no-sync']);
    },
    startCopy: async () => {
      await end('SIGKILL');
      // The copy may lack them.
      ahead.clear();
      data = join(folder, 'copy');
      await server.start();
    },
    promote: () => void psql('postgres', 'SELECT pg_promote()'),
    stop: async () => {
      await end('SIGINT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return server;
}

/** Where databases are made: empty, or copies of another one. */
export type Databases = Pick<TestServer, 'newDatabase' | 'sql'>;

/** Copies a journal that begins for its hosts where it is: fiatrail notices a copy, as it does one that was restored. */
export function copiedJournal(databases: Databases, from: string): string {
  const url = databases.newDatabase(from);
  databases.sql(url, `UPDATE fiatrail.setting SET value = ${WRITTEN} WHERE name = 'server'`);
  return url;
}

/** Has a database tell another time. Its real one is `real_clock()`. A function among the tables would be one that someone planted. */
export function replaceClock(server: TestServer, url: string, time: string): void {
  server.sql(
    url,
    `CREATE OR REPLACE FUNCTION pg_catalog.real_clock() RETURNS timestamptz LANGUAGE internal AS 'clock_timestamp';
     CREATE OR REPLACE FUNCTION pg_catalog.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS $$ SELECT ${time} $$`,
  );
}
