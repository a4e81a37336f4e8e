import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Exchange, HttpRequest, HttpResponse } from '../../src/base/world.ts';
import { CATALOGUE } from '../../src/commands/catalogue.ts';
import { endpoints } from '../../src/contract/endpoints/index.ts';
import { main } from '../../src/main.ts';
import { droppedLine, readBefore, success } from '../support/exchange.ts';
import { withdraw } from '../support/fee-withdrawal.ts';
import { journalRows } from '../support/journal.ts';
import { ACCOUNT, type FakeWorld, fakeWorld } from '../support/world.ts';

let world: FakeWorld;
beforeEach(() => {
  world = fakeWorld();
});

const run = (argv: readonly string[], given = world) => main([...argv, '-q'], given);

async function json(argv: readonly string[]): Promise<Record<string, unknown>> {
  const before = world.stdout.text().length;
  await run([...argv, '-o', 'json']);
  return JSON.parse(world.stdout.text().slice(before)) as Record<string, unknown>;
}

const list = async () =>
  (await json(['fees', 'withdrawals', 'list', '--all']))['withdrawals'] as {
    withdrawalId: string;
    narration: string | null;
  }[];
const fault = (kind: string) => run(['sandbox', 'fault', 'add', '--on', 'fees.withdraw', '--fault', kind]);
const states = () =>
  journalRows(world.stateDir)
    .filter(({ endpoint }) => endpoint === 'fees.withdraw')
    .map(({ state }) => state);

