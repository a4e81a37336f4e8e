import { beforeEach, describe, expect, test } from 'vitest';
import { changeProfile } from '../../src/account/changes.ts';
import type { StoredProfile } from '../../src/account/stored-profile.ts';
import { trade } from '../../src/contract/endpoints/fx-trades.ts';
import type { Account } from '../../src/engine/account.ts';
import { whyNotRepeatable } from '../../src/engine/evidence/repeatable.ts';
import type { Operation } from '../../src/journal/operations.ts';
import { main } from '../../src/main.ts';
import { journalRows } from '../support/journal.ts';
import { INTENT, testJournal } from '../support/journal-intent.ts';
import { fakeClock } from '../support/sandbox.ts';
import { type Answer, type FakeWorld, fakeWorld } from '../support/world.ts';

let world: FakeWorld;

const run = (line: string, more: Partial<FakeWorld> = {}) => main(line.split(' '), { ...world, ...more });
const rows = () => journalRows(world.stateDir);
const lastId = () => rows().at(-1)?.id ?? '';

/** Runs a command, and returns its exit code and what it said. */
async function said(line: string, more: Partial<FakeWorld> = {}) {
  const [out, err] = [world.stdout.text().length, world.stderr.text().length];
  const exit = await run(line, more);
  return { exit, stdout: world.stdout.text().slice(out), stderr: world.stderr.text().slice(err) };
}

/** The trades of the sandbox. */
async function trades(): Promise<readonly { tradeId: string; status: string }[]> {
  const { stdout } = await said('fx trades list --profile box -q -o json');
  return JSON.parse(stdout).trades;
}

/** The states of an operation, oldest first. */
async function statesOf(id: string): Promise<readonly string[]> {
  const { stdout } = await said('ops journal export --profile box -q');
  const lines = stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  return lines.flatMap((line) => (line.operation_id === id && line.state ? [line.state] : []));
}

const TRADE = 'fx trade --pair CNGN-USDC --side buy --amount 1000 --profile box -q';
const KEYED = `${TRADE} --once k --yes`;

const fault = (kind: string, endpoint = 'fx.trade') =>
  run(`sandbox fault add --on ${endpoint} --fault ${kind} --profile box -q`);

/** Sends a trade that does not arrive, and returns its operation id. */
async function lost(line = KEYED): Promise<string> {
  await fault('lost-request');
  expect(await run(line)).toBe(6);
  return lastId();
}

const retry = (id: string, flags = '--yes') => said(`ops retry ${id} --profile box -q ${flags}`.trim());
const rules = (...flags: readonly string[]) =>
  main(['profiles', 'rules', 'set', 'box', ...flags, '--yes', '-q'], world);
const change = (more: Partial<StoredProfile>) =>
  changeProfile(world, 'box', (now) => ({ ...(now as StoredProfile), ...more }));

beforeEach(async () => {
  world = fakeWorld();
  expect(await run('profiles add box --mode embedded -q')).toBe(0);
});

