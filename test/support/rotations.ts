import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RotationStage } from '../../src/journal/rotations.ts';
import type { OperationState } from '../../src/journal/states.ts';
import { accountsWith, rowsIn } from './accounts.ts';
import { type Home, ROOT, startFiatrail } from './built.ts';

/** Returns the key of a home's embedded sandbox. */
export function embeddedKey({ stateDir }: Home): string {
  const [row] = rowsIn<{ key: string }>(join(stateDir, 'sandbox.db'), 'SELECT embedded_api_key AS key FROM setting');
  return row?.key ?? '';
}

export const { must, serveSandbox, accountOf } = accountsWith(startFiatrail);

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

/** Returns the process ids of the rotation processes that run in a home, from /proc. */
export function rotationProcessesOf({ path }: Home): number[] {
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
      (pid) => readProc(pid, 'cmdline').includes('__rotation') && readProc(pid, 'environ').includes(`HOME=${path}\0`),
    )
    .map(Number);
}

/** Polls a condition and resolves once it is true. */
export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** Resolves once no rotation process of a home is running. */
export async function rotationProcessesGone(home: Home): Promise<void> {
  await until(() => rotationProcessesOf(home).length === 0);
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
