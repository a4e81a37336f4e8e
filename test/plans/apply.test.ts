import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { droppedLine, refusal, success } from '../support/exchange.ts';
import {
  agreeOn,
  contentOf,
  exchangeKeys,
  LIVE_KEY,
  no,
  openTeamAfter,
  PAYOUT,
  PAYOUT_ID,
  plan,
  type Team,
  twoPeople,
  yes,
} from './support.ts';

let team: Team;
beforeEach(async () => {
  ({ team } = await openTeamAfter(twoPeople));
});

const apply = (path: string, ...more: readonly string[]) =>
  team.run('bayo', ['plans', 'apply', path, '--yes', ...more]);

describe('--plan', () => {
  test('writes what would be sent to a private file, and sends and records nothing', async () => {
    const path = await plan(team, 'ada');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect({ sent: team.service.sent, operations: team.operations() }).toEqual({ sent: [], operations: [] });
    expect(contentOf(path)).toEqual({
      fiatrail: 'plan',
      version: 1,
      plan: {
        id: expect.any(String),
        createdAt: new Date(team.clock.now()).toISOString(),
        expiresAt: new Date(team.clock.now() + 86_400_000).toISOString(),
        author: { user: 'ada', host: 'host-1', approver: null },
        account: {
          profile: 'main',
          mode: 'live',
          baseUrl: 'https://service.test/v1',
          keyFingerprint: expect.stringMatching(/^[0-9a-f]{12}$/),
        },
        words: ['payout', 'create'],
        input: { amount: '50000', to: 'bank-1' },
        commandLine: 'fiatrail payout create --amount 50000 --to bank-1',
        summary: 'start a payout of 50,000.00 cNGN to bank account bank-1',
        endpoint: 'transactions.fintech-offramp',
        method: 'POST',
        path: '/initiateofframp',
        request: { amount: 50_000_000_000, bankAccountId: 'bank-1' },
        tag: null,
        amounts: [{ field: 'amount', asset: 'CNGN', value: '50000.000000', minor: '50000000000' }],
        count: 1,
        lines: [
          ['amount', expect.stringContaining('50,000.00 cNGN (50,000,000,000 base units)')],
          ['destination', 'bank account bank-1'],
        ],
        previews: [
          ['account', 'ADA OBI, 0123456789 at GTB'],
          ['fees', '₦75.00 to the platform'],
        ],
        balance: {
          text: '500,000.00 cNGN before, 449,925.00 cNGN after',
          asset: 'CNGN',
          beforeMinor: '500000000000',
          afterMinor: '449925000000',
        },
        rules: [],
      },
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      signatures: [],
    });
  });

  test('keeps every digit of a number', async () => {
    const path = team.file('plan.json');
    await team.run('ada', [...PAYOUT.with(3, '9007199254.740993'), '--plan', path]);
    expect(readFileSync(path, 'utf8')).toContain('"amount": 9007199254740993,');
    team.service.balance = '99999999999.000000';
    expect((await apply(path)).code).toBe(0);
    expect(team.service.sent[0]?.body).toContain('"amount":9007199254740993,');
  });

  test.each([
    [['--dry-run'], '--plan and --dry-run cannot be combined'],
    [['--yes'], '--plan and --yes cannot be combined'],
    [['--wait'], '--plan and --wait cannot be combined'],
    [['--once', 'k'], '--plan and --once cannot be combined'],
    [['--again'], '--plan and --again cannot be combined'],
    [['--plan-expires', '31d'], 'the duration "31d" is too long'],
  ])('rejects %j', async (more, message) => {
    const path = team.file('plan.json');
    const { code, stderr } = await team.run('ada', [...PAYOUT, '--plan', path, ...more]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
    expect(existsSync(path)).toBe(false);
  });

  test('rejects --plan-expires alone', async () => {
    const { code, stderr } = await team.run('ada', [...PAYOUT, '--yes', '--plan-expires', '1h']);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('without --plan') });
    expect(team.service.sent).toEqual([]);
  });

  test('never overwrites a file', async () => {
    const path = await plan(team, 'ada');
    const before = readFileSync(path);
    const { code, stderr } = await team.run('ada', [...PAYOUT, '--plan', path]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('the file already exists') });
    expect(readFileSync(path)).toEqual(before);
  });

  test('is not written if it is too long to be read again', async () => {
    const path = team.file('plan.json');
    const argv = ['api', 'POST', '/initiateofframp', '-f', 'amount=5', '-f', `bankAccountId=${'x'.repeat(200_000)}`];
    const { code, stderr } = await team.run('ada', [...argv, '--plan', path]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('the plan would be too long') });
    expect(existsSync(path)).toBe(false);
  });

  test('asks for nothing, even on a terminal', async () => {
    const argv = ['payout', 'create', '--amount', '5', '--plan', team.file('plan.json')];
    const { code, stderr } = await team.run('ada', argv, { isTerminal: true });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('missing --to <bank-account>: ') });
  });

  test('fails if what it must say cannot be read', async () => {
    team.service.instead['/fees/platform/preview'] = refusal(404, '02', 'no such fee');
    const { code } = await team.run('ada', [...PAYOUT, '--plan', team.file('plan.json')]);
    expect({ code, isWritten: existsSync(team.file('plan.json')) }).toEqual({ code: 3, isWritten: false });
  });

  test('writes no secret', async () => {
    const path = team.file('plan.json');
    const named = await team.run('ada', ['payout', 'create', '--amount', '5', '--to', LIVE_KEY, '--plan', path]);
    const env = { FIATRAIL_WEBHOOK_SECRET: 'bank-account-secret' };
    const argv = ['payout', 'create', '--amount', '5', '--to', 'bank-account-secret', '--plan', path];
    const known = await team.run('ada', argv, { env });
    for (const { code, stderr } of [named, known])
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('contains a secret') });
    expect(existsSync(path)).toBe(false);
  });
});

