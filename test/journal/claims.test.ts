import { describe, expect, test } from 'vitest';
import type { Host } from '../../src/base/world.ts';
import { GUARD_MS, NEVER_SENT } from '../../src/journal/claims.ts';
import type { EarlierRequest, Intent } from '../../src/journal/intent.ts';
import type { Journal } from '../../src/journal/interface.ts';
import type { OperationState } from '../../src/journal/states.ts';
import { INTENT, journals, oneProcess, prepared, testJournal } from '../support/journal-intent.ts';
import { testQueryPlans } from '../support/query-plans.ts';
import { countingIds, fakeClock, temporaryFolder } from '../support/sandbox.ts';

const KEYED = { ...INTENT, idempotencyKey: 'fees-2026-11' };
const GUARDED = { ...INTENT, isGuarded: true };
const OTHER = { input: '["fees withdraw",[["amount",["60000","NGN"]]]]' };

async function found(journal: Journal, intent: Intent): Promise<string> {
  const claim = await journal.claim(intent);
  return 'operation' in claim ? `${claim.kind} ${claim.operation.state}` : claim.kind;
}

/** Moves an operation through the states. */
async function through(journal: Journal, id: string, ...states: OperationState[]): Promise<void> {
  for (const state of states) {
    if (state === 'sent') await journal.append(id, 'sent');
    else await journal.append(id, state, state === 'resolved' ? { verdict: 'not-done' } : {});
  }
}

/** A machine where every process still runs. */
const busyHost: Host = { ...oneProcess(), isRunning: () => true };
/** A machine where every process that sent something has ended. */
const idleHost: Host = { ...oneProcess(), isRunning: () => false };

