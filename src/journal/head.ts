import { attempt, CliError } from '../base/errors.ts';
import { readPrivateFile, replaceFileUnflushed } from '../files/private-file.ts';
import { CLEARED } from './chain.ts';
import type { Queries } from './store.ts';

/** The last transition of a journal when it was looked at. */
export interface Head {
  readonly sequence: bigint;
  readonly hash: string;
}

/** The file that remembers the head. It is beside the journal, and not in it, so that it survives when the journal is cut or replaced. */
export const headFile = (path: string) => `${path}.head`;

/** Returns the heads that were saved in files; none before the first. Throws CliError usage for a link or another user's file. */
export function savedHeads(files: readonly string[]): Head[] {
  return files.flatMap((file) => {
    // A power failure may leave the file empty or half written, because it is not flushed. The journal itself is.
    const [, sequence, hash] = /^(\d{1,18}) ([\w-]{43})\n$/.exec(readPrivateFile(file) ?? '') ?? [];
    return sequence === undefined || hash === undefined ? [] : [{ sequence: BigInt(sequence), hash }];
  });
}

/** Returns the last transition of any host. */
export function lastHead(queries: Queries): Promise<Head | undefined> {
  return queries.get<Head>('SELECT sequence, hash FROM entry ORDER BY sequence DESC LIMIT 1');
}

/**
 * Returns the first of some heads that the journal does not have. Its cost does not grow with the journal. A head of before an upgrade that
 * computed hashes again is there if its entry is, unless `isExact`.
 */
export async function firstMissing(
  queries: Queries,
  heads: readonly Head[],
  isExact = false,
): Promise<Head | undefined> {
  for (const head of heads) {
    const sql = 'SELECT 1 AS found FROM entry WHERE sequence = ? AND hash = ?';
    if ((await queries.get(sql, head.sequence, head.hash)) !== undefined) continue;
    if (isExact || !(await isRehashed(queries, head.sequence))) return head;
  }
  return undefined;
}

/**
 * Whether the hash of an entry was computed again, so that a head that was saved of it before shows only that there was such an entry. Its
 * cost grows with the journal.
 */
async function isRehashed(queries: Queries, sequence: bigint): Promise<boolean> {
  const found = await queries.get(
    `SELECT 1 AS found FROM entry e WHERE e.sequence = ? AND e.sequence < (SELECT min(sequence) FROM entry WHERE subject = 'joint')
       AND EXISTS (SELECT 1 FROM entry c JOIN operation o ON o.id = c.operation_id
         WHERE c.host = e.host AND c.state = 'prepared' AND c.sequence <= e.sequence AND o.input_digest = ?)`,
    ...[sequence, CLEARED],
  );
  return found !== undefined;
}

/**
 * Whether the journal has the heads that were saved. If not, it was cut, and that must stay visible: no other head is saved. A file that
 * is not ours decides nothing here; the next command that sends money rejects it.
 */
export async function hasSavedHeads(queries: Queries, files: readonly string[]): Promise<boolean> {
  const saved = attempt(() => savedHeads(files));
  return !(saved instanceof CliError) && (await firstMissing(queries, saved)) === undefined;
}

/**
 * Keeps a head. Of two processes, the slower may write the older head. That is harmless, because the journal contains every head. A
 * head that cannot be written is left out for the same reason.
 */
export function saveHead(files: readonly string[], head: Head | undefined, processId: number): void {
  if (!head) return;
  for (const file of files) {
    try {
      writeHead(file, head, processId);
    } catch {
      // The transition is recorded; only the memory of it is older.
    }
  }
}

/** Replaces the saved head. Throws the system's error. */
export function writeHead(file: string, head: Head | undefined, processId: number): void {
  const text = head ? `${head.sequence} ${head.hash}\n` : '';
  replaceFileUnflushed(file, text, `head-${processId}-${head?.sequence ?? 0n}`);
}
