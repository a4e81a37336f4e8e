import { CLEARED, hashOf, NO_HASH } from './chain.ts';
import { TRIGGERS } from './sqlite/schema.ts';
import type { Queries } from './store.ts';
import { type EntryRow, isCleared, linkOf } from './unchanged.ts';

const [ENTRY_UPDATE = ''] = TRIGGERS;

/** Entries read at a time. */
const BATCH = 500;

/**
 * Computes the hashes of earlier entries again, in the chain of each host from its first operation on whose input digest was removed: they cover
 * the digest, so whoever guesses its input could compare. Where an entry does not follow the one before it, the rest stays as it is, for
 * `ops verify` to find. Call it before the chains are joined.
 */
export async function rehashCleared(queries: Queries): Promise<void> {
  const hosts = await queries.all<{ host: string; first: bigint }>(
    `SELECT e.host AS host, min(e.sequence) AS first FROM entry e JOIN operation o ON o.id = e.operation_id
     WHERE e.state = 'prepared' AND o.input_digest = ? GROUP BY e.host`,
    CLEARED,
  );
  if (hosts.length === 0) return;
  const isFile = queries.engine === 'sqlite';
  await queries.run(isFile ? 'DROP TRIGGER entry_update' : 'ALTER TABLE entry DISABLE TRIGGER entry_stays');
  for (const { host, first } of hosts) await rehash(queries, host, first);
  await queries.run(isFile ? ENTRY_UPDATE : 'ALTER TABLE entry ENABLE TRIGGER entry_stays');
}

async function rehash(queries: Queries, host: string, first: bigint): Promise<void> {
  const sql = 'SELECT hash FROM entry WHERE host = ? AND sequence < ? ORDER BY sequence DESC LIMIT 1';
  const before = (await queries.get<{ hash: string }>(sql, host, first))?.hash ?? NO_HASH;
  let [was, now, after] = [before, before, first - 1n];
  for (;;) {
    const entries = await queries.all<EntryRow>(
      'SELECT * FROM entry WHERE host = ? AND sequence > ? ORDER BY sequence LIMIT ?',
      ...[host, after, BATCH],
    );
    for (const entry of entries) {
      const row = await queries.get('SELECT * FROM operation WHERE id = ?', entry.operation_id);
      const link = linkOf(entry, row, 'earlier');
      if (!isCleared(entry, row, 'earlier') && hashOf(was, link, 'earlier') !== entry.hash) return;
      now = hashOf(now, link, 'earlier');
      was = entry.hash;
      await queries.run('UPDATE entry SET hash = ? WHERE sequence = ?', now, entry.sequence);
    }
    after = entries.at(-1)?.sequence ?? after;
    if (entries.length < BATCH) return;
  }
}
