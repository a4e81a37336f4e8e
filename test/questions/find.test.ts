import { describe, expect, test } from 'vitest';
import type { Exchange } from '../../src/base/world.ts';
import { main } from '../../src/main.ts';
import { refusal, success } from '../support/exchange.ts';
import { ACCOUNT, type Answer, type FakeWorld, fakeWorld } from '../support/world.ts';
import { copied, deposit, payout, SYNCED_AT, USER } from './copy.ts';

const naira = (value: string) => ({ value, asset: 'NGN' });

interface Setting {
  readonly rows?: Parameters<typeof copied>[1];
  readonly network?: Exchange;
  readonly answers?: readonly Answer[];
  readonly stdin?: string;
  readonly format?: 'json' | 'table';
}

/** Runs `find` in an account whose local copy has these rows. */
async function find(argv: readonly string[], { rows, format = 'json', answers, ...more }: Setting = {}) {
  const world = fakeWorld({
    env: ACCOUNT,
    isTerminal: answers !== undefined,
    ...(answers ? { answers } : {}),
    ...more,
  });
  if (rows) await copied(world, rows);
  const code = await main(['find', ...argv, '-o', format, '-q'], world);
  return { code, world, ...printedBy(world, format) };
}

function printedBy(world: FakeWorld, format: string) {
  const out = world.stdout.text();
  const data = format === 'json' && out !== '' ? JSON.parse(out) : undefined;
  const error = world.stderr.text();
  return { out, data, error };
}

const ROWS = {
  users: [USER],
  deposits: [deposit('d1'), deposit('d2', { amount: naira('20.00'), depositor: { name: 'CHIDI ADENIYI' } })],
  payouts: [
    payout('p1'),
    payout('p2', { status: 'processing', completedAt: null, createdAt: '2026-01-05T07:00:00.000Z' }),
  ],
};

