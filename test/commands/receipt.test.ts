import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ExchangeError } from '../../src/base/errors.ts';
import type { Exchange, HttpResponse } from '../../src/base/world.ts';
import { main } from '../../src/main.ts';
import { copied, payout as payoutRow, SYNCED_AT } from '../questions/copy.ts';
import { html, refusal, success } from '../support/exchange.ts';
import { ACCOUNT, type FakeWorld, fakeWorld } from '../support/world.ts';

const ID = '019c1e65-0001-7f57-8081-a4b5162738f9';
const HASH = `0x${'5e'.repeat(32)}`;
const CREATED = '2026-01-04T10:00:00.000Z';
const PAID = '2026-01-04T10:02:00.000Z';

type Fields = Readonly<Record<string, unknown>>;

const status = (more: Fields = {}) => ({
  requestId: ID,
  status: 'completed',
  amount: 700.5,
  currency: 'NGN',
  bankAccount: { accountNumber: '0123456789', accountName: 'BOLA EZE', bankName: 'GUARANTY TRUST BANK' },
  transferDetails: { txHash: HASH, status: 'confirmed' },
  payoutDetails: { reference: 'bank-1', status: 'completed' },
  initiatedAt: CREATED,
  completedAt: PAID,
  ...more,
});

const row = (more: Fields = {}) => ({
  id: ID,
  type: 'fintech_offramp',
  amount: 700.5,
  currency: 'NGN',
  status: 'completed',
  bankAccount: { accountNumber: '0123456789', accountName: 'BOLA EZE', bankName: 'GUARANTY TRUST BANK' },
  processingFee: 2.1,
  totalDeducted: 702.6,
  payoutReference: 'bank-1',
  transferTxHash: HASH,
  createdAt: CREATED,
  completedAt: PAID,
  ...more,
});

interface Said {
  readonly status?: HttpResponse | Error;
  readonly rows?: readonly Fields[] | HttpResponse;
  readonly withdrawals?: readonly Fields[];
}

const UNKNOWN = refusal(404, '02', 'Not found');

/** A service that says this of a payout, and of nothing else. */
const service =
  ({ status: stated = UNKNOWN, rows = [], withdrawals = [] }: Said): Exchange =>
  async ({ url }) => {
    const { pathname, searchParams } = new URL(url);
    if (pathname.endsWith('/getofframpstatus')) {
      if (stated instanceof Error) throw stated;
      return searchParams.get('requestId') === ID ? stated : UNKNOWN;
    }
    if (pathname.endsWith('/payouts')) return 'body' in rows ? rows : success({ payouts: rows, total: rows.length });
    if (pathname.endsWith('/withdrawals')) return success({ withdrawals, total: withdrawals.length });
    if (pathname.endsWith('/getfintechwallet')) return success({ fintechName: 'Harmattan Pay' });
    const list = /\/(deposits|swaphistory|fx\/trades|getwithdrawalhistory|bridge\/history)$/.exec(pathname)?.[1];
    const named: Fields = { deposits: 'deposits', swaphistory: 'swaps', 'fx/trades': 'trades' };
    if (list === 'getwithdrawalhistory') return success({ withdrawals: [] });
    if (list === 'bridge/history') return success({ transactions: [] });
    return list ? success({ [String(named[list])]: [], count: 0 }) : UNKNOWN;
  };

const worldOf = (said: Said): FakeWorld => fakeWorld({ network: service(said), env: ACCOUNT });

async function receipt(world: FakeWorld, ...words: string[]) {
  const code = await main(['receipt', '-q', '-o', 'json', ...words], world);
  const [out, err] = [world.stdout.text(), world.stderr.text()];
  const line = err.split('\n').find((each) => each.startsWith('{'));
  return { code, receipt: out === '' ? undefined : JSON.parse(out), err, error: line && JSON.parse(line).error };
}

const GOOD: Said = { status: success(status()), rows: [row()] };