describe('the API key', () => {
  const body = { amount: 50_000, bankAccountId: 'bank-1', narration: `paid with ${LIVE_KEY}` };

  test.each([
    ['in the body', ['-d', JSON.stringify(body)]],
    ['deep in the body', ['-d', JSON.stringify({ ...body, narration: 'x', more: [{ deep: LIVE_KEY }] })]],
    ['in a field', ['-f', 'amount=50000', '-f', 'bankAccountId=bank-1', '-f', `narration=${LIVE_KEY}`]],
  ])('of a request gets into no plan: %s', async (_where, words) => {
    const path = team.file('plan.json');
    const argv = ['api', 'POST', '/initiateofframp', ...words, '--plan', path];
    const { code, stderr } = await team.run('ada', argv);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('contains a secret') });
    expect(existsSync(path)).toBe(false);
  });
});

describe('plans apply', () => {
  test('sends the request of the plan once, and then prints what was recorded', async () => {
    const path = await plan(team, 'ada');
    const first = await apply(path, '-o', 'json');
    const second = await apply(path, '-o', 'json');
    expect([first.code, second.code]).toEqual([0, 0]);
    expect(JSON.parse(first.stdout)).toMatchObject({ requestId: PAYOUT_ID, status: 'pending' });
    expect(JSON.parse(second.stdout)).toEqual(JSON.parse(first.stdout));
    expect(team.service.sent.map(({ body }) => body)).toEqual(['{"amount":50000000000,"bankAccountId":"bank-1"}']);
    expect(team.operations()).toMatchObject([{ state: 'accepted', request_id: PAYOUT_ID }]);
  });

  test('prints what was recorded also after the plan has expired', async () => {
    const path = await plan(team, 'ada');
    await apply(path);
    await team.clock.sleep(2 * 86_400_000, new AbortController().signal);
    expect((await apply(path)).code).toBe(0);
    expect(team.service.sent).toHaveLength(1);
  });

  test('waits for the work, like the command', async () => {
    const path = await plan(team, 'ada');
    const { code, stdout } = await apply(path, '--wait', '-o', 'json');
    expect({ code, status: JSON.parse(stdout).status }).toEqual({ code: 0, status: 'completed' });
  });

  test('asks as the command would, with the plan and its author', async () => {
    const path = await plan(team, 'ada');
    const declined = await team.run('bayo', ['plans', 'apply', path], { answers: [no('Start a payout')] });
    expect(declined.code).toBe(9);
    expect(declined.stderr).toContain(contentOf(path).hash);
    expect(declined.stderr).toContain('ada on host-1');
    expect(declined.stderr).toContain('ADA OBI, 012 345 6789 at GTB');
    const unasked = await team.run('bayo', ['plans', 'apply', path]);
    expect({ code: unasked.code, sent: team.service.sent }).toEqual({ code: 2, sent: [] });
    const agreed = await team.run('bayo', ['plans', 'apply', path], { answers: [yes('Start a payout')] });
    expect({ code: agreed.code, sent: team.service.sent.length }).toEqual({ code: 0, sent: 1 });
  });

  test('is its own idempotency key', async () => {
    await team.run('bayo', ['profiles', 'add', 'main', '--require-once', 'on']);
    await team.run('ada', ['profiles', 'add', 'main', '--require-once', 'on']);
    expect((await apply(await plan(team, 'ada'))).code).toBe(0);
  });

  test('--dry-run checks the plan and shows the request', async () => {
    const path = await plan(team, 'ada');
    const { code, stdout } = await team.run('bayo', ['plans', 'apply', path, '--dry-run', '-o', 'json']);
    expect({ code, body: JSON.parse(stdout).body }).toEqual({
      code: 0,
      body: { amount: 50_000_000_000, bankAccountId: 'bank-1' },
    });
    expect(team.service.sent).toEqual([]);
  });

  test('two at the same instant send once', async () => {
    const path = await plan(team, 'ada');
    let isReleased = () => {};
    const released = new Promise<void>((resolve) => {
      isReleased = resolve;
    });
    team.service.payout = async () => {
      await released;
      return success({ requestId: PAYOUT_ID, amount: 50_000, status: 'pending' });
    };
    // The second one waits for the first without letting time pass, after which its outcome would count as unknown.
    team.clock.sleep = () => new Promise((resolve) => setImmediate(resolve));
    const both = [apply(path, '-o', 'json'), apply(path, '-o', 'json')];
    const sending = Promise.all(both);
    while (team.service.sent.length === 0) await new Promise((resolve) => setImmediate(resolve));
    for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
    isReleased();
    const [one, other] = await sending;
    expect([one?.code, other?.code], `${one?.stderr}${other?.stderr}`).toEqual([0, 0]);
    expect(JSON.parse(one?.stdout ?? '')).toEqual(JSON.parse(other?.stdout ?? ''));
    expect(team.service.sent).toHaveLength(1);
  });

  test('does not send again while its outcome is unknown', async () => {
    const path = await plan(team, 'ada');
    team.service.payout = () => {
      throw droppedLine();
    };
    team.service.instead['/payouts'] = success({ payouts: [], pagination: { total: 0 } });
    expect((await apply(path)).code).toBe(6);
    expect((await apply(path)).code).toBe(6);
    expect(team.service.sent).toHaveLength(1);
  });

  test('can be tried again after the service rejected it', async () => {
    const path = await plan(team, 'ada');
    team.service.instead['/initiateofframp'] = refusal(400, '01', 'not today');
    expect((await apply(path)).code).toBe(3);
    delete team.service.instead['/initiateofframp'];
    expect((await apply(path)).code).toBe(0);
    expect(team.operations().map(({ state }) => state)).toEqual(['rejected', 'accepted']);
  });
});

