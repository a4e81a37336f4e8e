import type { FaultKind } from '../../contract/control.ts';

/** The faults of deliveries. Each spoils the first attempt of one delivery. */
export const WEBHOOK_FAULTS = [
  'duplicate-webhook',
  'late-webhook',
  'reordered-webhook',
  'lost-webhook',
  'slow-webhook',
  'stale-webhook',
  'wrong-signature-webhook',
  'wrong-secret-webhook',
] as const satisfies readonly FaultKind[];

export type WebhookFault = (typeof WEBHOOK_FAULTS)[number];