describe('an idempotency key', () => {
  test('pays once, and the second run prints what was recorded', async () => {
    const first = await json(withdraw('max', '--once', 'k'));
    const second = await json(withdraw('max', '--once', 'k'));
    expect(second['withdrawalId']).toBe(first['withdrawalId']);
    expect(Object.keys(second)).toEqual(Object.keys(first));
    expect(await list()).toHaveLength(1);
  });

  test.each([
    ['with --wait', ['--wait']],
    ['without --wait', []],
  ])('ends as before, %s, if what was sent under it failed', async (_how, more) => {
    // The bank returns payments to accounts whose number ends like this one’s.
    const bank = ['--bank-code', '000013', '--account-number', '0000000013'];
    const { accountId } = await json(['bank-accounts', 'add', ...bank, '--yes']);
    const line = ['payout', 'create', '--amount', '50', '--to', String(accountId), '--once', 'k', '--yes'];
    expect(await run([...line, '--wait'])).toBe(3);
    const before = journalRows(world.stateDir);
    expect(await run([...line, ...more])).toBe(3);
    expect(journalRows(world.stateDir)).toEqual(before);
    expect(world.stderr.text()).toContain('this failed on ');
  });

  test.each([
    ['the same amount in other words', '₦500.00', 0],
    ['another amount', '501', 2],
  ])('is compared with what was typed: %s', async (_what, amount, exit) => {
    expect(await run(withdraw('500', '--once', 'k'))).toBe(0);
    expect(await run(withdraw(amount, '--once', 'k'))).toBe(exit);
    expect(await list()).toHaveLength(1);
  });

  test('is filled with the date in Lagos', async () => {
    // 23:30 UTC on December 31 is the next year in Lagos.
    world = fakeWorld({ clock: { now: () => Date.UTC(2026, 11, 31, 23, 30), sleep: async () => {} } });
    await run(withdraw('500', '--once', 'fees-{year}-{month}-{day}-{hour}'));
    const { operations } = await json(['ops', 'list', '--kind', 'money']);
    expect(operations).toMatchObject([{ idempotencyKey: 'fees-2027-01-01-00' }]);
  });

  test.each([
    ['an unknown placeholder', ['--once', 'a-{week}']],
    ['a placeholder that does not end', ['--once', 'a-{year']],
    ['a placeholder that does not begin', ['--once', 'a-year}']],
    ['a placeholder in another', ['--once', 'a-{{year}']],
    ['nothing', ['--once', '']],
    ['an invisible character', ['--once', 'a\u200bb']],
    ['201 characters', ['--once', 'x'.repeat(201)]],
    ['--again beside it', ['--once', 'k', '--again']],
  ])('cannot be %s', async (_what, more) => {
    expect(await run(withdraw('500', ...more))).toBe(2);
    expect(states()).toEqual([]);
  });

  test('sends nothing after others may count its outcome as unknown', async () => {
    // A suspended process: an hour passes between what the journal records and the request.
    let sends = 0;
    const startMs = Date.UTC(2026, 10, 22);
    const clock = {
      now: () => startMs + (states().includes('sent') ? 3_600_000 : 0),
      sleep: async () => {},
    };
    const network = async (request: HttpRequest): Promise<HttpResponse> => {
      const before = readBefore(request);
      if (!before) sends += 1;
      return before ?? success({});
    };
    world = fakeWorld({ clock, network, env: ACCOUNT });
    expect(await run(withdraw('500', '--once', 'k'))).toBe(5);
    expect({ sends, states: states() }).toEqual({ sends: 0, states: ['rejected'] });
  });

  test('is free again after a rejection, and taken after a failure', async () => {
    // Above the maximum of one withdrawal.
    expect(await run(withdraw('100001', '--once', 'k'))).toBe(3);
    expect(await run(withdraw('100001', '--once', 'k'))).toBe(3);
    expect(states()).toEqual(['rejected', 'rejected']);
  });

  test('whose response was lost is found by its tag among equal withdrawals', async () => {
    await run(withdraw('500'));
    await run(withdraw('500', '--again'));
    await fault('lost-response');
    expect(await run(withdraw('500', '--once', 'k', '--timeout', '1s'))).toBe(6);
    const paid = await list();
    expect(new Set(paid.map(({ narration }) => narration)).size).toBe(3);
    expect(await json(withdraw('500', '--once', 'k'))).toMatchObject({ withdrawalId: paid[0]?.withdrawalId });
    expect(await list()).toHaveLength(3);
    expect(states()).toEqual(['accepted', 'accepted', 'accepted']);
  });

  test('whose response was lost is not guessed among equal withdrawals without a tag', async () => {
    await fault('lost-response');
    expect(await run(withdraw('500', '--no-tag', '--once', 'k'))).toBe(6);
    // Another program makes the second one: this journal does not know it.
    const other = fakeWorld();
    const sandbox = (folder: string) => join(folder, 'sandbox.db');
    mkdirSync(other.stateDir, { recursive: true });
    copyFileSync(sandbox(world.stateDir), sandbox(other.stateDir));
    expect(await run(withdraw('500', '--no-tag', '--once', 'other'), other)).toBe(0);
    copyFileSync(sandbox(other.stateDir), sandbox(world.stateDir));
    expect((await list()).map(({ narration }) => narration ?? null)).toEqual([null, null]);
    expect(await run(['ops', 'reconcile'])).toBe(6);
    expect(world.stdout.text()).toContain('several');
    expect(await run(withdraw('500', '--no-tag', '--once', 'k'))).toBe(6);
    expect(await list()).toHaveLength(2);
  });

  test('whose request was lost is free once the list proves it, and then pays once', async () => {
    expect(await run(withdraw('501', '--once', 'before'))).toBe(0);
    await fault('lost-request');
    const command = withdraw('500', '--once', 'k');
    expect(await run(command)).toBe(6);
    expect(await run(command)).toBe(6);
    await run(['sandbox', 'advance', '2m']);
    expect(await run(withdraw('502', '--once', 'after'))).toBe(0);
    await run(['sandbox', 'advance', '7m']);
    expect(await run(['ops', 'reconcile'])).toBe(6);
    expect(await list()).toHaveLength(2);
    await run(['sandbox', 'advance', '3m']);
    expect(await run(command)).toBe(0);
    expect(await run(command)).toBe(0);
    expect(await list()).toHaveLength(3);
    expect(states()).toEqual(['accepted', 'resolved', 'accepted', 'accepted']);
  });
});

