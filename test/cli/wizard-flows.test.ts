import { describe, expect, test } from 'vitest';
import type { HttpRequest, HttpResponse } from '../../src/base/world.ts';
import type { Account } from '../../src/engine/account.ts';
import { main } from '../../src/main.ts';
import { readInput, showEquivalentCommand } from '../../src/terminal/ask/input.ts';
import { command } from '../../src/terminal/command.ts';
import { argument, id, required } from '../../src/terminal/parse/parameters.ts';
import type { Terminal } from '../../src/terminal/terminal.ts';
import { refusal, success } from '../support/exchange.ts';
import { ACCOUNT, type Answer, fakeClock, fakeWorld, type WorldOptions } from '../support/world.ts';

const BVN = '22345678901';

/** The responses of a service by path. */
type Service = Readonly<Record<string, (body: Record<string, unknown>, count: number) => HttpResponse>>;

/** Runs a command on a terminal with exactly these prompts and answers. */
async function wizard(
  argv: readonly string[],
  answers: readonly Answer[],
  service: Service,
  options: WorldOptions = {},
) {
  const calls: string[] = [];
  const clock = fakeClock();
  const network = async ({ url, body }: HttpRequest) => {
    const path = new URL(url).pathname.replace('/v1', '');
    calls.push(path);
    const answer = service[path];
    if (!answer) return refusal(404, '02', 'not found');
    return answer(JSON.parse(body ?? '{}'), calls.filter((each) => each === path).length);
  };
  const world = fakeWorld({ isTerminal: true, env: ACCOUNT, clock, network, answers, ...options });
  const code = await main([...argv, '--no-color'], world);
  return { code, calls, clock, stdout: world.stdout.text(), stderr: world.stderr.text() };
}

describe('the equivalent command', () => {
  const lineOf = async (
    words: readonly string[],
    globals: Partial<Terminal['globals']> = {},
    tail?: string,
    columns?: number,
  ) => {
    const lines: string[] = [];
    const note = async (text: string) => {
      lines.push(text);
    };
    await showEquivalentCommand(
      { notices: { note }, world: { stderr: { columns } } } as unknown as Account,
      { globals } as unknown as Terminal,
      words,
      tail,
    );
    return lines.join('\n');
  };

  test('is broken between its words on a terminal, as a shell reads it', async () => {
    const words = ['onramp', 'create', 'user-1', '--amount', '5000', '--label', 'a b'];
    expect(await lineOf(words, {}, '< b.txt', 40)).toBe(
      "equivalent command: fiatrail onramp \\\n  create user-1 --amount 5000 --label \\\n  'a b' < b.txt",
    );
    expect(await lineOf(words, {}, undefined, 80)).toBe(
      "equivalent command: fiatrail onramp create user-1 --amount 5000 --label 'a b'",
    );
  });

  test.each([
    [['users', 'show', 'a-1'], 'users show a-1'],
    [['--label', 'two words'], "--label 'two words'"],
    [['--label', "it's $HOME `id`"], "--label 'it'\\''s $HOME `id`'"],
    [['--amount', '₦5'], "--amount '₦5'"],
    [['--label', ''], "--label ''"],
  ])('quotes %j for a shell', async (words, line) => {
    expect(await lineOf(words)).toBe(`equivalent command: fiatrail ${line}`);
  });

  test('contains the flags that matter and the redirection of standard input', async () => {
    const globals = { profile: 'my shop', yes: true, dryRun: true };
    expect(await lineOf(['a'], globals, '< b.txt')).toBe(
      "equivalent command: fiatrail a --profile 'my shop' --yes --dry-run < b.txt",
    );
  });
});