describe('what is known on this machine', () => {
  test('needs no request if it can no longer change', async () => {
    const { code, data } = await find(['p1'], { rows: ROWS });
    expect(code).toBe(0);
    expect(data).toMatchObject({ kind: 'payout', id: 'p1', status: 'completed', means: 'has completed' });
    expect(data.amount).toEqual(naira('700.00'));
    expect(data.timeline.map(({ what }: { what: string }) => what)).toEqual([
      'requested: ₦700.00 for BOLA EZE',
      'completed',
    ]);
    expect(data.next).toEqual([{ command: 'fiatrail payout status p1' }]);
  });

  test('is asked for again while it goes on, at its own endpoint only', async () => {
    const urls: string[] = [];
    const network: Exchange = async ({ url }) => {
      urls.push(new URL(url).pathname);
      return success({ requestId: 'p2', status: 'pending_manual_review', initiatedAt: '2026-01-05T07:00:00.000Z' });
    };
    const { data } = await find(['p2'], { rows: ROWS, network });
    expect(urls).toEqual(['/v1/getofframpstatus']);
    expect(data.means).toBe(
      'waits for a manual review by the service (for 2 h); nothing to do; `fiatrail payout status p2 --wait` follows it',
    );
  });

  test('is told as it was if the service does not answer, with a warning', async () => {
    const network: Exchange = async () => ({ status: 503, headers: {}, body: '' });
    const { code, data, error } = await find(['p2'], { rows: ROWS, network });
    expect({ code, status: data.status }).toEqual({ code: 0, status: 'processing' });
    expect(error).toMatch(/^warning: this may be out of date: /);
  });

  test('is found by parts of a name without their marks, and what belongs to a user is told with the user', async () => {
    expect((await find(['ade', 'obi'], { rows: ROWS })).data).toMatchObject({ kind: 'user', id: 'user-0001' });
    const { data } = await find(['user-0001'], { rows: ROWS });
    const told = data.timeline.map(({ what }: { what: string }) => what);
    expect(told).toContain('deposit d1: ₦5,100.00 from ADÉ MUSA OBI, completed');
    expect(told).toContain('deposit d2: ₦20.00 from CHIDI ADENIYI, completed');
  });

  test('says whose it is, by whichever of its fields names the user', async () => {
    const byWallet = deposit('d3', { userId: null, walletAddress: USER.wallets.evm });
    const rows = { ...ROWS, deposits: [...ROWS.deposits, byWallet] };
    const network: Exchange = async () => ({ status: 503, headers: {}, body: '' });
    for (const id of ['d1', 'd3'])
      expect((await find([id], { rows, network })).data.user).toMatchObject({ userId: USER.userId });
  });

  test('is listed if several match, newest first', async () => {
    const { code, data } = await find(['ade'], { rows: { deposits: ROWS.deposits, users: [] } });
    expect(code).toBe(0);
    expect(data.matches.map(({ id, who }: { id: string; who: string }) => [id, who])).toEqual([
      ['d1', 'ADÉ MUSA OBI'],
      ['d2', 'CHIDI ADENIYI'],
    ]);
  });

  test('can be picked on a terminal', async () => {
    const answers: Answer[] = [
      { kind: 'search', asks: 'Which one?', says: 'payout · ₦700.00 · BOLA EZE', types: 'completed' },
    ];
    const { out } = await find(['₦700'], { rows: ROWS, answers, format: 'table' });
    expect(out).toMatch(/Kind\S* +payout\n.*ID\S* +p1\n/);
  });

  test('is not listed if too many names have the part', async () => {
    const many = Array.from({ length: 501 }, (_, at) => deposit(`d${at}`, { depositor: { name: `OBI ${at}` } }));
    const { code, error } = await find(['obi'], { rows: { deposits: many } });
    expect({ code, error: JSON.parse(error).error.code }).toEqual({ code: 2, error: 'TOO_COMMON' });
  });

  test('says that the service no longer lists a row', async () => {
    const world = fakeWorld({ env: ACCOUNT });
    await copied(world, { payouts: [payout('p1')] });
    const { DatabaseSync } = await import('node:sqlite');
    const { readdirSync } = await import('node:fs');
    const file = readdirSync(world.stateDir).find((name) => /^copy-.*\.db$/.test(name));
    const database = new DatabaseSync(`${world.stateDir}/${file}`);
    database.exec(`UPDATE stored_payouts SET deleted_at = '2026-01-05T08:00:00.000Z'`);
    database.close();
    await main(['find', 'p1', '-o', 'json', '-q'], world);
    expect(JSON.parse(world.stdout.text()).timeline.at(-1)).toMatchObject({
      what: 'the service no longer lists it',
      at: '2026-01-05T08:00:00.000Z',
    });
  });
});

describe('a user', () => {
  const userId = 'user-0001';
  const onramped = { walletAddress: `0x${'b'.repeat(40)}` };
  const rows = {
    users: [USER],
    deposits: [deposit('d1', onramped)],
    payouts: [payout('o1', { type: 'user_offramp', sourceWalletAddress: onramped.walletAddress })],
    swaps: [
      {
        requestId: 'swap-1',
        status: 'failed',
        amountIn: { value: '5.000000', asset: 'CNGN' },
        smartWalletAddress: onramped.walletAddress,
        createdAt: '2026-01-04T11:00:00.000Z',
      },
    ],
  };

  test('is told with the offramps and swaps of its onramp’s wallet, and they with the user', async () => {
    const { data } = await find([userId], { rows });
    const told = data.timeline.map(({ what }: { what: string }) => what);
    expect(told).toContain('offramp o1: ₦700.00 to BOLA EZE, completed');
    expect(told.join('; ')).toContain('swap swap-1');
    for (const id of ['o1', 'swap-1']) expect((await find([id], { rows })).data.user).toMatchObject({ userId });
  });

  test('is told as inactive since the sync that saw it, with the command that activates it', async () => {
    const world = fakeWorld({ env: ACCOUNT });
    await copied(world, rows);
    await copied(world, { users: [{ ...USER, isActive: false }] });
    await main(['find', userId, '-o', 'json', '-q'], world);
    const { timeline, next } = printedBy(world, 'json').data;
    expect(timeline).toContainEqual({ at: SYNCED_AT, what: 'status: inactive', source: 'copy' });
    const commands = next.map(({ command }: { command: string }) => command).join('; ');
    expect(commands).toContain(`users activate ${userId}`);
    expect(commands).not.toContain('onramp create');
  });

  test('is read anew if the copy is old, since someone may have deactivated it', async () => {
    const urls: string[] = [];
    const network: Exchange = async ({ url }) => {
      urls.push(new URL(url).pathname);
      return success({ userId, isActive: false });
    };
    const world = fakeWorld({ env: ACCOUNT, network });
    await copied(world, rows);
    const told = async () => {
      const before = world.stdout.text().length;
      expect(await main(['find', userId, '-o', 'json', '-q'], world)).toBe(0);
      return JSON.parse(world.stdout.text().slice(before)).row.isActive;
    };
    expect([await told(), urls]).toEqual([true, []]);
    await world.clock.sleep(60_000, new AbortController().signal);
    expect([await told(), urls]).toEqual([false, ['/v1/getuserdetails']]);
  });
});

