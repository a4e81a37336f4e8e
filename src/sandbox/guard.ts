import type { Endpoint } from '../contract/endpoint.ts';
import { Fault } from '../contract/faults.ts';
import { allowlistInForce, isAllowed } from '../service/account/allowlist.ts';
import type { Call, Context } from '../service/context.ts';
import { EXPIRED_KEY } from '../service/values.ts';
import type { Database } from '../sqlite/database.ts';

/** The caller as seen by the HTTP layer, before it is admitted. */
export interface UnverifiedCaller {
  /** The API key; undefined if the header is missing or not spelled `x-api-key`. */
  readonly apiKey: string | undefined;
  /** Whether the header was sent more than once, in whatever spelling. */
  readonly isKeyRepeated?: boolean;
  readonly address: string;
}

/** The only endpoint that takes a production key; it takes no other. Source: interface. */
const TAKES_PRODUCTION_KEY = 'management.create-sandbox-key';

/** The only endpoint open to every address; otherwise the first address could not be added. Source: public. */
const TAKES_ANY_ADDRESS = 'management.ip-allowlist';

/** Admits a caller. Throws AUTHENTICATION_FAILED, then IP_BLOCKED. */
export function admit(context: Context, caller: UnverifiedCaller, endpoint: Endpoint): Call {
  const { apiKey, isKeyRepeated } = caller;
  // Two programs on the way might each read another one.
  if (isKeyRepeated) throw new Fault('AUTHENTICATION_FAILED', 'the header x-api-key was sent more than once');
  if (apiKey === undefined)
    throw new Fault('AUTHENTICATION_FAILED', 'the header x-api-key is missing; its name must be lower case');
  const fintech = authenticate(context.store, apiKey, endpoint);
  const isOpen = endpoint.area === 'control' || endpoint.id === TAKES_ANY_ADDRESS;
  if (!isOpen && !isAllowed(allowlistInForce(context.store, fintech.id, context.nowMs), caller.address))
    throw new Fault('IP_BLOCKED', "the caller's address is not on the allowlist");
  return { ...context, fintech, caller: { apiKey, address: caller.address } };
}

/** Whether a key is registered and not revoked, whatever it may be used for. */
export function isKnownKey(store: Database, apiKey: string): boolean {
  return store.get('SELECT 1 FROM api_key WHERE key = ? AND revoked_at IS NULL', apiKey) !== undefined;
}

/** Returns the fintech with this key. Throws AUTHENTICATION_FAILED. */
function authenticate(store: Database, apiKey: string, { id }: Endpoint): Call['fintech'] {
  const isProduction = id === TAKES_PRODUCTION_KEY;
  if (isProduction && apiKey.startsWith('sandbox_'))
    throw new Fault('AUTHENTICATION_FAILED', 'this endpoint requires a production key');
  if (!isProduction && !apiKey.startsWith('sandbox_'))
    throw new Fault('AUTHENTICATION_FAILED', 'expected a sandbox key; sandbox keys start with sandbox_');
  const row = store.get<{ id: bigint; fintech_id: string; name: string; public_key: string | null }>(
    `SELECT fintech.id, fintech_id, name, public_key FROM api_key JOIN fintech ON fintech.id = api_key.fintech
     WHERE key = ? AND kind = ? AND revoked_at IS NULL`,
    apiKey,
    isProduction ? 'production' : 'sandbox',
  );
  if (!row) {
    const isExpired = apiKey === EXPIRED_KEY;
    throw new Fault('AUTHENTICATION_FAILED', `the API key ${isExpired ? 'has expired' : 'is unknown or revoked'}`);
  }
  return { id: row.id, fintechId: row.fintech_id, name: row.name, publicKey: row.public_key ?? undefined };
}

interface Window {
  readonly fintech: bigint;
  readonly endpoint: string;
  startMs: number;
  used: number;
  /** How many of `used` are not yet saved in the state file. */
  unsaved: number;
}

/**
 * Counts requests per fintech and endpoint in fixed windows, in memory, and saves the counts later: processes that
 * share a state file share them without a write per read.
 */
export interface RateLimiter {
  /** Counts one request. Throws RATE_LIMIT_EXCEEDED with the seconds to wait. */
  count(call: Call, endpoint: Endpoint): void;
  /** Saves the unsaved counts. */
  save(context: Context): void;
  /** Returns the number of unsaved requests. */
  unsaved(): number;
}

export function createRateLimiter(): RateLimiter {
  const windows = new Map<string, Window>();
  // Past windows with counts that are not yet saved.
  const past: Window[] = [];
  let unsaved = 0;
  return {
    count: (call, endpoint) => {
      if (!call.settings.rateLimits) return;
      const lengthMs = endpoint.rateLimit.windowSeconds * 1000;
      const startMs = call.nowMs - (call.nowMs % lengthMs);
      const window = windowOf(windows, past, call, endpoint, startMs);
      if (window.used >= endpoint.rateLimit.max) {
        const retryAfterSeconds = Math.ceil((startMs + lengthMs - call.nowMs) / 1000);
        throw new Fault(
          'RATE_LIMIT_EXCEEDED',
          `at most ${endpoint.rateLimit.max} requests in ${endpoint.rateLimit.windowSeconds} seconds`,
          {
            error: 'too many requests',
            retry_after: retryAfterSeconds,
          },
        );
      }
      window.used += 1;
      window.unsaved += 1;
      unsaved += 1;
    },
    unsaved: () => unsaved,
    save: (context) => {
      for (const window of [...past.splice(0), ...windows.values()]) saveWindow(context, window);
      unsaved = 0;
    },
  };
}

function windowOf(
  windows: Map<string, Window>,
  past: Window[],
  call: Call,
  endpoint: Endpoint,
  startMs: number,
): Window {
  const key = `${call.fintech.id} ${endpoint.id}`;
  const known = windows.get(key);
  if (known?.startMs === startMs) return known;
  // A window in the future remains from before the clock was set back, and is discarded.
  if (known && known.startMs < startMs) past.push(known);
  const saved = call.store.get<{ used: bigint }>(
    'SELECT used FROM rate_window WHERE fintech = ? AND endpoint = ? AND window_start = ?',
    call.fintech.id,
    endpoint.id,
    startMs,
  );
  const fresh: Window = {
    fintech: call.fintech.id,
    endpoint: endpoint.id,
    startMs,
    used: Number(saved?.used ?? 0n),
    unsaved: 0,
  };
  windows.set(key, fresh);
  return fresh;
}

/**
 * Adds the window's count to the saved one, which may include other processes' requests. A count for an older window
 * than the saved one is dropped, unless the saved window is in the future.
 */
function saveWindow({ store, nowMs }: Context, window: Window): void {
  if (window.unsaved > 0 && window.startMs <= nowMs) {
    const saved = store.get<{ used: bigint }>(
      `INSERT INTO rate_window (fintech, endpoint, window_start, used) VALUES (?1, ?2, ?3, ?4)
       ON CONFLICT DO UPDATE SET used = CASE WHEN window_start = excluded.window_start THEN used ELSE 0 END + excluded.used,
       window_start = excluded.window_start WHERE window_start <= excluded.window_start OR window_start > ?5 RETURNING used`,
      window.fintech,
      window.endpoint,
      window.startMs,
      window.unsaved,
      nowMs,
    );
    if (saved) window.used = Number(saved.used);
  }
  window.unsaved = 0;
}