describe('an idempotency key', () => {
  test.each<[OperationState[], string]>([
    [['sent'], 'unknown-outcome sent'],
    [['sent', 'unknown'], 'unknown-outcome unknown'],
    [['sent', 'accepted'], 'done accepted'],
    [['sent', 'accepted', 'settled'], 'done settled'],
    [['sent', 'accepted', 'failed'], 'done failed'],
    [['rejected'], 'ours'],
    [['sent', 'rejected'], 'ours'],
    [['sent', 'unknown', 'resolved'], 'ours'],
    [['sent', 'unknown', 'rejected'], 'ours'],
  ])('after %j gives a second run: %s', async (states, expected) => {
    const journal = await testJournal({ host: idleHost });
    await through(journal, await prepared(journal, KEYED), ...states);
    expect(await found(journal, KEYED)).toBe(expected);
    journal.close();
  });

  describe('of work whose input was not recorded, such as a BVN without a key to digest it,', () => {
    const UNRECORDED: Intent = { ...KEYED, input: undefined };

    test('is taken, because another person’s input would be equal', async () => {
      const journal = await testJournal({ host: idleHost });
      await through(journal, await prepared(journal, UNRECORDED), 'sent', 'accepted');
      expect(await found(journal, UNRECORDED)).toBe('other-input accepted');
      expect(await found(journal, KEYED)).toBe('other-input accepted');
    });

    test('is a conflict before anything is asked for', async () => {
      const journal = await testJournal({ host: idleHost });
      await through(journal, await prepared(journal, UNRECORDED), 'sent', 'unknown');
      expect(await journal.findConflict(UNRECORDED)).toMatchObject({ kind: 'other-input' });
    });

    test.each<OperationState[]>([['sent'], ['sent', 'unknown']])(
      'stops nobody else’s without a key while its outcome is unknown: %s, %s',
      async (...states) => {
        const journal = await testJournal({ host: idleHost });
        const guarded = { ...GUARDED, input: undefined };
        await through(journal, await prepared(journal, guarded), ...states);
        expect(await found(journal, guarded)).toBe('ours');
      },
    );

    test('repeats nothing without a key', async () => {
      const journal = await testJournal({ host: idleHost });
      const guarded = { ...GUARDED, input: undefined };
      await through(journal, await prepared(journal, guarded), 'sent', 'accepted');
      expect(await found(journal, guarded)).toBe('ours');
    });
  });

  test('that was resolved as completed is done', async () => {
    const journal = await testJournal({ host: idleHost });
    const id = await prepared(journal, KEYED);
    await through(journal, id, 'sent', 'unknown');
    await journal.append(id, 'resolved', { verdict: 'completed' });
    expect(await found(journal, KEYED)).toBe('done resolved');
    journal.close();
  });

  test.each<OperationState[]>([['sent'], ['sent', 'accepted'], ['sent', 'accepted', 'failed']])(
    'is rejected for another input after %s, %s',
    async (...states) => {
      const journal = await testJournal({ host: idleHost });
      await through(journal, await prepared(journal, KEYED), ...states);
      expect(await found(journal, { ...KEYED, ...OTHER })).toBe(`other-input ${states.at(-1)}`);
      journal.close();
    },
  );

  test.each(['prepared', 'sent'] as const)('of a process that is still at work is busy when %s', async (state) => {
    const journal = await testJournal({ host: busyHost });
    const id = await prepared(journal, KEYED);
    if (state === 'sent') await journal.append(id, 'sent');
    expect(await found(journal, KEYED)).toBe(`busy ${state}`);
    journal.close();
  });

  test('is uncertain once the time of a process that never answers is over', async () => {
    const clock = fakeClock();
    const journal = await testJournal({ host: busyHost, clock });
    await journal.append(await prepared(journal, KEYED), 'sent');
    clock.pass(60_001);
    expect(await found(journal, KEYED)).toBe('unknown-outcome sent');
    journal.close();
  });

  test('of a process that ended before it sent is taken over, and its operation closed', async () => {
    const journal = await testJournal({ host: idleHost });
    const first = await prepared(journal, KEYED);
    expect(await found(journal, KEYED)).toBe('ours');
    expect((await journal.find(first))[0]).toMatchObject({ state: 'rejected', detail: NEVER_SENT });
    journal.close();
  });

  test('of a process that ended before it sent leaves its sum to the one that takes it over', async () => {
    const journal = await testJournal({ host: idleHost });
    const limits = [{ asset: 'NGN', period: 'day', maxMinor: 100n }] as const;
    const paying: Intent = { ...KEYED, moves: { asset: 'NGN', minor: 100n }, limits };
    await prepared(journal, paying);
    expect(await found(journal, paying)).toBe('ours');
    expect(await journal.spent(INTENT.account, { asset: 'NGN', period: 'day' })).toBe(1_000_000n);
    expect((await journal.list({ limit: 5 })).map(({ state }) => state)).toEqual(['prepared', 'rejected']);
    journal.close();
  });

  test.each<[OperationState[], string | undefined]>([
    [['sent', 'rejected'], undefined],
    [['sent', 'unknown', 'resolved'], undefined],
    [['sent', 'accepted', 'failed'], 'done'],
  ])('that is looked at after %j is %s', async (states, expected) => {
    const journal = await testJournal({ host: idleHost });
    await through(journal, await prepared(journal, KEYED), ...states);
    expect((await journal.findConflict(KEYED))?.kind).toBe(expected);
    journal.close();
  });

  test('belongs to one account', async () => {
    const journal = await testJournal({ host: idleHost });
    await through(journal, await prepared(journal, KEYED), 'sent', 'accepted');
    const other = { ...KEYED, account: { ...INTENT.account, keyFingerprint: 'ffff' } };
    expect(await found(journal, other)).toBe('ours');
    journal.close();
  });

  test('follows a rotated key', async () => {
    const journal = await testJournal({ host: idleHost });
    await through(journal, await prepared(journal, KEYED), 'sent', 'accepted');
    const plan = {
      operationId: 'r-1',
      keyLocation: 'its file',
      oldFingerprint: INTENT.account.keyFingerprint,
      pushes: [],
    };
    await journal.prepareRotation(INTENT, plan);
    await journal.moveRotation('r-1', 'prepared', 'sending');
    await journal.moveRotation('r-1', 'sending', 'answered', { newFingerprint: 'ffff' });
    const rotated = { ...KEYED, account: { ...INTENT.account, keyFingerprint: 'ffff' } };
    expect(await found(journal, rotated)).toBe('done accepted');
    journal.close();
  });

  test('is given to one of two processes', async () => {
    using folder = temporaryFolder();
    const path = folder.file('journal.db');
    const open = (seed: number) => testJournal({ path, ids: countingIds(seed), host: busyHost });
    const [first, second] = [await open(1), await open(2)];
    expect([await found(first, KEYED), await found(second, KEYED)]).toEqual(['ours', 'busy prepared']);
    first.close();
    second.close();
  });

  test.each([10_000, 300_000])('is busy for as long as its request may leave: %d ms', async (busyForMs) => {
    const clock = fakeClock();
    const journal = await testJournal({ clock, host: busyHost });
    const claim = await journal.claim(KEYED, busyForMs);
    const isLate = () => claim.kind === 'ours' && claim.isLate();
    clock.pass(busyForMs);
    expect([isLate(), await found(journal, KEYED)]).toEqual([false, 'busy sent']);
    clock.pass(1);
    expect([isLate(), await found(journal, KEYED)]).toEqual([true, 'unknown-outcome sent']);
    journal.close();
  });
});

