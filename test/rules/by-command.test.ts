import { expect, test } from 'vitest';
import type { Rules } from '../../src/account/rules.ts';
import { commandRulesForPeople, rulesByCommand } from '../../src/engine/rules/by-command.ts';
import { ACCOUNT, ADDRESS, ruledMachine } from './support.ts';

/** What holds a command, as the table shows it. */
const shown = (command: string, ...sets: readonly Rules[]) => {
  const held = rulesByCommand(sets).find((each) => each.command === command);
  if (!held) throw new Error(command);
  const { amount, destination, others } = commandRulesForPeople(held);
  return [amount, destination, others];
};

const limit = (asset: 'NGN' | 'CNGN' | 'USDC' | 'USDT', command?: string) =>
  ({ per: 'day', asset, amount: '1000', ...(command === undefined ? {} : { command }) }) as const;

test.each<[command: string, rules: Rules, shown: readonly string[]]>([
  ['payout create', {}, ['no rule', '—', '—']],
  ['payout create', { amounts: [limit('USDC')] }, ['no rule', '—', '—']],
  ['payout create', { amounts: [limit('NGN')] }, ['max-per-day NGN 1000', '—', '—']],
  ['payout create', { amounts: [limit('CNGN', 'payout create')] }, ['max-per-day CNGN 1000 payout create', '—', '—']],
  ['payout create', { amounts: [limit('CNGN', 'transfers create')] }, ['no rule', '—', '—']],
  ['fees withdraw', { amounts: [limit('CNGN')] }, ['max-per-day CNGN 1000', '—', '—']],
  ['transfers create', { amounts: [limit('NGN')] }, ['max-per-day NGN 1000 (not USDC, USDT)', '—', '—']],
  [
    'transfers create',
    { amounts: [limit('NGN'), limit('USDC'), limit('USDT')] },
    ['max-per-day NGN 1000; max-per-day USDC 1000; max-per-day USDT 1000', '—', '—'],
  ],
  [
    'transfers create',
    { confirmAbove: [{ asset: 'NGN', amount: '5' }] },
    ['confirm-above NGN 5 (not USDC, USDT)', '—', '—'],
  ],
  ['onramp create', { amounts: [limit('NGN')] }, ['no rule', '—', '—']],
  ['onramp create', { users: ['u'] }, ['spends nothing', 'allow-address, allow-user', '—']],
  ['onramp create', { addresses: [ADDRESS] }, ['spends nothing', 'always stops', '—']],
  ['payout create', { accounts: [ACCOUNT] }, ['not limited', 'allow-account', '—']],
  ['payout create', { accounts: [] }, ['not limited', 'always stops', '—']],
  ['payout create', { users: ['u'] }, ['not limited', 'always stops', '—']],
  ['swaps create', { users: ['u'] }, ['not limited', 'allow-address, allow-user', '—']],
  ['swaps create --wallet', { users: ['u'], addresses: [ADDRESS] }, ['not limited', 'always stops', '—']],
  ['fx trade', { users: ['u'] }, ['not limited', 'allow-address', '—']],
  ['fx orders create', { users: ['u'] }, ['no rule', '—', '—']],
  ['wallets external add', { users: ['u'] }, ['spends nothing', 'allow-address', '—']],
  ['wallets external enable', { users: ['u'] }, ['spends nothing', 'always stops', '—']],
  ['users default-wallet set', { users: ['u'] }, ['spends nothing', 'always stops', '—']],
  [
    'payout create',
    { readOnly: true, hours: ['mon 08:00-09:00'], requireOnce: true },
    ['not limited', '—', 'read-only, hours, require-once'],
  ],
])('%s under %j', (command, rules, expected) => {
  expect(shown(command, rules)).toEqual(expected);
});

test('rules of the profile and the shared ones both count', () => {
  const [own, shared] = [{ accounts: [ACCOUNT] }, { users: ['u'], amounts: [limit('NGN')] }];
  expect(shown('payout create', own, shared)).toEqual(['max-per-day NGN 1000', 'always stops', '—']);
});

test('a change of rules prints what holds each command, and so does a look at them', async () => {
  const { set, run } = await ruledMachine();
  const changed = await set(['--max-per-day', 'NGN 1000']);
  const looked = await run(['profiles', 'rules', 'show', 'main']);
  for (const { stdout } of [changed, looked]) {
    expect(stdout).toMatch(/^ {2}payout create +max-per-day NGN 1000 +—/m);
    expect(stdout).toMatch(/^ {2}onramp create +no rule/m);
  }
  const { stdout } = await run(['profiles', 'rules', 'show', 'main', '-o', 'json']);
  expect(JSON.parse(stdout).commands).toContainEqual({
    command: 'transfers create',
    amounts: ['max-per-day NGN 1000'],
    unlimited: ['USDC', 'USDT'],
    destinations: [],
    stops: false,
    others: [],
  });
  const fields = await run(['profiles', 'rules', 'show', 'main', '--fields', 'setting']);
  expect(fields.stdout).not.toContain('payout create');
});

test('a limit cannot name a command that spends nothing', async () => {
  const { set } = await ruledMachine();
  for (const command of ['onramp create', 'users default-wallet set'])
    expect(await set(['--max-per-day', `NGN 1000 ${command}`])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`"${command}" is not a command that spends money`),
    });
});
