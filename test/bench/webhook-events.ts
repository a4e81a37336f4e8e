import { createHmac } from 'node:crypto';

export const SECRET = 'a-webhook-secret';

const KINDS = ['event', 'request', 'user', 'account', 'webhook', 'fintech'] as const;
const START_MS = Date.UTC(2026, 0, 5, 9);

/** A version 7 UUID, ordered by number, as the sandbox makes them. */
function uuid(kind: (typeof KINDS)[number], number: number): string {
  const time = (START_MS + number).toString(16).padStart(12, '0');
  const rest = String(KINDS.indexOf(kind)).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${rest}`;
}

/** The body of an event as the service writes it, with ids of its own. */
export function bodyOf(number: number, timestamp: string): string {
  return JSON.stringify({
    event: 'virtual.account.created',
    eventId: uuid('event', number),
    timestamp,
    requestId: uuid('request', number),
    fintechId: uuid('fintech', 0),
    version: '1.0.0',
    userId: uuid('user', number),
    data: {
      vaId: uuid('account', number),
      accountNumber: String(number).padStart(10, '9'),
      bankName: 'Providus Bank',
      accountName: 'Adaeze Chukwuemeka Okafor',
      createdAt: timestamp,
    },
  });
}

/** The headers of a delivery, as the service signs it. */
export function signedHeaders(number: number, timestamp: string, body: string): Record<string, string> {
  return {
    'x-service-signature': createHmac('sha256', SECRET).update(`${timestamp}.${body}`).digest('hex'),
    'x-service-timestamp': timestamp,
    'x-service-event': 'virtual.account.created',
    'x-webhook-id': uuid('webhook', number),
  };
}
