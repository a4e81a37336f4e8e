import { chownSync } from 'node:fs';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { changeProfile } from '../../src/account/changes.ts';
import { main } from '../../src/main.ts';
import { journalRows } from '../support/journal.ts';
import { fakeWorld } from '../support/world.ts';
import { ACCOUNT, ADDRESS, OTHER_ADDRESS, pay, ruledMachine } from './support.ts';

const SHOW = ['profiles', 'rules', 'show', 'main', '-o', 'json', '-q'];

async function shown(run: (argv: readonly string[]) => Promise<{ readonly stdout: string }>) {
  const { rules } = JSON.parse((await run(SHOW)).stdout) as { rules: { rule: string; setting: string }[] };
  return rules.map(({ rule, setting }) => `${rule} ${setting}`);
}

describe('rules are set, shown and removed', () => {
  test.each<[set: readonly string[], shows: readonly string[], remove: readonly string[]]>([
    [['--read-only'], ['read-only on'], ['--read-only', 'off']],
    [['--require-once'], ['require-once on'], ['--require-once', 'off']],
    [['--max-per-call', 'ngn 500000.50'], ['max-per-call NGN 500000.5'], ['--max-per-call', 'NGN off']],
    [['--max-per-day', 'NGN ₦5,000'], ['max-per-day NGN 5000'], ['--max-per-day', 'NGN off']],
    [
      ['--max-per-month', 'USDC 10 fiatrail  transfers  create', '--max-per-month', 'USDC 20'],
      ['max-per-month USDC 10 transfers create', 'max-per-month USDC 20'],
      ['--max-per-month', 'USDC off', '--max-per-month', 'USDC off transfers create'],
    ],
    [['--allow-account', ACCOUNT], [`allow-account ${ACCOUNT}`], ['--allow-account', 'off']],
    [['--allow-address', ADDRESS], [`allow-address ${ADDRESS}`], ['--allow-address', 'off']],
    [
      ['--allow-user', 'u-1', '--allow-user', 'u-2'],
      ['allow-user u-1', 'allow-user u-2'],
      ['--allow-user', 'off'],
    ],
    [['--hours', 'Mon-Fri 08:00-18:00'], ['hours mon-fri 08:00-18:00'], ['--hours', 'off']],
    [['--confirm-above', 'NGN 1000000'], ['confirm-above NGN 1000000'], ['--confirm-above', 'NGN off']],
  ])('%j', async (flags, shows, remove) => {
    const { set, run, profile } = await ruledMachine();
    expect((await set(flags)).code).toBe(0);
    expect(await shown(run)).toEqual(shows);
    expect((await set(remove)).code).toBe(0);
    expect(await shown(run)).toEqual([]);
    expect(profile('main')).not.toHaveProperty('rules');
  });

  test('one by one; what is not named stays', async () => {
    const { set, run } = await ruledMachine(['--read-only', '--allow-user', 'u-1', '--max-per-day', 'NGN 5']);
    await set(['--allow-user', 'u-2', '--disallow-user', 'u-1', '--max-per-day', 'NGN 6', '--max-per-call', 'NGN 5']);
    expect(await shown(run)).toEqual(['read-only on', 'max-per-call NGN 5', 'max-per-day NGN 6', 'allow-user u-2']);
    await set(['--disallow-user', 'u-2']);
    expect(await shown(run)).toContain('allow-user none');
  });

  test('and stay when the profile changes', async () => {
    const { add, run } = await ruledMachine(['--read-only']);
    await add('main', 'sandbox_planted_5ec7e7', '--default-output', 'yaml');
    expect(await shown(run)).toEqual(['read-only on']);
  });

  test('unless nothing changes', async () => {
    const { set, state } = await ruledMachine(['--read-only']);
    expect(await set(['--read-only'])).toMatchObject({ code: 0, stderr: expect.stringContaining('already like this') });
    expect(journalRows(state)).toHaveLength(1);
  });
});

