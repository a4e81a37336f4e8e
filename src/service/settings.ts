import type { Database } from '../sqlite/database.ts';
import { isPaceName, type PaceName } from './pace.ts';

/** The sandbox's settings: one row. */
export interface Settings {
  /** Sandbox time minus machine time. */
  readonly clockOffsetMs: number;
  readonly pace: PaceName;
  readonly rateLimits: boolean;
  readonly bvnDigestKey: string;
  /** The API key of the seeded fintech, used by the embedded client. */
  readonly embeddedApiKey: string;
  /** The service's X25519 secret key in hexadecimal; clients may seal requests to its public key. */
  readonly platformSecretKey: string;
}

interface SettingsRow {
  readonly clock_offset_ms: bigint;
  readonly pace: string;
  readonly rate_limits: bigint;
}

/** Reads the settings. Every request does, so keys are read only by those that use one. */
export function readSettings(store: Database): Settings {
  const row = store.get<SettingsRow>('SELECT clock_offset_ms, pace, rate_limits FROM setting');
  if (!row) throw new Error('the sandbox has no settings');
  const key = (column: string) => store.get<{ key: string }>(`SELECT ${column} AS key FROM setting`)?.key ?? '';
  return {
    clockOffsetMs: Number(row.clock_offset_ms),
    pace: isPaceName(row.pace) ? row.pace : 'quick',
    rateLimits: row.rate_limits === 1n,
    get bvnDigestKey() {
      return key('bvn_digest_key');
    },
    get embeddedApiKey() {
      return key('embedded_api_key');
    },
    get platformSecretKey() {
      return key('platform_secret_key');
    },
  };
}

/** Updates the given settings and keeps the others. */
export function changeSettings(store: Database, change: Partial<Settings>): void {
  const to = { ...readSettings(store), ...change };
  store.run(
    'UPDATE setting SET clock_offset_ms = ?, pace = ?, rate_limits = ?, embedded_api_key = ?',
    to.clockOffsetMs,
    to.pace,
    to.rateLimits ? 1 : 0,
    to.embeddedApiKey,
  );
}

export function createSettings(store: Database, settings: Settings): void {
  store.run(
    `INSERT INTO setting (id, clock_offset_ms, pace, rate_limits, bvn_digest_key, embedded_api_key, platform_secret_key)
     VALUES (1, ?, ?, ?, ?, ?, ?)`,
    settings.clockOffsetMs,
    settings.pace,
    settings.rateLimits ? 1 : 0,
    settings.bvnDigestKey,
    settings.embeddedApiKey,
    settings.platformSecretKey,
  );
}
