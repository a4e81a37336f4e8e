import { describe, expect, onTestFinished, test } from 'vitest';
import { ExchangeError } from '../../../src/base/errors.ts';
import type { Exchange, HttpResponse } from '../../../src/base/world.ts';
import { main } from '../../../src/main.ts';
import { TO } from '../../support/fee-withdrawal.ts';
import { journalRows, rewriteJournal } from '../../support/journal.ts';
import { fakeClock, openSandbox } from '../../support/sandbox.ts';
import { type FakeWorld, fakeWorld } from '../../support/world.ts';

/** A sandbox with fees of ₦250,000, of which one withdrawal takes ₦100,000 at most. */
async function withFees(options: Parameters<typeof fakeWorld>[0] = {}): Promise<FakeWorld> {
  const world = fakeWorld(options);
  expect(await main(['sandbox', 'seed', '--users', '1', '--rate-limits', 'off', '-q', '-o', 'json'], world)).toBe(0);
  return world;
}

const ALL = ['fees', 'withdraw', '--amount', 'all', ...TO];

async function run(world: FakeWorld, ...argv: readonly string[]) {
  const [out, err] = [world.stdout.text().length, world.stderr.text().length];
  const code = await main(argv, world);
  return { code, stdout: world.stdout.text().slice(out), stderr: world.stderr.text().slice(err) };
}

interface Swept {
  readonly withdrawals: readonly { readonly withdrawalId: string; readonly amount: { readonly value: string } }[];
  readonly total: { readonly value: string };
  readonly left: { readonly value: string } | null;
}

async function sweep(world: FakeWorld, ...more: readonly string[]) {
  const { code, stdout, stderr } = await run(world, ...ALL, '-o', 'json', ...more);
  return { code, stderr, swept: stdout === '' ? undefined : (JSON.parse(stdout) as Swept) };
}

const amountsOf = (swept: Swept | undefined) => swept?.withdrawals.map(({ amount }) => amount.value);

/** The amounts that the service has withdrawn, oldest first. */
async function withdrawn(world: FakeWorld): Promise<string[]> {
  const { stdout } = await run(world, 'fees', 'withdrawals', 'list', '--all', '-o', 'json', '-q');
  const { withdrawals } = JSON.parse(stdout) as { withdrawals: { amount: { value: string } }[] };
  return withdrawals.map(({ amount }) => amount.value).reverse();
}

const WHOLE = ['100000.00', '100000.00', '50000.00'];

type Break = (send: () => Promise<HttpResponse>) => Promise<HttpResponse>;

const lostRequest: Break = async () => {
  throw new ExchangeError('the connection was lost', true);
};

const lostResponse: Break = async (send) => {
  await send();
  throw new ExchangeError('the connection was lost', true);
};

/** The same account over a network that breaks the nth withdrawal, and gives fixed data for some paths. */
async function overNetwork(nth: number, breaks: Break, fixed: Readonly<Record<string, unknown>> = {}) {
  const clock = fakeClock();
  const { sandbox, apiKey, close } = await openSandbox({ clock });
  onTestFinished(close);
  let count = 0;
  const network: Exchange = async (request) => {
    const send = () => sandbox.fetch(request, { apiKey, address: '127.0.0.1' });
    const found = Object.entries(fixed).find(([path]) => request.url.endsWith(path))?.[1];
    const data = typeof found === 'function' ? found() : found;
    if (data === 'rejected') return { status: 400, headers: {}, body: '{"response_code":"01","message":"no"}' };
    if (data) return { status: 200, headers: {}, body: JSON.stringify({ response_code: '00', data }) };
    if (!request.url.endsWith('/feewithdrawal')) return send();
    count += 1;
    return count === nth ? breaks(send) : send();
  };
  const env = { FIATRAIL_BASE_URL: 'https://service.test/v1', FIATRAIL_API_KEY: apiKey };
  return { world: fakeWorld({ network, env, clock }), clock };
}

