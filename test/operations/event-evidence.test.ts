import { beforeEach, describe, expect, test } from 'vitest';
import { resolveProfile } from '../../src/account/profile.ts';
import type { Exchange } from '../../src/base/world.ts';
import { openProfileInbox } from '../../src/engine/connection/inbox.ts';
import { main } from '../../src/main.ts';
import type { Forwarding } from '../../src/webhooks/inbox/forwards.ts';
import { droppedLine, success } from '../support/exchange.ts';
import { journalRows } from '../support/journal.ts';
import { ACCOUNT, type FakeWorld, fakeClock, fakeWorld } from '../support/world.ts';
import { deliveryOf, received } from '../webhooks/support.ts';

const START_MS = Date.UTC(2026, 0, 5, 9);
const OFFRAMP = [
  'offramp',
  'create',
  'user-1',
  '--amount',
  '1000',
  '--bank-code',
  '000013',
  '--account-number',
  '0123456789',
  '--yes',
  '-q',
];

let clock: ReturnType<typeof fakeClock>;
let world: FakeWorld;
/** What the list of payouts has, and when the status says that an offramp was started; undefined if it knows none. */
let rows: object[];
let startedMs: number | undefined;
let statusReads: number;

/** A live service that loses every offramp on the way back. */
const service: Exchange = async ({ url }) => {
  const answered = (data: object) => {
    const { headers, ...answer } = success(data);
    return { ...answer, headers: { ...headers, date: new Date(clock.now()).toUTCString() } };
  };
  if (/payouts/i.test(url)) return answered({ payouts: rows });
  if (/withdrawals/i.test(url)) return answered({ withdrawals: rows });
  if (/swaphistory/i.test(url)) return answered({ swaps: [] });
  if (/getuserdetails/i.test(url)) return answered({ userId: 'user-1' });
  if (/status/i.test(url)) {
    statusReads += 1;
    const createdAt = startedMs === undefined ? null : new Date(startedMs).toISOString();
    return answered({ requestId: /o-\d/.exec(url)?.[0], status: 'completed', createdAt });
  }
  throw droppedLine();
};

beforeEach(() => {
  clock = fakeClock(START_MS);
  world = fakeWorld({ network: service, env: ACCOUNT, clock });
  rows = [];
  startedMs = START_MS + 500;
  statusReads = 0;
});

const run = (argv: readonly string[]) => main(argv, world);
const states = () => journalRows(world.stateDir).map(({ state }) => state);

/** Puts an event into the inbox of the account. */
async function tell(event: string, data: object, more: object = {}, forwarding: Partial<Forwarding> = {}) {
  const inbox = await openProfileInbox(world, resolveProfile(undefined, world));
  const body = {
    event,
    eventId: `${event} ${JSON.stringify(data)}`,
    requestId: 'o-1',
    userId: 'user-1',
    ...more,
    data,
  };
  await inbox.forwardTo(forwarding);
  await inbox.add([await received(deliveryOf(body, { sentAtMs: clock.now() }), clock.now())]);
  await inbox.close();
}

const PAID = { amount: '1000.00', recipientAccountNumber: '0123456789', recipientBankCode: '000013' };

async function reconciled(): Promise<{ exit: number; found: string }> {
  const before = world.stdout.text().length;
  const exit = await run(['ops', 'reconcile', '-q', '-o', 'json']);
  const { operations } = JSON.parse(world.stdout.text().slice(before)) as { operations: { found: string }[] };
  return { exit, found: operations[0]?.found ?? 'nothing' };
}