describe('a wizard', () => {
  const made = (guide: () => Promise<{ values: object } | undefined>) =>
    command({
      words: ['x'],
      summary: '',
      examples: ['x'],
      endpoints: [],
      parameters: { one: argument('one', '', id), two: required('--two <two>', '', id, 'Two?') },
      guide,
      run: async () => ({}),
    });
  const terminal = { dialog: {} } as unknown as Terminal;
  const account = (answers: readonly Answer[], isInteractive = true) =>
    ({ notices: { isInteractive, note: async () => {} }, world: fakeWorld({ answers }) }) as unknown as Account;
  const nothing = async () => {};

  test('returns values, and its parameters ask for the rest', async () => {
    const guided = { values: { one: '1' } };
    const asked = account([{ kind: 'text', asks: 'Two?', says: '2' }]);
    const read = await readInput(
      made(async () => guided),
      {},
      asked,
      terminal,
      true,
      nothing,
    );
    expect(read).toMatchObject({ input: { one: '1', two: '2' }, guided });
  });

  test('that asks nothing does not change the input', async () => {
    const read = await readInput(
      made(async () => undefined),
      { one: 'a', two: 'b' },
      account([]),
      terminal,
      true,
      nothing,
    );
    expect(read).toEqual({ input: { one: 'a', two: 'b' }, guided: undefined });
  });

  test('is called only on an interactive terminal', async () => {
    const given = { one: 'a', two: 'b' };
    const never = made(async () => {
      throw new Error('unexpected call');
    });
    expect((await readInput(never, given, account([], false), terminal, true, nothing)).input).toEqual(given);
    await expect(readInput(never, {}, account([], false), terminal, true, nothing)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });
});

describe('users onboard', () => {
  const ASKED: readonly Answer[] = [
    { kind: 'secret', asks: 'BVN (11 digits):', says: BVN },
    { kind: 'confirm', asks: '(LIVE)?', says: true },
  ];
  const STATUS = { type: 'user_registration', userId: 'u-1', status: 'completed' };
  const USER = {
    userId: 'u-1',
    virtualAccounts: [
      { accountNumber: '7000000001', accountName: 'ADA OBI', bankName: 'A BANK', accountType: 'user_permanent' },
    ],
  };
  const SERVICE: Service = {
    '/onboarduser': () => success({ requestId: 'r-1', status: 'processing', userHash: 'h' }),
    '/onboardstatus': (_, count) => success(count === 1 ? { ...STATUS, status: 'processing' } : STATUS),
    '/getuserdetails': () => success(USER),
  };

  test('waits, shows the account, and prints the equivalent command without the BVN', async () => {
    const { code, stdout, stderr } = await wizard(['users', 'onboard'], ASKED, SERVICE);
    expect({ code, hasBVN: `${stdout}${stderr}`.includes(BVN) }).toEqual({ code: 0, hasBVN: false });
    expect(stdout).toMatch(/7000000001 +ADA OBI +A BANK/);
    expect(stderr).toMatch(/equivalent command: fiatrail users onboard --bvn-stdin --wait < bvn.txt\n$/);
  });

  test('prints a given --wait in the equivalent command', async () => {
    const { stderr } = await wizard(['users', 'onboard', '--wait', '2m'], ASKED, SERVICE);
    expect(stderr).toMatch(/equivalent command: fiatrail users onboard --bvn-stdin --wait 2m < bvn.txt\n$/);
  });

  test('skips the confirmation with --yes and prints the user as JSON', async () => {
    const { stdout } = await wizard(['users', 'onboard', '--yes', '-o', 'json'], ASKED.slice(0, 1), SERVICE);
    expect(JSON.parse(stdout)).toMatchObject({ userId: 'u-1', virtualAccounts: [{ bankName: 'A BANK' }] });
  });

  test('applies --fields to its own response', async () => {
    const { code, stdout } = await wizard(
      ['users', 'onboard', '--fields', 'userId,status', '-o', 'json'],
      ASKED,
      SERVICE,
    );
    expect({ code, printed: JSON.parse(stdout) }).toEqual({ code: 0, printed: { userId: 'u-1', status: 'completed' } });
  });

  test('exits with 9 when declined and sends nothing', async () => {
    const answers = [...ASKED.slice(0, 1), { kind: 'confirm', asks: '(LIVE)?', says: false } as const];
    const { code, calls } = await wizard(['users', 'onboard'], answers, SERVICE);
    expect({ code, calls }).toEqual({ code: 9, calls: [] });
  });

  test('sends nothing with --dry-run and shows no BVN', async () => {
    const { code, calls, stdout, stderr } = await wizard(['users', 'onboard', '--dry-run'], ASKED.slice(0, 1), SERVICE);
    expect({ code, calls, hasBVN: `${stdout}${stderr}`.includes(BVN) }).toEqual({ code: 0, calls: [], hasBVN: false });
  });

  test('succeeds even if the user cannot be shown', async () => {
    const service = { ...SERVICE, '/getuserdetails': () => refusal(404, '02', 'not yet') };
    const { code, stdout, stderr } = await wizard(['users', 'onboard', '-o', 'json'], ASKED, service);
    expect({ code, status: JSON.parse(stdout).status }).toEqual({ code: 0, status: 'completed' });
    expect(stderr).toContain('try: fiatrail users show u-1');
  });

  test('exits with 3 when the onboarding fails', async () => {
    const service = { ...SERVICE, '/onboardstatus': () => success({ ...STATUS, status: 'failed' }) };
    const { code, calls, stderr } = await wizard(['users', 'onboard'], ASKED, service);
    expect({
      code,
      hasUserRead: calls.includes('/getuserdetails'),
      hasOneLine: stderr.includes('equivalent command'),
    }).toEqual({ code: 3, hasUserRead: false, hasOneLine: false });
  });
});

describe('onramp create', () => {
  const nameOf = (at: number) => (at === 3456 ? 'Zainab' : `Ada${at}`);
  const users =
    (total: number): Service[string] =>
    (body) => {
      const [offset, limit] = [Number(body['offset']), Number(body['limit'])];
      const rows = Array.from({ length: Math.max(0, Math.min(limit, total - offset)) }, (_, at) => ({
        userId: `id-${offset + at}`,
        firstName: nameOf(offset + at),
        lastName: 'Obi',
        virtualAccount: { accountNumber: String(7_000_000_000 + offset + at) },
      }));
      return success({ users: rows, pagination: { total, limit, offset } });
    };
  const FEES = { baseAmount: 5000.5, totalFee: 99.5, totalAmount: 5100 };
  const ACCOUNT_TO_PAY = {
    virtualAccount: {
      accountNumber: '7549681956',
      bankName: 'A BANK',
      accountName: 'Harmattan Pay/A NAME THAT IS MUCH TOO LONG FOR A LINE OF A TERMINAL',
      amount: 5100,
      totalAmountWithFee: 5100,
      createdAt: '2031-01-01T00:00:00.000Z',
    },
    expiresAt: '2031-01-01T00:30:00.000Z',
  };
  const status = (state: string, more: object = {}) => success({ requestId: 'r-1', status: state, ...more });
  const SERVICE: Service = {
    '/listfintechusers': users(250),
    '/cngnonramp': ({ autoSwap, amount }) =>
      success({
        requestId: 'r-1',
        walletAddress: '0x1',
        status: 'requested',
        message: 'pay',
        autoSwapEnabled: autoSwap,
        targetAsset: 'CNGN',
        feeBreakdown: { ...FEES, baseAmount: amount },
      }),
    '/getvirtualaccount': (_, count) => (count < 3 ? refusal(404, '02', 'not yet') : success(ACCOUNT_TO_PAY)),
    '/cngnonrampstatus': (_, count) => status(count < 3 ? 'pending' : 'completed'),
  };
  const USER = { kind: 'search', asks: 'Which user?', types: 'ada7 obi', says: 'Ada7 ' } as const;
  const AMOUNT = { kind: 'text', asks: 'Amount in Naira:', says: '5000.50' } as const;
  const GO = { kind: 'confirm', asks: 'Continue?', says: true } as const;
  const route = (says: string) => ({ kind: 'select', asks: 'Where should the cNGN go?', says }) as const;
  const START = ['onramp', 'create'];

  test.each([
    [['--fields', 'requestId,status,totalAmountWithFee'], /r-1.*completed.*5,100\.00/s],
    [['--query', 'status'], /^completed\n$/],
  ])('prints how it ended with %j', async (flags, printed) => {
    const { code, stdout } = await wizard([...START, ...flags], [USER, AMOUNT, route('Keep'), GO], SERVICE);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(printed) });
  });

  test.each([
    ['Keep', [], { autoSwap: false }, '--auto-swap off --wait 40m'],
    ['Send', [], { autoSwap: false, sweepToOfframp: true }, '--auto-swap off --wait 40m --sweep'],
    [
      'Swap the cNGN into USDC or USDT and keep',
      ['USDT'],
      { autoSwap: true, assetSwap: 'USDT' },
      '--auto-swap USDT --wait 40m',
    ],
    [
      'Swap the cNGN into USDC or USDT and send',
      ['USDC'],
      { autoSwap: true, assetSwap: 'USDC', sweepToOfframp: true },
      '--auto-swap USDC --wait 40m --sweep',
    ],
  ])('%s: sends the fields of the interface', async (says, assets, sent, options) => {
    let body = {};
    const service: Service = {
      ...SERVICE,
      '/cngnonramp': (request) => {
        body = request;
        return SERVICE['/cngnonramp']?.(request, 1) as HttpResponse;
      },
    };
    const asset = assets.map((name) => ({ kind: 'select', asks: 'Which asset?', says: name }) as const);
    const { code, stderr } = await wizard(START, [USER, AMOUNT, route(says), ...asset, GO], service);
    expect({ code, body }).toEqual({ code: 0, body: { userId: 'id-7', amount: 5000.5, ...sent } });
    expect(stderr).toContain(`equivalent command: fiatrail onramp create id-7 --amount 5000.5 ${options}\n`);
  });

  test('shows the account once it is ready, and a countdown of its 30 minutes', async () => {
    const { stderr } = await wizard(START, [USER, AMOUNT, route('Keep'), GO], SERVICE);
    expect(stderr).toMatch(
      /pay exactly +₦5,100\.00\n +account number +7549681956\n +bank +A BANK\n +account name +Harmattan Pay/,
    );
    expect(stderr).toMatch(/\rpay ₦5,100\.00 to 7549681956 \(Harmattan Pay[^\r]*…\) within 29:5\d/);
    for (const line of stderr.split('\r').filter((text) => text.startsWith('pay')))
      expect(line.length).toBeLessThan(84);
  });

  test('prints a line per minute on a dumb terminal and exits with 3 when the time is up', async () => {
    const expired = { wallet: { virtualAccountStatus: 'expired' } };
    const service: Service = {
      ...SERVICE,
      '/cngnonrampstatus': (_, count) => (count < 690 ? status('pending') : status('failed', expired)),
    };
    const env = { ...ACCOUNT, TERM: 'dumb' };
    const { code, stderr } = await wizard(START, [USER, AMOUNT, route('Keep'), GO], service, { env });
    const minutes = [...stderr.matchAll(/^pay .* within (\d+) min$/gm)].map(([, left]) => Number(left));
    expect({ code, minutes }).toEqual({ code: 3, minutes: Array.from({ length: 31 }, (_, at) => 30 - at) });
    expect(stderr).not.toContain('\u001b');
    expect(stderr).toContain('not paid in time');
  });

  test('continues without an account that cannot be read', async () => {
    const service = { ...SERVICE, '/getvirtualaccount': () => refusal(400, '01', 'no') };
    const { code, stderr } = await wizard(START, [USER, AMOUNT, route('Keep'), GO], service);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining('show it with: fiatrail onramp account r-1'),
    });
  });

  test('exits with 130 on Ctrl-C before the account is ready and says that the onramp continues', async () => {
    const controller = new AbortController();
    const service: Service = {
      ...SERVICE,
      '/getvirtualaccount': () => {
        controller.abort();
        return refusal(404, '02', 'not yet');
      },
    };
    const options = { interrupted: controller.signal };
    const { code, stderr } = await wizard(START, [USER, AMOUNT, route('Keep'), GO], service, options);
    expect({ code, stderr }).toEqual({
      code: 130,
      stderr: expect.stringContaining('fiatrail onramp status r-1 --wait'),
    });
    expect(stderr).toContain('it continues without this command');
  });

  test('asks only for the asset if --destination is given', async () => {
    const address = `0x${'1'.repeat(40)}`;
    const argv = [...START, 'u-1', '--destination', address];
    const answers = [AMOUNT, { kind: 'select', asks: 'Which asset?', says: 'USDC' } as const, GO];
    const { code, stderr } = await wizard(argv, answers, SERVICE);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining(`--auto-swap USDC --destination ${address}`),
    });
  });

  test('is not a wizard if user and amount are given', async () => {
    const { code, stderr } = await wizard([...START, 'u-1', '--amount', '5'], [GO], SERVICE);
    expect({ code, hasOneLine: stderr.includes('equivalent command') }).toEqual({ code: 0, hasOneLine: false });
  });

  describe('the search for a user', () => {
    const pagesOf = (calls: readonly string[]) => calls.filter((path) => path === '/listfintechusers').length;
    const rest = [AMOUNT, route('Keep'), GO];

    test.each([
      ['nothing', '', 1],
      ['a part of a name', 'ADA77', 3],
      ['an id', 'id-77', 3],
      ['an account number', '7000000077', 3],
    ])('finds a user by %s and reads no more pages than needed', async (_, types, pages) => {
      const says = types === '' ? 'Ada0' : 'Ada77 Obi · 7000000077 · id-77';
      const { code, calls } = await wizard(START, [{ ...USER, types, says }, ...rest], SERVICE);
      expect({ code, pages: pagesOf(calls) }).toEqual({ code: 0, pages });
    });

    test('pauses after 1,000 users, shows the progress, and continues on request', async () => {
      const service = { ...SERVICE, '/listfintechusers': users(4312) };
      const further = (says: string) => ({ kind: 'select', asks: 'Users matching "zainab"', says }) as const;
      const answers = [
        { ...USER, types: 'zainab', says: 'search more users (1,000 of 4,312 searched)' },
        further('search more users (2,000'),
        further('search more users (3,000'),
        further('Zainab Obi'),
      ];
      const { code, calls } = await wizard(START, [...answers, ...rest], service);
      expect({ code, pages: pagesOf(calls) }).toEqual({ code: 0, pages: 40 });
    });

    test('starts over if there is no match', async () => {
      const service = { ...SERVICE, '/listfintechusers': users(1500) };
      const { code, stderr } = await wizard(
        START,
        [{ ...USER, types: 'nobody', says: 'search more users' }, USER, ...rest],
        service,
      );
      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: expect.stringContaining('no match for "nobody" among 1500 users'),
      });
    });

    test('accepts an id that is not in the list', async () => {
      const types = '01a1ffd0cd27e931eb31c405';
      const { stderr } = await wizard(START, [{ ...USER, types, says: 'use the id' }, ...rest], SERVICE);
      expect(stderr).toContain(`onramp create ${types} --amount`);
    });

    test('exits with 2 without users and explains what to do', async () => {
      const { code, stderr } = await wizard(START, [], { '/listfintechusers': users(0) });
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('fiatrail users onboard') });
    });
  });
});

