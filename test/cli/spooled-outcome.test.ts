import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  type AtEnd,
  fiatrail,
  fiatrailJson,
  type Home,
  newHome,
  ROOT,
  requireBuilt,
  startFiatrail,
  startProgram,
} from '../support/built.ts';
import { withdraw } from '../support/fee-withdrawal.ts';
import { journalRows } from '../support/journal.ts';
import { httpServer } from '../support/loopback.ts';

beforeAll(requireBuilt);

const SHORT_LOCKS = { NODE_OPTIONS: `--require=${join(ROOT, 'test', 'support', 'short-locks.cjs')}` };

const journalOf = ({ stateDir }: Home) => join(stateDir, 'journal.db');
const kept = ({ stateDir }: Home) => readdirSync(stateDir).filter((name) => name.includes('.outcome-'));

/** Whether the journal has a request that was sent. Not, while its file is being created. */
function isSent(home: Home): boolean {
  try {
    return journalRows(home.stateDir)[0]?.state === 'sent';
  } catch {
    return false;
  }
}

/** Holds the journal's write lock in another process; resolves with how to release it. */
async function lockJournal(home: Home, atEnd: AtEnd): Promise<() => Promise<void>> {
  const argv = [join(ROOT, 'test', 'support', 'hold-journal.ts'), journalOf(home)];
  const holder = startProgram(newHome(atEnd), process.execPath, argv);
  const release = async () => {
    holder.kill('SIGKILL');
    await holder.end;
  };
  atEnd(release);
  expect(await holder.firstLine()).toBe('held');
  return release;
}

const DATA = { withdrawalId: 'r-77', status: 'pending', amount: 50_000 };
const success = (data: unknown) => JSON.stringify({ status: 'Success', response_code: '00', message: 'ok', data });
const WITHDRAW = withdraw('500', '-q');

/** A service that runs `meanwhile` after a withdrawal arrived and before it answers. */
async function serviceThat(home: Home, atEnd: AtEnd, meanwhile: () => Promise<void> | void, data: unknown = DATA) {
  let withdrawals = 0;
  const { baseUrl } = await httpServer((request, response) => {
    request.resume().on('end', async () => {
      if (request.method === 'POST') {
        withdrawals += 1;
        await meanwhile();
      }
      response.end(success(request.method === 'POST' ? data : { publicKey: 'ab'.repeat(32) }));
    });
  }, atEnd);
  const env = { ...SHORT_LOCKS, FIATRAIL_BASE_URL: baseUrl, FIATRAIL_API_KEY: 'sandbox_a-key' };
  return { run: (argv: readonly string[]) => fiatrail(home, argv, { env }), withdrawals: () => withdrawals };
}

