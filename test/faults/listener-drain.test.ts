import { createHmac } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { fiatrailJson, newHome, requireBuilt, startFiatrail } from '../support/built.ts';
import { closedPort } from '../support/loopback.ts';

const SECRET = 'a-webhook-secret';

beforeAll(requireBuilt);

async function send(url: string, number: number): Promise<void> {
  const body = JSON.stringify({ event: 'user.onboarded', eventId: `event-${number}`, data: {} });
  const timestamp = new Date().toISOString();
  const signature = createHmac('sha256', SECRET).update(`${timestamp}.${body}`).digest('hex');
  const headers = { 'x-service-signature': signature, 'x-service-timestamp': timestamp };
  expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(200);
}

test.each([
  ['end in time run once to their end', 'sleep 1', '60s', { begun: 20, done: 20, states: ['forwarded'] }],
  [
    'take too long are asked to end, and run again later',
    'trap "" TERM; sleep 30 & wait; sleep 30',
    '1s',
    { begun: 20, done: 0, states: ['pending'] },
  ],
])('on SIGTERM, 20 handlers that %s', async (_how, work, drain, wanted) => {
  const home = newHome(onTestFinished);
  const port = await closedPort();
  const env = {
    FIATRAIL_BASE_URL: `http://127.0.0.1:${port}/v1`,
    FIATRAIL_API_KEY: 'sandbox_0123456789',
    FIATRAIL_WEBHOOK_SECRET: SECRET,
  };
  const log = `${home.path}/log`;
  writeFileSync(log, '');
  const count = (word: string) => readFileSync(log, 'utf8').split(`${word}\n`).length - 1;
  const handler = `echo begun >> ${log}; ${work}; echo done >> ${log}`;
  const argv = ['webhooks', 'listen', '--port', String(port), '--drain', drain, '--exec', handler];
  const running = startFiatrail(home, argv, { env });
  await running.says('listening at');
  await Promise.all(Array.from({ length: 20 }, (_, number) => send(`http://127.0.0.1:${port}/`, number)));
  while (count('begun') < 20) await sleep(20);
  running.kill('SIGTERM');
  const { code, stderr } = await running.end;
  expect([code, stderr]).toEqual([0, expect.stringContaining('stopping: ')]);
  const { events } = await fiatrailJson<{ events: { status: string }[] }>(home, ['webhooks', 'inbox', 'list', '-q'], {
    env,
  });
  const states = [...new Set(events.map(({ status }) => status))];
  expect({ begun: count('begun'), done: count('done'), states }).toEqual(wanted);
});