describe.each(['first', 'again'] as const)('a request that is sent %s is late', (way) => {
  const BUSY_MS = 10_000;

  /** A journal whose wall clock and steady clock move apart, and a request that may leave for `BUSY_MS`. */
  async function leaving() {
    const wall = fakeClock();
    const steady = fakeClock(5_000);
    const journal = await testJournal({ clock: { ...wall, steadyMs: steady.now }, host: idleHost });
    if (way === 'first') return { wall, steady, claim: await journal.claim(KEYED, BUSY_MS) };
    const id = await prepared(journal, KEYED);
    await through(journal, id, 'sent', 'unknown');
    return { wall, steady, claim: await journal.claimRepeat(id, BUSY_MS) };
  }

  test.each<[string, boolean, number, number]>([
    ['after its time', true, BUSY_MS + 1, BUSY_MS + 1],
    ['and not at its end', false, BUSY_MS, BUSY_MS],
    ['if the machine slept, which only the wall clock shows', true, BUSY_MS + 1, 0],
    ['if the wall clock stands still', true, 0, BUSY_MS + 1],
    ['if the wall clock was set back, so that nobody knows how long it took', true, -1_001, 0],
    ['and not if the wall clock was put right by a second', false, -1_000, 0],
  ])('%s', async (_what, isLate, wallMs, steadyMs) => {
    const { wall, steady, claim } = await leaving();
    wall.pass(wallMs);
    steady.pass(steadyMs);
    expect(claim && 'isLate' in claim && claim.isLate()).toBe(isLate);
  });
});

