import { request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { newHome } from '../support/built.ts';
import { must, startFiatrail } from '../support/in-process.ts';
import { ask, session } from './asking.ts';

/** What changes a sandbox is only for its own page, and an account’s page has none of it. */

interface Entered {
  readonly origin: string;
  readonly cookie: string;
  readonly apiKey: string;
}

async function entered(words: readonly string[], home = newHome(onTestFinished)): Promise<Entered> {
  const running = startFiatrail(home, [...words, '-o', 'json']);
  onTestFinished(async () => {
    running.kill('SIGTERM');
    await running.end;
  });
  const { inspector, url, apiKey = '' } = JSON.parse(await running.firstLine()) as Record<string, string>;
  const { origin, hash } = new URL(inspector ?? url ?? '');
  return { origin, cookie: await session({ origin, token: hash.replace('#token=', '') }), apiKey };
}

const SERVE = ['sandbox', 'serve', '--port', '0', '--rate-limits', 'off', '--inspect'];

/** Everything that a page of a sandbox can do, with input that does it. */
const ACTIONS: Readonly<Record<string, object>> = {
  advance: { durationMs: 60_000 },
  'advance-next': {},
  settle: {},
  pay: { accountNumber: '7387420489', amount: '5000', senderName: 'ADA OBI' },
  deposit: { address: '0x', amount: '5', asset: 'CNGN', network: 'base', from: '0x' },
  'fault-add': { endpoint: 'fees.get', kind: 'slow', times: 1 },
  'fault-clear': {},
  resend: { eventId: 'none' },
  snapshot: { name: 'mine' },
  restore: { name: 'mine' },
  forget: { name: 'mine' },
  simulate: { days: 1, users: 1 },
  'simulate-stop': {},
};

const statusOf = (origin: string, path: string, method: string, headers: Record<string, string>, body = '') =>
  new Promise<number | undefined>((resolve, reject) => {
    request(`${origin}${path}`, { method, headers, agent: false }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    })
      .on('error', reject)
      .end(body);
  });

const stateOf = async ({ origin, cookie }: Entered) => {
  const read = async (path: string) => JSON.parse((await ask(origin, path, { cookie })).body);
  const { clockOffsetSeconds, simulating } = await read('/api/documents/clock');
  return {
    ...{ clockOffsetSeconds, simulating, faults: await read('/api/documents/faults') },
    points: await read('/api/lists/points?limit=9'),
    ledger: (await read('/api/lists/ledger?limit=0')).total,
  };
};

test('every change needs the page’s own origin, its host and its session, and a POST', async () => {
  const at = await entered(SERVE);
  const { origin, cookie } = at;
  const { actions } = JSON.parse((await ask(origin, '/api/about', { cookie })).body) as { actions: string[] };
  expect([...actions].sort()).toEqual(Object.keys(ACTIONS).sort());
  const before = await stateOf(at);
  const { port, host } = new URL(origin);
  const wrong: readonly (readonly [number, Record<string, string>])[] = [
    [403, { cookie }],
    ...['https://evil.example', 'null', 'http://127.0.0.1:1', `https://${host}`, `${origin}.evil.example`, ''].map(
      (foreign) => [403, { cookie, origin: foreign }] as const,
    ),
    ...[`evil.example:${port}`, '127.0.0.1:1', `127.0.0.1.evil.example:${port}`].map(
      (forged) => [403, { cookie, origin, host: forged }] as const,
    ),
    [401, { origin }],
    [401, { origin, cookie: `${cookie}x` }],
    [401, { origin, cookie: `${cookie}; ${cookie}` }],
    [401, { origin, cookie: cookie.replace(/=.*/, '=') }],
  ];
  for (const [name, input] of Object.entries(ACTIONS)) {
    const path = `/api/actions/${name}`;
    const body = JSON.stringify(input);
    for (const [status, headers] of wrong)
      expect(await statusOf(origin, path, 'POST', headers, body), `${name} ${JSON.stringify(headers)}`).toBe(status);
    for (const [method, status] of [
      ['GET', 404],
      ['HEAD', 404],
      ['PUT', 405],
      ['DELETE', 405],
      ['PATCH', 405],
      ['OPTIONS', 405],
    ] as const)
      expect(await statusOf(origin, path, method, { cookie, origin }), `${method} ${name}`).toBe(status);
  }
  expect(await stateOf(at)).toEqual(before);
});

test('names that an object has are no changes, and bodies that are no object change nothing', async () => {
  const at = await entered(SERVE);
  const { origin, cookie } = at;
  const before = await stateOf(at);
  const post = (path: string, body: string) => ask(origin, path, { cookie, origin }, body);
  for (const name of [
    '__proto__',
    'constructor',
    'toString',
    'reset',
    'seed',
    'advance/',
    'advance%00',
    '..%2fenter',
    'ADVANCE',
    '',
  ])
    expect((await post(`/api/actions/${name}`, '{}')).status, name).toBe(404);
  for (const body of ['', '[]', 'null', '7', '"x"', '{', '{"durationMs":60000}x', `{"a":"${'x'.repeat(70_000)}"}`])
    expect((await post('/api/actions/advance', body)).status, body.slice(0, 20)).toBe(400);
  for (const input of [
    '{"durationMs":"60000"}',
    '{"durationMs":-1}',
    '{"durationMs":1e30}',
    '{"durationMs":1,"more":1}',
    '{"__proto__":{"durationMs":1}}',
  ])
    expect((await post('/api/actions/advance', input)).status, input).toBe(400);
  expect(await stateOf(at)).toEqual(before);
});

test('a point in time has the sandbox’s keys, and no response has any of it', async () => {
  const { origin, cookie, apiKey } = await entered(SERVE);
  const post = async (name: string, input: object) =>
    (await ask(origin, `/api/actions/${name}`, { cookie, origin }, JSON.stringify(input))).body;
  const said = [await post('snapshot', { name: 'mine' }), await post('restore', { name: 'mine' })];
  for (const path of [
    'lists/points?limit=9',
    'lists/points?from=newest&limit=9',
    'lists/points/mine',
    'find?text=mine',
    'documents/clock',
  ])
    said.push((await ask(origin, `/api/${path}`, { cookie })).body);
  said.push(await post('forget', { name: 'mine' }));
  for (const each of said) {
    expect(each.length).toBeLessThan(20_000);
    // Gzip in base64.
    expect(each).not.toMatch(/H4sI/);
    expect(each).not.toContain(apiKey);
  }
});

test('the page of an account has no change, and every one is rejected there', async () => {
  const home = newHome(onTestFinished);
  await must(home, ['sandbox', 'status', '-q']);
  const { origin, cookie } = await entered(['inspect'], home);
  const about = JSON.parse((await ask(origin, '/api/about', { cookie })).body) as { actions: string[] };
  expect(about.actions).toEqual([]);
  for (const [name, input] of Object.entries({ ...ACTIONS, save: {} }))
    expect(await ask(origin, `/api/actions/${name}`, { cookie, origin }, JSON.stringify(input))).toMatchObject({
      status: 404,
      body: '{"error":"nothing can be changed here"}',
    });
});