describe('a second runner that finds nothing left to withdraw', () => {
  const MAX = withdraw('max', '--once', 'k', '--no-tag');

  /** Runs a withdrawal of everything; before it learns how much that is, another process runs `first`. */
  async function overtakenBy(first: readonly string[], answer: () => HttpResponse) {
    let isFirst = true;
    let payments = 0;
    const given: FakeWorld = fakeWorld({
      env: ACCOUNT,
      network: async ({ url }) => {
        if (url.endsWith('/feewithdrawal')) {
          payments += 1;
          return answer();
        }
        if (!url.includes('/getaccumulatedfees')) return success({ withdrawals: [] });
        if (isFirst) {
          isFirst = false;
          // The other process reads the fees below, while they are still there.
          const full: Exchange = async (request) =>
            request.url.includes('/getaccumulatedfees') ? fees(100_000) : given.network(request, given.interrupted);
          await main([...first, '-q'], { ...given, network: full });
        }
        return fees(payments > 0 ? 0 : 100_000);
      },
    });
    const exit = await run(MAX, given);
    return { exit, payments, stdout: given.stdout.text(), stderr: given.stderr.text() };
  }

  const fees = (availableForWithdrawal: number) =>
    success({ summary: { availableForWithdrawal }, details: { minimumWithdrawal: 1_000 } });
  const paid = () => success({ withdrawalId: 'FTW_1', amount: 100_000, status: 'pending' });

  test('prints what the first one did', async () => {
    const { exit, payments, stdout, stderr } = await overtakenBy(MAX, paid);
    expect({ exit, payments }, stderr).toEqual({ exit: 0, payments: 1 });
    expect(stdout.match(/FTW_1/g)).toHaveLength(2);
  });

  test('exits with 6 if the outcome of the first one is unknown', async () => {
    const lost = () => {
      throw droppedLine();
    };
    expect(await overtakenBy(MAX, lost)).toMatchObject({ exit: 6, payments: 1 });
  });

  test('reports its own problem if the first one used another key', async () => {
    const other = withdraw('max', '--once', 'another', '--no-tag');
    const { exit, payments, stderr } = await overtakenBy(other, paid);
    expect({ exit, payments, stderr }).toEqual({
      exit: 9,
      payments: 1,
      stderr: expect.stringContaining('₦0.00 available'),
    });
  });
});

describe('a withdrawal of all, a part of which is unknown,', () => {
  test.each([
    ['without a key leads to its outcome first', [], /^find out with: fiatrail ops reconcile [0-9a-f-]{36}$/],
    [
      'with a key leads to its outcome, or to the same command again',
      ['--once', 'k'],
      /run the same command again for the rest$/,
    ],
  ])('%s', async (_how, more, hint) => {
    let payments = 0;
    const given = fakeWorld({
      env: ACCOUNT,
      network: async ({ url }) => {
        if (url.includes('/getaccumulatedfees'))
          return success({
            summary: { availableForWithdrawal: 200_000 },
            details: { minimumWithdrawal: 1_000, maximumWithdrawal: 100_000 },
          });
        if (!url.endsWith('/feewithdrawal')) return success({ withdrawals: [] });
        payments += 1;
        if (payments === 2) throw droppedLine();
        return success({ withdrawalId: `FTW_${payments}`, amount: 100_000, status: 'pending' });
      },
    });
    expect(await run([...withdraw('all', '--no-tag', ...more), '-o', 'json'], given)).toBe(6);
    const { error } = JSON.parse(given.stderr.text().slice(given.stderr.text().lastIndexOf('{"error"'))) as {
      error: { hint: string };
    };
    expect(error.hint).toMatch(hint);
    expect(payments).toBe(2);
  });
});

