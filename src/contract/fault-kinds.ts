/** The faults of requests. */
const REQUEST_FAULTS = [
  'lost-request',
  'lost-response',
  'slow',
  'http-500',
  'http-500-after',
  'http-502-html',
  'rate-limit',
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
export type WebhookFault = (typeof WEBHOOK_FAULTS)[number];
