import { beforeEach, describe, expect, test } from 'vitest';
import type { Exchange, HttpRequest } from '../../src/base/world.ts';
import { TRIGGERS } from '../../src/journal/sqlite/schema.ts';
import { main } from '../../src/main.ts';
import { droppedLine, success } from '../support/exchange.ts';
import { TO } from '../support/fee-withdrawal.ts';
import { journalRows } from '../support/journal.ts';
import { testQueryPlans } from '../support/query-plans.ts';
import { ACCOUNT, type FakeWorld, fakeClock, fakeWorld } from '../support/world.ts';

const WITHDRAW = ['fees', 'withdraw', '--amount', '500', ...TO, '--yes', '--no-tag', '-q'];
const START_MS = Date.UTC(2026, 0, 5, 9);

interface Row {
  readonly withdrawalId: string;
  readonly amount: number;
  readonly bankAccountNumber: string;
  readonly status: string;
  readonly createdAt: string;
}

const row = (change: Partial<Row> = {}): Row => ({
  withdrawalId: 'FTW_1',
  amount: 50_000,
  bankAccountNumber: '0123456789',
  status: 'pending',
  createdAt: new Date(START_MS + 1_000).toISOString(),
  ...change,
});

let list: (request: HttpRequest) => object;
let clock: ReturnType<typeof fakeClock>;
let world: FakeWorld;

/** A live service that loses every payment on the way, and shows `list`. */
const service: Exchange = async (request) => {
  if (!/withdrawalhistory|payouts|getbankaccounts/.test(request.url)) throw droppedLine();
  const { headers, ...answer } = success(list(request));
  return { ...answer, headers: { ...headers, date: new Date(clock.now()).toUTCString() } };
};

beforeEach(() => {
  clock = fakeClock(START_MS);
  world = fakeWorld({ network: service, env: ACCOUNT, clock });
  list = () => ({ withdrawals: [] });
});

const run = (argv: readonly string[]) => main(argv, world);
const states = () => journalRows(world.stateDir).map(({ state }) => state);
const wait = (durationMs: number) => clock.sleep(durationMs, new AbortController().signal);

async function reconciled() {
  const before = world.stdout.text().length;
  const exit = await run(['ops', 'reconcile', '-q', '-o', 'json']);
  const { operations } = JSON.parse(world.stdout.text().slice(before)) as {
    operations: { found: string; requestId: string | null; conditions: { name: string; holds: boolean }[] }[];
  };
  const [first] = operations;
  const missing = first?.conditions.flatMap(({ name, holds }) => (holds || name === 'current' ? [] : [name]));
  return { exit, found: first?.found ?? 'nothing', requestId: first?.requestId ?? null, missing };
}

