import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { OperationState } from '../../src/journal/journal.ts';
import type { RotationStage } from '../../src/journal/rotations.ts';
import { type AtEnd, fiatrail, type Home, newHome, ROOT, startFiatrail } from './built.ts';

/** A served sandbox and its keys. */
export interface Served {
  readonly home: Home;
  readonly url: string;
  readonly apiKey: string;
  keys(): readonly { readonly key: string; readonly isLive: boolean }[];
}

function rowsIn<R>(path: string, sql: string): R[] {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  try {
    return database.prepare(sql).all() as R[];
  } finally {
    database.close();
  }
}

/** Returns every key that a sandbox has issued, from its database. */
export function keysIn({ stateDir }: Home) {
  const sql = 'SELECT key, revoked_at IS NULL AS live FROM api_key';
  const rows = rowsIn<{ key: string; live: number }>(join(stateDir, 'sandbox.db'), sql);
  return rows.map(({ key, live }) => ({ key, isLive: live === 1 }));
}

/** Returns the key of a home's embedded sandbox. */
export function embeddedKey({ stateDir }: Home): string {
  const [row] = rowsIn<{ key: string }>(join(stateDir, 'sandbox.db'), 'SELECT embedded_api_key AS key FROM setting');
  return row?.key ?? '';
}

/** Serves a sandbox from a new home until the test has finished. */
export async function serveSandbox(atEnd: AtEnd): Promise<Served> {
  const home = newHome(atEnd);
  const words = ['sandbox', 'serve', '--port', '0', '-o', 'json', '--pace', 'instant', '--rate-limits', 'off'];
  const server = startFiatrail(home, words);
  const { url, apiKey } = JSON.parse(await server.firstLine()) as { url: string; apiKey: string };
  atEnd(async () => {
    server.kill('SIGTERM');
    await server.end;
  });
  return { home, url, apiKey, keys: () => keysIn(home) };
}

/** Runs a command. Throws its output if it exits with another code than expected. */
export async function must(home: Home, argv: readonly string[], stdin = '', codes: readonly number[] = [0]) {
  const ran = await fiatrail(home, argv, { stdin });
  if (!codes.includes(ran.code ?? -1))
    throw new Error(`fiatrail ${argv.join(' ')} ended with ${ran.code}:\n${ran.stdout}${ran.stderr}`);
  return ran;
}

/** Creates a home whose default profile, `main`, is an account of the sandbox with its key in a file. */
export async function accountOf({ url, apiKey }: Served, atEnd: AtEnd): Promise<Home> {
  const home = newHome(atEnd);
  const words = ['profiles', 'add', 'main', '--base-url', url, '--mode', 'sandbox', '--store', 'file', '--key-stdin'];
  await must(home, words, apiKey);
  await must(home, ['profiles', 'use', 'main']);
  return home;
}

export const secretsFolder = ({ path }: Home) => join(path, 'config', 'secrets');
export const keyPath = (home: Home) => join(secretsFolder(home), 'main.api-key');
export const storedKey = (home: Home) => readFileSync(keyPath(home), 'utf8').trim();

/** Returns the names of the files of unfinished rotations. */
export function leftBehind({ stateDir }: Home): string[] {
  const folder = join(stateDir, 'rotations');
  return existsSync(folder) ? readdirSync(folder) : [];
}

export interface RotationRow {
  readonly operation_id: string;
  readonly stage: RotationStage;
  readonly state: OperationState;
}

/** Returns the rotations in the journal with the states of their operations, oldest first. */
export function rotationRows({ stateDir }: Home): RotationRow[] {
  const path = join(stateDir, 'journal.db');
  if (!existsSync(path)) return [];
  const sql =
    'SELECT operation_id, stage, state FROM rotation JOIN operation ON id = operation_id ORDER BY operation_id';
  return rowsIn<RotationRow>(path, sql);
}

/** Returns the process ids of the keepers that run in a home, from /proc. */
export function keepersOf({ path }: Home): number[] {
  const readProc = (pid: string, file: string) => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, 'utf8');
    } catch {
      // It has ended in the meantime.
      return '';
    }
  };
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter(
      (pid) => readProc(pid, 'cmdline').includes('__keeper') && readProc(pid, 'environ').includes(`HOME=${path}\0`),
    )
    .map(Number);
}

/** Polls a condition and resolves once it is true. */
export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** Resolves once no keeper of a home is running. */
export async function keepersGone(home: Home): Promise<void> {
  await until(() => keepersOf(home).length === 0);
}

/** Starts a command in its own process group, which can be killed as a whole. */
export function startInGroup(home: Home, argv: readonly string[]) {
  const child = spawn(process.execPath, [join(ROOT, 'bin', 'fiatrail.js'), ...argv], {
    cwd: home.path,
    env: home.env,
    detached: true,
    stdio: 'ignore',
  });
  const end = new Promise<number | null>((resolve) => child.on('close', (code) => resolve(code)));
  const kill = (isWholeGroup: boolean) => {
    try {
      process.kill(isWholeGroup ? -(child.pid ?? 0) : (child.pid ?? 0), 'SIGKILL');
    } catch {
      // It has already ended.
    }
  };
  return { kill, end };
}
