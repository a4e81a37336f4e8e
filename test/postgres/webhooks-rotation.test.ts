import { createHmac } from 'node:crypto';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { fiatrail, type Home, newHome, requireBuilt, startFiatrail } from '../support/built.ts';
import { bodyOf, closedPort, httpServer } from '../support/loopback.ts';
import { startPostgres, type TestServer } from '../support/postgres.ts';

const ROTATIONS = Number(process.env['FIATRAIL_SOAK_ROTATIONS'] ?? 2);
const PER_SECOND = 50;
const PROFILE = ['--profile', 'hooks'];

beforeAll(requireBuilt);

/** A service that signs with a secret from the moment at which it is asked to. */
async function startService(home: Home) {
  const serve = ['sandbox', 'serve', '--port', '0', '--rate-limits', 'off', '--webhooks-to-loopback', '-o', 'json'];
  const { url, apiKey } = JSON.parse(await startFiatrail(home, serve).firstLine()) as Record<'url' | 'apiKey', string>;
  const secrets: string[] = [];
  const { port } = await httpServer(async (request, response) => {
    const text = await bodyOf(request);
    const { secret } = (text === '' ? {} : JSON.parse(text)) as { secret?: string };
    if (secret !== undefined) secrets.push(secret);
    const headers = Object.entries(request.headers).filter(([name]) => !['host', 'connection'].includes(name));
    const answer = await fetch(new URL(request.url ?? '/', url), {
      method: request.method ?? 'GET',
      headers: Object.fromEntries(headers) as Record<string, string>,
      ...(text === '' ? {} : { body: text }),
    });
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  });
  return { baseUrl: `http://127.0.0.1:${port}${new URL(url).pathname}`, apiKey, secrets };
}

/** Sends one event, and returns the answer's status; 0 if there is no answer. */
async function send(url: string, number: number, secret: string): Promise<number> {
  const body = JSON.stringify({ event: 'user.onboarded', eventId: `event-${number}`, data: { number } });
  const timestamp = new Date().toISOString();
  const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
  const headers = { 'x-service-signature': signature, 'x-service-timestamp': timestamp, 'x-webhook-id': `w-${number}` };
  return fetch(url, { method: 'POST', headers, body }).then(
    ({ status }) => status,
    () => 0,
  );
}

/** Hosts that have the store of one profile, and an inbox of their own or one in a database. */
async function startHosts(count: number, inboxUrl: string | undefined) {
  const first = newHome(onTestFinished);
  const service = await startService(newHome(onTestFinished));
  const env = { FIATRAIL_CONFIG_DIR: join(first.path, 'config'), FIATRAIL_INBOX_URL: inboxUrl };
  const added = ['profiles', 'add', 'hooks', '--base-url', service.baseUrl, '--key-stdin'];
  expect(await fiatrail(first, added, { stdin: service.apiKey, env })).toMatchObject({ code: 0 });
  const rotate = () =>
    fiatrail(first, ['webhooks', 'set', 'http://127.0.0.1:9/', '--new-secret', '--yes', '-o', 'json', ...PROFILE], {
      env,
    });
  expect(await rotate()).toMatchObject({ code: 0 });
  const homes = [first, ...Array.from({ length: count - 1 }, () => newHome(onTestFinished))];
  /** What listeners said that ended before they were to. */
  const ended: string[] = [];
  const urls = await Promise.all(
    homes.map(async (home) => {
      const port = await closedPort();
      const listener = startFiatrail(home, ['webhooks', 'listen', '--port', String(port), ...PROFILE], { env });
      void listener.end.then(({ code, stderr }) => ended.push(`${code} ${stderr}`));
      await listener.says('listening');
      return `http://127.0.0.1:${port}/`;
    }),
  );
  return { ended, first, env, service, rotate, urls };
}

/** Rotates again and again while events arrive. Returns how often each status was answered. */
async function rotatedUnderLoad({ service, rotate, urls, ended }: Awaited<ReturnType<typeof startHosts>>) {
  const statuses: Record<number, number> = {};
  const sent: Promise<void>[] = [];
  let isOver = false;
  const load = (async () => {
    for (let number = 0; !isOver; number += 1) {
      const url = urls[number % urls.length] ?? '';
      sent.push(
        send(url, number, service.secrets.at(-1) ?? '').then((status) => {
          statuses[status] = (statuses[status] ?? 0) + 1;
        }),
      );
      await sleep(1_000 / PER_SECOND);
    }
  })();
  const said: string[] = [];
  for (let rotation = 0; rotation < ROTATIONS; rotation += 1) {
    await sleep(300);
    const { code, stderr } = await rotate();
    said.push(`${code} ${stderr}`);
  }
  await sleep(300);
  isOver = true;
  await load;
  await Promise.all(sent);
  return { statuses, said: [...said, ...ended], count: sent.length };
}

