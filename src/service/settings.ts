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
  readonly bvn_digest_key: string;
  readonly embedded_api_key: string;
  readonly platform_secret_key: string;
}

export function readSettings(store: Database): Settings {
  const row = store.get<SettingsRow>('SELECT * FROM setting');
  if (!row) throw new Error('the sandbox has no settings');
  return {
    clockOffsetMs: Number(row.clock_offset_ms),
    pace: isPaceName(row.pace) ? row.pace : 'quick',
    rateLimits: row.rate_limits === 1n,
    bvnDigestKey: row.bvn_digest_key,
    embeddedApiKey: row.embedded_api_key,
    platformSecretKey: row.platform_secret_key,
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