describe('a trade that was lost', () => {
  test('is not made by looking for it', async () => {
    const id = await lost();
    for (const line of [`ops reconcile ${id}`, 'ops reconcile', 'ops reconcile --all', 'ops resume --all'])
      await run(`${line} --profile box -q`);
    expect(await trades()).toEqual([]);
    expect(rows()).toMatchObject([{ state: 'unknown' }]);
  });

  test('is made by ops retry, as a new sending of the same operation', async () => {
    const id = await lost();
    expect((await said(`ops reconcile ${id} --profile box`)).stdout).toContain(`fiatrail ops retry ${id}`);
    const { exit, stdout } = await retry(id, '--yes -o json');
    const [made, ...others] = await trades();
    expect({ exit, tradeId: JSON.parse(stdout).tradeId, others }).toEqual({
      exit: 0,
      tradeId: made?.tradeId,
      others: [],
    });
    expect(rows()).toMatchObject([{ id, state: 'accepted', request_id: made?.tradeId, once_key: 'k' }]);
    expect(await statesOf(id)).toEqual(['prepared', 'sent', 'unknown', 'sent', 'accepted']);
    // The command is done under its key.
    expect((await said(KEYED)).exit).toBe(0);
    expect(await trades()).toHaveLength(1);
  });

  test('waits for its end', async () => {
    const { exit, stdout } = await retry(await lost(), '--yes --wait 1h -o json');
    expect({ exit, status: JSON.parse(stdout).status }).toEqual({ exit: 0, status: 'completed' });
  });

  test('is made when its command runs again under its key', async () => {
    const id = await lost();
    const { exit, stdout } = await said(`${KEYED} -o json`);
    const [made] = await trades();
    expect({ exit, tradeId: JSON.parse(stdout).tradeId }).toEqual({ exit: 0, tradeId: made?.tradeId });
    expect(rows()).toMatchObject([{ id, state: 'accepted' }]);
  });

  test('is one trade if its response was lost, although nothing says that the row is its own', async () => {
    await run('profiles add box --unknown ask -q');
    await fault('lost-response');
    expect(await run(KEYED)).toBe(6);
    expect(await run('ops reconcile --profile box -q')).toBe(6);
    expect((await retry(lastId())).exit).toBe(0);
    expect(await trades()).toHaveLength(1);
    expect(rows()).toMatchObject([{ state: 'accepted', request_id: (await trades())[0]?.tradeId }]);
  });

  test('is not sent if looking for it finds it: what was recorded is printed', async () => {
    await fault('lost-response');
    expect(await run(KEYED)).toBe(6);
    const { exit, stdout } = await retry(lastId(), '--yes -o json');
    expect({ exit, id: JSON.parse(stdout).tradeId }).toEqual({ exit: 0, id: (await trades())[0]?.tradeId });
    expect(await statesOf(lastId())).toEqual(['prepared', 'sent', 'unknown', 'accepted']);
  });

  test('leaves once, however many send it at once', async () => {
    const id = await lost();
    const exits = await Promise.all([retry(id), retry(id), said(KEYED)].map(async (each) => (await each).exit));
    expect(exits).toContain(0);
    expect(await trades()).toHaveLength(1);
    expect((await statesOf(id)).filter((state) => state === 'sent')).toHaveLength(2);
  });

  test.each(['lost-request', 'lost-response', 'http-500'])(
    'is not sent a third time after the second one ended with %s',
    async (kind) => {
      await run('profiles add box --unknown ask -q');
      const id = await lost();
      await fault(kind);
      expect((await retry(id)).exit).toBe(6);
      expect(rows()).toMatchObject([{ state: 'unknown' }]);
      const { exit, stderr } = await retry(id);
      expect({ exit, stderr }).toEqual({ exit: 9, stderr: expect.stringContaining('it was sent again before') });
      expect((await said(KEYED)).exit).toBe(6);
      expect((await statesOf(id)).filter((state) => state === 'sent')).toHaveLength(2);
    },
  );
});

describe('what may not be sent again', () => {
  test.each<[what: string, endpoint: string, line: string]>([
    ['a trade without an idempotency key', 'fx.trade', `${TRADE} --yes`],
    [
      'an order',
      'fx.create-order',
      'fx orders create --pair CNGN-USDC --side buy --price 1300 --min 1000 --max 5000 --once k --yes --profile box -q',
    ],
    [
      'a fee withdrawal',
      'fees.withdraw',
      'fees withdraw --amount 500 --bank-code 000013 --account-number 0123456789 --account-name ADA --once k --yes --profile box -q',
    ],
  ])('is rejected with exit 2, and names ops reconcile: %s', async (_what, endpoint, line) => {
    await fault('lost-request', endpoint);
    expect(await run(line)).toBe(6);
    const id = lastId();
    const { exit, stderr } = await retry(id);
    expect({ exit, stderr }).toEqual({ exit: 2, stderr: expect.stringContaining(`fiatrail ops reconcile ${id}`) });
    if (line.includes('--once')) expect((await said(line)).exit).toBe(6);
    expect(await statesOf(id)).toEqual(['prepared', 'sent', 'unknown']);
  });

  test.each([
    ['10m', 0],
    ['601s', 9],
  ])('after %s ends with exit %i', async (passed, expected) => {
    const id = await lost();
    await run(`sandbox advance ${passed} --profile box -q`);
    const { exit, stderr } = await retry(id);
    expect(exit).toBe(expected);
    expect(await trades()).toHaveLength(expected === 0 ? 1 : 0);
    if (expected === 0) return;
    expect(stderr).toContain('the service is not known to remember an idempotency key for longer than 10 min');
    expect(stderr).toContain(`fiatrail ops reconcile ${id}`);
    expect((await said(KEYED)).exit).toBe(6);
    expect(await trades()).toEqual([]);
  });

  test('is rejected if its outcome is known', async () => {
    const id = await lost();
    await run(`ops resolve ${id} --not-done --reason x --profile box -q`);
    const { exit, stderr } = await retry(id);
    expect({ exit, stderr }).toEqual({ exit: 9, stderr: expect.stringContaining('not-done; nothing was sent') });
    expect(await trades()).toEqual([]);
  });

  test('is rejected for another account than that of the profile', async () => {
    const id = await lost();
    await run('profiles add other --base-url http://127.0.0.1:9/v1 --key-stdin -q', {
      ...fakeWorld({ stdin: 'sandbox_other' }),
      env: world.env,
    });
    const { exit, stderr } = await said(`ops retry ${id} --profile other --yes -q`);
    expect({ exit, stderr }).toEqual({ exit: 2, stderr: expect.stringContaining('run it with: --profile box') });
  });
});

