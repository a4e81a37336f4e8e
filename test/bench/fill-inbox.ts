/**
 * Fills an inbox with events in equal distances, the last one at END: `node fill-inbox.ts PATH COUNT BATCH END APART_MS`. Each batch arrives at once,
 * at the time of its first event. It uses the inbox's own functions, and skips only the signatures.
 */
import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import { ensurePrivateFolder } from '../../src/files/private-folder.ts';
import { readBody } from '../../src/webhooks/body.ts';
import { openInbox } from '../../src/webhooks/inbox/inbox.ts';
import type { NewEvent } from '../../src/webhooks/inbox/received.ts';
import { newEventOf } from '../../src/webhooks/listen/inbox-writer.ts';
import { oneProcess } from '../support/journal-intent.ts';
import { fakeClock } from '../support/sandbox.ts';
import { bodyOf } from './webhook-events.ts';

const [path = '', count = '0', atOnce = '1', end = '', apart = '0'] = process.argv.slice(2);

async function eventAt(number: number, timeMs: number): Promise<NewEvent> {
  const timestamp = new Date(timeMs).toISOString();
  const body = Buffer.from(bodyOf(number, timestamp));
  const signature = createHash('sha256').update(body).digest('hex');
  const verified = {
    signature,
    timestamp,
    sentAtMs: timeMs,
    isLate: false,
    isEarly: false,
    serviceName: 'service',
    id: `webhook-${number}`,
    eventHeader: undefined,
  };
  const headers = [
    ['content-type', 'application/json'],
    ['x-service-signature', signature],
    ['x-service-timestamp', timestamp],
    ['x-webhook-id', verified.id],
  ] as const;
  return newEventOf({ verified, headers, body }, await readBody(body, []));
}

const clock = fakeClock();
ensurePrivateFolder(dirname(path));
const inbox = await openInbox(path, { clock, host: oneProcess() });
const total = Number(count);
for (let number = 0; number < total; ) {
  const batch: NewEvent[] = [];
  for (; batch.length < Number(atOnce) && number < total; number += 1) {
    const timeMs = Date.parse(end) - (total - 1 - number) * Number(apart);
    if (batch.length === 0) clock.set(timeMs);
    batch.push(await eventAt(number, timeMs));
  }
  await inbox.add(batch);
}
await inbox.close();
