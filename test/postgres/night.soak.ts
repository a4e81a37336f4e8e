import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Clock } from '../../src/base/world.ts';
import type { FaultKind } from '../../src/contract/sandbox.ts';
import { chances } from '../copy/served.ts';
import { served as servedRig } from '../copy/truth/rig.ts';
import { DAY_MS, working } from '../copy/truth/work.ts';
import { fiatrail, type Home, type Ran, ROOT, type Running, requireBuilt, startFiatrail } from '../support/built.ts';
import * as here from '../support/in-process.ts';
import { closedPort } from '../support/loopback.ts';
import { startPostgres, type TestServer } from '../support/postgres.ts';
import { hostOf, withEnv } from './hosts.ts';
import { clockedDatabase, setClock } from './inboxes.ts';

/**
 * An account as teams run it, for days: customers and programs work with it, two hosts that share a journal and an inbox pay by files and one
 * by one, a listener receives its events, each night is reconciled, copied and looked through, and everything is killed now and then.
 */
const DAYS = Number(process.env['FIATRAIL_SOAK_NIGHT'] ?? 2);
const IS_LONG = process.env['FIATRAIL_SOAK_NIGHT'] !== undefined;
const SEED = Number(process.env['FIATRAIL_SOAK_SEED'] ?? 1);
const OPERATIONS = IS_LONG ? 40 : 6;
const ROWS = IS_LONG ? 15 : 3;
const SINGLES = IS_LONG ? 4 : 1;
const HOUR_MS = 3_600_000;
const FIRST_DAY = '2026-10-01';
/** Only the test moves the time in which rows end. */
const NO_WAIT = ['--wait', '1s'];
const FAULTS: readonly FaultKind[] = [
  'lost-response',
  'lost-request',
  'http-500',
  'http-500-after',
  'truncated',
  'malformed-json',
];

let server: TestServer;
beforeAll(async () => {
  requireBuilt();
  server = await startPostgres();
});
afterAll(() => server?.stop());

const START_MS = Date.parse(`${FIRST_DAY}T00:00:00Z`) - HOUR_MS;

/** Sets the clock of a host: what a sandbox is advanced by, its clients know from it, so clocks of machines stay. */
function tellTime({ env }: Home): void {
  const path = env['FIATRAIL_TEST_CLOCK'] ?? '';
  // Another program reads it at any moment, so it is never empty.
  writeFileSync(`${path}.new`, String(START_MS - Date.now()));
  renameSync(`${path}.new`, path);
}

/** Two hosts and a sandbox on one clock, which the test moves. */
async function teams() {
  const startMs = START_MS;
  const service = await servedRig(startMs);
  const url = clockedDatabase(server);
  const inbox = server.newDatabase();
  const port = await closedPort();
  const [one, two] = ['one', 'two'].map(() => {
    const home = hostOf(service, url, onTestFinished);
    const clock = join(home.path, 'clock');
    return withEnv(home, {
      NODE_OPTIONS: `--require ${join(ROOT, 'test', 'support', 'shared-clock.cjs')}`,
      FIATRAIL_TEST_CLOCK: clock,
      FIATRAIL_INBOX_URL: inbox,
      FIATRAIL_DEBUG: '1',
      FIATRAIL_WEBHOOK_SECRET: service.webhookSecret,
    });
  }) as [Home, Home];
  const setClocks = () => {
    setClock(server, url, START_MS);
    for (const host of [one, two]) tellTime(host);
  };
  setClocks();
  const moveTo = async (atMs: number) => {
    await service.moveTo(atMs);
    setClocks();
  };
  return { service, startMs, url, inbox, port, hosts: [one, two] as const, setClocks, moveTo };
}

type Teams = Awaited<ReturnType<typeof teams>>;

const listenOn = ({ hosts: [one], port }: Teams): Running =>
  startFiatrail(one, ['webhooks', 'listen', '--port', String(port), '-q', '-o', 'ndjson']);

/** What a process has open and holds, from /proc. */
function heldBy({ pid }: Running) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const [, residentKiB = '0'] = /VmRSS:\s+(\d+)/.exec(status) ?? [];
  return { open: readdirSync(`/proc/${pid}/fd`).length, megabytes: Math.round(Number(residentKiB) / 1024) };
}

const filesIn = ({ path }: Home) =>
  readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length;

/** The clock of a host's commands in this process: that which shared-clock.cjs gives its programs. */
const clockOf = ({ env }: Home): Clock => ({
  now: () => Date.now() + Number(readFileSync(env['FIATRAIL_TEST_CLOCK'] ?? '', 'utf8')),
  sleep: (durationMs, signal) => sleep(durationMs, undefined, { signal }),
});

/**
 * Runs a command that nothing kills, in the short form in this process, and says how it ended; anything but the exit codes of an outcome is a
 * failure.
 */
