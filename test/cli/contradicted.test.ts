import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { HttpRequest } from '../../src/base/world.ts';
import { openJournal } from '../../src/journal/open.ts';
import { main } from '../../src/main.ts';
import { success } from '../support/exchange.ts';
import { journalRows } from '../support/journal.ts';
import { ACCOUNT, fakeWorld } from '../support/world.ts';

const A = '0x52908400098527886E0F7030069857D2E4169EE7';
const B = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';
const TRANSFER = ['transfers', 'create', '--amount', '7.5', '--to', A, '--yes', '-q'];

/** A service that answers the changes in turn, and every read with `read`. */
function account(answers: readonly object[], read: (url: string) => object = () => ({})) {
  const sent: string[] = [];
  const world = fakeWorld({
    env: ACCOUNT,
    network: async ({ method, url }: HttpRequest) => {
      if (method === 'GET' || url.endsWith('/listuserwallets')) return success(read(url));
      sent.push(url);
      return success(answers[sent.length - 1] ?? answers.at(-1));
    },
  });
  const run = async (...argv: readonly string[]) => {
    const before = [world.stdout.text().length, world.stderr.text().length] as const;
    const code = await main(argv, world);
    return { code, out: world.stdout.text().slice(before[0]), err: world.stderr.text().slice(before[1]) };
  };
  const states = () => journalRows(world.stateDir).map(({ state, request_id }) => [state, request_id]);
  return { run, sent, states, world };
}

const OTHER = { requestId: 'tr-1', amount: '75000000', ticker: 'USDC', destinationAddress: B };

describe('a change that is accepted with a response that contradicts it', () => {
  test('ends with 6 and both values, and only a person ends it', async () => {
    const { run, sent, states } = account([OTHER], () => ({
      withdrawals: [
        { ...OTHER, status: 'completed', type: 'fintech_self_transfer', createdAt: '2026-01-05T09:00:00Z' },
      ],
    }));
    const first = await run(...TRANSFER, '--once', 'k');
    expect(first.code).toBe(6);
    expect(first.err).toContain(`asked for destinationAddress ${A}, amount 7.50 cNGN, ticker CNGN`);
    expect(first.err).toContain(`the response says destinationAddress ${B}, amount 75.00 USDC, ticker USDC`);
    expect(states()).toEqual([['unknown', 'tr-1']]);

    const again = await run(...TRANSFER, '--once', 'k');
    expect({ code: again.code, sent: sent.length }).toEqual({ code: 6, sent: 1 });
    expect(again.err).toContain('the response says destinationAddress');
    expect(again.err).toContain('ops resolve');

    const looked = await run('ops', 'reconcile', '-o', 'json');
    expect(looked.code).toBe(6);
    expect(JSON.parse(looked.out).operations).toMatchObject([
      {
        found: 'contradicted',
        contradiction: { asked: expect.stringContaining('7.50 cNGN'), answered: expect.stringContaining('75.00 USDC') },
        advice: expect.stringContaining('accepted, but contradicted'),
        wayOut: expect.arrayContaining([expect.stringContaining('--request-id tr-1')]),
      },
    ]);
    expect((await run('ops', 'list', '--refresh', '-q')).out).toMatch(/75\.00 USDC/);
    expect(states()).toEqual([['unknown', 'tr-1']]);

    const id = JSON.parse((await run('ops', 'show', 'k', '-o', 'json')).out).operationId;
    expect((await run('ops', 'resolve', id, '--not-done', '--reason', 'seen on the chain')).code).toBe(0);
    expect(states()).toEqual([['resolved', 'tr-1']]);
  });

  test('is never ended by what the service says later of the work that it named', async () => {
    const { run, states, world } = account([OTHER]);
    await run(...TRANSFER);
    const journal = await openJournal(join(world.stateDir, 'journal.db'), world);
    try {
      const [operation] = await journal.list({ limit: 1 });
      const id = operation?.operationId ?? '';
      const names = { keyFingerprint: operation?.account ?? '', profile: 'environment', baseUrl: '' };
      await journal.ended({ account: names, endpoints: [operation?.endpoint ?? ''], requestId: 'tr-1' }, 'settled', {});
      expect(await journal.take(id, { requestId: 'tr-1', detail: 'found' })).toBe(false);
      expect(await journal.claimRepeat(id, 1_000)).toBeUndefined();
      for (const state of ['accepted', 'settled', 'failed', 'rejected'] as const)
        await expect(journal.append(id, state)).rejects.toThrow(`cannot become ${state}`);
      await journal.noteSearch(id, { unseenSinceMs: 5 });
      expect((await journal.find(id))[0]?.searchState).toMatchObject({ unseenSinceMs: 5, contradiction: {} });
    } finally {
      await journal.close();
    }
    expect(states()).toEqual([['unknown', 'tr-1']]);
  });

  test('is uncertain also where no journal has it', async () => {
    const { run } = account([
      { accountId: 'a-1', accountNumber: '0210987655', isValidated: true, verifiedAccountName: 'X' },
    ]);
    const added = await run(
      'bank-accounts',
      'add',
      '--account-number',
      '0210987654',
      '--bank-code',
      '000911',
      '--yes',
      '-q',
    );
    expect(added.code).toBe(6);
    expect(added.err).toContain('asked for accountNumber 0210987654; the response says accountNumber 0210987655');
  });
});