describe('plans apply stops with exit 9 and sends nothing if', () => {
  const changes: readonly (readonly [what: string, change: () => void, message: string])[] = [
    [
      'the fee changed',
      () => {
        team.service.feeKobo = 9_000;
      },
      'fees: ₦75.00 to the platform before, ₦90.00 to the platform now',
    ],
    [
      'the name of the destination changed',
      () => {
        team.service.accountName = 'MALLORY';
      },
      'account: ADA OBI, 0123456789 at GTB before, MALLORY, 0123456789 at GTB now',
    ],
    [
      'the balance no longer covers it',
      () => {
        team.service.balance = '50000.000000';
      },
      'balance: 75.00 cNGN short now',
    ],
  ];

  test.each(changes)('%s', async (_what, change, message) => {
    const path = await plan(team, 'ada');
    change();
    const { code, stderr } = await apply(path);
    expect({ code, stderr }).toEqual({ code: 9, stderr: expect.stringContaining(message) });
    expect({ sent: team.service.sent, operations: team.operations() }).toEqual({ sent: [], operations: [] });
  });

  test('the plan has expired', async () => {
    const path = await plan(team, 'ada', 'plan.json', '--plan-expires', '1h');
    await team.clock.sleep(3_600_000, new AbortController().signal);
    const { code, stderr } = await team.run('bayo', ['plans', 'apply', path], { isTerminal: true });
    expect({ code, stderr }).toEqual({ code: 9, stderr: expect.stringContaining('the plan expired on') });
    expect(team.service.sent).toEqual([]);
  });

  test('the plan expires while the question is open', async () => {
    const path = await plan(team, 'ada', 'plan.json', '--plan-expires', '1h');
    const late = { ...yes('Start a payout') };
    Object.defineProperty(late, 'says', {
      get: () => {
        void team.clock.sleep(3_600_000, new AbortController().signal);
        return true;
      },
    });
    const { code, stderr } = await team.run('bayo', ['plans', 'apply', path], { answers: [late] });
    expect({ code, stderr }).toEqual({ code: 9, stderr: expect.stringContaining('the plan expired on') });
    expect(team.service.sent).toEqual([]);
  });

  test('its signer is removed while the question is open', async () => {
    await exchangeKeys(team, 'ada', 'bayo');
    const path = await plan(team, 'ada');
    expect((await team.run('bayo', ['plans', 'approve', path], { answers: [yes('Approve the plan')] })).code).toBe(0);
    const removing = { ...yes('Start a payout') };
    Object.defineProperty(removing, 'says', {
      get: async () => (await agreeOn(team, 'ada', 'bayo', ['remove', 'bayo'])).code === 0,
    });
    const { code, stderr } = await team.run('ada', ['plans', 'apply', path], { answers: [removing] });
    expect({ code, stderr }).toEqual({ code: 9, stderr: expect.stringContaining('is unknown; nothing was sent') });
    expect(team.service.sent).toEqual([]);
  });

  test('the plan was made by a clock that is ahead', async () => {
    const path = await plan(team, 'ada');
    team.clock.now = (
      (now) => () =>
        now() - 3_600_000
    )(team.clock.now);
    expect((await apply(path)).code).toBe(9);
    expect(team.service.sent).toEqual([]);
  });
});