async function may(host: Home, argv: readonly string[], ...codes: readonly (number | null)[]) {
  tellTime(host);
  const line = [...argv, '-q', '-o', 'json'];
  const ran = await (IS_LONG ? fiatrail(host, line) : here.fiatrail(host, line, { clock: clockOf(host) }));
  expect(codes, `${argv.join(' ')}: ${ran.stderr}${ran.stdout}`).toContain(ran.code);
  return ran;
}

const rowsFile = (host: Home, day: number) => {
  const path = join(host.path, `day-${day}.csv`);
  const rows = Array.from({ length: ROWS }, (_, at) => `D${day}-${at},default,${1_000 + day * ROWS + at}`);
  writeFileSync(path, `Reference,To,Amount\n${rows.join('\n')}\n`);
  return path;
};

/** Pays a file on the first host, which may be killed; then the second goes on with it. */
async function payFile(all: Teams, day: number, chance: () => number): Promise<void> {
  const [one, two] = all.hosts;
  const words = [
    'bulk',
    'create',
    rowsFile(one, day),
    '--as',
    'payout create',
    '--once',
    `day-${day}`,
    '--yes',
    ...NO_WAIT,
  ];
  tellTime(one);
  const running = startFiatrail(one, [...words, '-q', '-o', 'json']);
  const kill = setTimeout(() => running.kill('SIGKILL'), 300 + chance() * 3_000);
  const { code, stderr } = await running.end;
  clearTimeout(kill);
  expect([0, 6, 8, null], stderr).toContain(code);
  // The lease of a host that is gone is over when its time is. A host that was killed at once has made no table.
  if (server.sql(all.url, "SELECT to_regclass('fiatrail.file_lease')") !== '')
    server.sql(all.url, 'UPDATE fiatrail.file_lease SET busy_until = busy_until - 300000');
  const resumed = await may(two, ['bulk', 'resume', `day-${day}`, '--yes', ...NO_WAIT], 0, 2, 6, 8);
  // It was killed before it staged anything.
  if (/"code":"NOT_FOUND"/.test(resumed.stderr)) await may(one, words, 0, 6, 8);
}

const payoutOf = (amount: number, key: string) =>
  ['payout', 'create', '--to', 'default', '--amount', String(amount), '--once', key, '--yes'] as const;

/** Pays once under a key, on both hosts at the same time, while the service may fail. */
async function payTwice(all: Teams, key: string, amount: number, chance: () => number): Promise<void> {
  const kind = FAULTS[Math.floor(chance() * FAULTS.length * 2)];
  if (kind) await all.service.control('faultAdd', { endpoint: 'transactions.fintech-offramp', kind });
  const words = [...payoutOf(amount, key), '--timeout', '20s'];
  await Promise.all(all.hosts.map((host) => may(host, words, 0, 5, 6, 7, 8)));
  await all.service.control('faultClear');
}

let later = 0;

/** Pays something else, after all that is unknown. */
async function payLater(all: Teams): Promise<void> {
  later += 1;
  await may(all.hosts[0], payoutOf(200_000 + later, `later-${later}`), 0, 5, 6);
}

/** Reconciles until nothing is unknown, while time passes. */
async function settle(all: Teams): Promise<void> {
  for (let looks = 0; ; looks++) {
    const { stdout } = await may(all.hosts[looks % 2] as Home, ['ops', 'list', '--status', 'unknown'], 0);
    if ((JSON.parse(stdout) as { operations: unknown[] }).operations.length === 0) return;
    expect(looks, stdout).toBeLessThan(20);
    await may(all.hosts[looks % 2] as Home, ['ops', 'reconcile', '--all'], 0, 6);
    // That nothing of it came is believed only once something later has.
    await payLater(all);
    await all.moveTo(all.service.now() + 6 * 60_000);
  }
}

/** Reads the sandbox's state. */
function rowsAt<T>(path: string, sql: string): readonly T[] {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return database.prepare(sql).all() as unknown as readonly T[];
  } finally {
    database.close();
  }
}

/** Gives the account enough for all that it pays. */
async function fund({ service }: Teams): Promise<void> {
  const sql = `SELECT number FROM virtual_account WHERE fintech = 1 AND kind = 'fintech_permanent'`;
  const [own] = rowsAt<{ number: string }>(service.path, sql);
  const amount = { value: '50000000', asset: 'NGN' };
  await service.control('pay', { accountNumber: own?.number, amount, senderName: 'DANGOTE RETAIL LTD' });
}

/** Whether books tie, or what is not known of them. */
const booksOf = ({ code, stderr }: Ran) =>
  code === 0 ? 'tie' : (/"message":"([^"]*)/.exec(stderr)?.[1] ?? stderr).slice(0, 200);

/** Looks through a day on both hosts, and accepts what no list shows, as a person does who knows about it. Returns how often. */
async function lookThrough({ hosts: [one, two] }: Teams, only: readonly string[]): Promise<number> {
  for (let accepted = 0; ; accepted++) {
    const { code, stderr } = await may(one, ['report', ...only], 0, 9);
    if (code === 0) {
      await may(two, ['report', ...only], 0);
      return accepted;
    }
    const [, words = ''] = /report (accept [A-Z]+ --since \S+ --until \S+)/.exec(stderr) ?? [];
    expect(accepted, stderr).toBeLessThan(3);
    await may(one, ['report', ...words.split(' '), '--reason', 'tokens that came from a chain', '--yes'], 0);
  }
}

