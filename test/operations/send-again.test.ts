import { describe, expect, onTestFinished, test } from 'vitest';
import { trustedRules } from '../../src/account/evidence-rules.ts';
import type { StoredProfile } from '../../src/account/stored-profile.ts';
import { CliError } from '../../src/base/errors.ts';
import { trade } from '../../src/contract/endpoints/fx-trades.ts';
import type { AccountCallOptions } from '../../src/engine/account.ts';
import { reconcile } from '../../src/engine/operations/reconcile.ts';
import type { Baseline } from '../../src/journal/intent.ts';
import type { Session } from '../../src/terminal/session.ts';
import { INTENT, testJournal } from '../support/journal-intent.ts';
import { fakeClock } from '../support/sandbox.ts';

const START_MS = Date.UTC(2026, 0, 5, 9);
const HOUR_MS = 3_600_000;
const MARGIN_MS = 5 * 60_000;

const LIVE: StoredProfile = { name: 'p', mode: 'live', baseUrl: 'https://s.test', store: { kind: 'file' } };
/** A live profile that says how long the service holds idempotency keys, which its user typed. */
const KEYED = trustedRules({ ...LIVE, idempotencyLifetimeMs: HOUR_MS });

interface Trade {
  readonly tradeId: string;
  readonly createdAt: string;
  readonly status: string;
  readonly pair: string;
  readonly side: string;
  readonly cngnAmount: string;
}

const rowOf = (tradeId: string, atMs = 1_000): Trade => ({
  ...{ tradeId, status: 'pending', pair: 'CNGN-USDC', side: 'buy', cngnAmount: '500.000000' },
  createdAt: new Date(START_MS + atMs).toISOString(),
});

/** What the service does with a trade that is sent again. */
type Answers = (key: string) => { readonly trade?: { readonly tradeId?: string } };

const lost = () => new CliError('unknown', 'the response was lost');

/** A journal with trades whose outcome is unknown, and a session whose service lists and repeats them. */
async function rig(stored: StoredProfile | null = KEYED, mode: 'live' | 'sandbox' = 'live') {
  const clock = fakeClock(START_MS);
  const journal = await testJournal({ clock });
  onTestFinished(() => journal.close());
  const service = {
    trades: [] as readonly Trade[],
    hasMore: false,
    hostAheadMs: 0,
    jumpMs: 0,
    saysTime: true,
    answers: ((key) => ({ trade: { tradeId: `t-${key}` } })) as Answers,
  };
  const sent: { readonly request: Readonly<Record<string, unknown>>; readonly options: AccountCallOptions }[] = [];
  const parts = {
    profile: { mode, stored: stored ?? undefined },
    globals: { timeoutMs: 30_000 },
    journal: async () => journal,
    accountNames: async () => INTENT.account,
    time: {
      service: {
        nowMs: () => (service.saysTime ? clock.now() : undefined),
        hostAheadMs: () => (service.saysTime ? service.hostAheadMs : undefined),
        jumpMs: () => service.jumpMs,
      },
    },
    call: async ({ id }: { id: string }, request: Readonly<Record<string, unknown>>, options: AccountCallOptions) => {
      if (id !== trade.id) return { data: { trades: service.trades, pagination: { hasMore: service.hasMore } } };
      sent.push({ request, options });
      return { data: service.answers(String(request['idempotencyKey'])) };
    },
  };
  const session = parts as unknown as Session;
  const operationOf = async (id: string) => {
    const [operation] = await journal.find(id);
    if (!operation) throw new Error(`no operation ${id}`);
    return operation;
  };
  return {
    ...{ clock, journal, service, sent },
    keys: () => sent.map(({ request }) => request['idempotencyKey']),
    /** Records a trade whose outcome is unknown, and returns its id. */
    doubt: async (key: string | undefined, baseline: Baseline | null = { serviceAtMs: START_MS, hostAheadMs: 0 }) => {
      const body = { pair: 'CNGN-USDC', side: 'buy', cngnAmount: '500', ...(key && { idempotencyKey: key }) };
      const claim = await journal.claim(
        {
          ...{ ...INTENT, endpoint: trade.id, request: JSON.stringify(body), idempotencyKey: `once ${key}` },
          ...(baseline && { baseline }),
        },
        30_000,
      );
      if (claim.kind !== 'ours') throw new Error(`the claim is ${claim.kind}`);
      await journal.append(claim.operationId, 'unknown', { detail: 'lost' });
      return claim.operationId;
    },
    look: async (id: string) => (await reconcile(session, await operationOf(id))).kind,
    stateOf: async (id: string) => {
      const { state, verdict, requestId } = await operationOf(id);
      return [state, verdict ?? requestId];
    },
  };
}

