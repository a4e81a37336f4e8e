import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Home, newHome, ROOT, startFiatrail } from '../support/built.ts';
import { closedPort } from '../support/loopback.ts';

const SECRET = 'a-webhook-secret';

/** A file that is shipped for production. */
export const productionFile = (name: string) => readFileSync(join(ROOT, 'docs', 'production', name), 'utf8');

/** The environment of a listener whose account nothing calls. */
export const accountEnv = {
  FIATRAIL_BASE_URL: 'http://127.0.0.1:9/v1',
  FIATRAIL_API_KEY: 'sandbox_0123456789',
  FIATRAIL_WEBHOOK_SECRET: SECRET,
};

/** Starts a listener with numbers, and resolves when it receives. */
export async function startListener(flags: readonly string[] = [], home: Home = newHome(onTestFinished)) {
  const [port, metricsPort] = [await closedPort(), await closedPort()];
  const argv = ['webhooks', 'listen', '--port', String(port), '--metrics-port', String(metricsPort), ...flags];
  const listener = startFiatrail(home, argv, { env: accountEnv });
  await listener.says('listening at');
  return { home, port, metricsPort, listener, url: `http://127.0.0.1:${port}/` };
}

/** The headers and the body of a signed event. */
export function signedEvent(number: number, secret = SECRET) {
  const body = JSON.stringify({ event: 'user.onboarded', eventId: `event-${number}`, data: { number } });
  const timestamp = new Date().toISOString();
  const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
  return { body, headers: { 'x-service-signature': signature, 'x-service-timestamp': timestamp } };
}

/** Sends a signed event, and returns the answer's status. */
export async function sendEvent(url: string, number: number, secret?: string): Promise<number> {
  return (await fetch(url, { method: 'POST', ...signedEvent(number, secret) })).status;
}
