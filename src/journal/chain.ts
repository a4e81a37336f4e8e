import { nodeCrypto, shortSha256 } from '../crypto/digest.ts';
import { FIXED_COLUMNS, isNumber } from './tables.ts';

/** An entry of the journal as the chain covers it: a transition of an operation, or a fact. */
export interface Link {
  readonly sequence: bigint;
  /** Null for a fact. */
  readonly operationId: string | null;
  readonly host: string;
  readonly state: string;
  readonly at: bigint;
  readonly requestId: string | null;
  readonly verdict: string | null;
  readonly detail: string | null;
  readonly result: string | null;
  readonly busyUntil: bigint | null;
  /** What a fact is about; null for a transition. */
  readonly subject: string | null;
  /** What holds of the subject from now on; null if nothing does. */
  readonly value: string | null;
  /** The operation's fixed columns as JSON, in the first transition of an operation; otherwise null. */
  readonly operation: string | null;
}

/** The input digest of an operation whose input has a secret that nothing here may recognize. It is equal to none, itself included. */
export const NO_DIGEST = '-';

/** The hash before the first entry. */
export const NO_HASH = '';

/** Returns the hash of an entry: the SHA-256, in base64url, of the hash before it and everything that the entry says. */
export function hashOf(previous: string, link: Link): string {
  return hashOfText(previous, textOf(link));
}

/** Like `hashOf`, for the few entries of a command: node:crypto is not loaded for them. */
export function hashOfOne(previous: string, link: Link): string {
  return shortSha256(`${previous}\n${textOf(link)}`);
}

/** Returns the text of an entry that its hash covers, besides the hash before it. */
function textOf(link: Link): string {
  const { sequence, operationId, host, state, at, requestId, verdict, detail, result, operation } = link;
  const { busyUntil, subject, value } = link;
  const row = [String(sequence), operationId, host, state, String(at), requestId, verdict, detail, result, operation];
  return JSON.stringify([...row, busyUntil === null ? null : String(busyUntil), subject, value]);
}

/** Returns the hash of an entry whose text is known. */
export function hashOfText(previous: string, text: string): string {
  return nodeCrypto().hash('sha256', `${previous}\n${text}`, 'base64url');
}

/** Returns the text of the fixed columns of an operation's row, which its first entry covers. */
export function fixedText(row: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(
    FIXED_COLUMNS.map((name) => (typeof row[name] === 'bigint' ? String(row[name]) : (row[name] ?? null))),
  );
}

const jsonArray = (parts: readonly string[]) => `json_array(${parts.join(', ')})`;

/** Returns the text of an operation's fixed columns as SQL. */
const operationText = () =>
  jsonArray(FIXED_COLUMNS.map((name) => (isNumber(name) ? `CAST(o.${name} AS TEXT)` : `o.${name}`)));

/**
 * Returns the text of an entry as SQL: of the entry `e`, and of its operation `o` if the entry is its first. SQLite escapes some rare
 * characters differently than JavaScript, so a hash of this text that is wrong proves nothing.
 */
export function linkText(): string {
  return jsonArray([
    'CAST(e.sequence AS TEXT)',
    'e.operation_id',
    'e.host',
    'e.state',
    'CAST(e.at AS TEXT)',
    'e.request_id',
    'e.verdict',
    'e.detail',
    'e.result',
    // Without || '', the inner array would not be a string.
    `CASE WHEN e.state = 'prepared' THEN ${operationText()} || '' END`,
    'CAST(e.busy_until AS TEXT)',
    'e.subject',
    'e.value',
  ]);
}