describe('a payout that completed', () => {
  test('is proved with what the service says of it now', async () => {
    const { code, receipt: found } = await receipt(worldOf(GOOD), ID);
    expect(code).toBe(0);
    expect(found).toMatchObject({
      document: 'receipt',
      kind: 'payout',
      outcome: 'completed',
      isFinal: true,
      finalSince: PAID,
      amount: [
        { value: '700.50', asset: 'NGN' },
        { value: '700.500000', asset: 'CNGN' },
      ],
      party: 'to BOLA EZE',
      fee: { value: '2.10', asset: 'NGN' },
      issuer: { name: 'Harmattan Pay', mode: 'live', service: ACCOUNT.FIATRAIL_BASE_URL },
      source: 'service',
      notice: null,
      zone: 'Africa/Lagos',
    });
    expect(found.references).toEqual([
      { title: 'ID', value: ID, checkedAt: 'account' },
      { title: 'Tx hash', value: HASH, checkedAt: 'network' },
      { title: 'Bank reference', value: 'bank-1', checkedAt: 'bank' },
    ]);
  });

  test('shows the last digits of the account alone, and names nobody else', async () => {
    const world = worldOf(GOOD);
    const { receipt: found } = await receipt(world, ID);
    expect(found.details).toContainEqual({ title: 'Account number', value: '******6789' });
    expect(world.stdout.text()).not.toContain('0123456789');
  });

  test('masks numbers in what someone wrote, and no reference', async () => {
    const bankAccount = {
      accountNumber: '0123456789',
      accountName: 'BOLA 0123 456 789 EZE 12345678901',
      bankName: 'BANK',
    };
    const said = {
      status: success(status({ bankAccount, payoutDetails: { reference: '1234567890' } })),
      rows: [row({ bankAccount })],
    };
    const { receipt: found } = await receipt(worldOf(said), ID);
    expect(found.party).toBe('to BOLA ******6789 EZE ***********');
    expect(found.references.at(-1).value).toBe('1234567890');
  });

  test('has no fee that the service does not state', async () => {
    const { receipt: found } = await receipt(worldOf({ ...GOOD, rows: [row({ processingFee: null })] }), ID);
    expect(found.fee).toEqual({ value: null, asset: 'NGN', known: { is: 'no', why: 'FEE_NOT_STATED', since: null } });
    expect(found.feeUnknown).toBe('not known: the service does not state it');
  });

  test('is found by its hash and its bank reference, without a copy', async () => {
    for (const reference of [HASH, 'bank-1']) {
      const { code, receipt: found } = await receipt(worldOf(GOOD), reference);
      expect([code, found?.id]).toEqual([0, ID]);
    }
  });
});

describe('nothing is called final that is not', () => {
  test.each([
    [
      'it goes on',
      { status: success(status({ status: 'payout_processing', completedAt: null })), rows: [] },
      'waits for the bank to pay',
    ],
    [
      'its state is one that nobody documented',
      { status: success(status({ status: 'paused' })), rows: [] },
      'not final',
    ],
    ['no status is stated', { status: success(status({ status: null })), rows: [] }, 'states no status'],
    [
      'its list says something else',
      { ...GOOD, rows: [row({ status: 'processing' })] },
      'status is completed, status is processing',
    ],
    ['its list failed', { ...GOOD, rows: [row({ status: 'failed' })] }, 'status is failed'],
    [
      'a part of it failed',
      { ...GOOD, status: success(status({ payoutDetails: { status: 'failed' } })) },
      'payoutDetails.status is failed',
    ],
    [
      'two sums are stated',
      { ...GOOD, rows: [row({ amount: 7005, totalDeducted: 7010 })] },
      'amount is ₦700.50 and ₦7,005.00',
    ],
    ['the list has it twice', { ...GOOD, rows: [row(), row({ status: 'pending' })] }, 'contradicts itself'],
  ] satisfies readonly [string, Said, string][])('because %s', async (_why, said, why) => {
    const { code, receipt: found, error } = await receipt(worldOf(said), ID);
    expect(code).toBe(8);
    expect(found).toMatchObject({ document: 'status report', outcome: 'open', isFinal: false, finalSince: null });
    expect(found.says).toContain('not final');
    expect(error).toMatchObject({ code: 'NOT_FINAL', category: 'pending', message: found.says });
    expect(found.says).toContain(why);
  });

  test('a failed one says so', async () => {
    const said = {
      status: success(status({ status: 'failed', payoutDetails: { status: 'failed' } })),
      rows: [row({ status: 'failed', completedAt: null })],
    };
    const { code, receipt: found } = await receipt(worldOf(said), ID);
    expect(code).toBe(3);
    expect(found).toMatchObject({ document: 'status report', outcome: 'failed', isFinal: false });
    expect(found.says).toContain('the payout has failed');
  });

  test('one that came back says both', async () => {
    const said = { status: success(status({ status: 'reversed' })), rows: [row({ status: 'failed' })] };
    const { code, receipt: found, error } = await receipt(worldOf(said), ID);
    expect(code).toBe(3);
    expect(error.code).toBe('RETURNED');
    expect(found).toMatchObject({ outcome: 'returned', isFinal: false, completedAt: PAID, finalSince: null });
    expect(found.says).toBe('the payout had completed, and came back: the bank sent it back');
  });
});

