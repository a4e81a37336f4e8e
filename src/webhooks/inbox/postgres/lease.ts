import type { JournalWorld } from '../../../journal/transitions.ts';
import { insertion, type RowOf, replacing } from '../../../store/table.ts';
import { type DueForwardRow, dueSql } from '../forwards.ts';
import { FRESH_MS, type ListenerLease, type ListenerSecrets, listenerOf, MARGIN_MS, SILENT_MS } from '../listener.ts';
import { type InboxStore, type Queries, type Work, wordsOf } from '../store.ts';
import { type SHARED_FORWARD, SHARED_LISTENER, SHARED_SETTING } from '../tables.ts';

/** What nobody holds who is alive, or this process holds already. */
const FREE = ` AND (holder IS NULL OR holder = ?4
  OR NOT EXISTS (SELECT 1 FROM listener WHERE listener.id = forward.holder AND listener.seen_at > ?5))`;

type HeldRow = DueForwardRow & Pick<RowOf<typeof SHARED_FORWARD>, 'holder'>;

type ListenerRow = RowOf<typeof SHARED_LISTENER>;

const aliveSince = ({ now }: Pick<Queries, 'now'>) => now() - SILENT_MS;

/**
 * The lease of one of several listeners. Each forwards what it claimed. Whoever shows no sign of life for a while, by the server's clock, loses
 * all of it; should it wake up, it finds that out before it sends anything, and starts anew as another listener.
 */
export function sharedLease(
  store: InboxStore,
  /** This host's name in the inbox. */
  hostName: () => string,
  { clock, ids, host }: Pick<JournalWorld, 'clock' | 'ids' | 'host'>,
): ListenerLease {
  let own = { id: '', address: '', aliveMs: Number.NEGATIVE_INFINITY };
  let reported: ListenerSecrets | undefined;
  let isBusy = false;

  function* register(queries: Queries, id: string, address: string): Work<void> {
    yield* queries.run('DELETE FROM listener WHERE seen_at <= ?', aliveSince(queries));
    for (const { id: other, process } of yield* queries.all<ListenerRow>(
      'SELECT * FROM listener WHERE host = ?',
      hostName(),
    ))
      if (Number(process) === host.processId || !host.isRunning(Number(process)))
        yield* queries.run('DELETE FROM listener WHERE id = ?', other);
    const now = queries.now();
    const process = { process: host.processId, host: hostName(), address };
    const secrets = reported && JSON.stringify(reported);
    yield* queries.run(...insertion(SHARED_LISTENER, [{ id, ...process, started_at: now, seen_at: now, secrets }]));
  }
  const begin = async (address: string) => {
    await store.check();
    const next = { id: ids.uuid(), address, aliveMs: clock.now() };
    await store.write((queries) => register(queries, next.id, address));
    own = next;
  };
  const touch = async () => {
    await store.check();
    const { id, address } = own;
    const aliveMs = clock.now();
    const sql = 'UPDATE listener SET seen_at = ? WHERE id = ? AND seen_at > ?';
    const changed = await store.write((queries) => queries.run(sql, queries.now(), id, aliveSince(queries)));
    const isAlive = changed > 0;
    if (isAlive && own.id === id) own.aliveMs = aliveMs;
    else if (!isAlive && own.id === id) await begin(address);
    return true;
  };
  const claimDue = (target: string, limit: number) =>
    store.write(function* (queries) {
      const { id } = own;
      const alive = yield* queries.get('SELECT 1 FROM listener WHERE id = ? AND seen_at > ?', id, aliveSince(queries));
      if (!alive) return [];
      const rows = yield* dueIn(queries, id, target, limit);
      const free = rows.filter(({ holder }) => holder !== id).map((row) => Number(row.id));
      if (free.length > 0)
        yield* queries.run(
          `UPDATE forward SET holder = ?1 WHERE id IN ${wordsOf(queries).numbersIn('?2')}`,
          id,
          JSON.stringify(free),
        );
      return rows;
    });
  return {
    claim: async (address) => {
      await begin(address);
      return undefined;
    },
    touch,
    holds: async () => Math.abs(clock.now() - own.aliveMs) < FRESH_MS || touch(),
    due: async (target, limit) => {
      // While nothing is due, nothing is locked.
      const { id } = own;
      const found = isBusy ? undefined : await store.read((queries) => dueIn(queries, id, target, limit));
      const rows = found?.every(({ holder }) => holder === id) ? found : await claimDue(target, limit);
      isBusy = rows.length > 0;
      return rows;
    },
    claimed: () => {
      const { id } = own;
      return () => own.id === id && Math.abs(clock.now() - own.aliveMs) < SILENT_MS - MARGIN_MS;
    },
    release: async () =>
      void (await store.write((queries) => queries.run('DELETE FROM listener WHERE id = ?', own.id))),
    listeners: () =>
      store.read(function* (queries) {
        const rows = yield* queries.all<ListenerRow>(
          'SELECT * FROM listener WHERE seen_at > ? ORDER BY started_at, id',
          aliveSince(queries),
        );
        return rows.map(listenerOf).filter((each) => each.host !== hostName() || host.isRunning(each.processId));
      }),
    wantSecret: (fingerprint) =>
      store.write(function* (queries) {
        const row = { name: 'wanted_secret', value: fingerprint };
        yield* queries.run(...insertion(SHARED_SETTING, [row], replacing(SHARED_SETTING, ['value'])));
      }),
    wantedSecret: () =>
      store.read(function* (queries) {
        const sql = `SELECT value FROM setting WHERE name = 'wanted_secret'`;
        return (yield* queries.get<{ value: string }>(sql))?.value;
      }),
    reportSecrets: async (secrets) => {
      reported = secrets;
      const text = JSON.stringify(secrets);
      await store.write((queries) => queries.run('UPDATE listener SET secrets = ? WHERE id = ?', text, own.id));
    },
  };
}

const dueIn = (queries: Queries, id: string, target: string, limit: number) =>
  queries.all<HeldRow>(dueSql(', holder', FREE), target, queries.now(), limit, id, aliveSince(queries));
