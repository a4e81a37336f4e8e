import { attempt, CliError } from '../base/errors.ts';
import { readPrivateFile, replaceFileUnflushed } from '../files/private-file.ts';
import type { Queries } from './store.ts';

/** The last transition of a journal when it was looked at. */
export interface Head {
  readonly sequence: bigint;
  readonly hash: string;
}

/** The file that remembers the head. It is beside the journal, and not in it, so that it survives when the journal is cut or replaced. */
const fileOf = (path: string) => `${path}.head`;

/** Returns the head that was kept; undefined before the first, and for a journal in memory. Throws CliError usage for a link or another user's file. */
export function keptHead(path: string): Head | undefined {
  const text = path === ':memory:' ? '' : (readPrivateFile(fileOf(path)) ?? '');
  // A power failure may leave the file empty or half written, because it is not flushed. The journal itself is.
  const [, sequence, hash] = /^(\d{1,18}) ([\w-]{43})\n$/.exec(text) ?? [];
  return sequence === undefined || hash === undefined ? undefined : { sequence: BigInt(sequence), hash };
}

/** Returns the last transition of any host. */
export function lastHead(queries: Queries): Promise<Head | undefined> {
  return queries.get<Head>('SELECT sequence, hash FROM transition ORDER BY sequence DESC LIMIT 1');
}

/** Whether the journal has this transition. Its cost does not grow with the journal. */
export async function contains(queries: Queries, { sequence, hash }: Head): Promise<boolean> {
  const found = await queries.get('SELECT 1 AS found FROM transition WHERE sequence = ? AND hash = ?', sequence, hash);
  return found !== undefined;
}

/**
 * Whether the journal has the head that was kept. If not, it was cut, and that must stay visible: no other head is kept. A file that is
 * not ours decides nothing here; the next command that sends money rejects it.
 */
export async function hasKeptHead(queries: Queries, path: string): Promise<boolean> {
  const kept = attempt(() => keptHead(path));
  if (kept instanceof CliError) return false;
  return !kept || contains(queries, kept);
}

/**
 * Keeps a head. Of two processes, the slower may write the older head. That is harmless, because the journal contains every head. A
 * head that cannot be written is left out for the same reason.
 */
export function keepHead(path: string, head: Head | undefined, processId: number): void {
  if (path === ':memory:' || !head) return;
  try {
    writeHead(path, head, processId);
  } catch {
    // The transition is recorded; only the memory of it is older.
  }
}

/** Replaces the kept head. Throws the system's error. */
export function writeHead(path: string, head: Head | undefined, processId: number): void {
  const text = head ? `${head.sequence} ${head.hash}\n` : '';
  replaceFileUnflushed(fileOf(path), text, `head-${processId}-${head?.sequence ?? 0n}`);
}