describe('an equal intent without a key', () => {
  test.each<[OperationState[], string]>([
    [['sent'], 'equal-unknown sent'],
    [['sent', 'unknown'], 'equal-unknown unknown'],
    [['sent', 'accepted'], 'repeated accepted'],
    [['sent', 'accepted', 'failed'], 'ours'],
    [['sent', 'rejected'], 'ours'],
    [['sent', 'unknown', 'resolved'], 'ours'],
    [['sent', 'unknown', 'rejected'], 'ours'],
    [[], 'ours'],
  ])('after %j is %s', async (states, expected) => {
    const journal = await testJournal({ host: idleHost });
    await through(journal, await prepared(journal, GUARDED), ...states);
    expect(await found(journal, GUARDED)).toBe(expected);
    journal.close();
  });

  test('stops while the first process has not sent it yet', async () => {
    const journal = await testJournal({ host: busyHost });
    await prepared(journal, GUARDED);
    expect(await found(journal, GUARDED)).toBe('repeated prepared');
    journal.close();
  });

  test.each<[state: OperationState, passedMs: number, expected: string]>([
    ['accepted', GUARD_MS, 'repeated accepted'],
    ['accepted', GUARD_MS + 1, 'ours'],
    ['unknown', 100 * GUARD_MS, 'equal-unknown unknown'],
  ])('that is %s %d ms later: %s', async (state, passedMs, expected) => {
    const clock = fakeClock();
    const journal = await testJournal({ host: idleHost, clock });
    await through(journal, await prepared(journal, GUARDED), 'sent', state);
    clock.pass(passedMs);
    expect(await found(journal, GUARDED)).toBe(expected);
    journal.close();
  });

  test.each([
    [599_999, 'repeated accepted'],
    [600_000, 'repeated accepted'],
    [600_001, 'ours'],
  ])('counts for 10 minutes, as the help says: after %d ms it is %s', async (passedMs, expected) => {
    const clock = fakeClock();
    const journal = await testJournal({ host: idleHost, clock });
    await through(journal, await prepared(journal, GUARDED), 'sent', 'accepted');
    clock.pass(passedMs);
    expect(await found(journal, GUARDED)).toBe(expected);
    journal.close();
  });

  test.each<[string, Partial<Intent>]>([
    ['differs', OTHER],
    ['is sent again on purpose', { isAgain: true }],
    ['is not guarded', { isGuarded: false }],
    ['has a key', { idempotencyKey: 'another' }],
  ])('goes on if it %s', async (_what, change) => {
    const journal = await testJournal({ host: idleHost });
    await through(journal, await prepared(journal, GUARDED), 'sent', 'accepted');
    expect(await found(journal, { ...GUARDED, ...change })).toBe('ours');
    journal.close();
  });

  test.each(['rejected', 'failed', 'not-done', 'abandoned'] as const)(
    'is stopped by an accepted one behind 25 newer ones that are %s',
    async (end) => {
      const clock = fakeClock();
      const journal = await testJournal({ host: idleHost, clock });
      const paid = await prepared(journal, GUARDED);
      await through(journal, paid, 'sent', 'accepted');
      for (let count = 0; count < 25; count++) {
        // Some are of the same moment, so that their order is that of their ids.
        if (count % 2 === 0) clock.pass(1);
        const id = await prepared(journal, { ...GUARDED, isAgain: true });
        if (end === 'rejected') await through(journal, id, 'sent', 'rejected');
        if (end === 'failed') await through(journal, id, 'sent', 'accepted', 'failed');
        if (end === 'not-done') await through(journal, id, 'sent', 'unknown', 'resolved');
      }
      for (const found of [await journal.claim(GUARDED), await journal.findConflict(GUARDED)])
        expect(found).toMatchObject({ kind: 'repeated', operation: { operationId: paid, state: 'accepted' } });
      journal.close();
    },
  );

  test('is found among many newer ones', async () => {
    const clock = fakeClock();
    const journal = await testJournal({ host: idleHost, clock });
    const lost = await prepared(journal, GUARDED);
    await journal.append(lost, 'sent');
    clock.pass(GUARD_MS + 1);
    for (let count = 0; count < 50; count++)
      await through(journal, await prepared(journal, { ...GUARDED, input: `other ${count}` }), 'sent', 'unknown');
    expect(await journal.claim(GUARDED)).toMatchObject({ kind: 'equal-unknown', operation: { operationId: lost } });
    journal.close();
  });
});