describe('without an idempotency key', () => {
  test('the same payment stops, and --again sends it', async () => {
    expect(await run(withdraw('500'))).toBe(0);
    expect(await run(withdraw('500'))).toBe(9);
    expect(await run(withdraw('500.00', '--narration', 'other'))).toBe(0);
    expect(await run(withdraw('500', '--again'))).toBe(0);
    expect(await list()).toHaveLength(3);
  });

  test('a dry run and a rejection do not count', async () => {
    expect(await run(withdraw('500', '--dry-run'))).toBe(0);
    expect(await run(withdraw('100001'))).toBe(3);
    expect(await run(withdraw('100001'))).toBe(3);
    expect(await run(withdraw('500'))).toBe(0);
  });

  test.each([
    ['--again', withdraw('500', '--again')],
    ['a fresh key', withdraw('500', '--once', 'fresh')],
    ['other words', withdraw('₦500.00', '--narration', 'other', '--no-tag', '--again')],
    ['whatever is there', withdraw('max', '--once', 'fresh')],
    ['all that is there', withdraw('all', '--once', 'fresh')],
    [
      'the request itself',
      [
        'api',
        'POST',
        '/feewithdrawal',
        '-f',
        'amount=50000',
        '-f',
        'bankCode=000013',
        '-f',
        'bankAccountNumber=0123456789',
      ].concat(['-f', 'accountName=ADA', '--yes', '--again']),
    ],
  ])('an equal payment with an unknown outcome stops %s', async (_what, argv) => {
    await fault('lost-response');
    expect(await run(withdraw('500'))).toBe(6);
    const [{ id } = { id: '' }] = journalRows(world.stateDir).filter(({ endpoint }) => endpoint === 'fees.withdraw');
    const before = world.stderr.text().length;
    expect(await run([...argv, '-o', 'json'])).toBe(9);
    const { error } = JSON.parse(world.stderr.text().slice(before)) as { error: Record<string, unknown> };
    expect(error).toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      hint: `find out with: fiatrail ops reconcile ${id}`,
      operationId: id,
    });
    expect(await list()).toHaveLength(1);
    expect(await run(['ops', 'reconcile', String(id)])).toBe(0);
    expect(await run(argv)).toBe(0);
  });

  test.each([
    ['another amount', withdraw('501')],
    ['another account', withdraw('500').map((word) => (word === '0123456789' ? '9876543210' : word))],
  ])('%s does not wait for what is unknown', async (_what, argv) => {
    await fault('lost-response');
    expect(await run(withdraw('500'))).toBe(6);
    expect(await run(argv)).toBe(0);
    expect(await list()).toHaveLength(2);
  });

  test('on a terminal nobody is asked about what is unknown', async () => {
    await fault('lost-response');
    expect(await run(withdraw('500'))).toBe(6);
    const terminal = { ...fakeWorld({ isTerminal: true }), env: world.env, homeDir: world.homeDir };
    for (const more of [[], ['--again']])
      expect(
        await run(
          withdraw('500', ...more).filter((word) => word !== '--yes'),
          terminal,
        ),
      ).toBe(9);
    expect(terminal.stderr.text()).toContain('ops reconcile');
    expect(await list()).toHaveLength(1);
  });

  test('a payment that was found later does not stop as unknown', async () => {
    await fault('lost-response');
    expect(await run(withdraw('500'))).toBe(6);
    expect(await run(withdraw('500'))).toBe(9);
    expect(await run(['ops', 'reconcile'])).toBe(0);
    expect(states()).toEqual(['accepted']);
  });

  test('on a terminal a repetition is part of the question', async () => {
    await run(withdraw('500'));
    const confirm = (says: boolean) => ({ kind: 'confirm', asks: 'Continue?', says }) as const;
    const terminal = {
      ...fakeWorld({ isTerminal: true, answers: [confirm(false), confirm(true)] }),
      env: world.env,
      homeDir: world.homeDir,
    };
    const argv = withdraw('500').filter((word) => word !== '--yes');
    expect(await run(argv, terminal)).toBe(9);
    expect(await run(argv, terminal)).toBe(0);
    expect(terminal.stderr.text()).toContain('already recorded on');
    expect(await list()).toHaveLength(2);
  });
});

