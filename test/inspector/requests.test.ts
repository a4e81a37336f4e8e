import { expect, onTestFinished, test } from 'vitest';
import { openRequestLog } from '../../src/inspector/requests.ts';
import type { ObservedExchange } from '../../src/sandbox/observe.ts';

/** What is recorded of the requests of a sandbox. */

const KEY = 'live_8fK2sd9dkfZq';

async function log(whoIs: () => string = () => 'Acme') {
  const requests = await openRequestLog(whoIs, { atMost: 100, removedAtOnce: 10 });
  onTestFinished(requests.close);
  const all = { text: '', state: '', from: 0, limit: 500 };
  const rows = async (query = all) => (await requests.list.page(query)).rows;
  const detail = async (id: string) => (await requests.list.detail(id)) as Record<'path' | 'sent' | 'received', string>;
  return { ...requests, rows, details: async () => Promise.all((await rows()).map(({ id }) => detail(id))) };
}

function exchange(method: string, url: string, startMs: number, response = '{"data":{}}', sent = ''): ObservedExchange {
  return {
    ...{ request: { method, url, headers: {}, body: sent }, caller: { apiKey: KEY, address: '127.0.0.1' } },
    ...{ response: { status: 200, headers: {}, body: response }, startMs, durationMs: 1 },
  };
}

const long = JSON.stringify({ data: { note: 'x'.repeat(150_000) } });

test('the bodies of a long read are kept, those of the next reads once it is paid for, and those of writes always', async () => {
  const { observe, details } = await log();
  observe(exchange('GET', '/v1/getfees', 1_000, long));
  observe(exchange('GET', '/v1/getfees', 1_001));
  observe(exchange('POST', '/v1/cngnonramp', 1_002, '{"data":{"requestId":"r-1"}}', '{"userId":"u-1"}'));
  observe(exchange('GET', '/v1/getfees', 1_249));
  observe(exchange('GET', '/v1/getfees', 1_252));
  const received = (await details()).map((each) => each.received);
  expect(received).toEqual([
    expect.stringContaining('(cut; it has '),
    null,
    '{"data":{"requestId":"r-1"}}',
    null,
    '{"data":{}}',
  ]);
});

test('a key is in no path, whether bodies are kept or not', async () => {
  const { observe, details } = await log();
  observe(exchange('GET', `/v1/getfees?key=${KEY}&again=/v1/getfees`, 1_000, long));
  observe(exchange('GET', `/v1/getfees?key=${KEY}&again=/v1/getfees`, 1_000));
  observe(exchange('GET', `/v1/balance/user/${KEY}`, 1_000));
  observe(exchange('GET', `/v1/${KEY}`, 1_000));
  const paths = (await details()).map(({ path }) => path);
  expect(paths.join()).not.toContain(KEY);
  expect(paths.slice(1, 3)).toEqual(['/v1/getfees', '/v1/balance/user/[redacted]']);
});

test('what cannot be recorded is left out, and does not reach whoever sent it', async () => {
  let isBroken = true;
  const { observe, rows } = await log(() => {
    if (isBroken) throw new Error('the disk is full');
    return 'Acme';
  });
  observe(exchange('GET', '/v1/getfees', 1_000));
  isBroken = false;
  observe(exchange('GET', '/v1/getwallets', 1_001));
  expect((await rows()).map(({ path }) => path)).toEqual(['/v1/getwallets']);
});

test('the oldest requests are forgotten, and whoever knows positions is told', async () => {
  const { observe, list } = await log();
  const page = async () => list.page({ text: '', state: '', from: 0, limit: 1 });
  for (let at = 1; at <= 100; at += 1) observe(exchange('GET', '/v1/getfees', 1));
  expect(await page()).toMatchObject({ total: 100, generation: 0, rows: [{ id: '1' }] });
  observe(exchange('GET', '/v1/getfees', 1));
  expect(await page()).toMatchObject({ total: 91, generation: 1, rows: [{ id: '11' }] });
});
