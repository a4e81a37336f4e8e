import { nodeCrypto } from '../crypto/node-crypto.ts';
import { shortSha256 } from '../crypto/sha256.ts';

/** The columns of an operation that never change. The chain covers them by the operation's first transition. */
export const FIXED_COLUMNS = [
  ...['id', 'kind', 'account', 'profile', 'mode', 'base_url', 'endpoint', 'effect', 'command', 'summary', 'request'],
  ...['input_digest', 'once_key', 'tag', 'operator', 'host', 'created_at'],
] as const;

/** What an operation moves. The chain covers it where there is something: operations of earlier versions have no amount. */
export const AMOUNT_COLUMNS = ['asset', 'minor'] as const;

/** What was known of the service before the request left, as JSON (baseline.ts). The chain covers it where there is something. */
export const BASELINE_COLUMNS = ['baseline'] as const;

/** The columns that operations of earlier versions lack. */
export const LATER_COLUMNS: readonly string[] = [...AMOUNT_COLUMNS, ...BASELINE_COLUMNS];

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
  return hashOfText(previous, textOf(link));
}

/** Like `hashOf`, for the one or two links of a command: node:crypto is not loaded for them. */
export function hashOfOne(previous: string, link: Link): string {
  return shortSha256(`${previous}\n${textOf(link)}`);
}

/** Returns the text of a link that its hash covers, besides the hash before it. */
export function textOf(link: Link): string {
  const { sequence, operationId, host, state, at, requestId, verdict, detail, result, operation } = link;
  const said = [String(sequence), operationId, host, state, String(at), requestId, verdict, detail, result, operation];
  return JSON.stringify(said);
}

/** Returns the hash of a link whose text is known. */
export function hashOfText(previous: string, said: string): string {
  return nodeCrypto().hash('sha256', `${previous}\n${said}`, 'base64url');
}

const jsonArray = (parts: readonly string[]) => `json_array(${parts.join(', ')})`;

/**
 * Returns the text of a link as SQL: of the transition `t`, and of its operation `o` if the transition is the first. SQLite escapes
 * some rare characters differently than JavaScript, so a hash of this text that is wrong proves nothing.
 */
export function linkText(): string {
  const fixed = FIXED_COLUMNS.map((name) => (name === 'created_at' ? 'CAST(o.created_at AS TEXT)' : `o.${name}`));
  const amount = ['o.asset', 'CAST(o.minor AS TEXT)'];
  const operation = `CASE WHEN o.asset IS NULL
    THEN CASE WHEN o.baseline IS NULL THEN ${jsonArray(fixed)} ELSE ${jsonArray([...fixed, 'o.baseline'])} END
    ELSE CASE WHEN o.baseline IS NULL THEN ${jsonArray([...fixed, ...amount])}
      ELSE ${jsonArray([...fixed, ...amount, 'o.baseline'])} END END`;
  return jsonArray([
    ...['CAST(t.sequence AS TEXT)', 't.operation_id', 't.host', 't.state', 'CAST(t.at AS TEXT)'],
    ...['t.request_id', 't.verdict', 't.detail', 't.result'],
    // Without || '', the inner array would not be a string.
    `CASE WHEN t.state = 'prepared' THEN ${operation} || '' END`,
  ]);
}
