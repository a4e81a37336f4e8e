import { describe, expect, test } from 'vitest';
import { comparison, type ListedWork } from '../../src/webhooks/gaps.ts';
import { NOW_MS } from './support.ts';

const HOUR_MS = 3_600_000;
const PERIOD = { sinceMs: NOW_MS, untilMs: NOW_MS + 24 * HOUR_MS, settledMs: NOW_MS + 23.999 * HOUR_MS };
const at = (hours: number) => new Date(NOW_MS + hours * HOUR_MS).toISOString();

const work = (kind: ListedWork['kind'], more: Partial<ListedWork> = {}): ListedWork => ({
  kind,
  ids: ['own-id', 'other-id'],
  status: 'completed',
  createdAt: at(1),
  ...more,
});

type Compared = readonly [event: string, ...texts: string[]];

/** Compares, and returns the names of what is missing and the numbers of what is unlisted. */
function compared(works: readonly ListedWork[], events: readonly Compared[], isExpected = true) {
  const { see, end } = comparison(works, PERIOD);
  for (const [index, [event, ...texts]] of events.entries()) see({ id: index + 1, event, texts, isExpected });
  const { missing, unlisted } = end();
  return { missing: missing.map(({ events }) => events.join(' or ')), unlisted: unlisted.map(({ id }) => id) };
}

describe('work that no event reported', () => {
  const INITIATED = 'fintech.offramp.initiated';
  const PAID = ['fintech.offramp.transfer.completed', 'fintech.offramp.payout.initiated', 'fintech.offramp.completed'];
  const VAULT = 'vault.return.transfer.confirmed';

  test.each<[ListedWork, string[]]>([
    [work('user'), ['user.onboarded']],
    [work('user', { accountNumber: '7000000001' }), ['user.onboarded', 'virtual.account.created']],
    [work('fintech_deposit'), ['fintech.virtual_account.deposit.received']],
    [work('fintech_deposit', { status: 'processing' }), ['fintech.virtual_account.deposit.received']],
    [work('fintech_deposit', { status: 'pending' }), []],
    [work('fintech_deposit', { status: 'cancelled' }), []],
    [work('user_offramp'), [VAULT, 'vault.return.payout.completed']],
    [work('user_offramp', { status: 'failed' }), ['vault.return.payout.failed']],
    [work('user_offramp', { status: 'failed', isTransferred: true }), [VAULT, 'vault.return.payout.failed']],
    [work('user_offramp', { status: 'processing', isTransferred: true }), []],
    [work('user_offramp', { status: 'cancelled' }), []],
    [work('fintech_offramp'), [INITIATED, ...PAID]],
    [work('fintech_offramp', { status: 'processing', isTransferred: true }), [INITIATED]],
    [work('fintech_offramp', { status: 'failed' }), [INITIATED, 'fintech.offramp.failed']],
    [
      work('fintech_offramp', { status: 'failed', isTransferred: true }),
      [INITIATED, 'fintech.offramp.transfer.completed', 'fintech.offramp.failed'],
    ],
    [work('fintech_offramp', { status: 'cancelled' }), [INITIATED]],
    [work('fintech_self_transfer'), ['fintech.asset.transfer.completed']],
    [work('fintech_self_transfer', { status: 'cancelled' }), []],
    [work('fintech_self_transfer', { status: 'failed' }), ['fintech.asset.transfer.failed']],
    [work('fintech_user_withdrawal'), ['fintech.user.asset.transfer.completed']],
    [work('user_withdrawal', { status: 'failed' }), ['fintech.user.asset.transfer.failed']],
    [work('user_withdrawal', { status: 'pending' }), []],
    [work('user_withdrawal', { status: 'cancelled' }), []],
    [work('swap'), ['swap.completed']],
    [work('swap', { status: 'failed' }), ['swap.failed']],
    [work('swap', { status: 'requested' }), []],
    [work('swap', { status: 'cancelled' }), []],
  ])('%o', (listed, missing) => {
    expect(compared([listed], [])).toEqual({ missing, unlisted: [] });
    const events = missing.map((event): Compared => [event, event.startsWith('virtual') ? '7000000001' : 'other-id']);
    expect(compared([listed], events)).toEqual({ missing: [], unlisted: [] });
  });

  test('is not expected outside the period, and explains events all the same', () => {
    for (const createdAt of [at(-0.001), at(24), null])
      expect(compared([work('swap', { createdAt })], [['swap.failed', 'own-id']])).toEqual({
        missing: [],
        unlisted: [],
      });
    for (const createdAt of [at(0), at(23.999)])
      expect(compared([work('swap', { createdAt })], []).missing).toEqual(['swap.completed']);
  });

  test('is missing nothing more once a payout that failed has completed before', () => {
    const sentBack = work('fintech_offramp', { status: 'failed', isTransferred: true });
    expect(compared([sentBack], [['fintech.offramp.completed', 'own-id']]).missing).toEqual([
      INITIATED,
      'fintech.offramp.transfer.completed',
      'fintech.offramp.payout.initiated',
    ]);
  });
});