describe('a request with an idempotency key whose response was lost', () => {
  test('is sent again as it was recorded, and is the work that the service names', async () => {
    const on = await rig();
    const id = await on.doubt('a');
    expect(await on.look(id)).toBe('ended');
    expect(on.sent).toEqual([
      {
        request: { pair: 'CNGN-USDC', side: 'buy', cngnAmount: '500', idempotencyKey: 'a' },
        options: { isRecorded: true, isLate: expect.any(Function) },
      },
    ]);
    expect(await on.stateOf(id)).toEqual(['accepted', 't-a']);
  });

  test.each<[string, Answers]>([
    [
      'is lost again',
      () => {
        throw lost();
      },
    ],
    [
      'is a refusal, which may only be about the repetition',
      () => {
        throw new CliError('refused', 'the quote has expired');
      },
    ],
    ['names no work', () => ({})],
  ])('is never sent a third time if the response %s', async (_what, answers) => {
    const on = await rig();
    on.service.answers = answers;
    const id = await on.doubt('a');
    expect([await on.look(id), await on.look(id)]).toEqual(['unseen', 'unseen']);
    on.clock.pass(11 * 60_000);
    expect(await on.look(id)).toBe('absent');
    expect(on.keys()).toEqual(['a']);
    expect(await on.stateOf(id)).toEqual(['unknown', null]);
  });

  test('is sent once by two that look for it at once', async () => {
    const on = await rig();
    const id = await on.doubt('a');
    on.service.answers = () => {
      throw lost();
    };
    await Promise.all([on.look(id), on.look(id)]);
    await on.look(id);
    expect(on.keys()).toEqual(['a']);
  });

  test('is not sent again after one that looked for it at once noted that it is in no list', async () => {
    const on = await rig();
    const id = await on.doubt('a');
    await on.journal.claimRepeat(id, 30_000);
    await on.journal.noteSearch(id, { unseenSinceMs: START_MS });
    expect(await on.journal.claimRepeat(id, 30_000)).toBeUndefined();
    expect(await on.look(id)).toBe('unseen');
    expect(on.keys()).toEqual([]);
  });

  test('is not absent by a look from before it was sent again', async () => {
    const on = await rig(trustedRules({ ...LIVE, absence: 'accept' }));
    const id = await on.doubt('a');
    expect(await on.look(id)).toBe('unseen');
    on.clock.pass(11 * 60_000);
    await on.journal.claimRepeat(id, 30_000);
    expect(await on.look(id)).toBe('unseen');
    expect(await on.stateOf(id)).toEqual(['unknown', null]);
    on.clock.pass(11 * 60_000);
    expect(await on.look(id)).toBe('ended');
    expect(await on.stateOf(id)).toEqual(['resolved', 'not-done']);
  });

  test('stays in doubt if its first attempt was refused late: that says nothing of the second', async () => {
    const on = await rig();
    const id = await on.doubt('a');
    await on.journal.claimRepeat(id, 30_000);
    expect(await on.journal.record(id, 'refused', { detail: 'refused' })).toBe('contradicted');
    expect(await on.stateOf(id)).toEqual(['unknown', null]);
  });

  test('leaves only while others count it as on its way', async () => {
    const on = await rig();
    await on.look(await on.doubt('a'));
    const isLate = () => on.sent.map(({ options }) => options.isLate?.());
    expect(isLate()).toEqual([false]);
    on.clock.pass(30_001);
    expect(isLate()).toEqual([true]);
  });

  test('stops the command if the user interrupts it', async () => {
    const on = await rig();
    on.service.answers = () => {
      throw new CliError('interrupted', 'interrupted');
    };
    await expect(on.look(await on.doubt('a'))).rejects.toMatchObject({ category: 'interrupted' });
  });

  test.each([
    [HOUR_MS - MARGIN_MS, 1],
    [HOUR_MS - MARGIN_MS + 1, 0],
  ])('%i ms after it left, is sent again %i times: its key must still hold', async (passedMs, count) => {
    const on = await rig();
    const id = await on.doubt('a');
    on.clock.pass(passedMs);
    await on.look(id);
    expect(on.sent).toHaveLength(count);
  });

  test.each<[string, StoredProfile | null, 'live' | 'sandbox', number]>([
    ['a live profile that says how long keys hold', KEYED, 'live', 1],
    ['a live profile that does not say it', LIVE, 'live', 0],
    ['a live profile that says it without its user’s trust', { ...LIVE, idempotencyLifetimeMs: HOUR_MS }, 'live', 0],
    ['a live account without a profile', null, 'live', 0],
    ['a sandbox', null, 'sandbox', 1],
  ])('of %s', async (_what, stored, mode, count) => {
    const on = await rig(stored, mode);
    await on.look(await on.doubt('a'));
    expect(on.sent).toHaveLength(count);
  });

  type Rig = Awaited<ReturnType<typeof rig>>;
  const AT: Baseline = { serviceAtMs: START_MS, hostAheadMs: 0 };
  test.each<[string, (on: Rig) => void, Baseline | null, string]>([
    ['a service that does not say its time', ({ service }) => Object.assign(service, { saysTime: false }), AT, 'clock'],
    ['a clock that is wrong now', ({ service }) => Object.assign(service, { hostAheadMs: 70_000 }), AT, 'clock'],
    ['a clock that was wrong then', () => {}, { ...AT, hostAheadMs: -70_000 }, 'clock'],
    ['a journal’s clock that was wrong then', () => {}, { ...AT, hostAheadMs: 5_001 }, 'clock'],
    ['a service’s clock that was set', ({ service }) => Object.assign(service, { jumpMs: 60_000 }), AT, 'clock'],
    ['no time of the service then', () => {}, {}, 'clock'],
    ['an earlier version that kept nothing', () => {}, null, 'clock'],
    ['a time then that is later than now', () => {}, { ...AT, serviceAtMs: START_MS + 5_001 }, 'clock'],
    [
      'a list that was not read as a whole',
      ({ service }) => Object.assign(service, { hasMore: true }),
      AT,
      'incomplete',
    ],
    [
      'a list with a row of the future',
      ({ service }) => Object.assign(service, { trades: [{ ...rowOf('f', 60_000), cngnAmount: '1.000000' }] }),
      AT,
      'clock',
    ],
  ])('is not sent again with %s', async (_what, breaks, baseline, found) => {
    const on = await rig();
    const id = await on.doubt('a', baseline);
    breaks(on);
    expect(await on.look(id)).toBe(found);
    expect(on.keys()).toEqual([]);
  });

  test('is not sent again without its key', async () => {
    const on = await rig();
    expect(await on.look(await on.doubt(undefined))).toBe('unseen');
    expect(on.keys()).toEqual([]);
  });

  test.each<[string, StoredProfile, readonly string[], string]>([
    ['is sent again although a row is like it, which may be another program’s', KEYED, ['a'], 't-a'],
    ['has the row that is like it if nobody says how long keys hold', LIVE, [], 't-1'],
  ])('%s', async (_what, stored, keys, work) => {
    const on = await rig(stored);
    const id = await on.doubt('a');
    on.service.trades = [rowOf('t-1')];
    expect(await on.look(id)).toBe('ended');
    expect(on.keys()).toEqual(keys);
    expect(await on.stateOf(id)).toEqual(['accepted', work]);
  });

  test('is shown to a person with the row that is like it if its key holds no longer', async () => {
    const on = await rig();
    const id = await on.doubt('a');
    on.service.trades = [rowOf('t-1')];
    on.clock.pass(HOUR_MS);
    expect(await on.look(id)).toBe('several');
    expect(on.keys()).toEqual([]);
  });
});

