import { execFileSync, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Where Debian and others put the programs of a server. */
function programFolder(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(':');
  const versions = '/usr/lib/postgresql';
  if (existsSync(versions)) folders.push(...readdirSync(versions).map((version) => join(versions, version, 'bin')));
  return folders.find((folder) => existsSync(join(folder, 'postgres')) && existsSync(join(folder, 'initdb')));
}

/** The user that a server runs as if root starts it, because PostgreSQL refuses root. */
const NOBODY = 65_534;
const asServer = (): SpawnOptions => (process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {});

/** A PostgreSQL server of the tests, on a socket in a folder of its own. */
export interface TestServer {
  readonly folder: string;
  /** The URL of a new, empty database. */
  newDatabase(): string;
  /** Runs SQL as the owner, in the database of a URL. Returns what psql prints, without headings. */
  sql(url: string, text: string): string;
  /** Kills every process of the server, as a power failure does. */
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

const OWNER = 'owner';
const READY_MS = 60_000;
const LOOK_MS = 50;

/** Starts a server. Throws one sentence that says what to install if there is none. */
export async function startPostgres(settings: readonly string[] = []): Promise<TestServer> {
  const programs = programFolder();
  if (!programs)
    throw new Error('these tests need a PostgreSQL server; on Debian, install it with: apt-get install postgresql');
  const folder = mkdtempSync(join(tmpdir(), 'fiatrail-pg-'));
  const options = asServer();
  if (options.uid !== undefined) chownSync(folder, options.uid, options.uid);
  const data = join(folder, 'data');
  const init = ['-D', data, '-U', OWNER, '-A', 'trust', '--no-sync', '-E', 'UTF8', '--locale', 'C.UTF-8'];
  execFileSync(join(programs, 'initdb'), init, { ...options, stdio: 'pipe' } as object);
  let running: ReturnType<typeof spawn> | undefined;
  let count = 0;
  const psql = (database: string, text: string) => {
    const args = ['-h', folder, '-U', OWNER, '-d', database, '-v', 'ON_ERROR_STOP=1', '-qAtX', '-c', text];
    const { status, stdout, stderr } = spawnSync('psql', args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`psql: ${stderr}`);
    return stdout.trimEnd();
  };
  const isUp = () => spawnSync('psql', ['-h', folder, '-U', OWNER, '-d', 'postgres', '-c', 'SELECT 1']).status === 0;
  const server: TestServer = {
    folder,
    newDatabase: () => {
      count += 1;
      psql('postgres', `CREATE DATABASE journal_${count}`);
      return `postgres://${OWNER}@/journal_${count}?host=${folder}`;
    },
    sql: (url, text) => psql(/\/([\w]+)\?/.exec(url)?.[1] ?? '', text),
    start: async () => {
      const args = ['-D', data, '-k', folder, '-c', 'listen_addresses=', ...settings.flatMap((each) => ['-c', each])];
      running = spawn(join(programs, 'postgres'), args, { ...options, stdio: 'ignore' });
      for (let left = READY_MS / LOOK_MS; !isUp(); left--) {
        if (left <= 0 || running.exitCode !== null) throw new Error('the PostgreSQL server does not start');
        await sleep(LOOK_MS);
      }
    },
    kill: async () => {
      const ended = running && new Promise((resolve) => running?.once('exit', resolve));
      running?.kill('SIGKILL');
      await ended;
      // Its children notice, and let go of the memory that a new server needs.
      await sleep(100);
    },
    stop: async () => {
      const ended = running && new Promise((resolve) => running?.once('exit', resolve));
      running?.kill('SIGINT');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}