describe('an offramp whose response was lost', () => {
  beforeEach(async () => {
    await run(OFFRAMP);
    expect(states()).toEqual(['unknown']);
  });

  test('is settled by the event that tells of it, although no list shows it yet', async () => {
    await tell('vault.return.payout.completed', PAID);
    expect(await reconciled()).toEqual({ exit: 0, found: 'ended' });
    expect(journalRows(world.stateDir)).toMatchObject([{ state: 'settled', request_id: 'o-1' }]);
  });

  test('failed if the event says so', async () => {
    await tell('vault.return.payout.failed', PAID);
    await reconciled();
    expect(states()).toEqual(['failed']);
  });

  test.each([
    ['another amount', { ...PAID, amount: '1000.01' }, {}],
    ['another account', { ...PAID, recipientAccountNumber: '0123456780' }, {}],
    ['another user', PAID, { userId: 'user-2' }],
    ['no request', PAID, { requestId: undefined }],
  ])('is not ended by an event about %s', async (_what, data, more) => {
    await tell('vault.return.payout.completed', data, more);
    expect(await reconciled()).toEqual({ exit: 6, found: 'unseen' });
  });

  test.each([
    ['another account of the service', { fintechId: '01900000-0000-7000-8000-000000000001' }],
    ['a profile that requires encryption, in a plain body', { needsEncryption: true }],
  ])('is not ended by an event of %s', async (_what, forwarding) => {
    await tell(
      'vault.return.payout.completed',
      PAID,
      { fintechId: '01900000-0000-7000-8000-000000000002' },
      forwarding,
    );
    expect(await reconciled()).toEqual({ exit: 6, found: 'unseen' });
  });

  test.each([
    ['before its command', () => START_MS - 60_000],
    ['after its command had stopped waiting', () => START_MS + 600_000],
    ['at a time that nobody knows', () => undefined],
  ])('is shown to a person if the work began %s', async (_when, startedAt) => {
    startedMs = startedAt();
    await tell('vault.return.payout.completed', PAID);
    expect(await reconciled()).toEqual({ exit: 6, found: 'several' });
    expect(states()).toEqual(['unknown']);
  });

  test.each([
    ['another currency beside it', { currency: 'USD' }],
    ['another unit beside it', { unit: 'kobo' }],
    ['separators', { amount: '1,000.00' }],
  ])('is shown to a person if the amount of the event is uncertain, because it has %s', async (_what, more) => {
    await tell('vault.return.payout.completed', { ...PAID, ...more });
    expect(await reconciled()).toEqual({ exit: 6, found: 'several' });
    expect(states()).toEqual(['unknown']);
  });

  test('is shown to a person if two events fit', async () => {
    await tell('vault.return.payout.completed', PAID);
    await tell('vault.return.payout.completed', PAID, { requestId: 'o-2', eventId: 'another' });
    expect(await reconciled()).toEqual({ exit: 6, found: 'several' });
  });

  test('is shown to a person if the event fits another one of unknown outcome as well', async () => {
    const toAnotherBank = OFFRAMP.map((word) => (word === '000013' ? '000014' : word));
    await run(toAnotherBank);
    expect(states()).toEqual(['unknown', 'unknown']);
    const { recipientBankCode: _, ...noBank } = PAID;
    await tell('vault.return.payout.completed', noBank);
    expect(await reconciled()).toEqual({ exit: 6, found: 'several' });
    expect(states()).toEqual(['unknown', 'unknown']);
  });

  test('takes its row of the list, and its end from the event', async () => {
    rows = [
      {
        id: 'o-1',
        type: 'user_offramp',
        amount: 1000,
        status: 'processing',
        createdAt: new Date(START_MS + 500).toISOString(),
        bankAccount: { accountNumber: '0123456789' },
      },
    ];
    await tell('vault.return.payout.completed', PAID);
    expect(await reconciled()).toEqual({ exit: 0, found: 'ended' });
    expect(states()).toEqual(['settled']);
  });
});

describe('a transfer whose response was lost', () => {
  const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';
  const TRANSFER = ['transfers', 'create', '--amount', '1000', '--to', WALLET, '--yes', '-q'];
  const sent = (note: string | null) => ({ amount: '1000.00', ticker: 'cNGN', destinationAddress: WALLET, note });
  const noteOf = (index: number) =>
    (JSON.parse(journalRows(world.stateDir)[index]?.request ?? '') as { note: string }).note;

  test('is the one whose event has its tag, whatever else looks like it', async () => {
    await run(TRANSFER);
    await tell('fintech.asset.transfer.completed', sent(null), { requestId: 't-1' });
    const inOtherUnits = { ...sent(noteOf(0).toUpperCase()), amount: '1000000000' };
    await tell('fintech.asset.transfer.completed', inOtherUnits, { requestId: 't-2' });
    expect(await reconciled()).toEqual({ exit: 0, found: 'ended' });
    expect(journalRows(world.stateDir)).toMatchObject([{ state: 'settled', request_id: 't-2' }]);
  });

  test('is not one whose event has another tag', async () => {
    await run(TRANSFER);
    await tell('fintech.asset.transfer.completed', sent('[fr-00000000]'), { requestId: 't-1' });
    expect(await reconciled()).toEqual({ exit: 6, found: 'unseen' });
  });

  test('takes its proof from the event, and its row from the list', async () => {
    await run(TRANSFER);
    // A row of another time proves nothing itself.
    rows = [{ requestId: 't-1', amount: '1000.000000', ticker: 'CNGN', status: 'completed', createdAt: null }];
    expect(await reconciled()).toEqual({ exit: 6, found: 'several' });
    await tell('fintech.asset.transfer.completed', sent(noteOf(0)), { requestId: 't-1' });
    expect(await reconciled()).toEqual({ exit: 0, found: 'ended' });
  });

  test.each([['--note', 'rent'], ['--no-tag']])('has no tag with %s', async (...more) => {
    await run([...TRANSFER, ...more]);
    await reconciled();
    expect(journalRows(world.stateDir)[0]?.request + world.stdout.text()).not.toContain('[fr-');
  });
});