describe('a fee withdrawal whose response was lost', () => {
  test.each<[string, Row[], exit: number, found: string]>([
    ['one equal row', [row()], 0, 'ended'],
    ['a row of another amount', [row({ amount: 60_000 })], 6, 'unseen'],
    ['a row to another account', [row({ bankAccountNumber: '9876543210' })], 6, 'unseen'],
    [
      'an equal row that is older than the request',
      [row({ createdAt: new Date(START_MS - 60_000).toISOString() })],
      6,
      'several',
    ],
    [
      'an equal row that is newer than its command waited',
      [row({ createdAt: new Date(START_MS + 120_000).toISOString() })],
      6,
      'several',
    ],
    [
      'an equal row of yesterday that was not there before',
      [row({ createdAt: new Date(START_MS - 86_400_000).toISOString() })],
      6,
      'several',
    ],
    ['two equal rows', [row(), row({ withdrawalId: 'FTW_2' })], 6, 'several'],
    [
      'an equal row behind one of yesterday',
      [row({ amount: 1, createdAt: new Date(START_MS - 86_400_000).toISOString() }), row()],
      0,
      'ended',
    ],
  ])('with %s in the list', async (_what, rows, exit, found) => {
    expect(await run(WITHDRAW)).toBe(6);
    list = () => ({ withdrawals: rows });
    expect(await reconciled()).toMatchObject({ exit, found });
  });

  test.each([
    ['completed', 'settled'],
    ['failed', 'failed'],
    ['pending', 'accepted'],
  ])('and is %s is %s', async (status, state) => {
    await run(WITHDRAW);
    list = () => ({ withdrawals: [row({ status })] });
    await reconciled();
    expect(states()).toEqual([state]);
  });

  test('is not a row that was there before, whatever its time', async () => {
    const before = [row({ withdrawalId: 'FTW_0' }), row({ createdAt: new Date(START_MS - 86_400_000).toISOString() })];
    list = () => ({ withdrawals: before });
    await run(WITHDRAW);
    expect(await reconciled()).toMatchObject({ exit: 6, found: 'unseen' });
    list = () => ({ withdrawals: [row({ withdrawalId: 'FTW_2' }), ...before] });
    expect(await reconciled()).toMatchObject({ exit: 0, requestId: 'FTW_2' });
  });

  test('and that carried a tag is not an equal row without it, which another program may have made', async () => {
    expect(await run(WITHDRAW.filter((word) => word !== '--no-tag'))).toBe(6);
    list = () => ({ withdrawals: [row()] });
    expect(await reconciled()).toMatchObject({ exit: 6, found: 'several' });
  });

  test('is not a row that another operation has', async () => {
    await run(WITHDRAW);
    list = () => ({ withdrawals: [row()] });
    expect(await reconciled()).toMatchObject({ exit: 0, requestId: 'FTW_1' });
    await run([...WITHDRAW, '--again']);
    expect(await reconciled()).toMatchObject({ exit: 6, found: 'unseen' });
    list = () => ({ withdrawals: [row({ withdrawalId: 'FTW_2' }), row()] });
    expect(await reconciled()).toMatchObject({ exit: 0, requestId: 'FTW_2' });
  });

  test('is not called absent by a list that shows nothing of what came later', async () => {
    await run(WITHDRAW);
    expect(await reconciled()).toMatchObject({ exit: 6, found: 'unseen' });
    await wait(24 * 60 * 60_000);
    expect(await reconciled()).toMatchObject({ exit: 6, found: 'unseen' });
    expect(states()).toEqual(['unknown']);
  });

  test.each<[string, object]>([
    ['hasMore', { withdrawals: [row({ amount: 1 })], pagination: { count: 1, limit: 1, hasMore: true } }],
    ['nothing but ever more rows', {}],
  ])('is not called absent by a list that says %s', async (_what, answer) => {
    await run(WITHDRAW);
    const full = ({ url }: HttpRequest) => {
      const limit = Number(new URL(url).searchParams.get('limit'));
      return {
        withdrawals: Array.from({ length: Math.min(limit, 3_200) }, (_, index) =>
          row({ withdrawalId: `F${index}`, amount: 1 }),
        ),
        pagination: { hasMore: true },
      };
    };
    list = 'withdrawals' in answer ? () => answer : full;
    expect(await reconciled()).toMatchObject({ exit: 6, found: 'unseen', missing: ['whole', 'back', 'twice'] });
  });
});

test('money is not sent from a journal that something else changed', async () => {
  await run(WITHDRAW);
  const { DatabaseSync } = await import('node:sqlite');
  const journal = new DatabaseSync(`${world.stateDir}/journal.db`);
  journal.exec(
    `DROP TRIGGER entry_update; UPDATE entry SET detail = 'x' WHERE sequence = (SELECT max(sequence) FROM entry); ${TRIGGERS[0]}`,
  );
  journal.close();
  expect(await run([...WITHDRAW, '--again'])).toBe(2);
  expect(world.stderr.text()).toContain('was changed by something else; nothing was sent');
  expect(states()).toEqual(['unknown']);
});

testQueryPlans();
