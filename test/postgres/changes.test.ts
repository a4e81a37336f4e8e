import { afterAll, beforeAll, expect, test } from 'vitest';
import { SCHEMA } from '../../src/copy/schema.ts';
import { DAY_MS, fill, rig, sync } from '../copy/moves.ts';
import { json } from '../questions/reports.ts';
import { startPostgres, type TestServer } from '../support/postgres.ts';
import { ACCOUNT, fakeHost, fakeWorld } from '../support/world.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());

test('a copy on a server has the changes that a file has, also page by page, and without personal values that are old', async () => {
  const { clock, service, world } = rig();
  const url = server.newDatabase();
  const host = fakeWorld({
    clock,
    host: fakeHost(100, 'one'),
    network: (...given) => service.exchange(...given),
    env: { ...ACCOUNT, FIATRAIL_COPY_URL: url },
  });
  const both = async (...more: string[]) => {
    for (const each of [world, host]) expect(await sync(each, ...more), each.stderr.text()).toBe(0);
  };
  await fill(service, clock, 110);
  await both();
  await clock.sleep(DAY_MS, new AbortController().signal);
  for (const list of ['payouts', 'users', 'fx_trades']) service.add(list);
  for (const list of ['deposits', 'bank_accounts', 'users']) service.remove(list, 1);
  service.move('payouts', 5, 'failed');
  const [sent] = service.rows['deposits'] ?? [];
  if (sent) sent['depositor'] = { name: 'NKECHI EZE' };
  await both('--full');
  const questions = [
    ['--since', '2d', '--all'],
    ['--since', '2d', '--limit', '2'],
    ['--since', '2d', '--list', 'users'],
    ['--since', '2d', '--status', 'deleted', '--limit', '1'],
  ];
  for (const each of questions) {
    const [file, shared] = [
      await json(world, 'report', 'changes', ...each),
      await json(host, 'report', 'changes', ...each),
    ];
    expect(file.changes.length, each.join(' ')).toBeGreaterThan(0);
    expect([shared.changes, shared.lists]).toEqual([file.changes, file.lists]);
    if (file.pagination.after === null) continue;
    const next = [...each, '--after', file.pagination.after];
    // The clock runs on between two commands.
    const { changes } = await json(world, 'report', 'changes', ...next);
    expect((await json(host, 'report', 'changes', ...next)).changes).toEqual(changes);
  }
  const named = () => server.sql(url, `SELECT count(*) FROM ${SCHEMA}.changes WHERE after_json LIKE '%NKECHI EZE%'`);
  expect(named().trim()).toBe('1');
  await clock.sleep(92 * DAY_MS, new AbortController().signal);
  expect(await sync(host)).toBe(0);
  expect(named().trim()).toBe('0');
});
