import { describe, expect, test } from 'vitest';
import { EVENTS } from '../../src/contract/events.ts';
import { openProfileInbox } from '../../src/engine/connection/inbox.ts';
import { THINGS } from '../../src/things/index.ts';
import { deliveryOf, received } from '../webhooks/support.ts';
import { Account, CAUSES, type Gaps, type User } from './lifecycles.ts';

const NAMES = EVENTS.map(({ name }) => name);
/** Whether a list shows the work that causes an event. */
const isListed = (event: string) => CAUSES[event as keyof typeof CAUSES]?.kind !== undefined;
const NO_GAPS = { code: 0, missing: [], unlisted: [] };

interface SentEvent {
  readonly eventId: string;
  readonly event: string;
  readonly requestId: string;
}

/** The events as the sandbox wrote them, oldest first. */
async function written(account: Account): Promise<SentEvent[]> {
  const { events } = await account.run<{ events: SentEvent[] }>('sandbox', 'events', 'list', '--all');
  return events.toReversed();
}

/** Runs the lifecycle of every group. */
async function liveAll(account: Account): Promise<void> {
  const user = await account.onboard();
  await account.deposit(user);
  await account.fintechDeposit();
  for (const { run } of new Set(Object.values(CAUSES))) await run(account, user);
  await account.bridge();
}

/** Opens an account after the lifecycle of every group. */
const openLived = Account.after(liveAll);

const countsOf = (events: readonly { readonly event: string }[]) =>
  Object.fromEntries([...Map.groupBy(events, ({ event }) => event)].map(([event, all]) => [event, all.length]));

const idsByRequest = (events: readonly SentEvent[]) =>
  Object.fromEntries(
    [...Map.groupBy(events, ({ requestId }) => requestId)].map(([id, all]) => [id, all.map(({ eventId }) => eventId)]),
  );

describe('the lifecycles of all groups', () => {
  test('bring every documented event to the inbox once, in the order of its request, and leave no gaps', async () => {
    const account = await openLived();
    // The inbox refuses the first attempt, and the sandbox makes the second one a little later.
    await account.run(
      'sandbox',
      'fault',
      'add',
      '--on',
      'fintech.offramp.initiated',
      '--fault',
      'wrong-signature-webhook',
    );
    await account.payout();
    await account.run('sandbox', 'advance', '1m');
    const sent = await written(account);
    const kept = (await account.inbox()).toReversed();
    expect(new Set(sent.map(({ event }) => event))).toEqual(new Set([...NAMES, 'bridge.completed']));
    expect(kept.map(({ eventId }) => eventId).sort()).toEqual(sent.map(({ eventId }) => eventId).sort());
    expect(kept.filter(({ copies }) => copies > 0)).toEqual([]);
    expect(idsByRequest(kept)).toEqual(idsByRequest(sent));
    expect(await account.gaps()).toEqual(NO_GAPS);
    const { counts } = await account.run<{ counts: { event: string; count: number }[] }>(
      'webhooks',
      'inbox',
      'list',
      '--count',
    );
    expect(Object.fromEntries(counts.map(({ event, count }) => [event, count]))).toEqual(countsOf(sent));
  });
});

/** Loses the next delivery of each event, in a lifecycle of its own, and returns what `gaps` should name. */
async function loseEach(account: Account, names: readonly (keyof typeof CAUSES)[]): Promise<Gaps['missing']> {
  const user = await account.onboard();
  await account.deposit(user);
  const lost: { event: string; kind: string; id: string }[] = [];
  for (const event of names) {
    const { kind, run } = CAUSES[event];
    await account.lose(event);
    const id = await run(account, user);
    if (kind !== undefined) lost.push({ event, kind, id });
  }
  await account.run('sandbox', 'advance', '1s');
  return lost;
}

const sorted = ({ code, missing, unlisted }: Gaps & { readonly code: number }) => ({
  code,
  unlisted,
  missing: missing.toSorted((a, b) => a.event.localeCompare(b.event)),
});

describe('deliveries that are lost', () => {
  test('are named one by one: ten of them, and then one of every other event', async () => {
    const account = await openLived();
    await account.fintechDeposit('1000000');
    // The bank account of an onramp may be half an hour older than its payment, and so older than the inbox.
    await account.run('sandbox', 'advance', '31m');
    const ten = NAMES.filter((_each, index) => index % 2 === 0).slice(0, 10);
    const first = await loseEach(account, ten);
    expect(first).toHaveLength(10);
    expect(sorted(await account.gaps())).toEqual(sorted({ code: 3, missing: first, unlisted: [] }));
    const all = [
      ...first,
      ...(await loseEach(
        account,
        NAMES.filter((name) => !ten.includes(name)),
      )),
    ];
    expect(new Set(all.map(({ event }) => event))).toEqual(new Set(NAMES.filter(isListed)));
    expect(sorted(await account.gaps())).toEqual(sorted({ code: 3, missing: all, unlisted: [] }));
  });
});

test.each<[keyof typeof CAUSES, string, number, (account: Account, user: User) => Promise<string>]>([
  ['virtual.account.created', 'user', 3, async (account) => (await account.onboard()).userId],
  // The event of the failure arrives, which closes these.
  ['vault.return.transfer.confirmed', 'user_offramp', 0, (account, user) => account.failingOfframp(user)],
  ['fintech.offramp.transfer.completed', 'fintech_offramp', 0, (account) => account.failingPayout()],
])('a lost %s is named for the other work that causes it, too: %s', async (event, kind, code, run) => {
  const account = await Account.open();
  const user = await account.onboard();
  await account.deposit(user);
  await account.lose(event);
  const id = await run(account, user);
  await account.run('sandbox', 'advance', '1s');
  expect(await account.gaps()).toEqual({ code, missing: [{ event, kind, id }], unlisted: [] });
});