test('the first rule of the built-in sandbox is printed by the command that sets it', async () => {
  const world = fakeWorld();
  expect(await main(['profiles', 'rules', 'set', '--read-only', '--yes', '-q', '-o', 'json'], world)).toBe(0);
  expect(JSON.parse(world.stdout.text())).toMatchObject({ rules: [{ rule: 'read-only', setting: 'on' }] });
});

describe('a wrong value', () => {
  test.each([
    ['--max-per-call', 'NGN', 'invalid limit "NGN"; expected one of NGN, CNGN, USDC, USDT, then an amount'],
    ['--max-per-call', '500000', 'invalid limit "500000"'],
    ['--max-per-call', 'EUR 5', 'invalid limit "EUR 5"'],
    ['--max-per-call', 'NGN -5', 'invalid NGN amount "-5"'],
    ['--max-per-day', 'NGN 1.005', 'too many decimals in "1.005"'],
    ['--max-per-day', 'NGN 5 fees', '"fees" is not a command that spends money'],
    ['--max-per-month', 'USDC ₦5', 'expected an amount in USDC'],
    ['--max-per-month', 'NGN 10000000001', 'at most'],
    ['--confirm-above', 'NGN 5 fees withdraw', '--confirm-above does not depend on the command'],
    ['--confirm-above', 'NGN many', 'invalid NGN amount "many"'],
    ['--allow-account', '0123456789', 'invalid bank account "0123456789"; expected a bank code and an account number'],
    ['--allow-account', '000013/012345678', 'invalid bank account'],
    ['--disallow-account', ACCOUNT, `${ACCOUNT} is not in the list`],
    ['--allow-address', '0x12', 'invalid EVM address'],
    ['--allow-address', OTHER_ADDRESS.replace('8617E', '8617e'), 'invalid EVM address'],
    ['--allow-address', 'a b', 'invalid id "a b"'],
    ['--disallow-address', ADDRESS, 'is not in the list'],
    ['--allow-user', 'a b', 'invalid id "a b"; ids have no spaces'],
    ['--disallow-user', 'u-9', 'u-9 is not in the list'],
    ['--hours', '08:00-18:00', 'invalid hours "08:00-18:00"; expected days, a start and an end in Lagos'],
    ['--hours', 'mon 18:00-08:00', 'a window cannot pass midnight'],
    ['--hours', 'mon 08:00-08:00', 'invalid hours'],
    ['--hours', 'mon 08:00-24:01', 'invalid hours'],
    ['--hours', 'mon 08:60-09:00', 'invalid hours'],
    ['--hours', 'day 08:00-18:00', 'invalid hours'],
    ['--hours', 'mon-tue-wed 08:00-18:00', 'invalid hours'],
  ])('%s %s is one sentence', async (flag, value, message) => {
    const { run, profile, state } = await ruledMachine();
    const before = profile('main');
    const { code, stderr } = await run(['profiles', 'rules', 'set', 'main', `${flag}=${value}`, '--yes']);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
    expect(stderr.match(/^error: /gm)).toHaveLength(1);
    expect(profile('main')).toEqual(before);
    expect(journalRows(state)).toEqual([]);
  });

  test.each([
    [['--read-only', 'on', '--read-only', 'off'], '--read-only was given more than once'],
    [['--require-once', 'no'], '--require-once: invalid value "no"; expected one of on, off'],
    [['--max-per-day', 'NGN 5', '--max-per-day', 'NGN 6'], 'two limits were given for NGN'],
    [['--confirm-above', 'NGN 5', '--confirm-above', 'NGN off'], 'two limits were given for NGN'],
    [['--hours', 'off', '--hours', 'mon 08:00-09:00'], '--hours off and other hours cannot be combined'],
    [['--allow-user', 'off', '--allow-user', 'u-1'], '--allow-user off and another --allow-user'],
    [['--allow-user', 'u-1', '--disallow-user', 'u-1'], '--allow-user u-1 and --disallow-user u-1 cannot be combined'],
    [['--shared', '--read-only'], 'a profile name and --shared cannot be combined'],
    [[], 'nothing to set: give --read-only'],
  ])('%j is one sentence', async (flags, message) => {
    const { run } = await ruledMachine();
    const { code, stderr } = await run(['profiles', 'rules', 'set', 'main', ...flags, '--yes']);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
    expect(stderr.match(/^error: /gm)).toHaveLength(1);
  });

  test('names an unknown profile', async () => {
    const { run } = await ruledMachine();
    for (const command of ['set', 'show'])
      expect(
        await run(['profiles', 'rules', command, 'gone', ...(command === 'set' ? ['--read-only', '--yes'] : [])]),
      ).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('unknown profile "gone"'),
      });
  });
});

