import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest';
import { SCHEMA } from '../../src/copy/schema.ts';
import type { Ask } from '../copy/ledger.ts';
import { type Case, campaign, report } from '../copy/truth/campaign.ts';
import { startPostgres, type TestServer } from '../support/postgres.ts';

/** Days that the account works; the long form has 30 of them, and 600 operations. */
const DAYS = Number(process.env['FIATRAIL_SOAK_TRUTH'] ?? 3);
const IS_LONG = process.env['FIATRAIL_SOAK_TRUTH'] !== undefined;
const SEED = Number(process.env['FIATRAIL_SOAK_SEED'] ?? 1);
const HOUR_MS = 3_600_000;

let server: TestServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());

const asks =
  (url: string): Ask =>
  (sql) =>
    server
      .sql(url, `SET search_path = ${SCHEMA}; ${sql}`)
      .split('\n')
      .filter((line) => line !== '' && line !== 'SET')
      .map((line) => line.split('|'));

test('every figure of two hosts with one copy is that of the ledger, or says that it is not known', async () => {
  onTestFailed(() => console.error(`repeat this with FIATRAIL_SOAK_SEED=${SEED} FIATRAIL_SOAK_TRUTH=${DAYS}`));
  const told = await campaign({ seed: SEED, days: DAYS, operations: 20 * DAYS }, (service): readonly Case[] => {
    const [shared, late] = [server.newDatabase(), server.newDatabase()];
    const host = (name: string, url: string) => ({
      machine: service.machine({ name, env: { FIATRAIL_COPY_URL: url } }),
      ask: asks(url),
    });
    return [
      { name: 'at noon', ...host('one', shared), isBefore: true, dailyMs: [12 * HOUR_MS], isAtEnd: true },
      { name: 'in the evening', ...host('two', shared), dailyMs: [24 * HOUR_MS - 1], isAtEnd: true },
      { name: 'never during work', ...host('three', late), isAtEnd: true },
    ];
  });
  if (IS_LONG) report(`PostgreSQL, ${DAYS} days`, told);
  for (const [name, { wrong, equal }] of told.tallies) {
    expect(wrong, name).toEqual([]);
    expect(equal, name).toBeGreaterThan(100);
  }
});
