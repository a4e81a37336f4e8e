import { describe, expect, test } from 'vitest';
import { journalMoments, type Recorded } from '../../src/copy/questions/known.ts';
import { eventMoments, paymentMoments } from '../../src/copy/questions/story.ts';
import { meaningOf } from '../../src/copy/questions/typed.ts';
import { thingNamed as kindNamed } from '../../src/things/index.ts';
import type { InboxEvent } from '../../src/webhooks/inbox/events.ts';
import { deposit } from './copy.ts';

const AT = '2026-01-05T09:00:00.000Z';

const operation = (authority: unknown): Recorded =>
  ({
    operation: { authority, runBy: 'carol', host: 'host-3', createdAt: AT, summary: 'withdraw ₦900.00' },
    transitions: [
      { state: 'prepared', at: AT, host: 'host-3', requestId: null, detail: null, result: null },
      { state: 'accepted', at: AT, host: 'host-3', requestId: 'w-1', detail: null, result: null },
      { state: 'failed', at: AT, host: 'host-3', requestId: 'w-1', detail: 'the bank is closed', result: null },
    ],
  }) as unknown as Recorded;

const told = (moments: readonly { readonly what: string }[]) => moments.map(({ what }) => what);

describe('what the journal tells', () => {
  test('is who planned, signed and applied it, and how it ended', () => {
    const signer = (name: string, role: string) => ({ name, role, keyFingerprint: 'f', signedAt: AT });
    const author = { user: 'ada', host: 'host-1', approver: 'ada' };
    const moments = journalMoments([
      operation({ plan: 'h', author, signers: [signer('ada', 'author'), signer('bola', 'signer')] }),
    ]);
    expect(told(moments)).toEqual([
      'the plan was approved by ada, its author',
      'the plan was approved by bola',
      'applied by carol on host-3, planned by ada on host-1: withdraw ₦900.00',
      'accepted by the service as w-1',
      'failed; the bank is closed',
    ]);
    expect(moments.at(-1)?.reason).toBe('the bank is closed');
  });

  test('is who ran it if there was no plan', () => {
    expect(told(journalMoments([operation(null)]))[0]).toBe('run by carol on host-3: withdraw ₦900.00');
  });
});

describe('what the inbox tells', () => {
  const event = (more: Partial<InboxEvent>): InboxEvent =>
    ({
      id: 7n,
      mark: 'event',
      event: 'fintech.offramp.failed',
      text: null,
      copies: 0,
      forwards: [],
      happenedAt: AT,
      receivedAtMs: 0,
      ...more,
    }) as InboxEvent;
  const forward = (state: string, more: object = {}) => ({
    target: 'https://user:pass@hook.test/a?token=1',
    state,
    attempts: 1,
    status: null,
    problem: null,
    dueAtMs: 0,
    ...more,
  });

  test('is where an event went, without the secrets of the target', () => {
    const forwards = [forward('acknowledged'), forward('dead', { attempts: 9, problem: 'HTTP 500' })];
    expect(told(eventMoments([event({ copies: 2, forwards: forwards as never })]))).toEqual([
      'event fintech.offramp.failed (no. 7); delivered 3 times; forwarded to https://***@hook.test/a?***; given up for https://***@hook.test/a?*** after 9 attempts (HTTP 500)',
    ]);
  });

  test.each([
    ['{"data":{"refundReason":"bvn_name_mismatch"}}', 'the sender’s name is not the user’s'],
    ['{"data":{"error":{"message":"the account is closed"}}}', 'the account is closed'],
    ['{"data":{}}', undefined],
    ['[]', undefined],
  ])('is the reason in %s', (text, reason) => {
    expect(eventMoments([event({ text })])[0]?.reason).toBe(reason);
  });
});

describe('the payments for an onramp', () => {
  const paid = (id: string, value: string, status: string, createdAt: string) => ({
    kind: kindNamed('deposit'),
    id,
    status,
    createdAt,
    changedAt: AT,
    deletedAt: null,
    matchedBy: [],
    rank: 3,
    row: deposit(id, { amount: { value, asset: 'NGN' }, status, createdAt }) as never,
  });
  const due = {
    total: { asset: 'NGN', minor: 510_000n } as const,
    expiresAtMs: Date.parse('2026-01-05T09:30:00.000Z'),
  };

  test.each([
    ['a wrong sum', '5000.00', 'failed', AT, 'but exactly ₦5,100.00 is due; the service refunds it'],
    ['a late one', '5100.00', 'failed', '2026-01-05T09:30:00.000Z', 'but too late; the service refunds it'],
    ['the right one', '5100.00', 'completed', AT, 'arrived; status: completed'],
  ])('say what becomes of %s', (_, value, status, at, says) => {
    expect(told(paymentMoments([paid('d1', value, status, at)], due))[0]).toContain(says);
  });

  test('say that a second one came after the right one', () => {
    const all = [paid('d1', '5100.00', 'completed', AT), paid('d2', '5100.00', 'failed', '2026-01-05T09:01:00.000Z')];
    expect(told(paymentMoments(all, due))[1]).toContain('but the account was paid before; the service refunds it');
  });
});

describe('what a status means', () => {
  const means = (kind: string, status: string | undefined, more: object = {}) =>
    meaningOf({
      thing: kindNamed(kind),
      id: 'ID',
      status,
      sinceMs: Number.NaN,
      nowMs: 0,
      reason: undefined,
      ...more,
    });

  test.each([
    ['user', undefined, undefined],
    ['payout', 'completed', 'has completed'],
    ['payout', 'reversed', 'has failed (reversed): the bank sent it back'],
    ['transfer', 'pending', 'waits for the service; nothing to do'],
    [
      'onramp',
      'pending',
      'waits for its payment; what to pay: fiatrail onramp account ID; `fiatrail onramp status ID --wait` follows it',
    ],
    [
      'deposit',
      'failed',
      'has failed: its sum, its time or the name of its sender was not accepted; the service returns it to the bank account that it came from',
    ],
  ])('of a %s that is %s', (kind, status, words) => {
    expect(means(kind, status)).toBe(words);
  });

  test('says since when, and why', () => {
    expect(means('swap', 'queued', { sinceMs: -7_200_000 })).toContain('waits for its tokens to be swapped (for 2 h);');
    expect(means('trade', 'expired', { reason: 'too slow' })).toBe('has failed (expired): too slow');
  });
});
