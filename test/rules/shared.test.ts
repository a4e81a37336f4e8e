import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { openJournal } from '../../src/journal/open.ts';
import { journalRows } from '../support/journal.ts';
import { fakeWorld } from '../support/world.ts';
import { pay, payByApi, ruledMachine } from './support.ts';

const YES = {
  isTerminal: true,
  answers: [{ kind: 'confirm', asks: 'Change the rules of the shared journal', says: true }],
} as const;

async function sharingMachine(flags: readonly string[], own: readonly string[] = []) {
  const machine = await ruledMachine(own);
  const share = (more: readonly string[]) => machine.run(['profiles', 'rules', 'set', '--shared', ...more], YES);
  expect((await share(flags)).code).toBe(0);
  return { ...machine, share };
}

describe('rules in a shared journal', () => {
  test('count beside those of the profile, and the stricter one stops', async () => {
    const { stops, sends, tests } = await sharingMachine(['--max-per-call', 'NGN 500'], ['--max-per-day', 'NGN 800']);
    await stops(pay('501'), 'RULE_AMOUNT', 'rule max-per-call of the shared journal: ₦501.00 is above ₦500.00');
    await stops(payByApi('50100'), 'RULE_AMOUNT', 'rule max-per-call of the shared journal');
    await sends(pay('500'));
    await stops(
      pay('500'),
      'RULE_AMOUNT',
      'rule max-per-day of profile main: ₦500.00 is above the ₦300.00 that is left',
    );
    expect(await tests(pay('501'))).toMatchObject({
      code: 9,
      rules: [
        { rule: 'max-per-day', source: 'profile', result: 'blocks' },
        { rule: 'max-per-call', source: 'shared journal', result: 'blocks' },
      ],
    });
  });

  test('stop a write that the journal does not record', async () => {
    const { stops, share, sends } = await sharingMachine(['--read-only']);
    await stops(['users', 'activate', 'u-1', '--yes'], 'RULE_READ_ONLY', 'rule read-only of the shared journal');
    await share(['--read-only', 'off']);
    await sends(['users', 'activate', 'u-1', '--yes']);
  });

  test('stop an account of the environment too, but no embedded sandbox', async () => {
    const { run, stops } = await sharingMachine(['--read-only']);
    const env = { FIATRAIL_BASE_URL: 'https://other.test/v1', FIATRAIL_API_KEY: 'sandbox_planted_5ec7e7' };
    const options = { env, isBare: true };
    await stops([...pay('5'), '-q'], 'RULE_READ_ONLY', 'rule read-only of the shared journal', options);
    const shown = await run(['profiles', 'rules', 'show', '-o', 'ndjson', '-q'], options);
    expect(shown.stdout).toBe('{"rule":"read-only","setting":"on","source":"shared journal"}\n');
    expect((await run([...pay('500'), '--profile', 'sandbox', '-q'])).code).toBe(0);
  });

  test('are shown with those of the profile', async () => {
    const { run } = await sharingMachine(['--max-per-call', 'NGN 500'], ['--read-only']);
    const { rules } = JSON.parse((await run(['profiles', 'rules', 'show', '-o', 'json', '-q'])).stdout) as {
      rules: object[];
    };
    expect(rules).toEqual([
      { rule: 'read-only', setting: 'on', source: 'profile' },
      { rule: 'max-per-call', setting: 'NGN 500', source: 'shared journal' },
    ]);
  });

  test('change only on a terminal, for a sandbox too, and the change is recorded', async () => {
    const { run, state } = await sharingMachine(['--max-per-call', 'NGN 500']);
    const { code, stderr } = await run(['profiles', 'rules', 'set', '--shared', '--max-per-call', 'NGN off', '--yes']);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('--yes is not enough') });
    expect(journalRows(state)).toMatchObject([
      { state: 'settled', summary: 'change the rules of the shared journal: sets max-per-call NGN 500' },
    ]);
  });

  test.each(['{', '{"amounts":[{"per":"day","asset":"NGN","amount":"-1"}]}', '{"later":true}', 'null'])(
    'that are %s stop every change with one sentence, and no read',
    async (text) => {
      const { run, state, asked } = await ruledMachine(['--max-per-call', 'NGN 500']);
      const journal = await openJournal(`${state}/journal.db`, fakeWorld());
      await journal.setShared('rules', text, await journal.shared('rules'));
      await journal.close();
      for (const argv of [pay('5'), ['users', 'activate', 'u-1', '--yes']]) {
        const { code, stderr } = await run([...argv, '-q']);
        expect({ code, stderr }).toEqual({
          code: 2,
          stderr: expect.stringContaining('the rules in the shared journal are invalid at'),
        });
      }
      expect(asked).toEqual([]);
      // A read asks no rule.
      await run(['fees', 'withdrawals', 'list', '-q']);
      expect(asked).toEqual(['GET /getwithdrawalhistory']);
    },
  );
});

test('a payment that another command makes during the question counts', async () => {
  const { run, sent, state } = await ruledMachine(['--max-per-day', 'NGN 1000']);
  let isOther = false;
  // The question is answered only after another process has recorded its payment.
  const prompter = async () => ({
    confirm: async () => {
      isOther = true;
      expect((await run([...pay('600'), '-q'])).code).not.toBe(9);
      return true;
    },
    text: async () => '',
    secret: async () => '',
    select: async () => {
      throw new Error('unexpected select');
    },
    search: async () => {
      throw new Error('unexpected search');
    },
  });
  const argv = pay('600', '-q').filter((each) => each !== '--yes');
  const { code, stderr } = await run(argv, { isTerminal: true, prompter });
  expect({ isOther, code, stderr }).toEqual({
    isOther: true,
    code: 9,
    stderr: expect.stringContaining('₦400.00 that is left'),
  });
  expect(sent()).toHaveLength(1);
  expect(journalRows(state).filter(({ endpoint }) => endpoint === 'fees.withdraw')).toHaveLength(1);
});
test('the journal knows what each operation moves, without any rule', async () => {
  const { run, state } = await ruledMachine();
  await run([...pay('12.34'), '-q']);
  const database = new DatabaseSync(`${state}/journal.db`, { readOnly: true });
  const rows = database.prepare('SELECT asset, minor FROM spent').all();
  database.close();
  expect(rows.map(({ asset, minor }) => `${asset} ${minor}`)).toEqual(['NGN 1234']);
});