describe('an event about work that no list shows', () => {
  test('is named as unlisted, and is not missing anything', async () => {
    const account = await openLived();
    const inbox = await openProfileInbox(account.world, { name: 'sandbox', mode: 'embedded' });
    const body = { event: 'swap.completed', requestId: 'swap-of-nobody', data: { amountOut: '1' } };
    const [kept] = await inbox.add([await received(deliveryOf(body))]);
    await inbox.close();
    expect(await account.gaps()).toEqual({
      ...NO_GAPS,
      unlisted: [{ id: Number(kept?.id), event: 'swap.completed' }],
    });
  });

  test('is every event that the lists of a reset sandbox could explain', async () => {
    const account = await openLived();
    await account.run('sandbox', 'reset', '--yes');
    // A list may have the thing, although it does not show that this happened to it.
    const couldBeListed = (event: string) =>
      THINGS.some(({ list, events }) => list !== undefined && Object.hasOwn(events, event));
    // No list shows the bank accounts that nobody paid.
    const expected = (await account.inbox()).filter(
      ({ event }) => couldBeListed(event) && event !== 'virtual.account.created',
    );
    expect(expected.length).toBeGreaterThan(NAMES.length);
    const { unlisted, ...rest } = await account.gaps();
    expect(rest).toEqual({ code: 0, missing: [] });
    expect(unlisted.toSorted((a, b) => b.id - a.id)).toEqual(expected.map(({ id, event }) => ({ id, event })));
  });
});

describe('there are no gaps', () => {
  type Case = readonly [what: string, live: (account: Account) => Promise<unknown>];

  /** Of works that are under way at once: whichever gap there is names its work. */
  const UNDER_WAY: readonly Case[] = [
    [
      'a temporary account that rejects a payment',
      async (account) => {
        const { accountNumber } = await account.startOnramp(await account.onboard());
        await account.pay(accountNumber, '1', 'ANY PAYER');
      },
    ],
    ['an onramp that nobody pays', async (account) => account.startOnramp(await account.onboard())],
    [
      'a deposit that the bank has not confirmed',
      async (account) => {
        const { accountNumber, name } = await account.onboard();
        await account.pay(accountNumber, '1501', name);
      },
    ],
  ];

  const TEST_ACCOUNTS = ['0000000011', '0000000012', '0000000013', '0000000014', '0000000015'];

  const ENDED: readonly Case[] = [
    [
      'a temporary account that is paid too late',
      async (account) => {
        const user = await account.onboard();
        const { accountNumber, total } = await account.startOnramp(user);
        await account.run('sandbox', 'advance', '31m');
        await account.pay(accountNumber, total, 'ANY PAYER');
      },
    ],
    ['an onramp whose mint fails', async (account) => account.onramp(await account.onboard(), '1801')],
    ['an onramp that swaps', async (account) => account.onramp(await account.onboard(), '9000', '--auto-swap', 'USDC')],
    [
      'an onramp whose swap fails',
      async (account) => account.onramp(await account.onboard(), '100', '--auto-swap', 'USDC'),
    ],
    ['a deposit that the bank cancels', async (account) => account.deposit(await account.onboard(), '1502')],
    ['a deposit of the fintech that the bank cancels', (account) => account.fintechDeposit('1502')],
    [
      'a deposit of an inactive user',
      async (account) => {
        const user = await account.onboard();
        await account.run('users', 'deactivate', user.userId, '--reason', 'lost phone', '--yes');
        await account.deposit(user);
      },
    ],
    [
      'a withdrawal over a bridge',
      async (account) => {
        const user = await account.onboard();
        await account.deposit(user);
        await account.withdrawal(user, '300', '--network', 'bsc');
      },
    ],
    ['a bridge that fails', (account) => account.bridge('1701')],
    [
      'a reviewed payout that is approved',
      async (account) => {
        await account.startPayout('0000000015');
        await account.settle();
      },
    ],
  ];

  async function noGapsWhileTimePasses(account: Account): Promise<void> {
    for (const duration of ['1s', '2m', '2h', '4d']) {
      await account.run('sandbox', 'advance', duration);
      expect({ duration, gaps: await account.gaps() }).toEqual({ duration, gaps: NO_GAPS });
    }
  }

  test('from the start of work to its end, whatever becomes of it', async () => {
    const account = await Account.open();
    const user = await account.onboard();
    await account.deposit(user);
    for (const number of TEST_ACCOUNTS) await account.startOfframp(user, number);
    for (const number of TEST_ACCOUNTS) await account.startPayout(number);
    for (const [what, live] of UNDER_WAY) {
      await live(account);
      expect({ what, gaps: await account.gaps() }).toEqual({ what, gaps: NO_GAPS });
    }
    await noGapsWhileTimePasses(account);
  });

  test('after work of every kind that ended otherwise than planned', async () => {
    const account = await Account.open();
    for (const [what, live] of ENDED) {
      await live(account);
      await account.run('sandbox', 'advance', '1s');
      expect({ what, gaps: await account.gaps() }).toEqual({ what, gaps: NO_GAPS });
    }
    await noGapsWhileTimePasses(account);
  });

  test('when the clock of the service is ahead of this machine', async () => {
    const account = await Account.open();
    await account.run('sandbox', 'advance', '40d');
    await liveAll(account);
    expect(await account.gaps()).toEqual(NO_GAPS);
    expect(await account.gaps('--since', '2026-02-01', '--until', '2027-01-01')).toEqual(NO_GAPS);
  });
});
