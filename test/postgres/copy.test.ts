import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeKnownUntil } from '../../src/copy/list-state.ts';
import { openCopy } from '../../src/copy/open.ts';
import { openCopyServer } from '../../src/copy/postgres.ts';
import { GRANTS, SCHEMA } from '../../src/copy/schema.ts';
import { noteUnlisted } from '../../src/copy/unlisted.ts';
import { serverAddressOf } from '../../src/journal/postgres/server-address.ts';
import { main } from '../../src/main.ts';
import { LISTS, type MovingService, movingService } from '../copy/moving-service.ts';
import { temporaryFolder } from '../support/built.ts';
import { startPostgres, type TestServer } from '../support/postgres.ts';
import { ACCOUNT, countingIds, type FakeWorld, fakeClock, fakeHost, fakeWorld } from '../support/world.ts';
import { expectCopiedTo } from './copied.ts';
import { openHost } from './support.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const never = new AbortController().signal;

const openedCopy = (url: string, dir: string, world: Parameters<typeof openCopyServer>[2]) =>
  openCopyServer(serverAddressOf(url), { dir, localPath: '', password: async () => undefined }, world);

let server: TestServer;
/** A database with a copy that has no rows, which most tests begin with. */
let made: string;
beforeAll(async () => {
  server = await startPostgres();
  made = server.newDatabase();
  server.sql(made, 'CREATE ROLE fiatrail_reader LOGIN; CREATE ROLE mallory LOGIN');
  await (
    await openedCopy(made, temporaryFolder(afterAll), {
      clock: fakeClock(),
      ids: countingIds(),
      host: fakeHost(100, 'one'),
    })
  ).close();
});
afterAll(() => server?.stop());

function rig(url = server.newDatabase(made)) {
  const clock = fakeClock();
  const service = movingService(clock.now);
  const hostNamed = (name: string, env: Record<string, string> = {}) =>
    fakeWorld({
      clock,
      host: fakeHost(100, name),
      network: (...given) => service.exchange(...given),
      env: { ...ACCOUNT, FIATRAIL_COPY_URL: url, ...env },
    });
  return { clock, service, url, hostNamed };
}

async function run(world: FakeWorld, ...argv: string[]) {
  const [before, errors] = [world.stdout.text().length, world.stderr.text().length];
  const code = await main([...argv, '-o', 'json'], world);
  return { code, stdout: world.stdout.text().slice(before), stderr: world.stderr.text().slice(errors) };
}

const expectEqual = (url: string, service: MovingService) => expectCopiedTo(server, url, service);

async function fill({ clock, service }: Pick<ReturnType<typeof rig>, 'clock' | 'service'>, count: number) {
  for (const list of Object.keys(LISTS))
    for (let each = 0; each < count; each++) {
      await clock.sleep(MINUTE_MS, never);
      service.add(list);
      service.move(list, 0);
    }
}

test('has the rows of the service, and the changes of a later sync by another host', async () => {
  const { clock, service, url, hostNamed } = rig(server.newDatabase());
  await fill({ clock, service }, 130);
  expect(await run(hostNamed('one'), 'sync')).toMatchObject({ code: 0 });
  expectEqual(url, service);
  for (const list of Object.keys(LISTS)) {
    service.add(list);
    service.move(list, 7);
  }
  expect(await run(hostNamed('two'), 'sync')).toMatchObject({ code: 0 });
  expectEqual(url, service);
});

const REPORTS = [
  [],
  ['--by', 'asset'],
  ['--by', 'day'],
  ['--by', 'kind'],
  ['--by', 'user'],
  ['fees'],
  ['users'],
  ['pending'],
  ['balance'],
];

test('has the same figures as a copy in a file, with what is not known of them', async () => {
  const { clock, service, hostNamed } = rig();
  await fill({ clock, service }, 40);
  const [server, file] = [hostNamed('one'), hostNamed('two', { FIATRAIL_COPY_URL: '' })];
  for (const world of [file, server]) expect(await run(world, 'sync')).toMatchObject({ code: 0 });
  for (const report of REPORTS) {
    const printed = (world: FakeWorld) => run(world, 'report', ...report, '--complete');
    const { code, stdout } = await printed(file);
    expect({ report, ...(await printed(server)) }).toMatchObject({ report, code, stdout });
    expect(stdout).toMatch(/^\{/);
  }
});

test('shows a row as a copy in a file does, to the last field', async () => {
  const { clock, service, hostNamed } = rig();
  await fill({ clock, service }, 3);
  const [server, file] = [hostNamed('one'), hostNamed('two', { FIATRAIL_COPY_URL: '' })];
  for (const world of [file, server]) expect(await run(world, 'sync')).toMatchObject({ code: 0 });
  const { code, stdout } = await run(file, 'find', 'deposits-2');
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('"deposits-2"') });
  expect(await run(server, 'find', 'deposits-2')).toMatchObject({ code, stdout });
});