describe('a copy on this machine', () => {
  const copiedWorld = async (said: Said) => {
    const world = worldOf(said);
    await copied(world, { payouts: [payoutRow(ID)] });
    return world;
  };

  test('proves nothing if the service cannot be asked', async () => {
    const world = await copiedWorld({ status: new ExchangeError('the connection was refused', false) });
    const { code, receipt: found, err } = await receipt(world, ID);
    expect(code).toBe(5);
    expect(found).toMatchObject({
      document: 'status report',
      outcome: 'unconfirmed',
      isFinal: false,
      source: 'copy',
      asOf: SYNCED_AT,
    });
    expect(found.says).toContain('the last status that this machine knows is completed');
    expect(err).toContain('This was not read from the service now, but from the copy of this machine');
  });

  test('proves nothing if the service does not show it any more', async () => {
    const { code, receipt: found } = await receipt(await copiedWorld({}), ID);
    expect([code, found.outcome]).toEqual([3, 'unconfirmed']);
  });

  test('is said to be old where a list cannot be read, and its status can', async () => {
    const { code, receipt: found } = await receipt(await copiedWorld({ ...GOOD, rows: html(502) }), ID);
    expect([code, found.outcome, found.source]).toEqual([0, 'completed', 'service']);
    expect(found.warnings).toEqual([expect.stringContaining(`from a copy of ${SYNCED_AT}`)]);
  });

  test('adds no sum to those that the service states', async () => {
    const { receipt: found } = await receipt(await copiedWorld(GOOD), ID);
    expect(found.amount).toEqual([
      { value: '700.50', asset: 'NGN' },
      { value: '700.500000', asset: 'CNGN' },
    ]);
  });

  test('knows that what has failed had completed', async () => {
    const said = {
      status: success(status({ status: 'failed', completedAt: null })),
      rows: [row({ status: 'failed', completedAt: null })],
    };
    const { code, receipt: found } = await receipt(await copiedWorld(said), ID);
    expect(code).toBe(3);
    expect(found).toMatchObject({ outcome: 'returned', isFinal: false, completedAt: PAID });
    expect(found.says).toContain('the payout had completed, and came back');
  });

  test('finds it by its start', async () => {
    const world = worldOf(GOOD);
    await copied(world, { payouts: [payoutRow(ID)] });
    expect((await receipt(world, ID.slice(0, 13))).receipt.id).toBe(ID);
  });

  test('is asked which of several is meant', async () => {
    const world = worldOf(GOOD);
    await copied(world, { payouts: [payoutRow(ID), payoutRow(ID.replace('0001', '0002'))] });
    const { code, receipt: found, error } = await receipt(world, ID.slice(0, 8));
    expect([code, found]).toEqual([2, undefined]);
    expect(error).toMatchObject({
      code: 'AMBIGUOUS',
      message: expect.stringContaining(`payout ${ID}`),
    });
  });
});

