import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, onTestFailed, onTestFinished, test } from 'vitest';
import { withdrawFees } from '../../src/contract/endpoints/fee-withdrawals.ts';
import { chancesOf } from '../faults/chances.ts';
import type { Served } from '../support/accounts.ts';
import { type Home, requireBuilt, startFiatrail } from '../support/built.ts';
import { fiatrail, fiatrailJson, serveSandbox } from '../support/in-process.ts';
import { tcpServer } from '../support/loopback.ts';
import { startPostgres, type TestServer } from '../support/postgres.ts';
import { endUnknown, failureOf, hostOf, pay, rowsOf, withdrawalOf, withdrawalsAt, withEnv } from './hosts.ts';

/** Rounds in which two hosts start one command at the same instant. */
const ROUNDS = Number(process.env['FIATRAIL_SOAK_HOST_ROUNDS'] ?? 5);
/** Rounds in which the server is killed, and as many in which a host is. */
const KILLS = Number(process.env['FIATRAIL_SOAK_HOST_KILLS'] ?? 2);
const SEED = Number(process.env['FIATRAIL_SOAK_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
/** The latest moment of a kill, as a multiple of a command's duration, so that some commands complete. */
const LATEST = 1.3;

let server: TestServer;
let served: Served;
let url: string;
let hosts: readonly [Home, Home];

beforeAll(async () => {
  requireBuilt();
  server = await startPostgres();
});
afterAll(() => server?.stop());

beforeEach(async () => {
  // A test that failed may have left it killed.
  await server.start();
  served = await serveSandbox(onTestFinished);
  url = server.newDatabase();
  hosts = [hostOf(served, url, onTestFinished), hostOf(served, url, onTestFinished)];
});

const both = (argv: readonly string[]) => Promise.all(hosts.map((host) => fiatrail(host, argv)));
const unknownOutcomes = () =>
  rowsOf(server, url).filter(({ state }) => ['prepared', 'sent', 'unknown'].includes(state));

/** Runs every command line again on both hosts, and checks that each has moved money once. */
async function expectOnce(keys: readonly string[]): Promise<void> {
  await endUnknown(hosts[0], served, unknownOutcomes);
  const ids: string[] = [];
  for (const key of keys) {
    const again = (await both(pay(key))).map(withdrawalOf);
    expect(new Set(again).size).toBe(1);
    ids.push(again[0] ?? '');
  }
  expect(ids.toSorted()).toEqual(withdrawalsAt(served).toSorted());
  const verified = await both(['ops', 'journal', 'verify', '-q']);
  expect(verified.map(({ code }) => code)).toEqual([0, 0]);
}

test(`two hosts that run one command at the same instant withdraw once, ${ROUNDS} times`, {
  timeout: 300_000 + ROUNDS * 20_000,
}, async () => {
  const ids: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const ran = await Promise.all(hosts.map((host) => startFiatrail(host, pay(`round-${round}`)).end));
    const printed = ran.map(withdrawalOf);
    expect(new Set(printed).size).toBe(1);
    ids.push(printed[0] ?? '');
  }
  expect(new Set(ids).size).toBe(ROUNDS);
  expect(withdrawalsAt(served).toSorted()).toEqual(ids.toSorted());
  // Each host sees what the other one did.
  const names = new Set(JSON.parse(server.sql(url, 'SELECT json_agg(host) FROM fiatrail.operation')) as string[]);
  expect(names.size).toBeLessThanOrEqual(2);
  expect((await both(['ops', 'journal', 'verify', '-q'])).map(({ code }) => code)).toEqual([0, 0]);
});

/** Measures a command, to which the moments of the kills are relative. */
async function commandMs(): Promise<number> {
  const beganAt = performance.now();
  withdrawalOf(await startFiatrail(hosts[0], pay('first')).end);
  return performance.now() - beganAt;
}

test.each(['server', 'host'] as const)(
  `a journal's %s that is killed ${KILLS} times moves nothing twice, and nothing is left out`,
  { timeout: 300_000 + KILLS * 60_000 },
  async (victim) => {
    onTestFailed(() => console.error(`repeat this with FIATRAIL_SOAK_SEED=${SEED} FIATRAIL_SOAK_HOST_KILLS=${KILLS}`));
    const chances = chancesOf(SEED);
    const durationMs = await commandMs();
    const keys = Array.from({ length: KILLS }, (_, round) => `kill-${round}`);
    for (const key of keys) {
      const running = hosts.map((host) => startFiatrail(host, pay(key, '--timeout', '2s')));
      await new Promise((resolve) => setTimeout(resolve, (chances.below(1000 * LATEST) * durationMs) / 1000));
      if (victim === 'host') running[0]?.kill('SIGKILL');
      else {
        await server.kill();
        await server.start();
      }
      for (const [index, { end }] of running.entries()) {
        const { code, stderr } = await end;
        // It was done, its journal was away, its outcome is unknown, the other host was at work on it, or it was killed.
        const expected = victim === 'host' ? [0, 6, 8, 9, ...(index === 0 ? [null] : [])] : [0, 5, 6, 8, 9];
        expect(expected, stderr).toContain(code);
      }
      // At most one, before anything is looked up.
      expect(withdrawalsAt(served).length).toBeLessThanOrEqual(1 + keys.indexOf(key) + 1);
    }
    await expectOnce(['first', ...keys]);
  },
);

test('nothing equal is sent from any host while the outcome of one is unknown, whatever its key', async () => {
  await fiatrailJson(served.home, [
    'sandbox',
    'fault',
    'add',
    '--on',
    'fees.withdraw',
    '--fault',
    'lost-response',
    '-q',
  ]);
  expect(failureOf(await fiatrail(hosts[0], pay('lost')))).toEqual({ exit: 6, code: 'OUTCOME_UNKNOWN' });
  const ran = await Promise.all([...hosts, ...hosts].map((host, index) => fiatrail(host, pay(`fresh-${index}`))));
  expect(ran.map(failureOf)).toEqual(Array(4).fill({ exit: 9, code: 'OUTCOME_UNKNOWN' }));
  expect(withdrawalsAt(served)).toHaveLength(1);
  expect((await fiatrail(hosts[1], ['ops', 'reconcile', '-q'])).code).toBe(0);
  const after = await Promise.all(hosts.map((host, index) => fiatrail(host, pay(`fresh-${index}`))));
  expect(new Set(after.map(withdrawalOf)).size).toBe(2);
  expect(withdrawalsAt(served)).toHaveLength(3);
});

test('a command whose journal is away sends nothing', async () => {
  withdrawalOf(await fiatrail(hosts[0], pay('one')));
  await server.kill();
  const ran = await both(pay('two'));
  expect(ran.map(failureOf)).toEqual(Array(2).fill({ exit: 5, code: 'JOURNAL_UNREACHABLE' }));
  expect(withdrawalsAt(served)).toHaveLength(1);
  await server.start();
  await expectOnce(['one', 'two']);
});

/** A way to the service on which something happens once, before the request of a withdrawal arrives there. */
async function wayWith(event: () => Promise<void>) {
  const at = new URL(served.url);
  let pending: Promise<void> | undefined;
  const { port } = await tcpServer((client) => {
    const service = connect(Number(at.port), at.hostname);
    service.on('error', () => client.destroy()).on('close', () => client.destroy());
    client.on('close', () => service.destroy());
    service.pipe(client);
    client.on('data', async (chunk: Buffer) => {
      client.pause();
      if (chunk.includes(`POST ${at.pathname}${withdrawFees.path} `)) pending ??= event();
      await pending;
      service.write(chunk);
      client.resume();
    });
  });
  return { FIATRAIL_BASE_URL: `http://127.0.0.1:${port}${at.pathname}`, wasCalled: () => pending !== undefined };
}

const keptBeside = ({ stateDir }: Home) => readdirSync(stateDir).filter((name) => name.includes('.outcome-'));

test('an outcome whose journal is away is spooled, and the next command records it', async () => {
  const { FIATRAIL_BASE_URL } = await wayWith(() => server.kill());
  const ran = await fiatrail(withEnv(hosts[0], { FIATRAIL_BASE_URL }), pay('one'));
  const id = withdrawalOf(ran);
  expect(ran.stderr).toContain('the outcome was saved beside it');
  expect(keptBeside(hosts[0])).toMatchObject([expect.stringMatching(/^journal-[0-9a-f]{8}\.outcome-.*\.json$/)]);
  await server.start();
  expect(rowsOf(server, url)).toMatchObject([{ state: 'sent', request_id: null }]);
  expect((await fiatrail(hosts[0], ['ops', 'list', '-q'])).code).toBe(0);
  expect(keptBeside(hosts[0])).toEqual([]);
  expect(rowsOf(server, url)).toMatchObject([{ state: 'accepted', request_id: id }]);
  expect((await both(pay('one'))).map(withdrawalOf)).toEqual([id, id]);
  await expectOnce(['one']);
});

test('an outcome for which the server comes back in time is recorded', async () => {
  const event = async () => {
    await server.kill();
    await server.start();
  };
  const { FIATRAIL_BASE_URL, wasCalled } = await wayWith(event);
  const ran = await fiatrail(withEnv(hosts[0], { FIATRAIL_BASE_URL }), pay('one'));
  expect(wasCalled()).toBe(true);
  expect([withdrawalOf(ran), keptBeside(hosts[0])]).toEqual([withdrawalsAt(served)[0], []]);
  expect(rowsOf(server, url)).toMatchObject([{ state: 'accepted' }]);
});