test('lets the server compile no statement: it takes longer than to run it', async () => {
  const copy = await openCopy(rig().hostNamed('one'), { name: 'environment', mode: 'live' });
  const jit = "SELECT current_setting('jit') AS jit";
  expect(await copy.read((queries) => queries.all(jit))).toEqual([{ jit: 'off' }]);
  await copy.close();
});

const FILLER = `${SCHEMA}.filler`;
const FAR_MS = 9_999_999_999_999;

/** Has another host, or a process of one, take the turn until a time. */
const takenBy = (url: string, host: string, { process = 1, run = 'NULL', untilMs = FAR_MS } = {}) =>
  server.sql(
    url,
    `INSERT INTO ${FILLER} VALUES (1, 'x', '${host}', ${process}, ${run}, 1767603600000, ${untilMs})
     ON CONFLICT (id) DO UPDATE SET holder = 'x', host = excluded.host, process = excluded.process, run = excluded.run, until = excluded.until`,
  );

const running = async (world: FakeWorld) => JSON.parse((await run(world, 'sync', 'status')).stdout).running;

/** The name under which a host is known on the server. */
const hostIn = ({ stateDir }: FakeWorld, name: string) =>
  `${name}/${readFileSync(join(stateDir, 'host-id'), 'utf8').trim()}`;

test('of two hosts that sync at one time, the second waits for the first, and then syncs', async () => {
  const { clock, service, url, hostNamed } = rig();
  await fill({ clock, service }, 30);
  const [one, two] = [hostNamed('one'), hostNamed('two')];
  let [second, started]: [ReturnType<typeof run> | undefined, unknown] = [undefined, undefined];
  service.onRequest = () => {
    if (service.requests.length === 6) second = run(two, 'sync', '--timeout', '24h');
    if (service.requests.length === 12) started = running(hostNamed('three'));
  };
  expect(await run(one, 'sync')).toMatchObject({ code: 0 });
  const requests = service.requests.length;
  const { code, stdout = '', stderr } = (await second) ?? ({} as Partial<Awaited<ReturnType<typeof run>>>);
  expect(await started).toEqual({ host: 'one', process: 100, since: expect.stringMatching(/^20/) });
  expect({ code, stderr }).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/a sync by process 100 on one has been running since .* UTC; waiting for it to end/),
  });
  expect(JSON.parse(stdout)).toMatchObject({ running: null, tables: expect.arrayContaining([]) });
  expect(service.requests.length).toBeGreaterThan(requests);
  expect(await running(two)).toBeNull();
  expectEqual(url, service);
});

test('a sync that waited for as long as it may says who fills the copy, reads nothing, and has not failed', async () => {
  const { clock, service, url, hostNamed } = rig();
  await fill({ clock, service }, 3);
  const two = hostNamed('two');
  await run(two, 'sync');
  takenBy(url, 'three/0a1b2c3d', { process: 4711 });
  const requests = service.requests.length;
  const began = clock.now();
  const { code, stdout, stderr } = await run(two, 'sync', '--timeout', '20s');
  expect(code).toBe(0);
  expect(clock.now() - began).toBeGreaterThanOrEqual(20_000);
  expect(service.requests.length).toBe(requests);
  expect(stderr).toContain(
    'a sync by process 4711 on three has been running since 2026-01-05 09:00 UTC; this one read nothing',
  );
  const { running, tables } = JSON.parse(stdout);
  expect(running).toEqual({ host: 'three', process: 4711, since: '2026-01-05T09:00:00.000Z' });
  expect(tables.find(({ table }: { table: string }) => table === 'deposits')).toMatchObject({ rows: 3, added: null });
});

test('a host that has written nothing for as long as its lease gives way', async () => {
  const { clock, service, url, hostNamed } = rig();
  await fill({ clock, service }, 30);
  const two = hostNamed('two');
  await run(two, 'sync');
  service.add('deposits');
  takenBy(url, 'three/0a1b2c3d', { untilMs: 1 });
  expect(await running(two)).toBeNull();
  expect(await run(two, 'sync')).toMatchObject({ code: 0 });
  expectEqual(url, service);
});