describe('a profile file', () => {
  test.each<[what: string, rules: unknown, wrong: string]>([
    ['an amount that is negative', { amounts: [{ per: 'day', asset: 'NGN', amount: '-5' }] }, 'rules.amounts.0'],
    ['an amount in words', { amounts: [{ per: 'day', asset: 'NGN', amount: 'all' }] }, 'rules.amounts.0'],
    [
      'an amount that is finer than kobo',
      { amounts: [{ per: 'day', asset: 'NGN', amount: '1.005' }] },
      'rules.amounts.0',
    ],
    ['an amount that is a number', { amounts: [{ per: 'day', asset: 'NGN', amount: 5 }] }, 'rules.amounts.0.amount'],
    ['an unknown asset', { confirmAbove: [{ asset: 'EUR', amount: '5' }] }, 'rules.confirmAbove.0.asset'],
    ['an unknown period', { amounts: [{ per: 'week', asset: 'NGN', amount: '5' }] }, 'rules.amounts.0.per'],
    ['an unknown rule', { maxPerDay: 5 }, 'rules'],
    ['hours that no clock has', { hours: ['mon 08:00-25:00'] }, 'rules.hours.0'],
    ['a bank account without a bank', { accounts: ['0123456789'] }, 'rules.accounts.0'],
    ['a list that is none', { users: 'u-1' }, 'rules.users'],
    ['rules that are none', 'none', 'rules'],
    ['null', null, 'rules'],
  ])('with %s stops every command with one sentence', async (_what, rules, wrong) => {
    const { run, write, at: _at, profile, config, asked } = await ruledMachine();
    write(`${config}/profiles/main.json`, JSON.stringify({ ...profile('main'), rules }));
    for (const argv of [pay('5'), ['fees', 'withdrawals', 'list']]) {
      const { code, stderr } = await run([...argv, '-q']);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`has an invalid field: ${wrong}`) });
      expect(stderr.match(/^error: /gm)).toHaveLength(1);
    }
    expect(asked).toEqual([]);
  });

  test('of another user stops every command', async () => {
    const { run, config, asked } = await ruledMachine(['--read-only']);
    // Only root can give a file away; for anyone else, the user who runs the command is another one.
    if (process.getuid?.() === 0) chownSync(`${config}/profiles/main.json`, 12_345, 12_345);
    else vi.spyOn(process, 'getuid').mockReturnValue(12_345);
    onTestFinished(() => {
      vi.restoreAllMocks();
    });
    const { code, stderr } = await run([...pay('5'), '-q']);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('belongs to another user') });
    expect(asked).toEqual([]);
  });
});

describe('an import', () => {
  test('brings the rules of a new profile, and removes none of an existing one', async () => {
    const { run, write, folder, set, stops } = await ruledMachine(['--max-per-call', 'NGN 5']);
    const exported = (await run(['profiles', 'export', 'main'])).stdout;
    await set(['--read-only']);
    const weaker = exported.replace('"5.00"', '"500.00"');
    write(`${folder}/weaker.json`, weaker);
    expect((await run(['profiles', 'import', `${folder}/weaker.json`])).stdout).toContain('already exists, unchanged');
    expect(await shown(run)).toEqual(['read-only on', 'max-per-call NGN 5']);
    await stops(pay('6'), 'RULE_READ_ONLY', 'only reads');
    write(`${folder}/other.json`, weaker.replace('"main"', '"other"'));
    expect((await run(['profiles', 'import', `${folder}/other.json`])).code).toBe(0);
    expect((await run(['profiles', 'rules', 'show', 'other'])).stdout).toContain('NGN 500');
  });

  test('of rules that are not valid adds nothing', async () => {
    const { run, write, folder } = await ruledMachine(['--max-per-call', 'NGN 5']);
    const exported = (await run(['profiles', 'export', 'main'])).stdout;
    write(`${folder}/bad.json`, exported.replace('"5.00"', '"-5"').replace('"main"', '"other"'));
    const { code, stderr } = await run(['profiles', 'import', `${folder}/bad.json`]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('rules.amounts.0') });
  });
});