describe('a verdict', () => {
  test.each([
    ['--completed', 0, 1],
    ['--not-done', 0, 2],
  ])('%s decides whether the key is free', async (verdict, exit, moved) => {
    await fault('lost-response');
    await run(withdraw('500', '--once', 'k'));
    const { operations } = await json(['ops', 'list', '--status', 'unknown']);
    const [{ operationId }] = operations as [{ operationId: string }];
    expect(await run(['ops', 'resolve', operationId, verdict, '--reason', 'seen'])).toBe(0);
    expect(await run(['ops', 'resolve', operationId, verdict, '--reason', 'seen'])).toBe(9);
    expect(await run(withdraw('500', '--once', 'k'))).toBe(exit);
    expect(await list()).toHaveLength(moved);
  });

  test.each(['--completed', '--not-done'])('%s is rejected for what the service accepted', async (verdict) => {
    await run(withdraw('500', '--once', 'k'));
    const { operations } = await json(['ops', 'list']);
    const [{ operationId }] = operations as [{ operationId: string }];
    expect(await run(['ops', 'resolve', operationId, verdict, '--reason', 'wrong'])).toBe(9);
    expect(world.stderr.text()).toContain('the outcome of this operation is known: it is accepted');
    expect(await run(withdraw('500', '--once', 'k'))).toBe(0);
    expect(await list()).toHaveLength(1);
  });
});

test('a reset frees every idempotency key, because nothing that was done under it is left', async () => {
  await run(withdraw('600', '--once', 'settled'));
  await run(['sandbox', 'advance', '5d']);
  await run(['fees', 'withdrawals', 'status', (await list())[0]?.withdrawalId ?? '']);
  await run(withdraw('500', '--once', 'accepted'));
  await fault('lost-response');
  await run(withdraw('700', '--once', 'unknown'));
  expect(states()).toEqual(['settled', 'accepted', 'unknown']);
  await run(['sandbox', 'reset', '--yes']);
  for (const key of ['accepted', 'settled', 'unknown'])
    for (let time = 0; time < 2; time++) expect(await run(withdraw('500', '--once', key))).toBe(0);
  expect(await list()).toHaveLength(3);
});

test('a reset ends what only the sandbox knew', async () => {
  await run(withdraw('500'));
  await fault('lost-response');
  await run(withdraw('600'));
  await run(['sandbox', 'reset', '--yes']);
  expect(states()).toEqual(['resolved', 'resolved']);
});

test('every command that moves money says so, except those that name what they change', async () => {
  const money = new Set<string>(endpoints.filter(({ effect }) => effect === 'money').map(({ id }) => id));
  const commands = (await Promise.all(CATALOGUE.map((group) => group.load()))).flat();
  const without = commands.filter(
    ({ endpoints: called, money: isSaid }) => !isSaid && called.some((id) => money.has(id)),
  );
  expect(without.map(({ words }) => words.join(' '))).toEqual([
    'fx orders update',
    'fx orders pause',
    'fx orders resume',
  ]);
});

test('nobody is asked to agree to a payment under a key that its journal may not keep', async () => {
  const asked: string[] = [];
  const network: Exchange = async ({ url }) => {
    asked.push(new URL(url).pathname);
    return success({ publicKey: 'ab'.repeat(32), summary: { availableForWithdrawal: 100_000 }, details: {} });
  };
  const env = { ...ACCOUNT, FIATRAIL_JOURNAL_ID: '' };
  // Without answers: any question fails the test.
  const live = fakeWorld({ env, network, isTerminal: true });
  const argv = withdraw('500', '--once', 'k').filter((each) => each !== '--yes' && each !== '-y');
  expect(await run(argv, live)).toBe(2);
  expect(live.stderr.text()).toContain('the account comes from variables');
  expect(asked.filter((each) => each.endsWith('/feewithdrawal'))).toEqual([]);
});
