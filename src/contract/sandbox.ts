/** The faults of requests. */
const REQUEST_FAULTS = [
  'lost-request',
  'lost-response',
  'slow',
  'http-500',
  'http-500-after',
  'http-502-html',
  'rate-limit',
  'refuse',
  'malformed-json',
  'truncated',
  'payout-fails',
] as const;

/** The faults of webhooks. Each spoils the first attempt of one delivery. */
export const WEBHOOK_FAULTS = [
  'duplicate-webhook',
  'late-webhook',
  'reordered-webhook',
  'lost-webhook',
  'slow-webhook',
  'stale-webhook',
  'wrong-signature-webhook',
  'wrong-secret-webhook',
] as const;

/** The faults that can be injected; docs/fidelity.md describes each. */
export const FAULT_KINDS = [...REQUEST_FAULTS, ...WEBHOOK_FAULTS] as const;

export type FaultKind = (typeof FAULT_KINDS)[number];
/** The header in which a sandbox says its exact time, and by how much its clock was moved, both in milliseconds: `1763900000000 60000`. */
export const SANDBOX_CLOCK = 'x-sandbox-clock';

/**
 * The webhook URL of an embedded sandbox whose events go straight into the inbox, without a port. Nothing can answer at a name below
 * `.invalid` (RFC 6761), so no other sandbox can deliver there by mistake. Source: inferred.
 */
export const INBOX_URL = 'https://inbox.fiatrail.invalid/';

/** SQLite's application_id of a state file: `frsb` in ASCII. */
export const STATE_FILE_ID = 0x66727362;

/** The start of every SQLite file, and where its header has what is read here. Source: sqlite.org/fileformat.html. */
const SQLITE = 'SQLite format 3\0';
const HEADER_BYTES = 100;
const PAGE_SIZE_AT = 16;
const PAGE_COUNT_AT = 28;
const APPLICATION_ID_AT = 68;

/** Returns what keeps bytes from being a whole state file, as far as its header shows it; undefined if nothing does. */
export function stateFileProblem(bytes: Uint8Array): string | undefined {
  const header = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = Buffer.from(bytes.subarray(0, SQLITE.length)).toString('latin1');
  if (bytes.length < HEADER_BYTES || start !== SQLITE || header.getUint32(APPLICATION_ID_AT) !== STATE_FILE_ID)
    return 'it is not a sandbox state file';
  // The largest page size does not fit into its two bytes and is written as 1.
  const pageSize = header.getUint16(PAGE_SIZE_AT) === 1 ? 65_536 : header.getUint16(PAGE_SIZE_AT);
  return bytes.length < pageSize * header.getUint32(PAGE_COUNT_AT) ? 'it is incomplete' : undefined;
}
