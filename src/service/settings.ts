import type { Database } from '../sqlite/database.ts';

/**
 * How long external systems take, in milliseconds of sandbox time. Source: inferred, from times in public text and
 * client reports.
 */
export const PACES = {
  instant: {
    verifyBvn: 0,
    openAccount: 0,
    mint: 0,
    deliver: 0,
    refund: 0,
    payout: 0,
    step: 0,
    swap: 0,
    bridgeDetected: 0,
    bridge: 0,
    lock: 0,
    sign: 0,
    confirm: 0,
    approveVault: 0,
  },
  quick: {
    verifyBvn: 300,
    openAccount: 100,
    mint: 250,
    deliver: 150,
    refund: 250,
    payout: 400,
    step: 100,
    swap: 250,
    bridgeDetected: 150,
    bridge: 300,
    lock: 100,
    sign: 200,
    confirm: 250,
    approveVault: 400,
  },
  real: {
    verifyBvn: 120_000,
    openAccount: 5_000,
    mint: 60_000,
    deliver: 15_000,
    refund: 300_000,
    payout: 120_000,
    step: 10_000,
    swap: 30_000,
    bridgeDetected: 30_000,
    bridge: 170_000,
    lock: 2_000,
    sign: 30_000,
    confirm: 60_000,
    approveVault: 86_400_000,
  },
} as const;

export type PaceName = keyof typeof PACES;
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

function isPaceName(text: string): text is PaceName {
  return Object.hasOwn(PACES, text);
}

/** How long a quote and the lock of a trade are valid: 5 minutes. Source: interface. */
export const FX_WINDOW_MS = 5 * 60_000;

/** How long each state lasts for a test value that shows every state, at any pace. */
export const SHOWN_STATE_MS = 60_000;

/** The sandbox's settings: one row. */
export interface Settings {
  /** Sandbox time minus machine time. */
  readonly clockOffsetMs: number;
  readonly pace: PaceName;
  readonly rateLimits: boolean;
  readonly bvnDigestKey: string;
  /** The API key of the seeded fintech, used by the embedded client. */
  readonly embeddedApiKey: string;
  /** The service's X25519 secret key in hexadecimal; clients may encrypt requests with its public key. */
  readonly platformSecretKey: string;
}

interface SettingsRow {
  readonly clock_offset_ms: bigint;
  readonly pace: string;
  readonly rate_limits: bigint;
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
