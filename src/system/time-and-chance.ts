import type { Clock, Ids } from '../base/world.ts';

/** Resolves when the events that are waiting have been handled. */
export const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

function sleep(durationMs: number, signal: AbortSignal, isQuiet: boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, durationMs);
    if (isQuiet) timer.unref();
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

/** The clock of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  // Node's `performance` is the same clock, and takes 2 ms to load.
  steadyMs: () => Number(process.hrtime.bigint() / 1_000_000n),
  sleep: (durationMs, signal) => sleep(durationMs, signal, false),
  every: (durationMs, run) => {
    const timer = setInterval(run, durationMs).unref();
    return { [Symbol.dispose]: () => clearInterval(timer) };
  },
};

/** The clock of this machine, without keeping the process alive: whoever waits may end. */
export const quietClock: Clock = {
  ...systemClock,
  sleep: (durationMs, signal) => sleep(durationMs, signal, true),
};

/**
 * UUIDs of version 7: milliseconds, then a counter within the millisecond, then random bits. An id is no secret, so its bits come from
 * Math.random: loading node:crypto for them takes longer than the rest of a payment's journal.
 */
export function createIds(): Ids {
  let lastMs = 0;
  let sequence = 0;
  const pool = new Uint8Array(4096);
  let used = pool.length;
  const bytes = (length: number) => {
    if (used + length > pool.length) {
      crypto.getRandomValues(pool);
      used = 0;
    }
    used += length;
    return pool.slice(used - length, used);
  };
  const uuid = () => {
    const now = Date.now();
    if (now > lastMs) {
      lastMs = now;
      sequence = Math.floor(Math.random() * 0x100) << 2;
    } else {
      sequence += 1;
      if (sequence > 0xfff) {
        lastMs += 1;
        sequence = 0;
      }
    }
    const time = lastMs.toString(16).padStart(12, '0');
    const bits = (count: number) => Math.floor(Math.random() * 2 ** count);
    const tail = (0x8000 | bits(14)).toString(16) + bits(48).toString(16).padStart(12, '0');
    return `${time.slice(0, 8)}-${time.slice(8)}-7${sequence.toString(16).padStart(3, '0')}-${tail.slice(0, 4)}-${tail.slice(4)}`;
  };
  return { uuid, bytes, digest: hmacSha256 };
}

const SHA256_BLOCK = 64;

/**
 * Returns the HMAC-SHA256 (RFC 2104) in base64url. Written with one-shot hashes, because the objects of createHmac cost a served
 * sandbox more to free than their work.
 */
function hmacSha256(key: string, text: string): string {
  // Loaded on first use: most commands need no digest, and node:crypto takes longer to load than they run.
  const { hash } = process.getBuiltinModule('node:crypto');
  const bytes = Buffer.byteLength(key) > SHA256_BLOCK ? hash('sha256', key, 'buffer') : Buffer.from(key);
  const padded = (pad: number) => {
    const block = Buffer.alloc(SHA256_BLOCK, pad);
    for (const [at, byte] of bytes.entries()) block[at] = byte ^ pad;
    return block;
  };
  const inner = hash('sha256', Buffer.concat([padded(0x36), Buffer.from(text)]), 'buffer');
  return hash('sha256', Buffer.concat([padded(0x5c), inner]), 'base64url');
}
