import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Served } from '../support/accounts.ts';
import type { Home } from '../support/built.ts';
import { fiatrail, must, serveSandbox } from '../support/in-process.ts';
import { postgresPrograms, startPostgres, type TestServer } from '../support/postgres.ts';
import { failureOf, hostOf, pay, withdrawalOf, withdrawalsAt } from './hosts.ts';

/** A dump that is restored, also to the same server, is a journal at an earlier time: its later idempotency keys would pay again. */

let server: TestServer;
let served: Served;
let url: string;
let hosts: readonly [Home, Home];

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());
beforeEach(async () => {
  served = await serveSandbox(onTestFinished);
  url = server.newDatabase();
  hosts = [hostOf(served, url, onTestFinished), hostOf(served, url, onTestFinished)];
});

const REPLACED = { exit: 2, code: 'JOURNAL_REPLACED' };
const accept = ['ops', 'journal', 'verify', '--accept', '--yes', '-q'];
const programs = postgresPrograms();
const dump = (...more: readonly string[]) =>
  execFileSync(join(programs, 'pg_dump'), ['--schema=fiatrail', ...more, url], { encoding: 'utf8' });
const restore = (text: string) =>
  execFileSync(join(programs, 'psql'), [url, '-qX', '-v', 'ON_ERROR_STOP=1', '-f', '-'], {
    input: text,
    stdio: 'pipe',
  });

/** A way to put the tables back as they were when `save` was called. */
interface Way {
  save(): () => void;
}

const WAYS: Readonly<Record<string, Way>> = {
  'a dump that is restored after the schema was dropped': {
    save: () => {
      const text = dump();
      return () => {
        server.sql(url, 'DROP SCHEMA fiatrail CASCADE');
        restore(text);
      };
    },
  },
  'a dump whose rows are put into the emptied tables': {
    save: () => {
      const text = dump('--data-only', '--disable-triggers');
      return () => {
        const tables = 'setting, account_name, operation, entry, rotation, tally, spent';
        server.sql(
          url,
          `SET search_path = fiatrail; ALTER TABLE entry DISABLE TRIGGER ALL; TRUNCATE ${tables} CASCADE`,
        );
        restore(text);
        server.sql(url, `ALTER TABLE fiatrail.entry ENABLE TRIGGER ALL`);
      };
    },
  },
};

test.each(Object.entries(WAYS))('%s stops every host until it is accepted', async (_what, { save }) => {
  withdrawalOf(await fiatrail(hosts[0], pay('before')));
  const putBack = save();
  withdrawalOf(await fiatrail(hosts[0], pay('lost')));
  putBack();
  // One host has seen the entry that is gone; the other one sees that the tables are others.
  expect(failureOf(await fiatrail(hosts[1], pay('lost')))).toEqual(REPLACED);
  expect(failureOf(await fiatrail(hosts[0], pay('lost')))).toEqual({ exit: 2, code: 'JOURNAL_CUT' });
  expect(withdrawalsAt(served)).toHaveLength(2);
  expect((await must(hosts[1], ['ops', 'journal', 'verify', '-q'])).stderr).toContain(
    'money commands stop: the journal is on another server',
  );
  await must(hosts[1], accept);
  expect(failureOf(await fiatrail(hosts[0], pay('lost')))).toEqual({ exit: 2, code: 'JOURNAL_CUT' });
  await must(hosts[0], accept);
  for (const host of hosts) withdrawalOf(await fiatrail(host, pay('after')));
  expect(withdrawalsAt(served)).toHaveLength(3);
});

test('a table that is restored alone stops every host', async () => {
  withdrawalOf(await fiatrail(hosts[0], pay('before')));
  const text = dump('--table=fiatrail.entry');
  server.sql(url, 'DROP TABLE fiatrail.entry');
  restore(text);
  expect(failureOf(await fiatrail(hosts[1], pay('one')))).toEqual(REPLACED);
});

test('a copy of the whole database under its name stops every host', async () => {
  withdrawalOf(await fiatrail(hosts[0], pay('before')));
  const name = new URL(url.replace('@/', '@socket/')).pathname.slice(1);
  const other = server.newDatabase();
  server.sql(other, `CREATE DATABASE kept TEMPLATE "${name}"`);
  withdrawalOf(await fiatrail(hosts[0], pay('lost')));
  server.sql(other, `DROP DATABASE "${name}"`);
  server.sql(other, `ALTER DATABASE kept RENAME TO "${name}"`);
  expect(failureOf(await fiatrail(hosts[1], pay('lost')))).toEqual(REPLACED);
  expect(withdrawalsAt(served)).toHaveLength(2);
});

test('a journal whose tables are vacuumed, frozen and rewritten is the same', async () => {
  withdrawalOf(await fiatrail(hosts[0], pay('one')));
  for (const sql of ['VACUUM FREEZE fiatrail.setting', 'VACUUM FULL fiatrail.setting', 'VACUUM FULL FREEZE'])
    server.sql(url, sql);
  for (const host of hosts) withdrawalOf(await fiatrail(host, pay('two')));
  expect(withdrawalsAt(served)).toHaveLength(2);
});

test('a journal whose server was replaced without a loss is accepted once for all hosts', async () => {
  withdrawalOf(await fiatrail(hosts[0], pay('one')));
  server.sql(url, `UPDATE fiatrail.setting SET value = 'another' WHERE name = 'server'`);
  for (const host of hosts) expect(failureOf(await fiatrail(host, pay('two')))).toEqual(REPLACED);
  await must(hosts[1], accept);
  for (const host of hosts) withdrawalOf(await fiatrail(host, pay('two')));
  expect(withdrawalsAt(served)).toHaveLength(2);
});

test('another, empty database is rejected', async () => {
  withdrawalOf(await fiatrail(hosts[0], pay('one')));
  const other = hostOf(served, server.newDatabase(), onTestFinished);
  const moved = {
    ...hosts[0],
    env: { ...hosts[0].env, FIATRAIL_JOURNAL_URL: other.env['FIATRAIL_JOURNAL_URL'] ?? '' },
  };
  expect(failureOf(await fiatrail(moved, pay('one')))).toEqual({ exit: 2, code: 'JOURNAL_ELSEWHERE' });
  expect(withdrawalsAt(served)).toHaveLength(1);
});
