import { afterAll, beforeAll, expect, test } from 'vitest';
import { GRANTS, SCHEMA } from '../../src/copy/schema.ts';
import { main } from '../../src/main.ts';
import { LISTS, type MovingService, movingService } from '../copy/moving-service.ts';
import { startPostgres, type TestServer } from '../support/postgres.ts';
import { ACCOUNT, type FakeWorld, fakeClock, fakeHost, fakeWorld } from '../support/world.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const never = new AbortController().signal;

let server: TestServer;
beforeAll(async () => {
  server = await startPostgres();
  server.sql(server.newDatabase(), 'CREATE ROLE fiatrail_reader LOGIN; CREATE ROLE mallory LOGIN');
});
afterAll(() => server?.stop());

function rig() {
  const clock = fakeClock();
  const service = movingService(clock.now);
  const url = server.newDatabase();
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

const copied = (url: string, table: string) =>
  server
    .sql(
      url,
      `SELECT id || ' ' || coalesce(status, '') || '.' FROM ${SCHEMA}.${table} WHERE deleted_at IS NULL ORDER BY id COLLATE "C"`,
    )
    .split('\n')
    .filter((line) => line !== '');

function expectEqual(url: string, service: MovingService) {
  for (const [table, { id, status }] of Object.entries(LISTS))
    expect(copied(url, table), table).toEqual(
      (service.rows[table] ?? []).map((row) => `${row[id]} ${status === undefined ? '' : row[status]}.`).sort(),
    );
}

async function fill({ clock, service }: Pick<ReturnType<typeof rig>, 'clock' | 'service'>, count: number) {
  for (const list of Object.keys(LISTS))
    for (let each = 0; each < count; each++) {
      await clock.sleep(MINUTE_MS, never);
      service.add(list);
      service.move(list, 0);
    }
}

test('has the rows of the service, and the changes of a later sync by another host', async () => {
  const { clock, service, url, hostNamed } = rig();
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

test('of two hosts, one fills it, and the other says so; a host that dies gives way', async () => {
  const { clock, service, url, hostNamed } = rig();
  await fill({ clock, service }, 30);
  const [one, two] = [hostNamed('one'), hostNamed('two')];
  let second: ReturnType<typeof run> | undefined;
  service.onRequest = () => {
    if (service.requests.length === 6) second = run(two, 'sync');
  };
  expect(await run(one, 'sync')).toMatchObject({ code: 0 });
  expect(await second).toMatchObject({ code: 9, stderr: expect.stringContaining('COPY_BUSY') });
  service.onRequest = undefined;
  server.sql(url, `INSERT INTO ${SCHEMA}.setting VALUES ('filler', 'three/1/x 9999999999')`);
  expect(await run(two, 'sync')).toMatchObject({ code: 9 });
  server.sql(url, `UPDATE ${SCHEMA}.setting SET value = 'three/1/x 1' WHERE name = 'filler'`);
  expect(await run(two, 'sync')).toMatchObject({ code: 0 });
  expectEqual(url, service);
});

test('a host whose turn was taken stops before it writes', async () => {
  const { clock, service, url, hostNamed } = rig();
  await fill({ clock, service }, 30);
  service.onRequest = () => {
    if (service.requests.length === 6)
      server.sql(url, `UPDATE ${SCHEMA}.setting SET value = 'three/1/x 9999999999' WHERE name = 'filler'`);
  };
  const { code, stderr } = await run(hostNamed('one'), 'sync');
  expect({ code, stderr }).toMatchObject({
    code: 9,
    stderr: expect.stringContaining('another host fills the local copy'),
  });
  expect(stderr).toContain('three');
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
  const { url, hostNamed } = rig();
  const { code: ended, stderr } = await run(hostNamed('one', { FIATRAIL_COPY_URL: change(url) }), 'sync');
  expect({ ended, stderr }).toMatchObject({ ended: exit, stderr: expect.stringContaining(code) });
});

test('a schema of something else is left alone', async () => {
  const { url, hostNamed } = rig();
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
