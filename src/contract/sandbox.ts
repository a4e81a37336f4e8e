/** The faults of requests. */
export const REQUEST_FAULTS = [
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

/** What each fault does, for people. */
export const FAULT_MEANINGS: Readonly<Record<FaultKind, string>> = {
  'lost-request': 'the connection drops before the request is processed',
  'lost-response': 'the request is processed, then the connection drops',
  slow: 'the response is delayed by 3 seconds',
  'http-500': 'HTTP 500, the request is not processed',
  'http-500-after': 'HTTP 500, but the request is processed',
  'http-502-html': 'HTTP 502 with an HTML page, the request is not processed',
  reject: 'the service rejects the request with the condition of --name',
  'rate-limit': 'HTTP 429, the request is not processed; retry after 1 s',
  'malformed-json': 'the request is processed, the response is invalid JSON',
  truncated: 'the request is processed, half of the response arrives',
  'payout-fails': 'the bank rejects the next payout',
  'duplicate-webhook': 'the next event is delivered twice, under one id',
  'late-webhook': 'it is delivered 10 minutes later',
  'reordered-webhook': 'it is delivered 5 seconds late, after later events',
  'lost-webhook': 'it is never delivered',
  'slow-webhook': 'the first attempt is made 3 seconds later',
  'stale-webhook': 'the first attempt has a timestamp 10 minutes old',
  'wrong-signature-webhook': 'the first attempt has a wrong signature',
  'wrong-secret-webhook': 'the first attempt is signed with another secret',
};

/** Where a fault of any delivery applies. */
export const ANY_WEBHOOK = 'webhooks';

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

/**
 * The webhook URL of an embedded sandbox whose events go straight into the inbox, without a port. Nothing can answer at a name below
 * `.invalid` (RFC 6761), so no other sandbox can deliver there by mistake. Source: inferred.
 */
export const INBOX_URL = 'https://inbox.fiatrail.invalid/';

/** SQLite's application_id of a state file: `frsb` in ASCII. */
export const STATE_FILE_ID = 0x66727362;