test(`${DAYS} days lose, double and leak nothing, and each of them ties`, { timeout: 3_600_000 }, async () => {
  const chance = chances(SEED);
  const all = await teams();
  const { service, hosts, startMs, moveTo, setClocks } = all;
  const account = await working(service, chance);
  await fund(all);
  await may(hosts[0], ['webhooks', 'set', `http://127.0.0.1:${all.port}/`, '--yes'], 0);
  let listener = listenOn(all);
  await sleep(1_500);
  for (const host of hosts) await may(host, ['sync'], 0);
  const figures: object[] = [];
  const keys = new Map<string, number>();
  let accepted = 0;
  for (let day = 0; day < DAYS; day++) {
    const dayMs = startMs + day * DAY_MS;
    await account.work(dayMs + 9 * HOUR_MS, OPERATIONS / 2);
    setClocks();
    await payFile(all, day, chance);
    for (let each = 0; each < SINGLES; each++) {
      const [key, amount] = [`single-${day}-${each}`, 50_001 + day * SINGLES + each];
      keys.set(key, amount);
      await payTwice(all, key, amount, chance);
    }
    if (day % 3 === 1) {
      listener.kill('SIGKILL');
      await listener.end;
      listener = listenOn(all);
      await sleep(1_500);
    }
    await account.work(dayMs + 20 * HOUR_MS, OPERATIONS / 2);
    setClocks();
    await settle(all);
    for (const [key, amount] of keys)
      if (key.startsWith(`single-${day}-`))
        await may(
          hosts[0],
          ['payout', 'create', '--to', 'default', '--amount', String(amount), '--once', key, '--yes'],
          0,
          5,
        );
    // What a bank still works on, or rejected, has moved too.
    await may(hosts[0], ['bulk', 'resume', `day-${day}`, '--yes', ...NO_WAIT], 0, 3, 8);
    await moveTo(dayMs + DAY_MS);
    for (const host of hosts) await may(host, ['sync'], 0);
    const name = new Date(dayMs + 12 * HOUR_MS).toISOString().slice(0, 10);
    const only = ['--since', name, '--until', name];
    accepted += await lookThrough(all, only);
    const books = booksOf(await may(hosts[0], ['report', 'books', ...only], 0, 9));
    await may(hosts[day % 2] as Home, ['ops', 'journal', 'verify'], 0);
    const status = (await service.control('status')) as { ledger?: { balanced?: boolean } };
    expect(status.ledger?.balanced).toBe(true);
    const connections = server.sql(all.url, 'SELECT count(*) FROM pg_stat_activity WHERE datname IS NOT NULL').trim();
    figures.push({ day: name, books, ...heldBy(listener), connections, files: hosts.map(filesIn) });
  }
  await checkEnd(all, listener, keys);
  console.info(`accepted ${accepted} times`);
  console.info(figures.map((each) => JSON.stringify(each)).join('\n'), [...account.done]);
});

/** At the end: each key and each row has moved at most once, nothing is unknown, and every event is in the inbox once. */
async function checkEnd(all: Teams, listener: Running, keys: ReadonlyMap<string, number>): Promise<void> {
  const sql = 'SELECT amount_kobo / 100 AS naira, count(*) AS count FROM payout GROUP BY amount_kobo';
  const counts = new Map(
    rowsAt<{ naira: number; count: number }>(all.service.path, sql).map(({ naira, count }) => [naira, count]),
  );
  const rows = Array.from({ length: DAYS * ROWS }, (_, at) => 1_000 + at);
  const notOnce = [...keys.values(), ...rows].filter((naira) => counts.get(naira) !== 1);
  expect(notOnce.map((naira) => [naira, counts.get(naira) ?? 0])).toEqual([]);
  // Time for what was not delivered while the listener was gone.
  for (let hours = 0; hours < 6; hours++) {
    await all.moveTo(all.service.now() + HOUR_MS);
    await sleep(300);
  }
  listener.kill('SIGINT');
  expect((await listener.end).code).toBe(0);
  const { stdout } = await may(all.hosts[1], ['webhooks', 'inbox', 'gaps'], 0);
  expect(JSON.parse(stdout)).toMatchObject({ missing: [], unlisted: [] });
  const inState = async (state: string) => Number((await all.service.control('events', { state, limit: 1 }))['total']);
  expect([await inState('waiting'), await inState('given-up')]).toEqual([0, 0]);
  const exported = await fiatrail(all.hosts[1], ['webhooks', 'inbox', 'export', '-o', 'ndjson', '-q']);
  const ids = exported.stdout
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { eventId: string }).eventId);
  const delivered = await inState('delivered');
  expect([ids.length, new Set(ids).size]).toEqual([delivered, delivered]);
}
