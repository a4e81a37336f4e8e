import { afterAll, beforeAll, expect, test } from 'vitest';
import { SCHEMA } from '../../src/copy/schema.ts';
import { type CopiedFees, compared, copiedFees, FEES_SQL } from '../copy/fee-truth.ts';
import { must } from '../questions/reports.ts';
import { startPostgres, type TestServer } from '../support/postgres.ts';
import { fakeClock, fakeHost, fakeWorld } from '../support/world.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());

test('the fees of a server’s copy are those of a file’s, and of the ledger', async () => {
  const url = server.newDatabase();
  const world = fakeWorld({ clock: fakeClock(Date.UTC(2026, 10, 2, 9)), host: fakeHost(100, 'one') });
  await must(world, 'sandbox', 'simulate', '--days', '12', '--users', '20', '--seed', '7');
  await must(world, 'sync');
  const inFile = copiedFees(world);
  expect(compared(world)).toMatchObject({ wrong: [], mislabelled: [] });
  Object.assign(world.env, { FIATRAIL_COPY_URL: url });
  await must(world, 'sync');
  const text = server.sql(url, `SET search_path = ${SCHEMA}; SELECT json_agg(f) FROM (${FEES_SQL}) f`);
  const onServer = JSON.parse(text.slice(text.indexOf('['))) as readonly CopiedFees[];
  const kobo = (fee: bigint | number | null) => (fee === null ? null : BigInt(fee));
  const sorted = (rows: readonly CopiedFees[]) =>
    rows
      .map((row) => ({ ...row, own: kobo(row.own), platform: kobo(row.platform) }))
      .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  expect(onServer.length).toBeGreaterThan(100);
  expect(sorted(onServer)).toEqual(sorted(inFile));
}, 120_000);