const fault = (world: FakeWorld, kind: string, ...more: readonly string[]) =>
  main(['sandbox', 'fault', 'add', '--on', 'fees.withdraw', '--fault', kind, '-q', '-o', 'json', ...more], world);

describe('fees withdraw --amount all', () => {
  test('makes as many withdrawals as are needed, each under an idempotency key of its own', async () => {
    const world = await withFees();
    const { code, stderr, swept } = await sweep(world, '--once', 'night', '--yes');
    expect({ code, amounts: amountsOf(swept), total: swept?.total.value, left: swept?.left?.value }).toEqual({
      code: 0,
      amounts: WHOLE,
      total: '250000.00',
      left: '0.00',
    });
    expect(stderr).toContain('withdrawals  3, at most ₦100,000.00 each');
    expect(journalRows(world.stateDir).map((row) => row.once_key)).toEqual(['night/1', 'night/2', 'night/3']);
    expect(await withdrawn(world)).toEqual(WHOLE);
  });

  test('sends nothing under a key whose sweep has ended, although there are new fees', async () => {
    const world = await withFees();
    await fault(world, 'payout-fails');
    const first = await sweep(world, '--once', 'night', '--yes');
    // A failed payout gives its amount back.
    await run(world, 'sandbox', 'settle', '-q');
    const available = ['fees', 'earned', '-o', 'json', '--query', 'summary.availableForWithdrawal.value', '-q'];
    expect(await run(world, ...available)).toMatchObject({ stdout: '"100000.00"\n' });
    const again = await sweep(world, '--once', 'night', '--yes');
    expect({ code: again.code, ids: again.swept?.withdrawals.map(({ withdrawalId }) => withdrawalId) }).toEqual({
      code: 0,
      ids: first.swept?.withdrawals.map(({ withdrawalId }) => withdrawalId),
    });
    expect(again.stderr).toContain(
      'every withdrawal was made before under the idempotency key night; nothing was sent',
    );
    expect(await withdrawn(world)).toEqual(WHOLE);
  });

  test.each([
    ['a request that was lost', lostRequest],
    ['a response that was lost', lostResponse],
  ])('goes on where %s stopped it', async (_, breaks) => {
    const { world, clock } = await overNetwork(2, breaks);
    const stopped = await sweep(world, '--once', 'night', '--yes');
    expect({ code: stopped.code, amounts: amountsOf(stopped.swept) }).toEqual({ code: 6, amounts: ['100000.00'] });
    expect(stopped.stderr).toContain('before that: 1 withdrawal, ₦100,000.00 in all');
    expect(stopped.stderr).toContain('run the same command again for the rest');
    clock.pass(11 * 60_000);
    // Of an account without a profile, a person says what is in no list. That frees the key, and the amount is withdrawn under it.
    if (breaks === lostRequest) {
      const { id } = journalRows(world.stateDir).find(({ state }) => state === 'unknown') ?? { id: '' };
      expect(await main(['ops', 'resolve', id, '--not-done', '--reason', 'in no list', '-q'], world)).toBe(0);
    }
    const rest = await sweep(world, '--once', 'night', '--yes');
    expect({ code: rest.code, amounts: amountsOf(rest.swept) }).toEqual({ code: 0, amounts: WHOLE });
    expect(await withdrawn(world)).toEqual(WHOLE);
  });

  test('never withdraws more than what was agreed, although the fees grow meanwhile', async () => {
    const { world } = await overNetwork(1, (send) => send(), {
      '/getaccumulatedfees': {
        summary: { availableForWithdrawal: 25_000_000 },
        details: { minimumWithdrawal: 1_000, maximumWithdrawal: 10_000_000 },
      },
    });
    const { code, swept } = await sweep(world, '--once', 'night', '--yes');
    expect({ code, amounts: amountsOf(swept) }).toEqual({ code: 0, amounts: WHOLE });
  });

  const earned = (availableForWithdrawal: number) => ({
    summary: { availableForWithdrawal },
    details: { minimumWithdrawal: 1_000, maximumWithdrawal: 10_000_000 },
  });

  test.each([[], ['--dry-run']])('refuses limits that would take millions of withdrawals %j', async (...flags) => {
    const { world } = await overNetwork(0, (send) => send(), {
      '/getaccumulatedfees': {
        summary: { availableForWithdrawal: 25_000_000 },
        details: { minimumWithdrawal: 1, maximumWithdrawal: 1 },
      },
    });
    const { code, stderr } = await sweep(world, '--once', 'night', '--yes', ...flags);
    expect({ code, stderr }).toEqual({
      code: 5,
      stderr: expect.stringContaining('a maximum of ₦0.01 per withdrawal, which takes 25000000 withdrawals'),
    });
    expect(await withdrawn(world)).toEqual([]);
  });

  test('is done although what is left cannot be read afterwards', async () => {
    let reads = 0;
    const { world } = await overNetwork(0, (send) => send(), {
      '/getaccumulatedfees': () => {
        reads += 1;
        return reads > 3 ? 'rejected' : earned(25_000_000);
      },
    });
    const { code, swept } = await sweep(world, '--once', 'night', '--yes');
    expect({ code, amounts: amountsOf(swept), left: swept?.left }).toEqual({ code: 0, amounts: WHOLE, left: null });
  });

  test('sends nothing more under its key when every part was at the maximum and new fees came', async () => {
    let available = 20_000_000;
    const { world } = await overNetwork(0, (send) => send(), { '/getaccumulatedfees': () => earned(available) });
    expect((await sweep(world, '--once', 'night', '--yes')).code).toBe(0);
    available = 5_000_000;
    const again = await sweep(world, '--once', 'night', '--yes');
    expect({ code: again.code, amounts: amountsOf(again.swept) }).toEqual({ code: 0, amounts: WHOLE.slice(0, 2) });
    expect(await withdrawn(world)).toEqual(WHOLE.slice(0, 2));
  });

  test('never withdraws more than what was agreed when its key was first used', async () => {
    let available = 25_000_000;
    const { world, clock } = await overNetwork(2, lostResponse, { '/getaccumulatedfees': () => earned(available) });
    expect((await sweep(world, '--once', 'night', '--yes')).code).toBe(6);
    available = 20_000_000;
    clock.pass(11 * 60_000);
    const rest = await sweep(world, '--once', 'night', '--yes');
    expect({ code: rest.code, amounts: amountsOf(rest.swept) }).toEqual({ code: 0, amounts: WHOLE });
  });

  test.each<[string, (summary: string) => string, isRecorded: boolean, number]>([
    ['a build that says it in other words', (text) => text.replace(/, part .*/, ' (1/3, 250k)'), true, 0],
    ['a withdrawal of another command, whatever it says', (text) => text, false, 2],
    ['nothing that says what was agreed', () => 'withdraw ₦100,000.00 in fees', false, 2],
  ])('resumes what was begun by %s', async (_what, worded, isRecorded, exit) => {
    const { world, clock } = await overNetwork(2, lostResponse);
    expect((await sweep(world, '--once', 'night', '--yes')).code).toBe(6);
    rewriteJournal(world, (database) => {
      for (const { id, summary } of database.prepare('SELECT id, summary FROM operation').all())
        database.prepare('UPDATE operation SET summary = ? WHERE id = ?').run(worded(String(summary)), String(id));
      if (!isRecorded)
        database.exec(`UPDATE entry SET subject = 'shared nothing', value = NULL WHERE subject LIKE 'sweep %'`);
    });
    clock.pass(11 * 60_000);
    const rest = await sweep(world, '--once', 'night', '--yes');
    expect({ code: rest.code, withdrawn: await withdrawn(world) }).toEqual({
      code: exit,
      withdrawn: exit === 0 ? WHOLE : WHOLE.slice(0, 2),
    });
    if (exit === 2) expect(rest.stderr).toContain('the idempotency key night/1 was used for something else');
  });

  test('pays one account under one key, although the default account is another one now', async () => {
    const world = await withFees();
    const toDefault = ['fees', 'withdraw', '--amount', 'all', '--to', 'default', '--once', 'night', '--yes', '-q'];
    expect(await main(toDefault, world)).toBe(0);
    const add = [
      'bank-accounts',
      'add',
      '--account-number',
      '1234567890',
      '--bank-code',
      '000014',
      '--default',
      '--yes',
      '-q',
    ];
    expect(await main(add, world)).toBe(0);
    const { code, stderr } = await run(world, ...toDefault);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('the idempotency key night was used for account 0123456789 at bank 000013'),
    });
    expect(await withdrawn(world)).toEqual(WHOLE);
  });

  test('a rate limit in the middle prints what was done before, and is no "nothing was sent"', async () => {
    const { world } = await overNetwork(3, async () => ({
      status: 429,
      headers: { 'retry-after': '900' },
      body: '{"status":"Error","response_code":"04","message":"Too many requests"}',
    }));
    const { code, stderr, swept } = await sweep(world, '--once', 'night', '--yes');
    expect({ code, amounts: amountsOf(swept) }).toEqual({ code: 3, amounts: WHOLE.slice(0, 2) });
    expect(stderr).toContain('before that: 2 withdrawals, ₦200,000.00 in all');
  });

  test('says which withdrawal failed after it was accepted, and does not count it', async () => {
    const world = await withFees();
    await fault(world, 'payout-fails');
    await sweep(world, '--once', 'night', '--yes');
    await run(world, 'sandbox', 'settle', '-q');
    for (const { request_id: id } of journalRows(world.stateDir))
      await run(world, 'fees', 'withdrawals', 'status', id ?? '', '-q');
    const { code, stderr, swept } = await sweep(world, '--once', 'night', '--yes');
    expect({ code, total: swept?.total.value }).toEqual({ code: 3, total: '150000.00' });
    expect(stderr).toContain('1 of 3 withdrawals failed');
  });

  test('without an idempotency key, a second run within minutes stops', async () => {
    const world = await withFees();
    expect((await sweep(world, '--yes')).code).toBe(0);
    await fault(world, 'payout-fails');
    const again = await sweep(world, '--yes');
    expect(again.code).toBe(9);
    expect(await withdrawn(world)).toEqual(WHOLE);
  });

  test('two at once under one key withdraw everything once', async () => {
    const world = await withFees();
    const found = await Promise.all([1, 2, 3].map(() => main([...ALL, '--once', 'night', '--yes', '-q'], world)));
    expect(found.every((code) => code === 0)).toBe(true);
    expect((await withdrawn(world)).toSorted()).toEqual(WHOLE.toSorted());
  });

  test('asks once for all of it on a terminal, and declining sends nothing', async () => {
    const asks = 'Withdraw ₦250,000.00 in fees to account 0123456789 at bank 000013, in 3 withdrawals. Continue?';
    const no = fakeWorld({ isTerminal: true, answers: [{ kind: 'confirm', asks, says: false }] });
    await main(['sandbox', 'seed', '--users', '1', '-q', '-o', 'json'], no);
    expect(await main([...ALL], no)).toBe(9);
    expect(journalRows(no.stateDir)).toEqual([]);
    const yes = fakeWorld({ isTerminal: true, answers: [{ kind: 'confirm', asks, says: true }] });
    await main(['sandbox', 'seed', '--users', '1', '-q', '-o', 'json'], yes);
    expect(await main([...ALL], yes)).toBe(0);
    expect(journalRows(yes.stateDir)).toHaveLength(3);
  });

  test.each([
    [['--max-per-call', 'NGN 200000'], 'RULE_AMOUNT'],
    [['--max-per-day', 'NGN 200000'], 'RULE_AMOUNT'],
    [['--allow-account', '000014/0123456789'], 'RULE_DESTINATION'],
    [['--read-only'], 'RULE_READ_ONLY'],
  ])('the rule %j counts for the sum', async (rule, code) => {
    const world = await withFees();
    expect(await main(['profiles', 'rules', 'set', 'sandbox', ...rule, '--yes', '-q', '-o', 'json'], world)).toBe(0);
    const found = await sweep(world, '--yes');
    expect({ code: found.code, swept: found.swept }).toEqual({ code: 9, swept: undefined });
    expect(found.stderr).toContain(code);
    expect(await withdrawn(world)).toEqual([]);
  });

  test.each([
    [['--wait', '5s'], 2, '--wait follows one withdrawal'],
    [['--plan', 'plan.json'], 2, '--amount all may make several withdrawals'],
    [['--to', 'default'], 2, '--to cannot be combined'],
  ])('%j exits with %i', async (more, expected, message) => {
    const world = await withFees();
    const flags = more[0] === '--plan' ? more : [...more, '--yes'];
    const { code, stderr } = await run(world, ...ALL, ...flags);
    expect({ code, stderr }).toEqual({ code: expected, stderr: expect.stringContaining(message) });
    expect(await withdrawn(world)).toEqual([]);
  });

  test('a dry run shows every withdrawal and sends nothing', async () => {
    const world = await withFees();
    const { code, stdout } = await run(world, ...ALL, '--once', 'night', '--dry-run', '-o', 'json');
    const { withdrawals, ...whole } = JSON.parse(stdout);
    const { bankAccountNumber, bankCode, accountName } = withdrawals[0].body;
    const body = { bankAccountNumber, bankCode, accountName };
    const shown = [10_000_000, 10_000_000, 5_000_000].map((kobo, index) => ({
      amount: { value: WHOLE[index], asset: 'NGN' },
      idempotencyKey: `night/${index + 1}`,
      body: { ...body, amount: kobo, narration: expect.stringMatching(/^\[fr-[0-9a-f]{8}\]$/) },
    }));
    expect({ code, withdrawals, whole }).toMatchObject({
      code: 0,
      withdrawals: shown,
      whole: { dryRun: true, method: 'POST', total: { value: '250000.00', asset: 'NGN' }, count: 3 },
    });
    expect(new Set(shown.map((_, index) => withdrawals[index].body.narration)).size).toBe(3);
    expect(await withdrawn(world)).toEqual([]);
  });

  test('a test of the rules counts the sum of all withdrawals', async () => {
    const world = await withFees();
    const limit = ['profiles', 'rules', 'set', 'sandbox', '--max-per-day', 'NGN 200000', '--yes', '-q'];
    expect((await run(world, ...limit)).code).toBe(0);
    const { code, stdout } = await run(world, 'profiles', 'rules', 'test', '-o', 'json', '--', ...ALL);
    expect({ code, result: JSON.parse(stdout).rules[0].result }).toEqual({ code: 9, result: 'blocks' });
  });

  test('nothing to withdraw exits with 9', async () => {
    const world = await withFees();
    await sweep(world, '--once', 'night', '--yes');
    expect((await sweep(world, '--once', 'next', '--yes')).code).toBe(9);
  });
});

describe('--to default', () => {
  test('pays into the default bank account', async () => {
    const { code, stdout } = await run(
      await withFees(),
      'fees',
      'withdraw',
      '--amount',
      '500',
      '--to',
      'default',
      '--dry-run',
      '-o',
      'json',
    );
    expect({ code, number: JSON.parse(stdout).body.bankAccountNumber }).toEqual({ code: 0, number: '0123456789' });
  });

  test('without a default account is a usage error', async () => {
    const world = await withFees();
    const { stdout } = await run(world, 'bank-accounts', 'list', '-o', 'json', '--query', 'accounts[0].accountId');
    expect(await main(['bank-accounts', 'remove', JSON.parse(stdout), '--yes', '-q', '-o', 'json'], world)).toBe(0);
    const { code, stderr } = await run(world, 'fees', 'withdraw', '--amount', '500', '--to', 'default', '--yes');
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('there is no default bank account') });
  });
});

test('payout create --to default pays into the default bank account', async () => {
  const argv = ['payout', 'create', '--amount', '500', '--to', 'default', '--dry-run', '-o', 'json'];
  const { code, stdout } = await run(await withFees(), ...argv);
  expect({ code, id: JSON.parse(stdout).body.bankAccountId }).toEqual({
    code: 0,
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
});
