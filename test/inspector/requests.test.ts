import { expect, onTestFinished, test } from 'vitest';
import { openRequestLog } from '../../src/inspector/requests.ts';
import { newestOf } from '../../src/inspector/source.ts';
import type { ObservedExchange } from '../../src/sandbox/observe.ts';
import { openScratch } from '../../src/sqlite/database.ts';
import { DatabaseError } from '../../src/sqlite/errors.ts';

/** What is recorded of the requests of a sandbox. */

const KEY = 'live_8fK2sd9dkfZq';

async function log(whoIs: () => string = () => 'Acme', tell = (_: string) => {}) {
  const requests = await openRequestLog(whoIs, { atMost: 100, removedAtOnce: 10, tell });
  onTestFinished(requests.close);
  const all = { text: '', state: '', from: 0, limit: 500 };
  const rows = async (query = all) => (await requests.list.page(query)).rows;
  const detail = async (id: string) => (await requests.list.detail(id)) as Record<'path' | 'sent' | 'received', string>;
  return { ...requests, rows, details: async () => Promise.all((await rows()).map(({ id }) => detail(id))) };
}

function exchange(method: string, url: string, startMs: number, response = '{"data":{}}', sent = ''): ObservedExchange {
  return {
    request: { method, url, headers: {}, body: sent },
    caller: { apiKey: KEY, address: '127.0.0.1' },
    response: { status: 200, headers: {}, body: response },
    startMs,
    durationMs: 1,
  };
}

const long = JSON.stringify({ data: { note: 'x'.repeat(150_000) } });

test('the bodies of a long read are kept, those of the next reads once it is paid for, and those of writes always', async () => {
  const { observe, details } = await log();
  observe(exchange('GET', '/v1/getfees', 1_000, long));
  observe(exchange('GET', '/v1/getfees', 1_001));
  observe(exchange('POST', '/v1/cngnonramp', 1_002, '{"data":{"requestId":"r-1"}}', '{"userId":"u-1"}'));
  observe(exchange('GET', '/v1/getfees', 1_999));
  observe(exchange('GET', '/v1/getfees', 2_008));
  const received = (await details()).map((each) => each.received);
  expect(received).toEqual([
    expect.stringContaining('(cut; it has '),
    null,
    '{"data":{"requestId":"r-1"}}',
    null,
    '{"data":{}}',
  ]);
});

test('a request is about the work in its response, then whose it is, and then about what it names itself', async () => {
  const { observe, rows } = await log();
  observe(exchange('POST', '/v1/cngnonramp', 1_000, '{"data":{"userId":"u-1","requestId":"r-1"}}'));
  observe(exchange('POST', '/v1/fx/trade', 1_001, '{"data":{"orderId":"o-1","tradeId":"t-1"}}'));
  observe(exchange('POST', '/_sandbox/pay', 1_002, '{"data":{"userId":"u-1","depositId":"d-1"}}'));
  observe(exchange('POST', '/v1/getuserdetails', 1_003, '{"data":{}}', '{"userId":"u-2"}'));
  expect((await rows()).map(({ subject }) => subject)).toEqual(['r-1', 't-1', 'd-1', 'u-2']);
});