// Each waits for seconds until the program gives up, so they run at once.
describe.concurrent('a withdrawal whose outcome the journal cannot take, because another process holds its lock', () => {
  test('ends as accepted over the network; the next command records it', async ({ onTestFinished: atEnd }) => {
    const home = newHome(atEnd);
    let release = async () => {};
    const { run, withdrawals } = await serviceThat(home, atEnd, async () => {
      release = await lockJournal(home, atEnd);
    });
    const first = await run([...WITHDRAW, '--once', 'k', '-o', 'json']);
    expect({ code: first.code, stderr: first.stderr }).toEqual({
      code: 0,
      stderr:
        'warning: the journal cannot be written now; the outcome was saved beside it, and the next command records it\n',
    });
    expect(JSON.parse(first.stdout)).toBeTypeOf('object');
    expect(journalRows(home.stateDir)).toMatchObject([{ state: 'sent' }]);
    expect(kept(home)).toHaveLength(1);
    await release();
    const second = await run([...WITHDRAW, '--once', 'k', '-o', 'json']);
    expect({ code: second.code, stdout: second.stdout }).toEqual({ code: 0, stdout: first.stdout });
    expect(journalRows(home.stateDir)).toMatchObject([{ state: 'accepted' }]);
    expect({ kept: kept(home), withdrawals: withdrawals() }).toEqual({ kept: [], withdrawals: 1 });
  });

  test('stays of unknown outcome if the response contradicts the request, and so does its idempotency key', async ({
    onTestFinished: atEnd,
  }) => {
    const home = newHome(atEnd);
    let release = async () => {};
    const other = { ...DATA, amount: 5_000_000 };
    const lock = async () => {
      release = await lockJournal(home, atEnd);
    };
    const { run, withdrawals } = await serviceThat(home, atEnd, lock, other);
    const first = await run([...WITHDRAW, '--once', 'k']);
    expect(first.code).toBe(6);
    expect(first.stderr).toContain('asked for amount ₦500.00; the response says amount ₦50,000.00');
    expect(journalRows(home.stateDir)).toMatchObject([{ state: 'sent' }]);
    await release();
    const second = await run([...WITHDRAW, '--once', 'k']);
    expect(second.code).toBe(6);
    expect(second.stderr).toContain('the response says amount ₦50,000.00; nothing was sent this time');
    expect(journalRows(home.stateDir)).toMatchObject([{ state: 'unknown', request_id: 'r-77' }]);
    expect({ kept: kept(home), withdrawals: withdrawals() }).toEqual({ kept: [], withdrawals: 1 });
  });

  test('is what a second runner of the idempotency key prints that waited for it', async ({
    onTestFinished: atEnd,
  }) => {
    const home = newHome(atEnd);
    let release = async () => {};
    let second: Promise<{ stdout: string; code: number | null }> | undefined;
    const { run, withdrawals } = await serviceThat(home, atEnd, async () => {
      second = run([...WITHDRAW, '--once', 'k', '-o', 'json']);
      // Long enough for the second runner to open the journal and find the key taken.
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      release = await lockJournal(home, atEnd);
    });
    const first = await run([...WITHDRAW, '--once', 'k', '-o', 'json']);
    await release();
    expect(await second).toMatchObject({ code: 0, stdout: first.stdout });
    expect(withdrawals()).toBe(1);
  });

  test('ends as accepted in the embedded sandbox; the next command records it', async ({ onTestFinished: atEnd }) => {
    const home = newHome(atEnd);
    await fiatrail(home, ['sandbox', 'fault', 'add', '--on', 'fees.withdraw', '--fault', 'slow']);
    const running = startFiatrail(home, [...WITHDRAW, '-o', 'json'], { env: SHORT_LOCKS });
    while (!isSent(home)) await new Promise((resolve) => setTimeout(resolve, 5));
    const release = await lockJournal(home, atEnd);
    const { code, stderr, stdout } = await running.end;
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('saved beside it') });
    const { withdrawalId } = JSON.parse(stdout);
    await release();
    const { operations } = await fiatrailJson<{ operations: object[] }>(home, ['ops', 'list']);
    expect(operations).toMatchObject([{ state: 'accepted', result: { withdrawalId } }]);
    expect(kept(home)).toEqual([]);
  });

  test('is settled by the command line that is printed if nothing can be written at all', async ({
    onTestFinished: atEnd,
  }) => {
    const home = newHome(atEnd);
    let release = async () => {};
    const { run } = await serviceThat(home, atEnd, async () => {
      release = await lockJournal(home, atEnd);
      // Nothing can be created in the folder: a stand-in for a full disk that also works for root.
      await startProgram(home, 'bash', [
        '-c',
        `mv "${home.stateDir}" "${home.stateDir}-away"; touch "${home.stateDir}"`,
      ]).end;
    });
    const { code, stderr } = await run([...WITHDRAW, '-o', 'json']);
    expect({ code, lines: stderr.trim().split('\n').length }).toEqual({ code: 0, lines: 1 });
    await release();
    await startProgram(home, 'bash', ['-c', `rm "${home.stateDir}"; mv "${home.stateDir}-away" "${home.stateDir}"`])
      .end;
    const [row] = journalRows(home.stateDir);
    expect(row?.state).toBe('sent');
    const line = /fiatrail (ops resolve .*) TEXT$/.exec(stderr.trim())?.[1] ?? '';
    expect(line).toBe(`ops resolve ${row?.id} --completed --request-id r-77 --reason`);
    expect((await fiatrail(home, [...line.split(' '), 'seen'])).code).toBe(0);
    expect(journalRows(home.stateDir)).toMatchObject([{ state: 'resolved', request_id: 'r-77' }]);
  });
});

test('a file that only looks like a spooled outcome is named once by each command, and left', async () => {
  const home = newHome(onTestFinished);
  mkdirSync(home.stateDir, { mode: 0o700 });
  await fiatrail(home, ['ops', 'list']);
  const path = `${journalOf(home)}.outcome-1.json`;
  await startProgram(home, 'bash', ['-c', `echo forged > "${path}"`]).end;
  for (const _each of [1, 2]) {
    const { code, stderr } = await fiatrail(home, ['ops', 'list', '-q']);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `warning: ${path} was ignored: this journal did not write it, or it was changed\n`,
    });
  }
});