describe('a balance that still covers the plan', () => {
  test('may be another one', async () => {
    const path = await plan(team, 'ada');
    team.service.balance = '50075.000000';
    expect((await apply(path)).code).toBe(0);
  });
});

describe('a written plan', () => {
  test('is rejected when its author wrote other terms than its command has', async () => {
    const { hashOf } = await import('../../src/engine/plans/plan.ts');
    const { planText } = await import('../../src/engine/plans/file.ts');
    const path = await plan(team, 'ada');
    const { plan: content } = contentOf(path);
    const forged: readonly object[] = [
      { request: { ...content.request, bankAccountId: 'bank-2' } },
      { request: { ...content.request, amount: 60_000_000_000 } },
      { lines: [['amount', '1.00 cNGN'], content.lines[1]] },
      { previews: [] },
      { summary: 'start a payout of 1.00 cNGN' },
      { amounts: [] },
      { tag: '[fr-00000000]' },
      { commandLine: 'fiatrail payout create --amount 1 --to bank-1' },
      { input: { ...content.input, amount: '60000' } },
    ];
    for (const [index, change] of forged.entries()) {
      const lie = { ...content, ...change };
      const other = team.file(`forged-${index}.json`);
      writeFileSync(other, planText({ content: lie, hash: hashOf(lie), signatures: [] }), { mode: 0o600 });
      expect({ change, code: (await apply(other)).code }).toEqual({ change, code: 9 });
    }
    expect(team.service.sent).toEqual([]);
  });

  test.each([
    [['sandbox', 'reset'], {}],
    [['balances', 'account'], {}],
    [['no', 'such'], {}],
    [['payout', 'create'], { amount: '50000', to: 'bank-1', once: 'k' }],
    [['payout', 'create'], { amount: '50000', to: 'bank-1', plan: 'other.json' }],
    [['payout', 'create'], { amount: '50000', to: 'bank-1', other: 'x' }],
  ])('of %j with %j is rejected', async (words, input) => {
    const { hashOf } = await import('../../src/engine/plans/plan.ts');
    const { planText } = await import('../../src/engine/plans/file.ts');
    const { plan: content } = contentOf(await plan(team, 'ada'));
    const other = { ...content, words, input };
    writeFileSync(team.file('other.json'), planText({ content: other, hash: hashOf(other), signatures: [] }), {
      mode: 0o600,
    });
    const { code, stderr } = await apply(team.file('other.json'));
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('cannot apply a plan of') });
  });
});