describe('bad input', () => {
  test.each([
    ['an id of nothing', ['no-such-id-1'], 3, 'NOT_FOUND'],
    ['what may be a BVN', ['12345678901'], 2, 'MAY_BE_BVN'],
    ['--replace alone', [ID, '--replace'], 2, 'USAGE'],
  ])('%s', async (_what, words, exit, name) => {
    const world = worldOf(GOOD);
    const { code, receipt: found, err, error } = await receipt(world, ...words);
    expect([code, found]).toEqual([exit, undefined]);
    expect(error.code).toBe(name);
    if (name === 'MAY_BE_BVN') expect(err).not.toContain('12345678901');
  });
});

describe('a page', () => {
  const page = async (said: Said, ...words: string[]) => {
    const world = worldOf(said);
    const path = join(world.homeDir, 'receipt.html');
    const { code, err } = await receipt(world, ID, '--html', path, ...words);
    return { code, err, path, text: existsSync(path) ? readFileSync(path, 'utf8') : undefined };
  };

  test('has what the receipt has, loads nothing and runs nothing', async () => {
    const { code, text = '' } = await page(GOOD);
    expect(code).toBe(0);
    expect(text).toContain('<html lang="en">');
    expect(text).toContain('<title>Payout receipt · ₦700.50 · Harmattan Pay</title>');
    expect(text).toContain('******6789');
    expect(text).toContain('2026-01-04 11:02:00 +01');
    expect(text).not.toContain('0123456789');
    expect(text).not.toMatch(/<script|<link|<img|<iframe|\bsrc=|\bhref=|url\(|@import|\son\w+=/i);
  });

  test('has no markup and no hidden characters of others', async () => {
    const evil = `</dd><script>alert(1)</script><img src=x onerror="x">&amp;'\u202egnp\u200b`;
    const bankAccount = { accountNumber: '0123456789', accountName: evil, bankName: evil };
    const said = {
      status: success(status({ bankAccount, payoutDetails: { reference: evil } })),
      rows: [row({ bankAccount, payoutReference: evil })],
    };
    const { code, text = '' } = await page(said);
    expect(code).toBe(0);
    expect(text).not.toMatch(/<script|<img|[\u202e\u200b]/);
    expect(text).toContain(
      '&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=&quot;x&quot;&gt;&amp;amp;&#39;gnp',
    );
  });

  test('of something that is not final says so in its title', async () => {
    const { code, text = '' } = await page({ status: success(status({ status: 'processing' })), rows: [] });
    expect(code).toBe(8);
    expect(text).toContain('<title>Payout status report');
    expect(text).toContain('Not final');
    expect(text).not.toMatch(/receipt|Completed<\/p>/);
  });

  test('replaces no file unless that is asked for', async () => {
    const world = worldOf(GOOD);
    const path = join(world.homeDir, 'receipt.html');
    writeFileSync(path, 'mine');
    const refused = await receipt(world, ID, '--html', path);
    expect(refused.code).toBe(2);
    expect(refused.error).toMatchObject({
      code: 'UNUSABLE_FILE',
      hint: 'give another file, or add --replace',
    });
    expect(readFileSync(path, 'utf8')).toBe('mine');
    const again = worldOf(GOOD);
    expect((await receipt(again, ID, '--html', path, '--replace')).code).toBe(0);
    expect(readFileSync(path, 'utf8')).toContain('Harmattan Pay');
  });

  test('is written to no folder, and into none that does not exist', async () => {
    const world = worldOf(GOOD);
    const folder = join(world.homeDir, 'folder');
    mkdirSync(folder);
    for (const path of [folder, join(world.homeDir, 'none', 'receipt.html')]) {
      const { code, error } = await receipt(worldOf(GOOD), ID, '--html', path, '--replace');
      expect([code, error.code]).toEqual([2, 'UNUSABLE_FILE']);
    }
  });

  test('masks names too with --mask', async () => {
    const { text = '' } = await page(GOOD, '--mask');
    expect(text).not.toContain('BOLA EZE');
    expect(text).not.toContain('0123456789');
    expect(text).toContain('₦700.50');
  });
});