test('a row that is like a request, and older than what is looked through, leaves it in doubt: the service’s times may disagree', async () => {
  const on = await rig(trustedRules({ ...LIVE, absence: 'accept' }));
  const id = await on.doubt('a');
  on.service.trades = [rowOf('t-1', -48 * HOUR_MS)];
  expect(await on.look(id)).toBe('several');
  on.clock.pass(11 * 60_000);
  expect(await on.look(id)).toBe('several');
  expect(await on.stateOf(id)).toEqual(['unknown', null]);
});

describe('two requests that differ in their idempotency keys alone', () => {
  test('with one row do not block each other: the service says whose it is', async () => {
    const on = await rig();
    const [one, other] = [await on.doubt('a'), await on.doubt('b')];
    on.service.trades = [rowOf('t-b')];
    expect([await on.look(one), await on.look(other)]).toEqual(['ended', 'ended']);
    expect([await on.stateOf(one), await on.stateOf(other)]).toEqual([
      ['accepted', 't-a'],
      ['accepted', 't-b'],
    ]);
  });

  test('with a row each get their own', async () => {
    const on = await rig();
    const [one, other] = [await on.doubt('a'), await on.doubt('b')];
    on.service.trades = [rowOf('t-b', 1_000), rowOf('t-a', 2_000)];
    expect([await on.look(one), await on.look(other)]).toEqual(['ended', 'ended']);
    expect([await on.stateOf(one), await on.stateOf(other)]).toEqual([
      ['accepted', 't-a'],
      ['accepted', 't-b'],
    ]);
  });

  test('get their own, although another program has equal rows', async () => {
    const on = await rig();
    const [one, other] = [await on.doubt('a'), await on.doubt('b')];
    on.service.trades = [rowOf('x'), rowOf('y'), rowOf('z')];
    expect([await on.look(one), await on.look(other)]).toEqual(['ended', 'ended']);
    expect(on.keys()).toEqual(['a', 'b']);
    expect([await on.stateOf(one), await on.stateOf(other)]).toEqual([
      ['accepted', 't-a'],
      ['accepted', 't-b'],
    ]);
  });

  test('are not given the work of another operation', async () => {
    const on = await rig();
    const [one, other] = [await on.doubt('a'), await on.doubt('b')];
    on.service.answers = () => ({ trade: { tradeId: 't-1' } });
    expect(await on.look(one)).toBe('ended');
    expect(await on.look(other)).toBe('contradicted');
    // Whoever looks later is told the same, although the lists still show nothing.
    on.clock.pass(11 * 60_000);
    expect(await on.look(other)).toBe('contradicted');
    expect(on.keys()).toEqual(['a', 'b']);
    expect([await on.stateOf(one), await on.stateOf(other)]).toEqual([
      ['accepted', 't-1'],
      ['unknown', null],
    ]);
  });
});