describe('fees withdraw', () => {
  /** The text by which the journal finds a withdrawal again. */
  const TAG = expect.stringMatching(/^\[fr-[0-9a-f]{8}\]$/);

  const FEES = {
    summary: { availableForWithdrawal: 2_000_000 },
    details: { minimumWithdrawal: 500, maximumWithdrawal: 10_000_000 },
  };
  const SAVED = {
    accountId: 'a-1',
    accountName: 'ADA OBI',
    accountNumber: '0123456789',
    bankCode: '000013',
    bankName: 'GTBank',
  };
  const bodies: Record<string, unknown>[] = [];
  const SERVICE: Service = {
    '/getaccumulatedfees': () => success(FEES),
    '/listbankaccounts': () => success({ accounts: [SAVED] }),
    '/getbankscode': () =>
      success({
        banks: [
          { bankCode: '000013', bankName: 'GTBank' },
          { bank_code: '000014', bank_name: 'Access Bank' },
          { bankCode: '000058', bankName: 'Guaranty Trust Bank' },
        ],
      }),
    '/feewithdrawal': (body) => {
      bodies.push(body);
      return success({ withdrawalId: 'w-1', amount: body['amount'], status: 'pending' });
    },
  };
  const AMOUNT: Answer = { kind: 'text', asks: 'Amount in Naira, max or all:', says: '1,500.50' };
  const PICKED: Answer = { kind: 'select', asks: 'To which account?', says: 'ADA OBI · 0123456789 · GTBank' };
  const OTHER: readonly Answer[] = [
    { kind: 'search', asks: 'Which bank?', types: 'acc 14', says: 'Access Bank (000014)' },
    { kind: 'text', asks: 'Account number', says: '9876543210' },
    { kind: 'text', asks: 'Name of the account holder:', says: 'NGOZI OKAFOR' },
  ];
  const YES: Answer = { kind: 'confirm', asks: 'Continue?', says: true };
  const withdraw = async (argv: readonly string[], answers: readonly Answer[], service: Service = SERVICE) => {
    bodies.length = 0;
    const ran = await wizard(['fees', 'withdraw', ...argv], answers, service);
    return { ...ran, body: bodies[0] };
  };

  test('prompts for the amount and a saved account, and prints the equivalent command', async () => {
    const { code, body, stderr } = await withdraw([], [AMOUNT, PICKED, YES]);
    expect({ code, body }).toEqual({
      code: 0,
      body: {
        bankAccountNumber: '0123456789',
        bankCode: '000013',
        accountName: 'ADA OBI',
        amount: 150_050,
        narration: TAG,
      },
    });
    expect(stderr).toContain('₦20,000.00 available; at least ₦5.00 and at most ₦100,000.00 per withdrawal');
    expect(stderr).toMatch(/equivalent command: fiatrail fees withdraw --amount 1500.5 --to a-1\n$/);
  });

  test('prompts for the parts of another account', async () => {
    const another: Answer = { kind: 'select', asks: 'To which account?', says: 'another account' };
    const { code, body, stderr } = await withdraw(['--amount', 'max'], [another, ...OTHER, YES]);
    expect({ code, body }).toEqual({
      code: 0,
      body: {
        bankAccountNumber: '9876543210',
        bankCode: '000014',
        accountName: 'NGOZI OKAFOR',
        amount: 2_000_000,
        narration: TAG,
      },
    });
    expect(stderr).toContain(
      "fees withdraw --amount max --bank-code 000014 --account-number 9876543210 --account-name 'NGOZI OKAFOR'",
    );
  });

  test('repeats the other options in the equivalent command', async () => {
    const given = ['--narration', 'May', '--reference', 'r-1', '--note', 'a b', '--amount', '5', '--wait', '1ms'];
    const { stderr } = await withdraw(given, [PICKED, YES]);
    expect(stderr).not.toContain('equivalent command');
    const { stderr: done } = await withdraw(given.slice(0, -2), [PICKED, YES]);
    expect(done).toContain("--amount 5 --to a-1 --narration May --reference r-1 --note 'a b'");
  });

  test('finds a bank by its initials', async () => {
    const bank: Answer = { kind: 'search', asks: 'Which bank?', types: 'gtb', says: 'Guaranty Trust Bank (000058)' };
    const given = ['--amount', '5', '--account-number', '0123456789', '--account-name', 'ADA'];
    const { code, body } = await withdraw(given, [bank, YES]);
    expect({ code, bankCode: body?.['bankCode'] }).toEqual({ code: 0, bankCode: '000058' });
  });

  test('prompts only for the missing parts of an account', async () => {
    const { code, calls } = await withdraw(
      ['--amount', '5', '--bank-code', '000013', '--account-number', '0123456789'],
      [{ kind: 'text', asks: 'Name of the account holder:', says: 'ADA OBI' }, YES],
    );
    expect({ code, calls }).toEqual({
      code: 0,
      calls: ['/getbankscode', '/getaccumulatedfees', '/getwithdrawalhistory', '/feewithdrawal'],
    });
  });

  test('prompts for the code of the bank if no list can be read', async () => {
    const service = { '/feewithdrawal': SERVICE['/feewithdrawal'] } as Service;
    const { code, body } = await withdraw(
      [],
      [AMOUNT, { kind: 'text', asks: 'Bank code:', says: '000014' }, ...OTHER.slice(1), YES],
      service,
    );
    expect({ code, bankCode: body?.['bankCode'] }).toEqual({ code: 0, bankCode: '000014' });
  });

  test('prompts for nothing when everything is given', async () => {
    const { code, stderr } = await withdraw(['--amount', '5', '--to', 'a-1', '--yes'], []);
    expect({ code, isWizard: stderr.includes('equivalent command') }).toEqual({ code: 0, isWizard: false });
  });

  test('exits with 9 when declined and withdraws nothing', async () => {
    const { code, body } = await withdraw([], [AMOUNT, PICKED, { ...YES, says: false }]);
    expect({ code, body }).toEqual({ code: 9, body: undefined });
  });

  test('withdraws nothing with --dry-run', async () => {
    const { code, body } = await withdraw(['--dry-run'], [AMOUNT, PICKED]);
    expect({ code, body }).toEqual({ code: 0, body: undefined });
  });
});