describe('a process that was killed while it filled the copy', () => {
  const gone = { ...fakeHost(100, 'two'), runOf: (id: number) => (id === 100 ? 'boot/5' : 'boot/7') };
  test.each([
    ['is gone', 99, 'NULL', {}, true],
    ['had an id that another program has now', 100, "'boot/1'", { isRunning: () => true }, true],
    [
      'had the id of this one, where the system does not tell runs apart',
      100,
      'NULL',
      { runOf: () => undefined },
      true,
    ],
    ['still runs', 101, "'boot/7'", { isRunning: () => true }, false],
    [
      'has an id that someone has, where the system does not tell runs apart',
      101,
      'NULL',
      { isRunning: () => true },
      false,
    ],
  ])('%s: whether its own host goes on at once', async (_, process, run_, host, isTaken) => {
    const { clock, service, url, hostNamed } = rig();
    await fill({ clock, service }, 3);
    const two = { ...hostNamed('two'), host: { ...gone, ...host } };
    await run(two, 'sync');
    service.add('deposits');
    takenBy(url, hostIn(two, 'two'), { process, run: run_ });
    expect(await running(two)).toEqual(isTaken ? null : expect.objectContaining({ process }));
    // Another host cannot see the process, even if its machine has the same name.
    const other = { ...hostNamed('two'), ids: countingIds(900) };
    expect(await running(other)).toMatchObject({ process });
    expect(JSON.parse((await run(other, 'sync', '--timeout', '1s')).stdout).running).toMatchObject({ process });
    const ended = await run(two, 'sync', '--timeout', '1s');
    expect(JSON.parse(ended.stdout).running).toEqual(isTaken ? null : expect.objectContaining({ process }));
    if (isTaken) expectEqual(url, service);
  });
});

test('of two that take the turn of a dead process at once, one gets it', async () => {
  const { clock, service, url, hostNamed } = rig();
  await fill({ clock, service }, 3);
  const one = { ...hostNamed('one'), host: { ...fakeHost(100, 'one'), runOf: () => 'boot/5' } };
  await run(one, 'sync');
  const [first, second] = await Promise.all([1, 2].map(() => openedCopy(url, one.stateDir, one)));
  for (let round = 0; round < 10; round++) {
    takenBy(url, hostIn(one, 'one'), { process: 99 });
    const locks = await Promise.all([first?.lock(), second?.lock()]);
    expect(locks.filter((lock) => lock !== undefined)).toHaveLength(1);
    for (const lock of locks) await lock?.[Symbol.asyncDispose]();
  }
  await Promise.all([first?.close(), second?.close()]);
});

test('a host whose turn was taken stops before it writes', async () => {
  const { clock, service, url, hostNamed } = rig();
  await fill({ clock, service }, 30);
  let before = '';
  const rows = () => server.sql(url, `SELECT count(*) FROM ${SCHEMA}.stored_deposits, ${SCHEMA}.stored_payouts`);
  service.onRequest = () => {
    if (service.requests.length !== 6) return;
    takenBy(url, 'three/0a1b2c3d');
    before = rows();
  };
  const { code, stderr } = await run(hostNamed('one'), 'sync');
  expect({ code, stderr }).toMatchObject({
    code: 9,
    stderr: expect.stringContaining('another host fills the local copy'),
  });
  expect(stderr).toContain('three');
  expect(rows()).toBe(before);
  expect(server.sql(url, `SELECT holder FROM ${FILLER}`)).toContain('x');
});