let server: TestServer | undefined;
const database = async () => {
  server ??= await startPostgres();
  onTestFinished(async () => {
    await server?.stop();
    server = undefined;
  });
  return { url: server.newDatabase(), server };
};

const warningsIn = (said: readonly string[]) => said.filter((each) => /warning/.test(each) || !each.startsWith('0 '));

test(
  `a host rejects nothing during ${ROTATIONS} rotations under load`,
  async () => {
    const hosts = await startHosts(1, undefined);
    const { statuses, said, count } = await rotatedUnderLoad(hosts);
    expect([warningsIn(said), statuses]).toEqual([[], { 200: count }]);
    expect(new Set(hosts.service.secrets).size).toBe(ROTATIONS + 1);
  },
  300_000 + ROTATIONS * 20_000,
);

test(
  `two hosts that share an inbox reject nothing during ${ROTATIONS} rotations under load, and the database never has a secret`,
  async () => {
    const { url, server: postgres } = await database();
    const hosts = await startHosts(2, url);
    const { statuses, said, count } = await rotatedUnderLoad(hosts);
    expect([warningsIn(said), statuses]).toEqual([[], { 200: count }]);
    const tablesWith = (text: string) =>
      postgres.sql(
        url,
        `SELECT tablename FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema') AND strpos(
           query_to_xml('SELECT * FROM ' || quote_ident(schemaname) || '.' || quote_ident(tablename), true, false, '')::text, '${text}') > 0`,
      );
    expect(tablesWith('user.onboarded').split('\n')).toContain('event');
    expect(hosts.service.secrets.map(tablesWith).filter((tables) => tables !== '')).toEqual([]);
  },
  300_000 + ROTATIONS * 20_000,
);

/** Adds a listener in a home of its own to a host, rotates there, and returns it with the warning of the rotation. */
async function rotatedBeside(prepared: (hosts: Awaited<ReturnType<typeof startHosts>>, home: Home) => Beside) {
  const { url, server: postgres } = await database();
  const hosts = await startHosts(1, url);
  const home = newHome(onTestFinished);
  const { flags, env } = prepared(hosts, home);
  const argv = ['webhooks', 'listen', '--port', String(await closedPort()), ...flags];
  const listener = startFiatrail(home, argv, { env: { ...env, FIATRAIL_INBOX_URL: url } });
  await listener.says('listening');
  const reported = 'SELECT count(secrets) FROM fiatrail_inbox.listener';
  while (postgres.sql(url, reported) !== '2') await sleep(100);
  const { code, stderr } = await hosts.rotate();
  expect(code).toBe(0);
  return { listener, warnings: stderr.split('\n').filter((line) => line.startsWith('warning: ')) };
}

interface Beside {
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

const named = (pid: number, problem: string) => [
  expect.stringMatching(new RegExp(`^warning: the listener of process ${pid} on \\S+/[0-9a-f]{8} ${problem}`)),
];

test('a listener without the store of the profile says that it cannot learn a secret, and the rotation names it', async () => {
  const { listener, warnings } = await rotatedBeside(({ service }) => ({
    flags: [],
    env: {
      FIATRAIL_BASE_URL: service.baseUrl,
      FIATRAIL_API_KEY: service.apiKey,
      FIATRAIL_WEBHOOK_SECRET: service.secrets.at(-1),
    },
  }));
  expect(warnings).toEqual(named(listener.pid, 'cannot learn the new secret'));
  await listener.says('this listener cannot learn the new one');
});

test('a listener whose store of the profile is another one is named by the rotation, which does not reach it', async () => {
  const { listener, warnings } = await rotatedBeside(({ env }, home) => {
    cpSync(env.FIATRAIL_CONFIG_DIR, join(home.path, 'config'), { recursive: true });
    return { flags: PROFILE, env: {} };
  });
  expect(warnings).toEqual(named(listener.pid, 'has not learned the new secret within 15 seconds'));
});
