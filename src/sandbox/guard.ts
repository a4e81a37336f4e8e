import type { Endpoint } from '../contract/endpoint.ts';
import { Fault } from '../contract/faults.ts';
import type { Call, Context, Fintech } from '../service/context.ts';
import type { Database } from '../sqlite/database.ts';

/** Who calls, as the HTTP side saw it. */
export interface Caller {
  /** The API key, or undefined when the header is missing or not spelled `x-api-key`. */
  readonly apiKey: string | undefined;
  readonly address: string;
}

/** The fintech whose key this is. Throws AUTHENTICATION_FAILED. */
export function authenticate({ store }: Context, caller: Caller): Fintech {
  const { apiKey } = caller;
  if (apiKey === undefined)
    throw new Fault('AUTHENTICATION_FAILED', 'the header x-api-key is missing; its name is lower case');
  if (!apiKey.startsWith('sandbox_')) throw new Fault('AUTHENTICATION_FAILED', 'a sandbox key begins with sandbox_');
  const row = store.get<{ id: bigint; fintech_id: string; name: string }>(
    `SELECT fintech.id, fintech_id, name FROM api_key JOIN fintech ON fintech.id = api_key.fintech WHERE key = ? AND revoked_at IS NULL`,
    apiKey,
  );
  if (!row) throw new Fault('AUTHENTICATION_FAILED', 'no fintech has this key, or it was revoked');
  return { id: row.id, fintechId: row.fintech_id, name: row.name };
}

interface Window {
  readonly fintech: bigint;
  readonly endpoint: string;
  startMs: number;
  used: number;
  /** Of `used`, how many the state file does not know of yet. */
  unsaved: number;
}

/**
 * Requests per fintech and endpoint in fixed windows, counted in memory and written behind: processes that share a
 * state file share the count, without a write for each read.
 */
export interface RateLimiter {
  /** Counts one request. Throws RATE_LIMIT_EXCEEDED with the seconds to wait. */
  count(call: Call, endpoint: Endpoint): void;
  /** Writes what was counted. */
  save(store: Database): void;
  /** How many requests were counted and not written. */
  unsaved(): number;
}

export function createRateLimiter(): RateLimiter {
  const windows = new Map<string, Window>();
  // Windows that are over and whose last requests the state file does not know of yet.
  const over: Window[] = [];
  let unsaved = 0;
  return {
    count: (call, endpoint) => {
      if (!call.settings.rateLimits) return;
      const lengthMs = endpoint.rateLimit.windowSeconds * 1000;
      const startMs = call.nowMs - (call.nowMs % lengthMs);
      const window = windowOf(windows, over, call, endpoint, startMs);
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
    save: (store) => {
      for (const window of [...over.splice(0), ...windows.values()]) saveWindow(store, window);
      unsaved = 0;
    },
  };
}

function windowOf(
  windows: Map<string, Window>,
  over: Window[],
  call: Call,
  endpoint: Endpoint,
  startMs: number,
): Window {
  const key = `${call.fintech.id} ${endpoint.id}`;
  const known = windows.get(key);
  if (known?.startMs === startMs) return known;
  if (known) over.push(known);
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

/** An older window than the file has is dropped; the same one is added up. */
function saveWindow(store: Database, window: Window): void {
  if (window.unsaved === 0) return;
  store.run(
    `INSERT INTO rate_window (fintech, endpoint, window_start, used) VALUES (?1, ?2, ?3, ?4)
     ON CONFLICT DO UPDATE SET used = CASE WHEN window_start = excluded.window_start THEN used ELSE 0 END + excluded.used,
     window_start = excluded.window_start WHERE window_start <= excluded.window_start`,
    window.fintech,
    window.endpoint,
    window.startMs,
    window.unsaved,
  );
  window.unsaved = 0;
}