describe('the rules of now', () => {
  test.each<[flags: string, code: string]>([
    ['--read-only', 'RULE_READ_ONLY'],
    ['--hours', 'RULE_HOURS'],
    ['--max-per-call', 'RULE_AMOUNT'],
    ['--max-per-day', 'RULE_AMOUNT'],
  ])('are met: %s', async (flag, code) => {
    const id = await lost();
    // It is Monday, 9:00.
    const value = flag === '--hours' ? ['sun 00:00-00:01'] : flag.startsWith('--max') ? ['CNGN 999'] : [];
    expect(await rules(flag, ...value)).toBe(0);
    const { exit, stderr } = await retry(id, '--yes -o json');
    expect({ exit, code: JSON.parse(stderr).error.code }).toEqual({ exit: 9, code });
    // The command that runs again still does not know how its request ended.
    const again = await said(`${KEYED} -o json`);
    expect({ exit: again.exit, code: JSON.parse(again.stderr).error.code }).toEqual({
      exit: 6,
      code: 'OUTCOME_UNKNOWN',
    });
    expect(await trades()).toEqual([]);
    expect(await statesOf(id)).toEqual(['prepared', 'sent', 'unknown']);
  });

  test('count it once: a day’s limit that it reached lets it be sent again', async () => {
    expect(await rules('--max-per-day', 'CNGN 1000 fx trade')).toBe(0);
    const id = await lost();
    expect((await retry(id)).exit).toBe(0);
    expect((await said(KEYED.replace('--once k', '--once l'))).exit).toBe(9);
    expect(await trades()).toHaveLength(1);
  });

  test('count what else was spent', async () => {
    const id = await lost();
    // An equal one would stop while the outcome of this one is unknown.
    expect(await run(KEYED.replace('--once k', '--once l').replace('--amount 1000', '--amount 1100'))).toBe(0);
    expect(await rules('--max-per-day', 'CNGN 2099')).toBe(0);
    expect((await retry(id)).exit).toBe(9);
    expect(await rules('--max-per-day', 'CNGN 2100')).toBe(0);
    expect((await retry(id)).exit).toBe(0);
  });

  test('want the approval of another approver', async () => {
    const id = await lost();
    await change({ approvalThresholds: [{ asset: 'CNGN', minor: '1' }] });
    const { exit, stderr } = await retry(id);
    expect({ exit, stderr }).toEqual({ exit: expect.any(Number), stderr: expect.stringContaining('approval') });
    expect(exit).not.toBe(0);
    expect(await trades()).toEqual([]);
  });
});

describe('someone agrees to it', () => {
  /** A terminal at which one question is answered. */
  const terminal = (says: boolean): Partial<FakeWorld> => {
    const answers: readonly Answer[] = [{ kind: 'confirm', asks: 'Send again', says }];
    const { prompter, stdin } = fakeWorld({ isTerminal: true, answers });
    const shown = fakeWorld({ isTerminal: true });
    return { prompter, stdin, stdout: shown.stdout, stderr: shown.stderr };
  };

  test.each([
    [true, 0, 1],
    [false, 9, 0],
  ])('at a terminal, where the price of now is shown: %s', async (says, expected, count) => {
    const id = await lost();
    const at = terminal(says);
    expect(await run(`ops retry ${id} --profile box -q`, at)).toBe(expected);
    const screen = at.stderr?.text() ?? '';
    expect(screen).toMatch(/price now +\S* ?USDC.* at .* each/);
    expect(screen).toContain('sent first');
    expect(await trades()).toHaveLength(count);
  });

  test('or is not asked, with --yes; without a terminal nothing is sent', async () => {
    const id = await lost();
    expect(await retry(id, '')).toMatchObject({ exit: 2, stderr: expect.stringContaining('add --yes') });
    expect((await said(KEYED.replace(' --yes', ''))).exit).toBe(6);
    expect(await trades()).toEqual([]);
  });

  test('or declines: nothing was done only if that was recorded meanwhile', async () => {
    const id = await lost();
    const { stdin, stderr, prompter } = fakeWorld({ isTerminal: true });
    const at = (confirm: () => Promise<boolean>) => ({
      stdin,
      stderr,
      prompter: async () => ({ ...(await prompter()), confirm }),
    });
    const resolved = at(async () => {
      expect(await run(`ops resolve ${id} --not-done --reason x --profile box -q`)).toBe(0);
      return false;
    });
    expect(await run(KEYED.replace(' --yes', ''), resolved)).toBe(9);
    // While it is unknown, it is not.
    await lost(KEYED.replace('--once k', '--once l'));
    expect(
      await run(
        KEYED.replace('--once k', '--once l').replace(' --yes', ''),
        at(async () => false),
      ),
    ).toBe(6);
    expect(await trades()).toEqual([]);
  });

  test('and a dry run sends nothing', async () => {
    const { exit, stdout } = await retry(await lost(), '--dry-run -o json');
    expect({ exit, url: JSON.parse(stdout).url }).toEqual({ exit: 0, url: expect.stringMatching(/\/fx\/trade$/) });
    expect(await trades()).toEqual([]);
  });
});

