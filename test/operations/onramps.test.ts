import { beforeEach, describe, expect, test } from 'vitest';
import type { HttpRequest, HttpResponse } from '../../src/base/world.ts';
import { main } from '../../src/main.ts';
import { refusal, success } from '../support/exchange.ts';
import { journalRows } from '../support/journal.ts';
import { ACCOUNT, type FakeWorld, fakeClock, fakeWorld } from '../support/world.ts';

let world: FakeWorld;
const run = (...argv: string[]) => main([...argv, '-q'], world);

async function json(...argv: string[]): Promise<Record<string, unknown>> {
  const before = world.stdout.text().length;
  await run(...argv, '-o', 'json');
  return JSON.parse(world.stdout.text().slice(before)) as Record<string, unknown>;
}

interface Found {
  readonly found: string;
  readonly state: string;
  readonly requestId: string | null;
}

async function reconciled(): Promise<Found | undefined> {
  return ((await json('ops', 'reconcile')) as { operations: Found[] }).operations.at(-1);
}

describe('an onramp whose response was lost, in the sandbox', () => {
  let user: string;
  const start = (amount: string, ...more: string[]) =>
    run('onramp', 'create', user, '--amount', amount, '--yes', ...more);
  const fault = (kind: string) => run('sandbox', 'fault', 'add', '--on', 'transactions.onramp', '--fault', kind);

  beforeEach(async () => {
    world = fakeWorld();
    user = String((await json('users', 'onboard', '22222222221', '--wait', '--yes'))['userId']);
  });

  test('is found by the wallet that it made, beside another one', async () => {
    await start('700');
    await fault('lost-response');
    expect(await start('500')).toBe(6);
    const found = await reconciled();
    expect(found).toMatchObject({ found: 'ended', state: 'accepted' });
    const status = await json('onramp', 'status', found?.requestId ?? '');
    expect(status['amount']).toEqual({ value: '500.000000', asset: 'CNGN' });
  });

  test('is not another one with the same amount that this journal knows', async () => {
    await start('500');
    await fault('lost-request');
    expect(await start('500')).toBe(6);
    expect(await reconciled()).toMatchObject({ found: 'unseen', state: 'unknown' });
  });

  test('is never concluded to be lost: no list shows one before it is paid', async () => {
    await fault('lost-request');
    expect(await start('500')).toBe(6);
    expect(await reconciled()).toMatchObject({ found: 'unseen' });
    await run('sandbox', 'advance', '2h');
    await start('700');
    expect(await reconciled()).toMatchObject({ found: 'unseen', state: 'unknown' });
  });

  test('has failed if its account was not paid in time', async () => {
    await fault('lost-response');
    await start('500');
    await run('sandbox', 'advance', '31m');
    expect(await reconciled()).toMatchObject({ found: 'ended', state: 'failed' });
  });
});

describe('an onramp whose response was lost, on a live account', () => {
  const START_MS = Date.UTC(2026, 0, 5, 9);
  const address = (digit: number) => `0x${String(digit).repeat(40)}`;
  /** Its time says that it was there before, and it was not. */
  const LATE_SEEN = address(7);
  const wallet = (digit: number, afterMs = 1_000) => ({
    walletAddress: address(digit),
    status: 'smart_wallet',
    createdAt: new Date(START_MS + afterMs).toISOString(),
  });
  const onramp = (digit: number, more: object = {}) => ({
    requestId: `r-${digit}`,
    status: 'pending',
    amount: '500000000',
    ...more,
  });

  async function found(
    wallets: readonly ReturnType<typeof wallet>[],
    onramps: readonly { requestId: string }[],
    ...flags: string[]
  ) {
    let isSent = false;
    const answer = ({ url, body }: HttpRequest): HttpResponse => {
      if (url.endsWith('/cngnonramp')) {
        isSent = true;
        return { status: 502, headers: {}, body: '' };
      }
      if (url.endsWith('/listuserwallets')) {
        const shown = wallets.filter(
          ({ createdAt, walletAddress }) => isSent || (Date.parse(createdAt) < START_MS && walletAddress !== LATE_SEEN),
        );
        return success({ wallets: shown, count: shown.length });
      }
      const of = onramps.find(({ requestId }) => body?.includes(address(Number(requestId.slice(2)))));
      return of ? success(of) : refusal(404, '02', 'no onramp');
    };
    world = fakeWorld({ env: ACCOUNT, clock: fakeClock(START_MS), network: async (request) => answer(request) });
    expect(await run('onramp', 'create', 'u-1', '--amount', '500', '--yes', ...flags)).toBe(6);
    const { found: kind, requestId } = (await reconciled()) ?? {};
    expect(journalRows(world.stateDir)).toHaveLength(1);
    return [kind, requestId];
  }

  test.each<[string, ReturnType<typeof wallet>[], { requestId: string }[], string[], string, string | null]>([
    ['one wallet with its amount', [wallet(1)], [onramp(1)], [], 'ended', 'r-1'],
    [
      'the amount in its wallet',
      [wallet(1)],
      [onramp(1, { amount: null, wallet: { amount: '500' } })],
      [],
      'ended',
      'r-1',
    ],
    ['a wallet that no onramp made', [wallet(1), wallet(2)], [onramp(2)], [], 'ended', 'r-2'],
    ['another amount', [wallet(1)], [onramp(1, { amount: '500000001' })], [], 'unseen', null],
    ['no amount', [wallet(1)], [onramp(1, { amount: null })], [], 'several', null],
    ['two wallets', [wallet(1), wallet(2)], [onramp(1), onramp(2)], [], 'several', null],
    ['a wallet of yesterday', [wallet(1, -86_400_000)], [onramp(1)], [], 'unseen', null],
    ['a wallet of two days ago that was not there before', [wallet(7, -172_800_000)], [onramp(7)], [], 'several', null],
    ['another route', [wallet(1)], [onramp(1, { wallet: { sweepToOfframp: false } })], ['--sweep'], 'unseen', null],
    [
      'another owner',
      [wallet(1)],
      [onramp(1, { wallet: { owner: address(9) } })],
      ['--owner', address(8)],
      'unseen',
      null,
    ],
  ])('is looked for: %s', async (_what, wallets, onramps, flags, kind, requestId) => {
    expect(await found(wallets, onramps, ...flags)).toEqual([kind, requestId]);
  });
});
