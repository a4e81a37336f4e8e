import type { Host } from '../../base/world.ts';
import type { Database } from '../../sqlite/database.ts';

/** The process that receives for an inbox. */
export interface Listener {
  readonly processId: number;
  readonly host: string;
  /** Where it listens: `http://127.0.0.1:4000`, or `the embedded sandbox`. */
  readonly address: string;
  readonly startedAtMs: number;
}

interface ListenerRow {
  readonly process: bigint;
  readonly host: string;
  readonly address: string;
  readonly started_at: bigint;
  readonly seen_at: bigint;
}

/** A listener counts as gone after this long without a sign of life: its process may be stopped, or another program may have its id. */
export const SILENT_MS = 60_000;

/** Returns the process that listens, if it is alive. */
export function listenerIn(store: Database, here: Host, nowMs: number): Listener | undefined {
  const row = store.get<ListenerRow>('SELECT * FROM listener');
  if (!row) return undefined;
  const processId = Number(row.process);
  const isRecent = nowMs - Number(row.seen_at) < SILENT_MS;
  const isAlive = isRecent && (row.host !== here.name || here.isRunning(processId));
  return isAlive ? { processId, host: row.host, address: row.address, startedAtMs: Number(row.started_at) } : undefined;
}

/** Takes the inbox for this process, or returns the one that has it. Call it in a transaction. */
export function claimListener(store: Database, here: Host, nowMs: number, address: string): Listener | undefined {
  const other = listenerIn(store, here, nowMs);
  if (other && !(other.host === here.name && other.processId === here.processId)) return other;
  store.run(
    `INSERT INTO listener VALUES (1, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET process = excluded.process, host = excluded.host,
       address = excluded.address, started_at = excluded.started_at, seen_at = excluded.seen_at`,
    ...[here.processId, here.name, address, nowMs, nowMs],
  );
  return undefined;
}

/** Notes that this process is alive. Returns false if another process has taken the inbox in the meantime. */
export function touchListener(store: Database, here: Host, nowMs: number): boolean {
  return (
    store.run('UPDATE listener SET seen_at = ? WHERE process = ? AND host = ?', nowMs, here.processId, here.name) > 0
  );
}

export function releaseListener(store: Database, here: Host): void {
  store.run('DELETE FROM listener WHERE process = ? AND host = ?', here.processId, here.name);
}
