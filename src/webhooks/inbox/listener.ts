import type { Host } from '../../base/world.ts';
import type { Database } from '../../sqlite/database.ts';

/** The process that receives for an inbox. */
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
interface ListenerSecrets {
  readonly fingerprints: readonly string[];
  /** Whether it reads the store of the profile, where another one may be put. */
  readonly canLearn: boolean;
}

/** The only process at a time that receives for an inbox and forwards its events. */
export interface ListenerLease {
  /** Takes the inbox for this process. Returns the process that has it, if another one does. */
  claim(address: string): Listener | undefined;
  /** Notes that this process is alive. Returns false if another one has taken the inbox. */
  touch(): boolean;
  /**
   * Whether this process has the inbox: it shows that it is alive if it did so some time ago. What must be done by one process alone is done in
   * the same step.
   */
  holds(): boolean;
  /** Whether the inbox may be another process’s by now, because this one was silent for so long. Writes nothing. */
  isSilent(): boolean;
  release(): void;
  listener(): Listener | undefined;
  /** Asks the listener to learn the secret with a fingerprint. */
  wantSecret(fingerprint: string): void;
  /** The fingerprint of the secret that the listener is to learn. */
  wantedSecret(): string | undefined;
  /** Says which secrets this process verifies with. */
  reportSecrets(secrets: ListenerSecrets): void;
}

/** A listener counts as gone after this long without a sign of life: its process may be stopped, or another program may have its id. */
export const SILENT_MS = 60_000;
/** A listener that showed itself this short a time ago does so again only later: each time is a flush. */
const FRESH_MS = 10_000;
/** What others see as silence begins a little later than what this process takes for it. */
const MARGIN_MS = 5_000;

interface ListenerRow {
  readonly process: bigint;
  readonly host: string;
  readonly address: string;
  readonly started_at: bigint;
  readonly seen_at: bigint;
  readonly secrets: string | null;
  readonly wanted_secret: string | null;
}

const rowIn = (store: Database) => store.get<ListenerRow>('SELECT * FROM listener');

/** Returns the process that listens, if it is alive. */
function listenerIn(store: Database, here: Host, nowMs: number): Listener | undefined {
  const row = rowIn(store);
  if (!row) return undefined;
  const { host, address, secrets } = row;
  const processId = Number(row.process);
  const isRecent = nowMs - Number(row.seen_at) < SILENT_MS;
  if (!isRecent || (host === here.name && !here.isRunning(processId))) return undefined;
  return {
    ...{ processId, host, address, startedAtMs: Number(row.started_at), aliveAtMs: Number(row.seen_at) },
    secrets: secrets === null ? undefined : (JSON.parse(secrets) as ListenerSecrets),
  };
}

/** Another process may have the same id: in another container, or after this one ended. */
const OURS = 'WHERE process = ? AND host = ? AND started_at = ?';

/** Takes the inbox for this process, or returns the one that has it. Call it in a transaction. */
function claimListener(store: Database, here: Host, nowMs: number, address: string): Listener | undefined {
  const other = listenerIn(store, here, nowMs);
  if (other && !(other.host === here.name && other.processId === here.processId)) return other;
  store.run(
    'INSERT OR REPLACE INTO listener (id, process, host, address, started_at, seen_at) VALUES (1, ?, ?, ?, ?, ?)',
    ...[here.processId, here.name, address, nowMs, nowMs],
  );
  return undefined;
}

export function leaseIn(store: Database, here: Host, now: () => number): ListenerLease {
  const write = <T>(work: () => T) => store.transaction('write', work);
  let place = { startedMs: Number.NaN, aliveMs: Number.NEGATIVE_INFINITY };
  const ours = () => [here.processId, here.name, place.startedMs] as const;
  const touch = () => {
    const aliveMs = now();
    const isOurs = write(() => store.run(`UPDATE listener SET seen_at = ? ${OURS}`, aliveMs, ...ours()) > 0);
    if (isOurs) place.aliveMs = aliveMs;
    return isOurs;
  };
  return {
    claim: (address) => {
      const nowMs = now();
      const other = write(() => claimListener(store, here, nowMs, address));
      if (!other) place = { startedMs: nowMs, aliveMs: nowMs };
      return other;
    },
    touch,
    holds: () => Math.abs(now() - place.aliveMs) < FRESH_MS || touch(),
    isSilent: () => Math.abs(now() - place.aliveMs) >= SILENT_MS - MARGIN_MS,
    release: () => write(() => store.run(`DELETE FROM listener ${OURS}`, ...ours())),
    listener: () => listenerIn(store, here, now()),
    wantSecret: (fingerprint) => write(() => store.run('UPDATE listener SET wanted_secret = ?', fingerprint)),
    wantedSecret: () => rowIn(store)?.wanted_secret ?? undefined,
    reportSecrets: (secrets) =>
      write(() => store.run(`UPDATE listener SET secrets = ? ${OURS}`, JSON.stringify(secrets), ...ours())),
  };
}
