import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { LOCK } from '../../src/journal/postgres/schema.ts';
import type { Served } from '../support/accounts.ts';
import { fiatrail, type Ran, requireBuilt, sharedEnd, startFiatrail } from '../support/built.ts';
import { withdraw } from '../support/fee-withdrawal.ts';
import { OWNER, startPostgres, type TestServer } from '../support/postgres.ts';
import { serveSandbox } from '../support/rotations.ts';
import { failureOf, hostOf, pay, withdrawalOf, withdrawalsAt } from './hosts.ts';
import { startRelay } from './relay.ts';

/** More than the time in which a second signal counts as the first one. */
const SAME_SIGNAL_MS = 1_100;
/** Longer than a busy machine takes to end what the second signal ends. A third one kills the program. */
const ENDING_MS = 20_000;

const atEnd = sharedEnd();
let server: TestServer;
let served: Served;
let direct: string;

beforeAll(async () => {
  requireBuilt();
  [server, served] = await Promise.all([startPostgres(), serveSandbox(atEnd)]);
  direct = server.newDatabase();
  // The tables are made, so that every payment says the same to the server.
  withdrawalOf(await fiatrail(hostOf(served, direct, atEnd), pay('first')));
});
afterAll(() => server?.stop());

/** A way to the server. Once it has passed on what the client sent so often, it says nothing any more on any connection. */
interface Way {
  readonly url: string;
  /** Whether something was kept back. */
  isSilent(): boolean;
}

async function relay(passed: number): Promise<Way> {
  let count = 0;
  const answered = () => count <= passed;
  const sent = () => {
    count += 1;
    return answered();
  };
  const { url } = await startRelay(direct, { sent, answered });
  return { url, isSilent: () => !answered() };
}

/** Of the moments at which a server can fall silent, each so many is tried. */
const STEP = 5;

/** The code of a program that has printed its result or its error, and that a signal met as it ended: Node no longer handles it then. */
function codeSaid(stdout: string, stderr: string): number | null {
  if (stdout.endsWith('\n')) return 0;
  const [, category] = /^\{"error":\{"code":"\w+","category":"(\w+)".*\}\}\n$/m.exec(stderr) ?? [];
  return category === 'interrupted' ? 130 : category === 'unknown' ? 6 : null;
}

/** The words of a payment of its own amount, under an idempotency key of its own. */
type Payment = (...more: readonly string[]) => readonly string[];

/** Runs a payment, with an idempotency key of its own, against a server that falls silent ever later, until it no longer does. */
async function sweep(name: string, firstNaira: number, run: (way: Way, payment: Payment) => Promise<Ran>) {
  const ends: { code: number | null; isPaid: boolean; stderr: string }[] = [];
  for (let [passed, isOver] = [1, false]; !isOver; passed += STEP) {
    const before = withdrawalsAt(served).length;
    const way = await relay(passed);
    // While an equal payment is unknown, nothing is sent.
    const amount = String(firstNaira + passed);
    const payment = (...more: readonly string[]) =>
      withdraw(amount, '--once', `${name}-${passed}`, '--timeout', '30s', '-o', 'json', ...more);
    const { code, stdout, stderr } = await run(way, payment);
    expect(stderr).not.toMatch(/\n +at |internal error/);
    ends.push({ code: code ?? codeSaid(stdout, stderr), isPaid: withdrawalsAt(served).length > before, stderr });
    isOver = !way.isSilent();
  }
  expect(ends.at(-1)).toMatchObject({ code: 0, isPaid: true });
  return ends;
}

test('a payment ends by itself, wherever the server falls silent', async () => {
  const ends = await sweep('limit', 1_000, ({ url }, payment) =>
    fiatrail(hostOf(served, url, onTestFinished), payment('--timeout', '1s')),
  );
  // With 5, nothing was sent.
  expect(ends.filter(({ code, isPaid }) => code !== 0 && code !== 6 && (code !== 5 || isPaid))).toEqual([]);
});

test('SIGTERM ends a payment, wherever the server falls silent', async () => {
  const ends = await sweep('signal', 2_000, async (way, payment) => {
    const running = startFiatrail(hostOf(served, way.url, onTestFinished), payment());
    let isOver = false;
    running.end.then(() => {
      isOver = true;
    });
    while (!isOver && !way.isSilent()) await sleep(20);
    // The second one ends what may have been done; one that follows at once would count as the same.
    for (let waitMs = SAME_SIGNAL_MS; !isOver; waitMs = ENDING_MS) {
      running.kill('SIGTERM');
      await Promise.race([running.end, sleep(waitMs)]);
    }
    return running.end;
  });
  expect(ends.filter(({ code, isPaid }) => code !== 0 && code !== 6 && (code !== 130 || isPaid))).toEqual([]);
});

test('a journal that another host has locked is waited for as long as --timeout says, or until SIGTERM', async () => {
  const before = withdrawalsAt(served).length;
  const database = /journal_\d+/.exec(direct)?.[0] ?? '';
  const other = new Client({ host: server.folder, user: OWNER, database });
  await other.connect();
  onTestFinished(() => other.end());
  await other.query(`SELECT pg_advisory_lock(${LOCK})`);
  const host = hostOf(served, direct, onTestFinished);
  const limited = await fiatrail(host, pay('locked', '--timeout', '1s'));
  expect(failureOf(limited)).toEqual({ exit: 2, code: 'JOURNAL_BUSY' });
  const running = startFiatrail(host, pay('locked'));
  const waiting = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`;
  while ((await other.query(waiting)).rows.length === 0) await sleep(20);
  running.kill('SIGTERM');
  expect((await running.end).code).toBe(130);
  expect(withdrawalsAt(served)).toHaveLength(before);
  // Without a limit, the lock alone is waited for longer.
}, 15_000);