describe('a change of rules', () => {
  test('is in the journal: who changed what, and when', async () => {
    const { run, set } = await ruledMachine(['--max-per-day', 'NGN 5']);
    await set(['--max-per-day', 'NGN 6', '--read-only']);
    const { operations } = JSON.parse((await run(['ops', 'list', '-o', 'json', '-q'])).stdout) as {
      operations: object[];
    };
    expect(operations).toMatchObject([
      {
        kind: 'destructive',
        state: 'settled',
        command: 'fiatrail profiles rules set',
        summary:
          'change the rules of profile main: removes max-per-day NGN 5; sets read-only on; sets max-per-day NGN 6',
        runBy: 'ada',
        profile: 'main',
        request: { before: ['max-per-day NGN 5'] },
      },
      { summary: 'change the rules of profile main: sets max-per-day NGN 5' },
    ]);
  });

  test('is asked about, and not made if the answer is no', async () => {
    const { setWith, run, state } = await ruledMachine();
    const answers = [{ kind: 'confirm', asks: 'Change the rules of profile main', says: false }] as const;
    expect(await setWith(['--read-only'], { isTerminal: true, answers })).toMatchObject({ code: 9 });
    expect(await setWith(['--read-only'])).toMatchObject({ code: 2, stderr: expect.stringContaining('add --yes') });
    expect(await shown(run)).toEqual([]);
    expect(journalRows(state)).toEqual([]);
  });

  test.each([[['--read-only']], [['--read-only', 'off']], [['--max-per-call', 'NGN 6']]])(
    'of a live profile needs a terminal, and --yes is not enough: %j',
    async (flags) => {
      const { run, profile, state } = await ruledMachine(
        ['--max-per-call', 'NGN 5', ...(flags[1] === 'off' ? ['--read-only'] : [])],
        'live',
      );
      const before = { profile: profile('main'), journal: journalRows(state).length };
      for (const more of [[], ['--yes']]) {
        const { code, stderr } = await run(['profiles', 'rules', 'set', 'main', ...flags, ...more]);
        expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('--yes is not enough') });
      }
      const answers = [{ kind: 'confirm', asks: 'Change the rules of profile main', says: false }] as const;
      const declined = await run(['profiles', 'rules', 'set', 'main', ...flags, '--yes'], {
        isTerminal: true,
        answers,
      });
      expect(declined.code).toBe(9);
      expect({ profile: profile('main'), journal: journalRows(state).length }).toEqual(before);
    },
  );

  test('shows a dry run, and changes nothing', async () => {
    const { run } = await ruledMachine();
    const { code, stdout } = await run(['profiles', 'rules', 'set', 'main', '--read-only', '--dry-run']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('sets read-only on') });
    expect(await shown(run)).toEqual([]);
  });

  test('is not made if another command changed the rules during the question', async () => {
    const { run, config, state } = await ruledMachine();
    const world = fakeWorld({ env: { FIATRAIL_CONFIG_DIR: config, FIATRAIL_STATE_DIR: state } });
    const prompter = async () => ({
      ...(await world.prompter()),
      confirm: async () => {
        await changeProfile(world, 'main', (now) => ({
          ...(now as NonNullable<typeof now>),
          rules: { readOnly: true },
        }));
        return true;
      },
    });
    const { code, stderr } = await run(['profiles', 'rules', 'set', 'main', '--require-once'], {
      isTerminal: true,
      prompter,
    });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('in the meantime; nothing was saved'),
    });
    expect(await shown(run)).toEqual(['read-only on']);
    expect(journalRows(state)).toMatchObject([{ state: 'rejected' }]);
  });
});