describe('a request is not sent again by clocks that are wrong', () => {
  const START_MS = Date.UTC(2026, 0, 5, 9);
  const RIGHT = { nowMs: START_MS + 60_000, hostAheadMs: 0, jumpMs: 0 };
  const operation = {
    request: '{"idempotencyKey":"k"}',
    searchState: {},
    baseline: { serviceAtMs: START_MS, hostAheadMs: 0 },
  } as Operation;

  const why = (clocks: Partial<typeof RIGHT>, more: Partial<Operation> = {}) => {
    const { nowMs, hostAheadMs, jumpMs } = { ...RIGHT, ...clocks };
    const service = { nowMs: () => nowMs, hostAheadMs: () => hostAheadMs, jumpMs: () => jumpMs };
    const account = { time: { service }, journal: async () => ({ aheadMs: () => 0 }) } as unknown as Account;
    return whyNotRepeatable(account, { ...operation, ...more });
  };

  test.each<[string, string, Partial<typeof RIGHT>, Partial<Operation>]>([
    ['this machine’s', 'clock is 1 min 10 s ahead', { hostAheadMs: 70_000 }, {}],
    ['the service’s that was set back', 'was set back by 1 h', { jumpMs: -3_600_000 }, {}],
    [
      'that of this machine then',
      'when the request was sent',
      {},
      { baseline: { serviceAtMs: START_MS, hostAheadMs: 9_000 } },
    ],
    ['the service’s then, which is not known', 'is not known', {}, { baseline: null }],
    [
      'the service’s, which is earlier than then',
      'after the time that the service says it is now',
      { nowMs: START_MS - 9_000 },
      {},
    ],
  ])('%s', async (_what, expected, clocks, more) => {
    expect(await why({})).toBeUndefined();
    expect(await why(clocks, more)).toContain(expected);
  });
});

describe('while a request is sent again', () => {
  const BUSY_MS = 30_000;

  async function claimed() {
    const clock = fakeClock(Date.UTC(2026, 0, 5, 9));
    // The process that sent it first has ended.
    const host = { name: 'host-1', user: 'ada', processId: 1, isRunning: () => false };
    const journal = await testJournal({ clock, host });
    const claim = await journal.claim({ ...INTENT, endpoint: trade.id, idempotencyKey: 'k' }, BUSY_MS);
    if (claim.kind !== 'ours') throw new Error(claim.kind);
    await journal.append(claim.operationId, 'unknown');
    clock.pass(60_000);
    const repeat = await journal.claimRepeat(claim.operationId, BUSY_MS);
    const operation = async () => (await journal.find(claim.operationId))[0] as never;
    return { clock, journal, repeat, id: claim.operationId, operation };
  }

  test('its operation is at work, by whichever process, until its time is over', async () => {
    const { clock, journal, operation, repeat } = await claimed();
    expect([journal.isBusy(await operation()), repeat?.isLate()]).toEqual([true, false]);
    clock.pass(BUSY_MS + 1);
    expect([journal.isBusy(await operation()), repeat?.isLate()]).toEqual([false, true]);
    await journal.close();
  });

  test('nobody else may, and a rejection says nothing of the first request', async () => {
    const { journal, id } = await claimed();
    expect(await journal.claimRepeat(id, BUSY_MS)).toBeUndefined();
    expect(await journal.record(id, 'rejected', { detail: 'no' })).toBe('contradicted');
    await journal.close();
  });

  test('what was looked for before it proves nothing', async () => {
    const { journal, id, operation } = await claimed();
    await journal.append(id, 'unknown');
    await journal.noteSearch(id, { unseenSinceMs: 5 });
    const { searchState } = (await operation()) as { searchState: object };
    expect(searchState).toMatchObject({ unseenSinceMs: 5, repeatedAtMs: expect.any(Number) });
    expect(await journal.claimRepeat(id, BUSY_MS)).toBeUndefined();
    await journal.close();
  });
});