describe('pages', () => {
  const rows = {
    deposits: Array.from({ length: 45 }, (_, at) =>
      deposit(`d${at + 10}`, { userId: null, createdAt: new Date(Date.UTC(2026, 0, 1, 0, at)).toISOString() }),
    ),
  };
  const ids = (data: { matches: { id: string }[] }) => data.matches.map(({ id }) => id);

  test('follow each other to the end, and --all prints them as one', async () => {
    const pages: string[][] = [];
    for (let after: string | null = ''; after !== null; ) {
      const { data } = await find(['N5,100', '--limit', '20', ...(after ? ['--after', after] : [])], { rows });
      pages.push(ids(data));
      after = data.pagination.after;
    }
    expect(pages.map(({ length }) => length)).toEqual([20, 20, 5]);
    const { data } = await find(['N5,100', '--all'], { rows });
    expect(ids(data)).toEqual(pages.flat());
    expect(ids(data)[0]).toBe('d54');
  });

  test('are said on a terminal, and belong to what was typed', async () => {
    const world = fakeWorld({ env: ACCOUNT });
    await copied(world, rows);
    await main(['find', '5100', '--limit', '3'], world);
    const [, after = ''] = /for the next page: --after (\S+); for all: --all/.exec(world.stderr.text()) ?? [];
    expect(after).not.toBe('');
    const { code, error } = await find(['5,100.00', '--after', after], { rows });
    expect({ code, error: JSON.parse(error).error.code }).toEqual({ code: 2, error: 'CURSOR_INVALID' });
  });

  test('reach what stands behind rows that are told with another match', async () => {
    const ofUser = Array.from({ length: 30 }, (_, at) => deposit(`d${at + 10}`));
    const other = deposit('other', {
      userId: null,
      walletAddress: null,
      virtualAccountNumber: '7',
      createdAt: '2026-01-01T00:00:00.000Z',
    });
    const { data } = await find(['ade'], { rows: { users: [USER], deposits: [...ofUser, other] } });
    expect(ids(data)).toEqual(['user-0001', 'other']);
  });
});

describe('a name with a wrong letter', () => {
  test('is found if no name has what was typed, which is said', async () => {
    const { code, data, error } = await find(['aed obbi'], { rows: ROWS });
    expect({ code, kind: data?.kind }).toEqual({ code: 3, kind: undefined });
    expect(error).not.toContain('letter');
    const world = fakeWorld({ env: ACCOUNT, network: async () => refusal(404, '02', 'Not found') });
    await copied(world, ROWS);
    expect(await main(['find', 'adneiyi', '-o', 'json'], world)).toBe(0);
    expect(printedBy(world, 'json')).toMatchObject({
      data: { id: 'd2' },
      error: expect.stringContaining('one letter off'),
    });
  });
});