test('what one host accepts, the other one knows by the journal that they share, also with a copy of its own', async () => {
  const { clock, service, url, hostNamed } = rig();
  await fill({ clock, service }, 3);
  const env = { FIATRAIL_JOURNAL_URL: url, FIATRAIL_JOURNAL_ID: (await openHost(url)).id() };
  const [one, two] = [hostNamed('one', env), { ...hostNamed('two', env), ids: countingIds(900) }];
  const alone = { ...hostNamed('three', { ...env, FIATRAIL_COPY_URL: '' }), ids: countingIds(1800) };
  for (const world of [one, alone]) expect(await run(world, 'sync')).toMatchObject({ code: 0 });
  // 25 USDC come that no list shows; the two copies are looked at at other times.
  const more = (at: string) =>
    `INSERT INTO stored_balance_checks VALUES ('${at}');
     INSERT INTO stored_balances SELECT source, place, asset, minor + 25000000, '${at}' FROM stored_balances
     WHERE source = 'wallet' AND asset = 'USDC' ORDER BY at DESC LIMIT 1`;
  const at = (ms: number) => new Date(clock.now() + ms).toISOString();
  server.sql(url, `SET search_path = ${SCHEMA}; ${more(at(MINUTE_MS))}`);
  const file = new DatabaseSync(join(alone.stateDir, 'copy-environment.db'));
  file.exec(more(at(2 * MINUTE_MS)));
  file.close();
  for (const world of [one, alone]) {
    const copy = await openCopy(world, { name: 'environment', mode: 'live' });
    await copy.write(async (queries) => {
      await noteUnlisted(queries);
      await writeKnownUntil(queries, at(2 * MINUTE_MS));
    });
    await copy.close();
  }
  await clock.sleep(60 * MINUTE_MS, never);
  const codes = async () => {
    const all: number[] = [];
    for (const world of [one, two, alone]) all.push((await run(world, 'report')).code);
    return all;
  };
  expect(await codes()).toEqual([9, 9, 9]);
  const accept = (world: FakeWorld, ...words: string[]) =>
    run(world, 'report', 'accept', 'USDC', '--reason', 'top-up', '--yes', ...words);
  const { code, stderr } = await accept(two);
  expect(code, stderr).toBe(0);
  expect(await codes()).toEqual([0, 0, 0]);
  expect((await accept(one)).code).toBe(2);
  // What was open at the end of a month is counted on a server too.
  expect(await run(two, 'report', '2025-12', '--by', 'kind')).toMatchObject({ code: 0, stderr: '' });
  expect((await accept(alone, '--undo')).code).toBe(0);
  expect(await codes()).toEqual([9, 9, 9]);
});

test('a reader has the views, and nothing that is behind them', async () => {
  const { clock, service, url, hostNamed } = rig();
  await fill({ clock, service }, 3);
  await run(hostNamed('one'), 'sync');
  server.sql(url, GRANTS.reader.join('; '));
  const asReader = (sql: string) => server.sql(url, `SET ROLE fiatrail_reader; ${sql}`);
  expect(asReader(`SELECT count(*) FROM ${SCHEMA}.deposits`)).toContain('3');
  for (const table of ['stored_deposits', 'setting', 'person_name'])
    expect(() => asReader(`SELECT * FROM ${SCHEMA}.${table}`), table).toThrow('permission denied');
  expect(() => asReader(`DELETE FROM ${SCHEMA}.deposits`)).toThrow('permission denied');
});

test.each([
  ['a role that may not create', (url: string) => url.replace(/\/\/[^@]*@/, '//mallory@'), 2, 'COPY_FORBIDDEN'],
  ['a database that does not exist', (url: string) => url.replace(/\/\w+\?/, '/nowhere?'), 2, 'COPY_MISSING'],
  ['no server', () => 'postgres://ops@127.0.0.1:1/ops', 5, 'COPY_UNREACHABLE'],
  ['no URL of a database', () => 'http://db/x', 2, 'INVALID_JOURNAL_URL'],
])('%s', async (_, change, exit, code) => {
  const { url, hostNamed } = rig(server.newDatabase());
  const { code: ended, stderr } = await run(hostNamed('one', { FIATRAIL_COPY_URL: change(url) }), 'sync');
  expect({ ended, stderr }).toMatchObject({ ended: exit, stderr: expect.stringContaining(code) });
});

test('a schema of something else is left alone', async () => {
  const { url, hostNamed } = rig(server.newDatabase());
  server.sql(url, `CREATE SCHEMA ${SCHEMA}; CREATE TABLE ${SCHEMA}.mine (a int)`);
  expect(await run(hostNamed('one'), 'sync')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('COPY_FOREIGN'),
  });
});

test('names are removed after their days, also from the pages of the tables', async () => {
  const { clock, service, url, hostNamed } = rig();
  service.add('deposits');
  service.move('deposits', 0, 'completed');
  await run(hostNamed('one'), 'sync');
  expect(server.sql(url, `SELECT sender_name FROM ${SCHEMA}.deposits`)).toContain('SENDER');
  await clock.sleep(91 * DAY_MS, never);
  expect(await run(hostNamed('one'), 'sync')).toMatchObject({ code: 0 });
  const page = (table: string) =>
    server.sql(url, `SELECT encode(pg_read_binary_file(pg_relation_filepath('${SCHEMA}.${table}')), 'escape')`);
  for (const table of ['stored_deposits', 'person_name']) expect(page(table), table).not.toContain('SENDER');
});