test('an onboarding of unknown outcome is never ended by an event, which does not say whose BVN it was', async () => {
  await run(['users', 'onboard', '22222222222', '--yes', '-q']);
  await tell('user.onboarded', { firstName: 'Ada', lastName: 'Obi' });
  expect(await reconciled()).toEqual({ exit: 6, found: 'several' });
  expect(states()).toEqual(['unknown']);
});

test('a swap of unknown outcome is not taken for another one, of which an event says too little', async () => {
  await run(['swaps', 'create', 'user-1', '--sell', 'CNGN', '--buy', 'USDC', '--amount', '1000', '--yes', '-q']);
  expect(states()).toEqual(['unknown']);
  await tell('swap.completed', { amountIn: '1000.000000', walletAddress: '0x1', owner: '0x1' });
  expect(await reconciled()).toEqual({ exit: 6, found: 'unseen' });
});

test('a damaged inbox is no evidence, and hides no other', async () => {
  await run(OFFRAMP);
  await tell('vault.return.payout.completed', PAID);
  const { writeFileSync, readdirSync } = await import('node:fs');
  const name = readdirSync(world.stateDir).find((each) => /inbox.*\.db$/.test(each)) ?? '';
  writeFileSync(`${world.stateDir}/${name}`, 'x'.repeat(8192), { mode: 0o600 });
  expect(await reconciled()).toEqual({ exit: 6, found: 'unseen' });
  expect(world.stderr.text()).toContain('the inbox of webhooks cannot be read');
});

describe('--wait', () => {
  const STATUS = ['offramp', 'status', 'o-1', '--wait', '-q', '-o', 'json'];
  let isDone: () => boolean;
  beforeEach(() => {
    world = fakeWorld({
      env: ACCOUNT,
      clock,
      network: async () => {
        statusReads += 1;
        return success({ requestId: 'o-1', status: isDone() ? 'completed' : 'processing' });
      },
    });
  });

  const ended = () => clock.now() - START_MS >= 45_000;

  test('ends on the event, and reads the status seldom until then', async () => {
    const inbox = await openProfileInbox(world, resolveProfile(undefined, world));
    await inbox.claim('here');
    let isTold = false;
    const { sleep } = clock;
    clock.sleep = async (durationMs, signal) => {
      await sleep(durationMs, signal);
      await inbox.touch();
      if (!ended() || isTold) return;
      isTold = true;
      await tell('vault.return.payout.completed', PAID);
    };
    isDone = ended;
    expect(await run(STATUS)).toBe(0);
    expect(clock.now() - START_MS).toBeLessThan(45_500);
    expect(statusReads).toBe(6);
    await inbox.close();
  });

  test('ends without an event too, if its delivery is lost', async () => {
    const inbox = await openProfileInbox(world, resolveProfile(undefined, world));
    await inbox.claim('here');
    isDone = ended;
    expect(await run(STATUS)).toBe(0);
    await inbox.close();
  });

  test('polls as ever if nothing listens, whatever the inbox has', async () => {
    await tell('vault.return.payout.completed', PAID);
    isDone = ended;
    expect(await run(STATUS)).toBe(0);
    expect(statusReads).toBeGreaterThan(20);
  });

  test('goes on reading the status if it is behind the event', async () => {
    const inbox = await openProfileInbox(world, resolveProfile(undefined, world));
    await inbox.claim('here');
    await tell('vault.return.payout.completed', PAID);
    isDone = ended;
    expect(await run(STATUS)).toBe(0);
    expect(clock.now() - START_MS).toBeLessThan(50_000);
    await inbox.close();
  });
});
