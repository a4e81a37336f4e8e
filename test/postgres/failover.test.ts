import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Served } from '../support/accounts.ts';
import type { Home } from '../support/built.ts';
import { fiatrail, fiatrailJson, serveSandbox } from '../support/in-process.ts';
import { startPostgres, type TestServer } from '../support/postgres.ts';
import { failureOf, hostOf, pay, withdrawalOf, withdrawalsAt } from './hosts.ts';

let server: TestServer;
let served: Served;
let hosts: readonly [Home, Home];

beforeEach(async () => {
  [server, served] = [await startPostgres(), await serveSandbox(onTestFinished)];
  const url = server.newDatabase();
  hosts = [hostOf(served, url, onTestFinished), hostOf(served, url, onTestFinished)];
});
afterEach(() => server?.stop());

const both = (argv: readonly string[]) => Promise.all(hosts.map((host) => fiatrail(host, argv)));
const codes = async (argv: readonly string[]) => (await both(argv)).map(failureOf).map(({ code }) => code);
const exits = async (argv: readonly string[]) => (await both(argv)).map(({ code }) => code);

test('a standby that took over without the last commit is used once every host has accepted it', async () => {
  withdrawalOf(await fiatrail(hosts[0], pay('one')));
  withdrawalOf(await fiatrail(hosts[1], pay('two')));
  server.copy();
  // The copy never gets this one: under its idempotency key, money could move again.
  withdrawalOf(await fiatrail(hosts[0], pay('lost')));
  await server.startCopy();
  expect(await codes(pay('three'))).toEqual(['JOURNAL_REPLICA', 'JOURNAL_REPLICA']);
  server.promote();
  // One host knows that entries are missing; the other one sees that the server is another one.
  for (const key of ['lost', 'three']) expect(await codes(pay(key))).toEqual(['JOURNAL_CUT', 'JOURNAL_REPLACED']);
  expect(await exits(['ops', 'list', '-q'])).toEqual([0, 0]);
  expect(await exits(['ops', 'journal', 'export', '-q'])).toEqual([0, 0]);
  expect((await both(['ops', 'journal', 'verify', '-q'])).map(({ code }) => code)).toEqual([3, 0]);
  expect(withdrawalsAt(served)).toHaveLength(3);
  // Accepting on the host that lacks nothing does not accept for the one that knows better.
  expect((await fiatrail(hosts[1], ['ops', 'journal', 'verify', '--accept', '--yes', '-q'])).code).toBe(0);
  expect(failureOf(await fiatrail(hosts[0], pay('lost')))).toEqual({ exit: 2, code: 'JOURNAL_CUT' });
  expect((await fiatrail(hosts[0], ['ops', 'journal', 'verify', '--accept', '--yes', '-q'])).code).toBe(0);
  expect((await both(pay('three'))).map(withdrawalOf)).toHaveLength(2);
  expect((await both(pay('one'))).map(withdrawalOf)).toHaveLength(2);
  expect(withdrawalsAt(served)).toHaveLength(4);
  expect(await exits(['ops', 'journal', 'verify', '-q'])).toEqual([0, 0]);
});

test('a standby that took over without a loss is another server too, until it is accepted once', async () => {
  withdrawalOf(await fiatrail(hosts[0], pay('one')));
  server.copy();
  await server.startCopy();
  server.promote();
  expect(await codes(pay('two'))).toEqual(['JOURNAL_REPLACED', 'JOURNAL_REPLACED']);
  expect(await exits(['ops', 'journal', 'verify', '-q'])).toEqual([0, 0]);
  expect(withdrawalsAt(served)).toHaveLength(1);
  expect((await fiatrail(hosts[1], ['ops', 'journal', 'verify', '--accept', '--yes', '-q'])).code).toBe(0);
  expect(new Set((await both(pay('one'))).map(withdrawalOf)).size).toBe(1);
  expect(withdrawalsAt(served)).toHaveLength(1);
  expect(await fiatrailJson(hosts[0], ['ops', 'list', '-q'])).toBeDefined();
});

test('a backup that was put back as it was is noticed by the host whose entry it lacks, which stops the other one', async () => {
  withdrawalOf(await fiatrail(hosts[1], pay('one')));
  server.copy();
  withdrawalOf(await fiatrail(hosts[0], pay('lost')));
  // Without this file, the copy is the same server at an earlier time.
  rmSync(join(server.folder, 'copy', 'standby.signal'));
  await server.startCopy();
  for (const key of ['lost', 'three'])
    expect(failureOf(await fiatrail(hosts[0], pay(key)))).toEqual({ exit: 2, code: 'JOURNAL_CUT' });
  expect((await fiatrail(hosts[0], ['ops', 'journal', 'verify', '-q'])).code).toBe(3);
  expect(failureOf(await fiatrail(hosts[1], pay('lost')))).toEqual({ exit: 2, code: 'JOURNAL_REPLACED' });
  expect(withdrawalsAt(served)).toHaveLength(2);
});