test('the sandbox’s clock is read once for many reads, and again after what may have moved it', async () => {
  let [aheadMs, read] = [0, 0];
  let nowMs = 1_001;
  const requests = await openRequestLog(() => 'Acme', {
    sandboxNowMs: () => {
      read += 1;
      return nowMs + aheadMs;
    },
  });
  onTestFinished(requests.close);
  const send = (method: string, url: string, startMs: number) => {
    nowMs = startMs + 1;
    requests.observe(exchange(method, url, startMs));
  };
  send('GET', '/v1/getfees', 1_000);
  send('GET', '/v1/getfees', 1_050);
  expect(read).toBe(1);
  aheadMs = 60_000;
  send('POST', '/_sandbox/advance', 1_060);
  send('GET', '/v1/getfees', 1_070);
  expect(read).toBe(2);
  // Another process may move it, too.
  aheadMs = 90_000;
  send('GET', '/v1/getfees', 1_500);
  const { rows } = await requests.list.page({ text: '', state: '', from: 0, limit: 10 });
  const at = rows.map(({ sandboxAt }) => Date.parse(String(sandboxAt)));
  expect(at).toEqual([1_001, 1_051, 61_061, 61_071, 91_501]);
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

test('what cannot be recorded is counted, told once without what the error says, and does not reach whoever sent it', async () => {
  let problem: Error | undefined = new DatabaseError('full', 'a temporary file', undefined);
  const told: string[] = [];
  const whoIs = () => {
    if (problem) throw problem;
    return 'Acme';
  };
  const { observe, rows, list, version } = await log(whoIs, (text) => told.push(text));
  const gap = async (query = {}) => (await list.page({ text: '', state: '', from: 0, limit: 0, ...query })).gap;
  expect(await gap()).toBeUndefined();
  const before = version();
  observe(exchange('GET', '/v1/getfees', 1_000));
  expect(version()).not.toBe(before);
  expect(await gap()).toBe('1 request could not be recorded: the disk is full');
  problem = new Error(`no fintech has ${KEY}`);
  observe(exchange('GET', '/v1/getfees', 1_000));
  expect(await gap({ state: 'ok' })).toBe('2 requests could not be recorded: an error in the inspector');
  problem = undefined;
  observe(exchange('GET', '/v1/getwallets', 1_001));
  expect((await rows()).map(({ path }) => path)).toEqual(['/v1/getwallets']);
  expect(told).toEqual(['a request could not be recorded: the disk is full']);
});

test('a full disk loses the requests since the last commit, which are counted, and later ones are recorded again', async () => {
  let isFull = false;
  const open: typeof openScratch = async (create) => {
    const store = await openScratch(create);
    const run: typeof store.run = (...given) => {
      if (!isFull) return store.run(...given);
      store.exec('ROLLBACK');
      throw new DatabaseError('full', 'a temporary file', undefined);
    };
    return { ...store, run };
  };
  const { observe, list } = await openRequestLog(() => 'Acme', { open });
  const page = async () => {
    const { rows, total, gap } = await list.page({ text: '', state: '', from: 0, limit: 500 });
    return [total, rows.at(-1)?.['path'], gap];
  };
  for (let each = 0; each < 300; each++) observe(exchange('GET', `/v1/a${each}`, 1_000));
  expect(await page()).toEqual([300, '/v1/a299', undefined]);
  isFull = true;
  observe(exchange('GET', '/v1/b', 1_000));
  isFull = false;
  const gap = '45 requests could not be recorded: the disk is full';
  expect(await page()).toEqual([256, '/v1/a255', gap]);
  observe(exchange('GET', '/v1/c', 1_000));
  expect(await page()).toEqual([257, '/v1/c', gap]);
});

test('what one request breaks leaves the ones before it', async () => {
  let who: unknown = 'Acme';
  const { observe, rows, list } = await log(() => who as string);
  observe(exchange('GET', '/v1/a', 1_000));
  who = {};
  observe(exchange('GET', '/v1/b', 1_000));
  who = 'Acme';
  observe(exchange('GET', '/v1/c', 1_000));
  expect((await rows()).map(({ path }) => path)).toEqual(['/v1/a', '/v1/c']);
  expect((await list.page({ text: '', state: '', from: 0, limit: 1 })).gap).toMatch(/^1 request could not/);
});

test('a filter that is asked for again finds what came since, and forgets what is gone', async () => {
  const { observe, list } = await log();
  const found = async (query: object) => {
    const { total, rows } = await list.page({ text: '', state: '', from: 0, limit: 2, ...query });
    return [total, ...rows.map(({ id }) => id)];
  };
  const send = (path: string, status = 200) => {
    const sent = exchange('GET', path, 1);
    observe({ ...sent, response: { status, headers: {}, body: '{}' } });
  };
  expect(await found({ text: 'FEES' })).toEqual([0]);
  for (let at = 1; at <= 99; at += 1) send(at % 20 === 0 ? '/v1/getfees' : '/v1/getwallets');
  expect(await found({ text: 'FEES' })).toEqual([4, '20', '40']);
  expect(await found({ text: 'fees', from: 3 })).toEqual([4, '80']);
  expect(await found({ text: 'fees', state: 'rejected' })).toEqual([0]);
  send('/v1/getfees', 404);
  expect(await found({ text: 'fees', state: 'rejected' })).toEqual([1, '100']);
  expect(await found({ text: 'fees', from: 3 })).toEqual([5, '80', '100']);
  for (let at = 101; at <= 120; at += 1) send('/v1/getwallets');
  expect(await found({ text: 'fees' })).toEqual([4, '40', '60']);
  for (const text of ['a', 'b', 'c', 'd', 'e']) await found({ text });
  expect(await found({ text: 'fees' })).toEqual([4, '40', '60']);
});

test('the newest rows of a list come with their positions', async () => {
  const { observe, list } = await log();
  const newest = async (limit: number) => {
    const { from, total, rows } = await newestOf(list, { text: '', state: '', limit });
    return [from, total, ...rows.map(({ id }) => id)];
  };
  expect(await newest(2)).toEqual([0, 0]);
  for (let at = 1; at <= 3; at += 1) observe(exchange('GET', '/v1/getfees', 1));
  expect(await newest(2)).toEqual([1, 3, '2', '3']);
  expect(await newest(5)).toEqual([0, 3, '1', '2', '3']);
});

test('the oldest requests are forgotten, and whoever knows positions is told', async () => {
  const { observe, list } = await log();
  const page = async () => list.page({ text: '', state: '', from: 0, limit: 1 });
  for (let at = 1; at <= 100; at += 1) observe(exchange('GET', '/v1/getfees', 1));
  expect(await page()).toMatchObject({ total: 100, generation: 0, rows: [{ id: '1' }] });
  observe(exchange('GET', '/v1/getfees', 1));
  expect(await page()).toMatchObject({ total: 91, generation: 1, rows: [{ id: '11' }] });
});

test('a BVN or a secret is in no path, query or body, whatever its field is called', async () => {
  const { observe, details } = await log();
  const [bvn, secret] = ['22345678901', 'whsec-9fK2sd9dkf'];
  observe(exchange('GET', `/v1/nope?bvn=${bvn}&q=${bvn}`, 1_000));
  observe(exchange('GET', `/v1/nope/${bvn}`, 1_001));
  observe(exchange('POST', '/v1/onboarduser', 1_002, `{"message":"no ${bvn}"}`, `{"number":"${bvn}","again":${bvn}}`));
  observe(
    exchange('POST', `/v1/setwebhook?x=${secret}`, 1_003, `{"data":{"echo":"${secret}"}}`, `{"sekret":"${secret}"}`),
  );
  observe(exchange('GET', '/v1/getfees', 2_000, long));
  observe(exchange('GET', `/v1/nope/${bvn}`, 2_000));
  const shown = JSON.stringify(await details());
  for (const each of [bvn, secret]) expect(shown).not.toContain(each);
  expect((await details())[0]?.path).toBe('/v1/nope?bvn=%5Bredacted%5D&q=%5Bredacted%5D');
});
