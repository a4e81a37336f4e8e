import { type Context, hex } from '../context.ts';

/** Creates a sandbox key for a fintech: `sandbox_` and 21 hexadecimal digits. Source: public. */
export function addSandboxKey({ store, ids, nowMs }: Context, fintech: bigint): string {
  const key = newSandboxKey(ids);
  store.run(`INSERT INTO api_key (key, kind, fintech, created_at) VALUES (?, 'sandbox', ?, ?)`, key, fintech, nowMs);
  return key;
}

export function newSandboxKey(ids: Context['ids']): string {
  return `sandbox_${hex(ids.bytes(11)).slice(0, 21)}`;
}