describe('an intent equal to one whose outcome is unknown', () => {
  const SENT = { ...OTHER, mayEqual: ({ request }: EarlierRequest) => request === INTENT.request };

  /** A journal with an operation whose outcome is unknown, or whose process still waits for it. */
  async function unknownOutcomes(host = idleHost, intent: Partial<Intent> = KEYED) {
    const clock = fakeClock();
    const journal = await testJournal({ host, clock });
    const id = await prepared(journal, intent);
    await journal.append(id, 'sent');
    return { journal, id, clock };
  }

  test.each<[string, Partial<Intent>]>([
    ['with another key', { idempotencyKey: 'fresh' }],
    ['with --again', { isGuarded: true, isAgain: true }],
    ['of a command that may be repeated', { isGuarded: false }],
  ])('stops %s, whether it was typed alike or only sent alike', async (_how, change) => {
    const { journal, id } = await unknownOutcomes();
    for (const alike of [{ mayEqual: () => false }, SENT]) {
      const intent = { ...INTENT, ...alike, ...change };
      for (const found of [await journal.claim(intent), await journal.findConflict(intent)])
        expect(found).toMatchObject({ kind: 'equal-unknown', operation: { operationId: id } });
    }
    expect(await journal.count()).toBe(1);
    await journal.append(id, 'resolved', { verdict: 'not-done' });
    expect(await found(journal, { ...INTENT, ...SENT, ...change })).toBe('ours');
    journal.close();
  });

  test.each<[string, Partial<Intent>]>([
    ['differs', { ...OTHER, mayEqual: () => false }],
    ['is of another endpoint', { ...SENT, endpoint: 'fees.other' }],
    ['is of another account', { ...SENT, account: { ...INTENT.account, keyFingerprint: 'ffff' } }],
    ['may be sent whatever came before it', OTHER],
    ['was typed with a secret that the journal does not keep', { input: undefined, mayEqual: () => false }],
  ])('is sent if it %s', async (_how, change) => {
    const { journal } = await unknownOutcomes();
    await through(journal, await prepared(journal, { ...INTENT, input: undefined }), 'sent', 'unknown');
    expect(await found(journal, { ...INTENT, ...change })).toBe('ours');
    journal.close();
  });

  test('waits for a process that may know the outcome in a moment, and then is sent', async () => {
    const { journal, id } = await unknownOutcomes(busyHost);
    const intent = { ...INTENT, ...SENT, idempotencyKey: 'fresh' };
    expect(await found(journal, intent)).toBe('busy sent');
    await journal.append(id, 'accepted');
    expect(await found(journal, intent)).toBe('ours');
    journal.close();
  });

  test('does not wait for one process if the outcome of another is unknown', async () => {
    const { journal, id, clock } = await unknownOutcomes(busyHost);
    clock.pass(60_001);
    await journal.append(await prepared(journal, { ...KEYED, ...OTHER, idempotencyKey: 'second' }), 'sent');
    expect(await journal.claim({ ...INTENT, ...SENT, idempotencyKey: 'fresh' })).toMatchObject({
      kind: 'equal-unknown',
      operation: { operationId: id },
    });
    journal.close();
  });

  test('keeps to its own key first', async () => {
    const { journal, id } = await unknownOutcomes();
    const done = await prepared(journal, { ...INTENT, ...OTHER, idempotencyKey: 'done' });
    await through(journal, done, 'sent', 'accepted');
    expect(await found(journal, KEYED)).toBe('unknown-outcome sent');
    expect(await journal.claim({ ...INTENT, ...SENT, idempotencyKey: 'done' })).toMatchObject({
      kind: 'done',
      operation: { operationId: done },
    });
    expect(id).not.toBe(done);
    journal.close();
  });
});

test('looking records nothing', async () => {
  const journal = await testJournal({ host: idleHost });
  await through(journal, await prepared(journal, KEYED), 'sent', 'accepted');
  const before = await journal.verify();
  expect([
    (await journal.findConflict(KEYED))?.kind,
    await journal.findConflict({ ...KEYED, idempotencyKey: 'new' }),
  ]).toEqual(['done', undefined]);
  expect(await journal.verify()).toEqual(before);
  journal.close();
});

test('what was typed is kept as a digest only', async () => {
  const journal = await testJournal({ host: idleHost });
  const id = await prepared(journal, { input: '["users onboard",[["bvn","98765432109"]]]' });
  expect(JSON.stringify(await journal.find(id))).not.toContain('98765432109');
  expect((await journal.find(id))[0]?.inputDigest).toMatch(/^[\w-]{43}$/);
  journal.close();
});

if (journals.engine === 'sqlite') testQueryPlans();
