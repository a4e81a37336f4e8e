import { describe, expect, test } from 'vitest';
import { ADDRESS, pay, payByApi, type RunOptions, ruledMachine, SAVED } from './support.ts';

/** A terminal at which someone agrees, and types what `typed` makes of the code. */
function terminal(typed: (code: string) => string) {
  const asked: string[] = [];
  const prompter = async () => ({
    confirm: async (question: string) => {
      asked.push(question);
      return true;
    },
    text: async (question: string) => {
      asked.push(question);
      return typed(/^Type (\w{5}) to /.exec(question)?.[1] ?? 'no code');
    },
    secret: async () => '',
    select: async () => {
      throw new Error('unexpected select');
    },
    search: async () => {
      throw new Error('unexpected search');
    },
  });
  const options: RunOptions = { isTerminal: true, prompter };
  return { asked, prompter, options };
}

/** All fees, in withdrawals of ₦200 at most. */
const sweepAll = () => pay('all', '-q');

const LIMIT = ['--confirm-above', 'NGN 500'];

describe('a code for large amounts of a live account', () => {
  test('must be typed on the terminal, also with --yes', async () => {
    const { sends } = await ruledMachine(LIMIT, 'live');
    const { asked, options } = terminal((code) => ` ${code.toLowerCase()} `);
    await sends(pay('500.01'), options);
    expect(asked).toEqual([expect.stringMatching(/^Type \w{5} to withdraw ₦500\.01 in fees to account/)]);
    await sends(payByApi('50002'), options);
    expect(asked[1]).toMatch(/^Type \w{5} to call POST \/feewithdrawal:$/);
    expect(asked[0]?.slice(5, 10)).not.toBe(asked[1]?.slice(5, 10));
  });

  test.each([
    ['nothing', () => ''],
    ['another code', () => 'AAAAA'],
    ['yes', () => 'y'],
  ])('stops after %s', async (_what, typed) => {
    const { stops } = await ruledMachine(LIMIT, 'live');
    await stops(
      pay('501', '-q'),
      'RULE_CONFIRMATION',
      'the code that was typed is not the one that was shown',
      terminal(typed).options,
    );
  });

  test('must be typed once for all withdrawals of a sweep, although each of them is below the amount', async () => {
    const { run, sent } = await ruledMachine(LIMIT, 'live', undefined, 60_000);
    const { asked, options } = terminal((code) => code);
    expect((await run(sweepAll(), options)).code).toBe(0);
    expect(asked).toEqual([
      expect.stringMatching(/^Type \w{5} to withdraw ₦600\.00 in fees to account \d+ at bank \d+, in 3 withdrawals:$/),
    ]);
    expect(sent().filter((each) => each.endsWith('/feewithdrawal'))).toHaveLength(3);
    const other = await ruledMachine(LIMIT, 'live', undefined, 60_000);
    await other.stops(sweepAll(), 'RULE_CONFIRMATION', 'a code must be typed on a terminal');
  });

  test('stops without a terminal, and with --no-input', async () => {
    const { stops, tests } = await ruledMachine(LIMIT, 'live');
    await stops(pay('500.01'), 'RULE_CONFIRMATION', 'a code must be typed on a terminal, and there is none');
    await stops(payByApi('50001'), 'RULE_CONFIRMATION', 'a code must be typed on a terminal');
    await stops(
      pay('501', '--no-input', '-q'),
      'RULE_CONFIRMATION',
      'a code must be typed',
      terminal((code) => code).options,
    );
    expect(await tests(pay('501'))).toMatchObject({
      code: 9,
      rules: [{ rule: 'confirm-above', result: 'blocks' }],
    });
    expect(await tests(pay('501'), terminal((code) => code).options)).toMatchObject({
      code: 0,
      rules: [{ rule: 'confirm-above', result: 'allows', detail: 'a code must be typed on the terminal' }],
    });
  });

  test('is not asked for at the figure, for another asset, or for a sandbox', async () => {
    const live = await ruledMachine(LIMIT, 'live');
    await live.sends(pay('500'));
    await live.sends(['transfers', 'create', '--amount', '900', '--token', 'USDC', '--to', ADDRESS, '--yes']);
    const box = await ruledMachine(LIMIT, 'sandbox');
    await box.sends(pay('501'));
  });

  test('is asked for above the amount in cNGN too, and not below it', async () => {
    const { sends, stops } = await ruledMachine(LIMIT, 'live');
    const payout = (amount: string) => ['payout', 'create', '--amount', amount, '--to', SAVED, '--yes'];
    await sends(payout('500'));
    await stops(payout('500.000001'), 'RULE_CONFIRMATION', 'a code must be typed');
  });

  test('is asked for if the request does not say its amount', async () => {
    const { stops } = await ruledMachine(['--confirm-above', 'CNGN 500'], 'live');
    await stops(['fx', 'trade', '--quote', 'quote-1', '--yes'], 'RULE_CONFIRMATION', 'a code must be typed');
  });
});

test('hours that end while someone answers stop the change', async () => {
  const machine = await ruledMachine(['--hours', 'mon 10:00-10:01']);
  let nowMs = Date.UTC(2026, 0, 5, 9);
  const clock = { now: () => nowMs, sleep: async () => {} };
  const { prompter: answering } = terminal((code) => code);
  const prompter = async () => ({
    ...(await answering()),
    confirm: async () => {
      nowMs += 60_000;
      return true;
    },
  });
  const argv = pay('15', '-q').filter((each) => each !== '--yes');
  await machine.stops(argv, 'RULE_HOURS', 'it is Mon 10:01 in Lagos', { isTerminal: true, prompter, clock });
});
