import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SCHEMA } from '../../src/engine/mirror/schema.ts';
import { main } from '../../src/main.ts';
import { blocksOf } from '../docs/scripts.ts';
import { LISTS, movingService } from '../mirror/moving-service.ts';
import { ROOT } from '../support/built.ts';
import { startPostgres, type TestServer } from '../support/postgres.ts';
import { ACCOUNT, fakeClock, fakeHost, fakeWorld } from '../support/world.ts';

const PAGE = 'docs/data.md';

let server: TestServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());

test('a reader as docs/data.md makes one asks the questions of the page, and reads nothing else', async () => {
  const clock = fakeClock();
  const service = movingService(clock.now);
  for (const list of Object.keys(LISTS)) for (let each = 0; each < 5; each++) service.add(list);
  const url = server.newDatabase();
  const world = fakeWorld({
    ...{ clock, host: fakeHost(100, 'one'), network: (...given) => service.exchange(...given) },
    env: { ...ACCOUNT, FIATRAIL_MIRROR_URL: url },
  });
  expect(await main(['sync', '-q'], world), world.stderr.text()).toBe(0);
  const [role = ''] = blocksOf(PAGE, 'postgresql');
  server.sql(url, role);
  const asReader = (sql: string) => server.sql(url, `SET ROLE fiatrail_reader; SET search_path = ${SCHEMA}; ${sql}`);
  const page = readFileSync(join(ROOT, PAGE), 'utf8');
  const queries = [...page.matchAll(/^```sql\n(.*?)\n```$/gms)].map(([, sql = '']) => sql);
  const asked = queries.filter((sql) => !/\b(operations|events)\b/.test(sql));
  expect(asked.length).toBe(10);
  for (const sql of asked) expect(() => asReader(sql), sql).not.toThrow();
  expect(asReader('select count(*) from deposits')).toMatch(/^5$/m);
  expect(() => asReader('select * from stored_deposits')).toThrow('permission denied');
  expect(() => asReader('delete from deposits')).toThrow('permission denied');
});