describe('a request id that the journal has already', () => {
  const answers = [{ requestId: 'tr-1' }, { requestId: 'tr-1' }];

  test('is the answer to an earlier request, for requests without an idempotency key of the service', async () => {
    const { run, states } = account(answers);
    expect((await run(...TRANSFER)).code).toBe(0);
    const second = await run('transfers', 'create', '--amount', '8', '--to', A, '--yes', '-q');
    expect(second.code).toBe(6);
    expect(second.err).toContain('asked for new work; the response says request id tr-1, which is that of operation');
    expect(states()).toEqual([
      ['accepted', 'tr-1'],
      ['unknown', null],
    ]);
  });

  test('is not recorded a second time where the response also says something else', async () => {
    const { run, states } = account([{ requestId: 'tr-1' }, OTHER]);
    await run(...TRANSFER);
    expect((await run('transfers', 'create', '--amount', '8', '--to', A, '--yes', '-q')).code).toBe(6);
    expect(states().map(([, requestId]) => requestId)).toEqual(['tr-1', null]);
  });

  test('is right where the request itself named it', async () => {
    const { run, states } = account([{ order: { orderId: 'o-1', status: 'active' } }]);
    const update = (price: string) => run('fx', 'orders', 'update', 'o-1', '--price', price, '--yes', '-q');
    expect([(await update('1400')).code, (await update('1500')).code]).toEqual([0, 0]);
    expect(states().map(([state]) => state)).toEqual(['settled', 'settled']);
  });
});

describe('a response that says itself that the work failed', () => {
  test('ends with 3, and keeps the idempotency key', async () => {
    const { run, sent, states } = account([{ requestId: 'tr-1', status: 'failed' }]);
    const failed = await run(...TRANSFER, '--once', 'k');
    expect(failed.code).toBe(3);
    expect(failed.err).toContain('it failed: status is failed');
    expect(states()).toEqual([['failed', 'tr-1']]);
    expect({ code: (await run(...TRANSFER, '--once', 'k')).code, sent: sent.length }).toEqual({ code: 3, sent: 1 });
  });

  test.each([
    ['payout', { requestId: 'p-1', status: 'completed', payoutDetails: { status: 'failed' } }, 3],
    ['payout', { requestId: 'p-1', status: 'processing', payoutDetails: { status: 'failed' } }, 3],
    ['payout', { requestId: 'p-1', status: 'completed', payoutDetails: { status: 'completed' } }, 0],
  ])('%s status %j ends with %i', async (noun, data, code) => {
    expect((await account([], () => data).run(noun, 'status', 'p-1', '-q')).code).toBe(code);
  });

  test('ends a wait, and is recorded as failed', async () => {
    const { run, states } = account([{ requestId: 'p-1', status: 'pending' }], (url) =>
      url.includes('/getofframpstatus')
        ? { requestId: 'p-1', status: 'completed', payoutDetails: { status: 'failed' } }
        : {},
    );
    const started = await run('payout', 'create', '--amount', '5', '--to', 'b-1', '--yes', '-q', '--wait', '5s');
    expect(started.code).toBe(3);
    expect(started.err).toContain('the payout failed: payoutDetails.status is failed');
    expect(states()).toEqual([['failed', 'p-1']]);
  });

  test('ends with 3 for a bank account that was not verified', async () => {
    const { run } = account([{ accountId: 'a-1', isValidated: 'false' }]);
    const added = await run(
      'bank-accounts',
      'add',
      '--account-number',
      '0210987654',
      '--bank-code',
      '000911',
      '--yes',
      '-q',
    );
    expect(added).toMatchObject({ code: 3, err: expect.stringContaining('isValidated is false') });
  });

  test.each<[isValidated: boolean, exit: number]>([
    [false, 3],
    [true, 0],
  ])(
    'ends with its own exit code where one bank account is shown: isValidated %s ends with %i',
    async (isValidated, exit) => {
      const shown = { accountId: 'a-1', accountNumber: '0210987654', isValidated };
      const { run } = account([], () => ({ accounts: [shown] }));
      const { code, out, err } = await run('bank-accounts', 'show', 'a-1', '-q', '-o', 'json');
      expect({ code, data: JSON.parse(out) }).toMatchObject({ code: exit, data: shown });
      expect(err.includes('accounts.isValidated is false')).toBe(exit === 3);
      expect((await run('bank-accounts', 'list', '-q')).code).toBe(0);
    },
  );

  test('says nothing in a list', async () => {
    const { run } = account([], () => ({ payouts: [{ id: 'p-1', status: 'failed' }], total: 1, hasMore: false }));
    expect((await run('history', 'payouts', '-q')).code).toBe(0);
  });

  test.each(['failed', 'FAILED', 'expired'])(
    'ends the wait for a trade whose fields stand flat: %s',
    async (status) => {
      const data = { tradeId: 't-1', pair: 'CNGN-USDC', side: 'buy', cngnAmount: '5000', price: '1400', status };
      const { run } = account([], () => data);
      const shown = await run('fx', 'trades', 'status', 't-1', '--wait', '5s', '-q');
      expect(shown.code).toBe(3);
    },
  );
});
