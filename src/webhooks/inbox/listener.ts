import type { Host } from '../../base/world.ts';
import { insertion, type RowOf } from '../../store/table.ts';
import { type Claims, type DueForwardRow, dueSql } from './forwards.ts';
import type { InboxStore, Queries, Work } from './store.ts';
import { LISTENER, type SHARED_LISTENER } from './tables.ts';

/** A process that receives for an inbox. */
export interface Listener {
  readonly processId: number;
  readonly host: string;
  /** Where it listens: `http://127.0.0.1:4000`, or `the embedded sandbox`. */
  readonly address: string;
  readonly startedAtMs: number;
  /** Its last sign of life. */
  readonly aliveAtMs: number;
  /** The webhook secrets that it verifies with; undefined if it needs none. */
  readonly secrets: ListenerSecrets | undefined;
}

/** What a listener says of its webhook secrets. */
export interface ListenerSecrets {
  readonly fingerprints: readonly string[];
  /** Whether it reads the store of the profile, where another one may be put. */
  readonly canLearn: boolean;
}

/**
 * A process that receives for an inbox and forwards its events: the only one at a time for a file, and one of several for a database on a
 * server, where each forwards what it has claimed.
 */
export interface ListenerLease extends Claims {
  /** Takes the inbox for this process. Returns the process that has it, if another one does and it cannot be shared. */
  claim(address: string): Promise<Listener | undefined>;
  /** Notes that this process is alive. Resolves to false if another one has taken the inbox. */
  touch(): Promise<boolean>;
  /** Whether this process may forward: it shows that it is alive if it did so some time ago. */
  holds(): Promise<boolean>;
  release(): Promise<void>;
  /** The processes that are alive. */
  listeners(): Promise<readonly Listener[]>;
  /** Asks the listeners to learn the secret with a fingerprint. */
  wantSecret(fingerprint: string): Promise<void>;
  /** The fingerprint of the secret that the listeners are to learn. */
  wantedSecret(): Promise<string | undefined>;
  /** Says which secrets this process verifies with. */
  reportSecrets(secrets: ListenerSecrets): Promise<void>;
}

/** A listener counts as gone after this long without a sign of life: its process may be stopped, or another program may have its id. */
export const SILENT_MS = 60_000;
/** A listener that showed itself this short a time ago does so again only later: each time is a flush. */
export const FRESH_MS = 10_000;
/** What others see as silence begins a little later than what this process takes for it. */
export const MARGIN_MS = 5_000;

const rowIn = (queries: Queries) => queries.get<RowOf<typeof LISTENER>>('SELECT * FROM listener');

export function listenerOf(row: RowOf<typeof LISTENER> | RowOf<typeof SHARED_LISTENER>): Listener {
  const { process, host, address, started_at, seen_at, secrets } = row;
  return {
    processId: Number(process),
    host,
    address,
    startedAtMs: Number(started_at),
    aliveAtMs: Number(seen_at),
    secrets: secrets === null ? undefined : (JSON.parse(secrets) as ListenerSecrets),
  };
}

/** Returns the process that listens, if it is alive. */
function* listenerIn(queries: Queries, here: Host): Work<Listener | undefined> {
  const row = yield* rowIn(queries);
  if (!row) return undefined;
  const listener = listenerOf(row);
  const isRecent = queries.now() - listener.aliveAtMs < SILENT_MS;
  return isRecent && (row.host !== here.name || here.isRunning(listener.processId)) ? listener : undefined;
}

/** Another process may have the same id: in another container, or after this one ended. */
const OURS = 'WHERE process = ? AND host = ? AND started_at = ?';

/** Takes the inbox for this process from a time on, or returns the one that has it. Call it in a transaction. */
function* claimListener(queries: Queries, here: Host, address: string, nowMs: number): Work<Listener | undefined> {
  const other = yield* listenerIn(queries, here);
  if (other && !(other.host === here.name && other.processId === here.processId)) return other;
  const process = { process: here.processId, host: here.name, address };
  yield* queries.run('DELETE FROM listener');
  yield* queries.run(...insertion(LISTENER, [{ id: 1, ...process, started_at: nowMs, seen_at: nowMs }]));
  return undefined;
}

/** The lease of an inbox in a file. */
export function leaseIn(store: InboxStore, here: Host, now: () => number): ListenerLease {
  let place = { startedMs: Number.NaN, aliveMs: Number.NEGATIVE_INFINITY };
  const ours = () => [here.processId, here.name, place.startedMs] as const;
  const touch = async () => {
    await store.check();
    const aliveMs = now();
    const changed = await store.write((queries) =>
      queries.run(`UPDATE listener SET seen_at = ? ${OURS}`, aliveMs, ...ours()),
    );
    const isOurs = changed > 0;
    if (isOurs) place.aliveMs = aliveMs;
    return isOurs;
  };
  const isSure = () => Math.abs(now() - place.aliveMs) < SILENT_MS - MARGIN_MS;
  return {
    claim: async (address) => {
      // The row is found again by this time, so both must have the same.
      const nowMs = now();
      const other = await store.write((queries) => claimListener(queries, here, address, nowMs));
      if (!other) place = { startedMs: nowMs, aliveMs: nowMs };
      return other;
    },
    touch,
    holds: async () => Math.abs(now() - place.aliveMs) < FRESH_MS || touch(),
    due: (target, limit) => store.read((queries) => queries.all<DueForwardRow>(dueSql(), target, queries.now(), limit)),
    claimed: () => isSure,
    release: async () => void (await store.write((queries) => queries.run(`DELETE FROM listener ${OURS}`, ...ours()))),
    listeners: () =>
      store.read(function* (queries) {
        const listener = yield* listenerIn(queries, here);
        return listener ? [listener] : [];
      }),
    wantSecret: async (fingerprint) =>
      void (await store.write((queries) => queries.run('UPDATE listener SET wanted_secret = ?', fingerprint))),
    wantedSecret: async () => (await store.read(rowIn))?.wanted_secret ?? undefined,
    reportSecrets: (secrets) =>
      store.write(function* (queries) {
        yield* queries.run(`UPDATE listener SET secrets = ? ${OURS}`, JSON.stringify(secrets), ...ours());
      }),
  };
}
