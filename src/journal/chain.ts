import { nodeCrypto } from '../crypto/node-crypto.ts';

/** The columns of an operation that never change. The chain covers them by the operation's first transition. */
export const FIXED_COLUMNS = [
  ...['id', 'kind', 'account', 'profile', 'mode', 'base_url', 'endpoint', 'effect', 'command', 'summary', 'request'],
  ...['input_digest', 'once_key', 'tag', 'operator', 'host', 'created_at'],
] as const;

/** A transition as the chain covers it. */
export interface Link {
  readonly sequence: bigint;
  readonly operationId: string;
  readonly host: string;
  readonly state: string;
  readonly at: bigint;
  readonly requestId: string | null;
  readonly verdict: string | null;
  readonly detail: string | null;
  readonly result: string | null;
  /** The operation's fixed columns as JSON, in the first transition of an operation; otherwise null. */
  readonly operation: string | null;
}

/** The hash before the first link of a host. */
export const NO_HASH = '';

/** Returns the hash of a link: the SHA-256, in base64url, of the hash before it and everything that the link says. */
export function hashOf(previous: string, link: Link): string {
  const { sequence, operationId, host, state, at, requestId, verdict, detail, result, operation } = link;
  const said = [String(sequence), operationId, host, state, String(at), requestId, verdict, detail, result, operation];
  return nodeCrypto()
    .createHash('sha256')
    .update(`${previous}\n${JSON.stringify(said)}`)
    .digest('base64url');
}
