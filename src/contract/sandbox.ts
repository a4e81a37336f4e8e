/** The faults of requests. */
const REQUEST_FAULTS = [
  'lost-request',
  'lost-response',
  'slow',
  'http-500',
  'http-500-after',
  'http-502-html',
  'rate-limit',
  'reject',
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

/** The faults that can be injected; docs/contributing/inferred.md describes each. */
export const FAULT_KINDS = [...REQUEST_FAULTS, ...WEBHOOK_FAULTS] as const;

export type FaultKind = (typeof FAULT_KINDS)[number];

/** What `sandbox simulate` asks of the service, in the order in which it says so. */
export const SIMULATED_KINDS = [
  'onboarding',
  'user-status',
  'user-deposit',
  'onramp',
  'onramp-payment',
  'offramp',
  'swap',
  'token-withdrawal',
  'tokens-in',
  'registration',
  'account-deposit',
  'payout',
  'trade',
  'bridge',
  'bridge-deposit',
  'transfer',
  'fee-change',
  'fee-withdrawal',
] as const;

/** The header in which a sandbox says its exact time, and by how much its clock was moved, both in milliseconds: `1763900000000 60000`. */
export const SANDBOX_CLOCK = 'x-sandbox-clock';

/** The header in which a sandbox says `off` if it enforces no rate limits. */
export const SANDBOX_LIMITS = 'x-sandbox-limits';

/**
 * The webhook URL of an embedded sandbox whose events go straight into the inbox, without a port. Nothing can answer at a name below
 * `.invalid` (RFC 6761), so no other sandbox can deliver there by mistake. Source: inferred.
 */
export const INBOX_URL = 'https://inbox.fiatrail.invalid/';

/** SQLite's application_id of a state file: `frsb` in ASCII. */
export const STATE_FILE_ID = 0x66727362;