describe('what is not known on this machine', () => {
  test('is asked for wherever the service looks up ids, and told by the one that knows it', async () => {
    const urls: string[] = [];
    const network: Exchange = async ({ url }) => {
      const { pathname } = new URL(url);
      urls.push(pathname);
      return pathname.startsWith('/v1/bridge/status/')
        ? success({
            requestId: 'bridge-01',
            status: 'pending',
            token: 'CNGN',
            fromNetwork: 'base',
            toNetwork: 'bsc',
            amount: '10',
            fromAddress: 'a',
            toAddress: 'b',
            receivableAddress: 'c',
            transactionId: 't',
            createdAt: '2026-01-05T08:00:00.000Z',
          })
        : refusal(404, '02', 'Not found');
    };
    const { code, data } = await find(['bridge-01'], { network });
    expect({ code, kind: data.kind, status: data.status }).toEqual({
      code: 0,
      kind: 'bridge transfer',
      status: 'pending',
    });
    expect(urls.toSorted()).toEqual([
      '/v1/bridge/status/bridge-01',
      '/v1/cngnofframpstatus',
      '/v1/cngnonrampstatus',
      '/v1/fx/trades/status',
      '/v1/getbankaccounts',
      '/v1/getofframpstatus',
      '/v1/getuserdetails',
      '/v1/onboardstatus',
      '/v1/swapstatus',
      '/v1/verifywithdrawal',
    ]);
  });

  test.each([
    ['a name', ['nobody']],
    ['a sum', ['₦1']],
    ['a hash', [`0x${'1'.repeat(64)}`]],
    ['a phone number', ['08031234567', '--phone']],
  ])('is not sent to the service if it is %s', async (_, argv) => {
    const { code, data } = await find(argv, { rows: ROWS });
    expect(code).toBe(3);
    expect(data.matches).toEqual([]);
    expect(data.looked.at(-1)).toEqual({ place: 'service', says: 'not asked: it looks up ids only' });
  });

  test('is reported with where it was looked for, how fresh that is and what would widen it', async () => {
    const network: Exchange = async () => refusal(404, '02', 'Not found');
    const { data, error } = await find(['nobody-01'], { rows: ROWS, network });
    expect(data.looked).toEqual([
      {
        place: 'copy',
        says: 'its lists back to 2026-01-01T09:00:00.000Z; as of 2026-01-05T08:59:30.000Z; names and numbers of persons go after 90 days',
      },
      { place: 'journal', says: '0 operations' },
      { place: 'inbox', says: '0 events' },
      { place: 'service', says: '10 kinds of ids are unknown to it' },
    ]);
    expect(data.widen).toEqual(['fiatrail sync --full', 'fiatrail webhooks listen']);
    expect(JSON.parse(error).error).toMatchObject({ code: 'NOT_FOUND', category: 'rejected' });
  });

  test('needs a copy of the lists if it is a sum or a name', async () => {
    const { code, error } = await find(['₦1']);
    expect({ code, ...JSON.parse(error).error }).toMatchObject({ code: 'NO_COPY', hint: 'run: fiatrail sync' });
    expect(code).toBe(2);
  });
});

describe('eleven digits', () => {
  test('are asked about on a terminal, and a BVN is rejected there', async () => {
    const says = (text: string): Setting => ({
      answers: [{ kind: 'select', asks: 'phone number or a BVN?', says: text }],
      rows: ROWS,
      format: 'table',
    });
    const bvn = await find(['22345678901'], says('a BVN'));
    expect(bvn.error).toContain('--bvn-stdin');
    expect(bvn.out + bvn.error).not.toContain('22345678901');
    expect((await find(['08031234567'], says('a phone'))).error).toContain('nothing was found');
  });

  test('are a BVN on standard input, which is printed nowhere', async () => {
    const { code, out, error } = await find(['--bvn-stdin'], { rows: ROWS, stdin: '222 4567 8901\n' });
    expect(code).toBe(3);
    expect(JSON.parse(out).looked).toEqual([
      { place: 'journal', says: 'no onboarding of this BVN was started on this machine' },
    ]);
    expect(out + error).not.toMatch(/222\s?4567\s?8901/);
  });
});