describe('a missing event', () => {
  const END = 'fintech.offramp.completed';
  const closedOf = (listed: ListedWork, event: string) => {
    const { see, end } = comparison([listed], PERIOD);
    see({ id: 1, event, texts: ['own-id'], isExpected: true });
    return end().missing.map(({ isClosed }) => isClosed);
  };

  test.each<[string, ListedWork, string, boolean[]]>([
    ['the list and an event say that it completed', work('fintech_offramp'), END, [true, true, true]],
    [
      'the list and an event say that it failed',
      work('fintech_offramp', { status: 'failed' }),
      'fintech.offramp.failed',
      [true],
    ],
    ['a deposit became cNGN', work('user_onramp'), 'fintech.user.deposit.funding.completed', [true]],
    ['a payout arrived', work('user_offramp'), 'vault.return.payout.completed', [true]],
    [
      'the list says another end than the event',
      work('fintech_offramp', { status: 'failed', isTransferred: true }),
      END,
      [false, false, false],
    ],
    [
      'only an event of its beginning arrived',
      work('fintech_offramp'),
      'fintech.offramp.initiated',
      [false, false, false],
    ],
    ['another event of a user arrived', work('user', { accountNumber: '7000000001' }), 'user.onboarded', [false]],
  ])('is closed only if its end is known: %s', (_what, listed, event, closed) => {
    expect(closedOf(listed, event)).toEqual(closed);
  });

  test('is not expected while something of its work changed after the period that has settled', () => {
    const { end } = comparison([work('swap', { changedAt: [null, at(23.9995)] })], PERIOD);
    expect(end()).toMatchObject({ missing: [], unsettled: 1 });
  });
});

describe('a deposit of a user', () => {
  const paid = (more: Partial<ListedWork> = {}) =>
    work('user_onramp', { userId: 'ada', accountNumber: '7000000002', ...more });
  const ada = work('user', { ids: ['ada'], userId: 'ada', createdAt: at(-48), accountNumber: '7000000001' });
  const RECEIVED = 'fintech.user.deposit.received';
  const MINTED = 'fintech.user.deposit.funding.completed';
  const REFUNDED = 'fintech.user.deposit.funding.refunded';
  const CREATED = 'virtual.account.created';

  test.each<[string, ListedWork[], Compared[], string[]]>([
    [
      'into an account that nothing tells of',
      [paid()],
      [],
      [`${RECEIVED} or payments.confirmed`, `${MINTED} or wallet.funding.completed`],
    ],
    [
      'whose account the list does not say',
      [ada, paid({ accountNumber: null })],
      [['payments.confirmed', 'own-id']],
      ['wallet.funding.completed', CREATED],
    ],
    ['into the account of its user', [ada, paid({ accountNumber: '7000000001' })], [], [RECEIVED, MINTED]],
    [
      'into another account of a listed user',
      [ada, paid()],
      [],
      ['payments.confirmed', 'wallet.funding.completed', CREATED],
    ],
    [
      'into an account that was just created',
      [paid()],
      [[CREATED, '7000000002']],
      ['payments.confirmed', 'wallet.funding.completed'],
    ],
    ['that was confirmed', [paid()], [['payments.confirmed', 'own-id']], ['wallet.funding.completed', CREATED]],
    ['that funded a wallet', [paid()], [['wallet.funding.completed', 'other-id']], ['payments.confirmed', CREATED]],
    ['that was received', [paid()], [[RECEIVED, 'own-id']], [MINTED]],
    ['that was minted', [paid()], [[MINTED, 'own-id']], [RECEIVED]],
    ['that is refunded', [paid({ status: 'failed' })], [[REFUNDED, 'own-id']], [RECEIVED]],
    ['that was refunded', [paid({ status: 'failed' })], [], [RECEIVED, REFUNDED]],
    ['that was refunded to the owner', [paid({ status: 'failed', isSentByOwner: true })], [], [RECEIVED]],
    ['that the bank has not confirmed', [paid({ status: 'pending' })], [], []],
    ['that the bank cancelled', [paid({ status: 'cancelled' })], [], []],
    ['that is processed', [paid({ status: 'processing' })], [], [RECEIVED]],
    ['that a temporary account rejected', [ada, paid({ status: 'failed' })], [], []],
    [
      'whose account may be older than the period',
      [ada, paid({ createdAt: at(0.499) })],
      [],
      ['payments.confirmed', 'wallet.funding.completed'],
    ],
  ])('%s', (_what, works, events, missing) => {
    expect(compared(works, events).missing).toEqual(missing);
  });

  test('is not reported by an event about another deposit into the same account', () => {
    const other: Compared = [RECEIVED, 'another-id', '7000000002'];
    expect(compared([paid()], [other])).toMatchObject({
      missing: [expect.stringContaining(RECEIVED), expect.anything()],
    });
    expect(compared([paid()], [other]).unlisted).toEqual([1]);
  });
});

describe('an event', () => {
  test('is unlisted unless some text in it is an id of work that causes it', () => {
    const events: Compared[] = [
      ['swap.completed', 'a', 'own-id'],
      ['swap.failed', 'other-id'],
      ['swap.completed', 'a'],
      ['user.onboarded', 'own-id'],
    ];
    expect(compared([work('swap')], events).unlisted).toEqual([3, 4]);
    expect(compared([work('swap')], events, false).unlisted).toEqual([]);
  });

  test('is known by both of its names', () => {
    const refund = work('user_onramp', { status: 'failed' });
    const events: Compared[] = [
      ['fintech.user.deposit.refunded', 'own-id'],
      ['fintech.user.deposit.received', 'own-id'],
    ];
    expect(compared([refund], events)).toEqual({ missing: [], unlisted: [] });
    expect(compared([], events).unlisted).toEqual([1, 2]);
  });

  test('that belongs to no list is never unlisted', () => {
    const events: Compared[] = [
      ['virtual.account.created', '7000000001'],
      ['bridge.completed', 'a'],
      ['a.new.event', 'a'],
    ];
    expect(compared([], events).unlisted).toEqual([]);
  });
});
